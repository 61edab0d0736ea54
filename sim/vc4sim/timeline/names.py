"""What instructions are called in a timeline and in a profile."""

from functools import lru_cache

from ..asm import SourceMap, disassemble
from ..workload import Workload

__all__ = ["Names"]


class Names:
    """Names of instructions by their addresses.

    Parameters
    ----------
    source : of the program, if there is one
    base : what its offsets count from
    """

    def __init__(self, source: SourceMap | None = None, base: int = 0):
        self._source, self._base = source, base

    @classmethod
    def of(cls, workload: Workload) -> "Names":
        """Those of a workload."""
        return cls(workload.source, workload.base)

    def label(self, pc: int) -> str | None:
        """The label before it, or at it."""
        return self._source.label(pc - self._base) if self._source else None

    def place(self, pc: int) -> str | None:
        """File, line and label."""
        return self._source.place(pc - self._base) if self._source else None

    def file_line(self, pc: int) -> tuple[str, int] | None:
        """File and line."""
        return self._source.file_line(pc - self._base) if self._source else None

    def line(self, pc: int) -> str | None:
        """The line of the source, as it is written."""
        return self._source.line(pc - self._base) if self._source else None

    @staticmethod
    @lru_cache(maxsize=1 << 16)
    def text(word: int) -> str:
        """The instruction."""
        return disassemble(word)
