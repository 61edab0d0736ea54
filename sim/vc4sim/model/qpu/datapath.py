"""Operands, both ALUs, and what is written of their results (QPU facts, sections 3 to 5)."""

import numpy as np

from vc4.isa.ops import AddOp, MulOp, Mux
from vc4.isa.registers import ELEMENTS, QUADS

from ..arith.alu import add_alu, mul_alu
from ..arith.pack import colour, pack, unpack
from ..compiled import kernel
from .instructions import (
    ADD_A,
    ADD_B,
    COLOUR,
    ENABLES,
    IS_FLOAT,
    MUL_A,
    MUL_B,
    OP_ADD,
    OP_MUL,
    PACK,
    ROTATION,
    UNPACK,
    UNPACK_FLOAT,
    UNPACK_MUX,
    InstructionState,
)
from .state import Effects, QpuState

__all__ = ["merged", "new_flags", "operate_add", "operate_mul", "pack_result", "rotation_of"]

_R3, _R5, _A = Mux.R3.value, Mux.R5.value, Mux.A.value
_ADD_NOP, _MUL_NOP = AddOp.NOP.value, MulOp.NOP.value
_LAST_QUAD = ELEMENTS - QUADS
_COPIES = 0x0101_0101
_BYTE_MASKS = tuple(sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1) for enables in range(16))


@kernel
def merged(old: int, new: int, enables: int) -> int:
    """A word that held `old`, with some bytes of `new`, one bit each."""
    kept = _BYTE_MASKS[enables]
    return old & ~kept | new & kept


@kernel
def rotation_of(qpus: QpuState, instructions: InstructionState, qpu: int, row: int) -> int:
    """By how much the result of the mul ALU is rotated."""
    rotation = instructions.rows[row, ROTATION]
    return qpus.accumulators[qpu, 5, 0] & ELEMENTS - 1 if rotation < 0 else rotation


@kernel
def _read_operand(
    qpus: QpuState, effects: Effects, instructions: InstructionState, qpu: int, row: int, mux: int, into: np.ndarray
) -> None:
    """What a `Mux` chooses, unpacked if that is asked for."""
    if mux <= _R5:
        for element in range(ELEMENTS):
            into[element] = qpus.accumulators[qpu, mux, element]
    elif mux == _A:
        for element in range(ELEMENTS):
            into[element] = effects.port_a[element]
    else:
        for element in range(ELEMENTS):
            into[element] = effects.port_b[element]
    if mux == instructions.rows[row, UNPACK_MUX]:
        mode, is_float = instructions.rows[row, UNPACK], instructions.rows[row, UNPACK_FLOAT]
        for element in range(ELEMENTS):
            into[element] = unpack(into[element], mode, is_float)


@kernel
def _source(mux: int, element: int, rotation: int) -> int:
    """Where a rotated operand comes from: r0 to r3 from any element, everything else only from the same quad."""
    if mux <= _R3:
        return (element - rotation) % ELEMENTS
    return element // QUADS * QUADS + (element - rotation) % QUADS


@kernel
def operate_add(
    qpus: QpuState, effects: Effects, instructions: InstructionState, qpu: int, row: int
) -> tuple[int, int]:
    """The add ALU. Returns carries and overflows, one bit an element. A nop delivers 0."""
    op = instructions.rows[row, OP_ADD]
    carries, overflows = 0, 0
    if op == _ADD_NOP:
        for element in range(ELEMENTS):
            effects.add_result[element] = 0
        return 0, 0
    _read_operand(qpus, effects, instructions, qpu, row, instructions.rows[row, ADD_A], effects.add_a)
    _read_operand(qpus, effects, instructions, qpu, row, instructions.rows[row, ADD_B], effects.add_b)
    for element in range(ELEMENTS):
        result, carry, overflow = add_alu(op, effects.add_a[element], effects.add_b[element])
        effects.add_result[element] = result
        carries |= carry << element
        overflows |= overflow << element
    return carries, overflows


@kernel
def operate_mul(
    qpus: QpuState, effects: Effects, instructions: InstructionState, qpu: int, row: int, rotation: int
) -> int:
    """The mul ALU, which keeps the last quad of its last result; a nop shows it to all quads. Returns carries."""
    op = instructions.rows[row, OP_MUL]
    carries = 0
    if op == _MUL_NOP:
        for element in range(ELEMENTS):
            last = (element - (rotation - qpus.rotation[qpu])) % QUADS
            effects.mul_result[element] = qpus.last_mul[qpu, 0, last]
            carries |= qpus.last_mul[qpu, 1, last] << element
        return carries
    mux_a, mux_b = instructions.rows[row, MUL_A], instructions.rows[row, MUL_B]
    _read_operand(qpus, effects, instructions, qpu, row, mux_a, effects.mul_a)
    _read_operand(qpus, effects, instructions, qpu, row, mux_b, effects.mul_b)
    for element in range(ELEMENTS):
        first, second = element, element
        if rotation:
            first, second = _source(mux_a, element, rotation), _source(mux_b, element, rotation)
        result, carry = mul_alu(op, effects.mul_a[first], effects.mul_b[second])
        effects.mul_result[element] = result
        carries |= carry << element
    for last in range(QUADS):
        qpus.last_mul[qpu, 0, last] = effects.mul_result[_LAST_QUAD + last]
        qpus.last_mul[qpu, 1, last] = carries >> _LAST_QUAD + last & 1
    qpus.rotation[qpu] = rotation
    return carries


@kernel
def new_flags(values: np.ndarray) -> tuple[int, int]:
    """N and Z of a result, one bit an element."""
    n, z = 0, 0
    for element in range(ELEMENTS):
        n |= values[element] >> 31 << element
        z |= (1 if values[element] == 0 else 0) << element
    return n, z


@kernel
def pack_result(
    instructions: InstructionState,
    row: int,
    first: int,
    result: np.ndarray,
    carries: int,
    overflows: int,
    written: np.ndarray,
) -> int:
    """A result as it is written by the write whose columns begin at `first`; returns its bytes, one bit each."""
    mode, is_float = instructions.rows[row, first + PACK], instructions.rows[row, first + IS_FLOAT]
    if instructions.rows[row, first + COLOUR]:
        for element in range(ELEMENTS):
            written[element] = colour(result[element]) * _COPIES
    elif mode:
        for element in range(ELEMENTS):
            written[element] = pack(result[element], mode, is_float, carries >> element & 1, overflows >> element & 1)
    else:
        for element in range(ELEMENTS):
            written[element] = result[element]
    return instructions.rows[row, first + ENABLES]
