"""Results and carries of every operation of the add and the mul ALU, for one element (QPU facts, sections 1 and 2.1).

Operands and results are words of 32 bits, operations the codes of `AddOp` and `MulOp`. Z and N follow from the result alone
and are not computed here.
"""

from vc4.isa.ops import AddOp, MulOp

from ..compiled import kernel
from .float import SIGN, WORD, fadd, fmul, ftoi, itof, magnitude, ordering, signed

__all__ = ["add_alu", "byte_alu", "mul_alu"]

_FADD, _FSUB, _FTOI, _ITOF = (op.value for op in (AddOp.FADD, AddOp.FSUB, AddOp.FTOI, AddOp.ITOF))
_FMIN, _FMAX, _FMINABS, _FMAXABS = (op.value for op in (AddOp.FMIN, AddOp.FMAX, AddOp.FMINABS, AddOp.FMAXABS))
_ADD, _SUB, _MIN, _MAX = (op.value for op in (AddOp.ADD, AddOp.SUB, AddOp.MIN, AddOp.MAX))
_SHR, _ASR, _ROR, _SHL = (op.value for op in (AddOp.SHR, AddOp.ASR, AddOp.ROR, AddOp.SHL))
_AND, _OR, _XOR, _NOT, _CLZ = (op.value for op in (AddOp.AND, AddOp.OR, AddOp.XOR, AddOp.NOT, AddOp.CLZ))
_V8ADDS, _V8SUBS = AddOp.V8ADDS.value, AddOp.V8SUBS.value
_FMUL, _MUL24, _V8MULD = (op.value for op in (MulOp.FMUL, MulOp.MUL24, MulOp.V8MULD))
_V8MIN, _V8MAX = MulOp.V8MIN.value, MulOp.V8MAX.value
_MUL_V8ADDS, _MUL_V8SUBS = MulOp.V8ADDS.value, MulOp.V8SUBS.value
_24_BITS = 0xFF_FFFF


@kernel
def _shift(op: int, a: int, count: int) -> tuple[int, int]:
    """Shifts and rotation by 0 to 31, with the last bit that is shifted out; of a rotation none is."""
    if op == _SHL:
        wide = a << count
        return wide & WORD, wide >> 32 & 1
    if op == _ROR:
        return (a << 32 | a) >> count & WORD if count else a, 0
    last = a >> count - 1 & 1 if count else 0
    return a >> count if op == _SHR else signed(a) >> count & WORD, last


@kernel
def _selected(op: int, a: int, b: int) -> tuple[int, int]:
    """Minimum and maximum, and whether the first is greater: on a tie the minimum is the first operand and the maximum the second."""
    if op in (_MIN, _MAX):
        greater = signed(a) > signed(b)
    else:
        if op in (_FMINABS, _FMAXABS):
            a, b = magnitude(a), magnitude(b)
        greater = ordering(a) > ordering(b)
    maximum = op in (_MAX, _FMAX, _FMAXABS)
    return a if greater == maximum else b, 1 if greater else 0


@kernel
def add_alu(op: int, a: int, b: int) -> tuple[int, int, int]:
    """Result, carry and signed overflow, which only add and sub have; nop and reserved codes give zeros."""
    if op in (_FADD, _FSUB, _ITOF):
        result = itof(a) if op == _ITOF else fadd(a, b ^ SIGN if op == _FSUB else b)
        return result, 1 if 0 < result < SIGN else 0, 0  # greater than zero
    if op == _ADD:
        result = a + b & WORD
        return result, 1 if result < a else 0, ((a ^ result) & (b ^ result)) >> 31
    if op == _SUB:
        result = a - b & WORD
        return result, 1 if a < b else 0, ((a ^ b) & (a ^ result)) >> 31
    if op in (_SHL, _SHR, _ASR, _ROR):
        result, carry = _shift(op, a, b & 31)
        return result, carry, 0
    if op in (_MIN, _MAX, _FMIN, _FMAX, _FMINABS, _FMAXABS):
        result, carry = _selected(op, a, b)
        return result, carry, 0
    result = 0
    if op == _OR:
        result = a | b
    elif op == _AND:
        result = a & b
    elif op == _XOR:
        result = a ^ b
    elif op == _NOT:
        result = a ^ WORD
    elif op == _FTOI:
        result = ftoi(a)
    elif op == _CLZ:
        result = 32 - a.bit_length()
    elif op == _V8ADDS:
        result = byte_alu(_MUL_V8ADDS, a, b)
    elif op == _V8SUBS:
        result = byte_alu(_MUL_V8SUBS, a, b)
    return result, 0, 0


@kernel
def byte_alu(op: int, a: int, b: int) -> int:
    """An operation of the mul ALU on each of the four bytes."""
    result = 0
    for low in range(0, 32, 8):
        x, y = a >> low & 255, b >> low & 255
        if op == _V8MULD:
            byte = (x * y + 127) // 255
        elif op == _V8MIN:
            byte = min(x, y)
        elif op == _V8MAX:
            byte = max(x, y)
        elif op == _MUL_V8ADDS:
            byte = min(x + y, 255)
        else:
            byte = max(x - y, 0)
        result |= byte << low
    return result


@kernel
def mul_alu(op: int, a: int, b: int) -> tuple[int, int]:
    """Result and carry. That of mul24 says that the upper bits of the 48-bit product are not zero (QPU facts, 2.1)."""
    if op == _FMUL:
        return fmul(a, b), 0
    if op == _MUL24:
        product = (a & _24_BITS) * (b & _24_BITS)
        return product & WORD, 1 if product >> 32 else 0
    return byte_alu(op, a, b), 0
