"""Control of the caches (guide, tables 71 and 72)."""

from collections.abc import Mapping

__all__ = ["Caches"]


class Caches:
    """Whether the level 2 cache is enabled, which is all there is: caches of the model hold nothing that memory has not."""

    registers = ("L2CACTL",)

    def __init__(self):
        self._enabled = 1

    def live(self, name: str) -> dict[str, int]:
        """L2CACTL, by its fields."""
        return {"L2CENA": self._enabled}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """To disable it counts more than to enable it."""
        self._enabled = int((self._enabled or fields["L2CENA"]) and not fields["L2CDIS"])
