"""What a result is as it is written, and what it leaves of a register (fact sheet, sections 3.3 and 3.4)."""

import numpy as np

from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, Pack
from vc4.isa.registers import ACCUMULATOR_BASE

from .. import events
from .alus import Result
from .pack import colour, pack
from .plan import Plan, Write

__all__ = ["merged", "packed"]

_BYTE_MASKS = np.array(
    [sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1) for enables in range(16)], np.uint32
)


def merged(old: np.ndarray, new: np.ndarray, mask: np.ndarray, enables: int) -> np.ndarray:
    """A register that held `old`, with the elements of `mask` and the bytes of `enables` written."""
    if enables != events.ALL_BYTES:
        kept = _BYTE_MASKS[enables]
        new = old & ~kept | new & kept
    return np.where(mask, new, old)


def packed(todo: Plan, index: int, write: Write, result: Result) -> tuple[np.ndarray, int]:
    """The value as it is written, and its bytes: packs into file A, colours of the mul ALU, or unchanged."""
    if todo.pm:
        if index == 0 or not todo.pack & 7:
            return result.value, events.ALL_BYTES
        partial = todo.pack & 4 and (write.is_file or write.address < ACCUMULATOR_BASE + 4)
        enables = 1 << (todo.pack & 3) if partial else events.ALL_BYTES
        return colour(result.value) * np.uint32(0x0101_0101), enables
    mode = Pack(todo.pack)
    if mode is Pack.NONE or not write.is_file or write.file != 0:
        return result.value, events.ALL_BYTES
    is_float = todo.op_mul in FLOAT_RESULT_MUL if index else todo.op_add in FLOAT_RESULT_ADD
    return pack(result.value, mode, is_float, result.carry, result.overflow)
