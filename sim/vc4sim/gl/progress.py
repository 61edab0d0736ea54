"""A line that says how much a driver has drawn."""

from collections.abc import Mapping

from tqdm import tqdm

from .watcher import Watcher

__all__ = ["Progress"]


class Progress(Watcher):
    """Counts frames on standard error, with what the GPU has done for them."""

    def __init__(self) -> None:
        self._bar = tqdm(unit=" frames")

    def drawn(self, counts: Mapping[str, int]) -> None:
        """One more."""
        self._bar.set_postfix_str(", ".join(f"{number:,} {name}" for name, number in counts.items()), refresh=False)
        self._bar.update()

    def close(self) -> None:
        """The line stays."""
        self._bar.close()
