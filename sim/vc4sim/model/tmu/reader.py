"""Reads of the texture units.

What lies outside of memory is 0. An access to a line of the cache that memory does not have as a whole is a fault, which the
host sees as XBUSERR.ERR_LOOKUP. Elements that a program has no use for may hold any address, so it stops nothing.
"""

import numpy as np

from vc4.records.tmu import LINE_BYTES

from ..compiled import inlined
from ..memory import MemoryState, is_inside, read_bytes

__all__ = ["NO_FAULT", "fetch"]

#: Instead of the address of a fault.
NO_FAULT = -1


@inlined
def fetch(memory: MemoryState, fault: np.ndarray, address: int, width: int) -> tuple[int, int]:
    """The number of 1, 2, 4 or 8 bytes at an address (0 to 2^32 - 1) of that alignment: 32 bits and the 32 above them.

    `fault[0]` takes the address if it is the first one that fails.
    """
    if not is_inside(memory, address & -LINE_BYTES, LINE_BYTES):
        if fault[0] == NO_FAULT:
            fault[0] = address
        if not is_inside(memory, address, width):
            return 0, 0
    return read_bytes(memory, address, min(width, 4)), read_bytes(memory, address + 4, max(width - 4, 0))
