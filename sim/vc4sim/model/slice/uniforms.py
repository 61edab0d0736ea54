"""The uniforms of a QPU: where each thread reads its next one (guide, section 3)."""

from vc4.regs.scheduler import UNLIMITED_UNIFORMS

from ...launch import Launch
from ..memory import Memory, MemoryFault

__all__ = ["Uniforms"]

_WORD_BYTES = 4
_ADDRESS_MASK = 0xFFFF_FFFC


class Uniforms:
    """The streams of both threads."""

    def __init__(self, memory: Memory):
        self._memory = memory
        self._next = [0] * 2
        self._end: list[int | None] = [None] * 2

    def start(self, thread: int, launch: Launch) -> None:
        """A program begins."""
        first = launch.uniforms & _ADDRESS_MASK
        limited = 0 < launch.length < UNLIMITED_UNIFORMS
        self._next[thread] = first
        self._end[thread] = first + _WORD_BYTES * launch.length & _ADDRESS_MASK if limited else None
        if not first:
            self._end[thread] = first  # there are none

    def move(self, thread: int, address: int, *, relative: bool = False) -> None:
        """A write of the address of the uniforms: what a length was given for is left behind.

        A relative one counts uniforms, from the next one on; -1 shows the last one again.
        """
        self._next[thread] = (self._next[thread] + _WORD_BYTES * address if relative else address) & _ADDRESS_MASK
        self._end[thread] = None

    def read(self, thread: int) -> int:
        """The next one. Raises `MemoryFault` behind the end of the stream and outside of memory; then nothing has happened."""
        address = self._next[thread]
        if address == self._end[thread]:
            raise MemoryFault(address, "uniform read behind the end of its stream")
        uniform = self._memory.read_int(address, _WORD_BYTES, "uniform read")
        self._next[thread] = address + _WORD_BYTES & _ADDRESS_MASK
        return uniform
