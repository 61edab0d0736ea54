"""Who sees what a driver does."""

from collections.abc import Mapping

__all__ = ["Watcher"]


class Watcher:
    """Is told by a `Device`; by itself it does nothing."""

    def written(self, name: str, word: int) -> None:
        """A write of a register, before it happens."""

    def drawn(self, counts: Mapping[str, int]) -> None:
        """A frame is in memory; `counts` says what the GPU has done since its reset."""

    def reset(self) -> None:
        """The GPU is as after power-on."""

    def close(self) -> None:
        """Nothing more comes."""
