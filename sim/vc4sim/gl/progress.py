"""A line that says how much a driver has drawn."""

from collections.abc import Mapping

from tqdm import tqdm

__all__ = ["Progress"]

_FRAME_DONE = 1


class Progress:
    """Counts frames on standard error, with what the GPU has done for them."""

    def __init__(self) -> None:
        self._bar = tqdm(unit=" frames")
        self._is_drawing = False

    def written(self, name: str, word: int) -> None:
        """A write of the host, before it happens."""
        self._is_drawing |= name == "CT1EA"

    def rested(self, interrupts: int, counts: Mapping[str, int]) -> None:
        """The GPU rests; `interrupts`, which is INTCTL, says why."""
        if self._is_drawing and interrupts & _FRAME_DONE:
            self._is_drawing = False
            self._bar.set_postfix_str(", ".join(f"{number:,} {name}" for name, number in counts.items()), refresh=False)
            self._bar.update()

    def close(self) -> None:
        """Nothing more comes."""
        self._bar.close()
