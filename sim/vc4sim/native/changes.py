"""What changes in a function, and who reads that."""

from .blocks import bits

__all__ = ["Changes"]


class Changes:
    """Wakes up the blocks that read what a piece of C++ changes: a block is a bit of `woken`."""

    def __init__(self, woken: str):
        self._woken = woken
        self._names: dict[int, str] = {}

    def among(self, readers: int) -> str:
        """The variable that is not 0 where something has changed that just these read."""
        return self._names.setdefault(readers, f"changed{len(self._names)}")

    def around(self, lines: str) -> str:
        """The piece with all that is needed for it."""
        begin = "".join(f"    V {name}{{}};\n" for name in self._names.values())
        end = "".join(
            f"    {self._woken} |= any({name}) ? {bits(readers)} : 0;\n" for readers, name in self._names.items()
        )
        return begin + lines + end
