"""What changes in a function, and who reads that."""

from .blocks import bits

__all__ = ["Changes"]


class Changes:
    """Wakes up the blocks that read what a piece of C++ changes: a block is a bit of `woken`."""

    def __init__(self, woken: str):
        self._woken = woken
        self._names: dict[tuple[int, str], str] = {}

    def among(self, readers: int, kind: str = "V") -> str:
        """The variable that is not 0 where something of this type has changed that just these read."""
        return self._names.setdefault((readers, kind), f"changed{len(self._names)}")

    def around(self, lines: str) -> str:
        """The piece with all that is needed for it."""
        begin = "".join(f"    {kind} {name}{{}};\n" for (_, kind), name in self._names.items())
        end = "".join(
            f"    if (any({name}))\n        {self._woken} |= {bits(readers)};\n"
            for (readers, _), name in self._names.items()
        )
        return begin + lines + end
