"""The accumulators r0 to r5 (QPU facts, sections 5.1, 5.3 and 5.4)."""

from collections import deque

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.isa.timing import SFU_DISTANCE

from .write_back import written_r5

__all__ = ["Accumulators"]


class Accumulators(list[np.ndarray]):
    """r0 to r5, and what is on its way to r4 and r5: special functions take some instructions, and writes of r5 come together."""

    def __init__(self) -> None:
        super().__init__([np.zeros(ELEMENTS, np.uint32)] * 6)
        self._r5_writes: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._r4_write: np.ndarray | None = None
        #: What the instructions before write to r4, as far as the next one must not see it yet.
        self._r4_late: deque[np.ndarray | None] = deque([None] * (SFU_DISTANCE - 1))

    def keep_r4(self, value: np.ndarray) -> None:
        """What the special function unit brings to r4 later."""
        self._r4_write = value

    def keep_r5(self, file: int, value: np.ndarray, mask: np.ndarray) -> None:
        """A write of r5 through a file."""
        self._r5_writes.append((file, value, mask))

    def write_r5(self) -> None:
        """All that an instruction writes to r5 through the files is there."""
        if self._r5_writes:
            self[5] = written_r5(self[5], self._r5_writes)
            self._r5_writes.clear()

    def advance(self) -> bool:
        """An instruction ends: what is due for r4 arrives. Returns whether anything does."""
        self._r4_late.append(self._r4_write)
        self._r4_write = None
        r4 = self._r4_late.popleft()
        if r4 is not None:
            self[4] = r4
        return r4 is not None
