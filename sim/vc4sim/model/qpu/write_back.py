"""What a result is as it is written, and what it leaves of a register (QPU facts, sections 3.3 and 3.4)."""

import numpy as np

from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, Pack
from vc4.isa.registers import ACCUMULATOR_BASE, ELEMENTS, QUADS

from ... import events
from ..arith.pack import colour, pack
from .alus import Result
from .decoded import Plan, Write

__all__ = ["merged", "packed", "written_r5"]

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
    if not todo.pack or not write.is_file or write.file != 0:
        return result.value, events.ALL_BYTES
    is_float = todo.op_mul in FLOAT_RESULT_MUL if index else todo.op_add in FLOAT_RESULT_ADD
    return pack(result.value, Pack(todo.pack), is_float, result.carry, result.overflow)


def written_r5(r5: np.ndarray, writes: list[tuple[int, np.ndarray, np.ndarray]]) -> np.ndarray:
    """r5 after writes of it: file, value, elements; the file A gives a quad its first element, file B all quads element 0.

    Quad after quad, and in each first the add ALU.
    """
    r5 = np.broadcast_to(r5, np.broadcast_shapes(r5.shape, *(value.shape for _, value, _ in writes))).copy()
    for first in range(0, ELEMENTS, QUADS):
        for file, value, mask in writes:
            if file == 0 or first == 0:
                part = slice(first, first + QUADS if file == 0 else ELEMENTS)
                one = slice(first, first + 1)
                r5[..., part] = np.where(mask[..., one], value[..., one], r5[..., part])
    return r5
