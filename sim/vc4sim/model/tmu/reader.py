"""Reads of the texture units: many addresses at once."""

import numpy as np

from vc4.records.tmu import LINE_BYTES

from ..memory import Memory, MemoryFault

__all__ = ["Reader"]

_ACCESS = "texture read"


class Reader:
    """Reads `memory`. What lies outside of it is 0, and `fault` tells the first access to a line of the cache that memory does
    not have as a whole.

    The host sees it as XBUSERR.ERR_LOOKUP. Elements that a program has no use for may hold any address, so it stops nothing.
    """

    def __init__(self, memory: Memory):
        self._memory = memory
        self.fault: MemoryFault | None = None

    def __call__(self, addresses: np.ndarray, width: int, wanted: np.ndarray | bool = True) -> np.ndarray:
        """Numbers (uint64) of `width` bytes (1, 2, 4 or 8), each at an address (int64, 0 to 2^32 - 1) of that alignment.

        wanted : those that the hardware reads; the values of the others are of no use
        """
        offsets = addresses - self._memory.base
        data = np.frombuffer(self._memory.data, np.uint8)
        inside = (offsets >= 0) & (offsets <= len(data) - width)
        lines = (addresses & -LINE_BYTES) - self._memory.base
        lacking = wanted & ((lines < 0) | (lines > len(data) - LINE_BYTES))
        if lacking.any():
            self.fault = self.fault or MemoryFault(int(addresses[lacking][0]), _ACCESS)
        bytes_ = data[np.where(inside, offsets, 0)[..., None] + np.arange(width)]
        numbers = np.ascontiguousarray(bytes_).view(f"<u{width}")[..., 0].astype(np.uint64)
        return np.where(inside, numbers, np.uint64(0))
