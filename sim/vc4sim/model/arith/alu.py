"""Results and carries of every operation of the add and the mul ALU (QPU facts, sections 1 and 2.1).

All functions work on arrays of uint32 of one shape, the sixteen elements of a vector or any number of test operands.
Z and N follow from the result alone and are not computed here.
"""

from collections.abc import Callable

import numpy as np

from vc4.isa.ops import AddOp, MulOp

from . import float as fp

__all__ = ["ADD_FUNCTIONS", "MUL_FUNCTIONS", "AddResult", "MulResult", "add_alu", "mul_alu"]

#: Result, carry, signed overflow (of add and sub only); the last two are bool arrays.
AddResult = tuple[np.ndarray, np.ndarray, np.ndarray]
#: Result and carry.
MulResult = tuple[np.ndarray, np.ndarray]

_SHIFT_MASK = np.uint32(31)


def _clear(like: np.ndarray) -> np.ndarray:
    return np.zeros(like.shape, bool)


def _plain(result: np.ndarray) -> AddResult:
    return result, _clear(result), _clear(result)


def _float_result(result: np.ndarray) -> AddResult:
    """Carry of float results: greater than zero."""
    return result, (result != 0) & (result < fp.SIGN), _clear(result)


def _selected(first: np.ndarray, second: np.ndarray, greater: np.ndarray, want_greater: bool) -> AddResult:
    """Minimum and maximum: on a tie the minimum is the first operand and the maximum the second."""
    result = np.where(greater, first, second) if want_greater else np.where(greater, second, first)
    return result, greater, _clear(result)


def _add(a: np.ndarray, b: np.ndarray) -> AddResult:
    result = a + b
    return result, result < a, ((a ^ result) & (b ^ result) & fp.SIGN) != 0


def _sub(a: np.ndarray, b: np.ndarray) -> AddResult:
    result = a - b
    return result, a < b, ((a ^ b) & (a ^ result) & fp.SIGN) != 0


def _last_out(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Carry of right shifts: the last bit shifted out, 0 for no shift."""
    return (count != 0) & ((a >> (count - np.uint32(1) & _SHIFT_MASK) & np.uint32(1)) != 0)


def _shr(a: np.ndarray, b: np.ndarray) -> AddResult:
    count = b & _SHIFT_MASK
    return a >> count, _last_out(a, count), _clear(a)


def _asr(a: np.ndarray, b: np.ndarray) -> AddResult:
    count = b & _SHIFT_MASK
    result = (a.view(np.int32) >> count.view(np.int32)).view(np.uint32)
    return result, _last_out(a, count), _clear(a)


def _ror(a: np.ndarray, b: np.ndarray) -> AddResult:
    twice = a.astype(np.uint64) << np.uint64(32) | a
    return _plain((twice >> (b & _SHIFT_MASK).astype(np.uint64)).astype(np.uint32))


def _shl(a: np.ndarray, b: np.ndarray) -> AddResult:
    wide = a.astype(np.uint64) << (b & _SHIFT_MASK).astype(np.uint64)
    return wide.astype(np.uint32), (wide >> np.uint64(32) & np.uint64(1)) != 0, _clear(a)


def _signed_select(want_greater: bool) -> Callable[[np.ndarray, np.ndarray], AddResult]:
    return lambda a, b: _selected(a, b, a.view(np.int32) > b.view(np.int32), want_greater)


def _float_select(want_greater: bool) -> Callable[[np.ndarray, np.ndarray], AddResult]:
    return lambda a, b: _selected(a, b, fp.ordering(a) > fp.ordering(b), want_greater)


def _magnitude_select(want_greater: bool) -> Callable[[np.ndarray, np.ndarray], AddResult]:
    select = _float_select(want_greater)
    return lambda a, b: select(fp.magnitude(a), fp.magnitude(b))


def _clz(a: np.ndarray, _b: np.ndarray) -> AddResult:
    _, top = np.frexp(a.astype(np.float64))
    return _plain((32 - top).astype(np.uint32))


def _bytes(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """`function` of uint16 arrays, applied to each of the four bytes."""

    def apply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        first, second = (np.ascontiguousarray(x).view(np.uint8).astype(np.uint16) for x in (a, b))
        return function(first, second).astype(np.uint8).view(np.uint32)

    return apply


_v8adds = _bytes(lambda a, b: np.minimum(a + b, 255))
_v8subs = _bytes(lambda a, b: np.where(a > b, a - b, 0))
_v8muld = _bytes(lambda a, b: (a * b + np.uint16(127)) // 255)
_v8min = _bytes(np.minimum)
_v8max = _bytes(np.maximum)


def _mul24(a: np.ndarray, b: np.ndarray) -> MulResult:
    """The low 32 bits of the 48-bit product; carry: the rest is not zero (QPU facts, 2.1)."""
    mask = np.uint64(0xFF_FFFF)
    product = (a & mask) * (b & mask)
    return product.astype(np.uint32), (product >> np.uint64(32)) != 0


ADD_FUNCTIONS: dict[AddOp, Callable[[np.ndarray, np.ndarray], AddResult]] = {
    AddOp.FADD: lambda a, b: _float_result(fp.fadd(a, b)),
    AddOp.FSUB: lambda a, b: _float_result(fp.fadd(a, b ^ fp.SIGN)),
    AddOp.FMIN: _float_select(want_greater=False),
    AddOp.FMAX: _float_select(want_greater=True),
    AddOp.FMINABS: _magnitude_select(want_greater=False),
    AddOp.FMAXABS: _magnitude_select(want_greater=True),
    AddOp.FTOI: lambda a, _b: _plain(fp.ftoi(a)),
    AddOp.ITOF: lambda a, _b: _float_result(fp.itof(a)),
    AddOp.ADD: _add,
    AddOp.SUB: _sub,
    AddOp.SHR: _shr,
    AddOp.ASR: _asr,
    AddOp.ROR: _ror,
    AddOp.SHL: _shl,
    AddOp.MIN: _signed_select(want_greater=False),
    AddOp.MAX: _signed_select(want_greater=True),
    AddOp.AND: lambda a, b: _plain(a & b),
    AddOp.OR: lambda a, b: _plain(a | b),
    AddOp.XOR: lambda a, b: _plain(a ^ b),
    AddOp.NOT: lambda a, _b: _plain(~a),
    AddOp.CLZ: _clz,
    AddOp.V8ADDS: lambda a, b: _plain(_v8adds(a, b)),
    AddOp.V8SUBS: lambda a, b: _plain(_v8subs(a, b)),
}

MUL_FUNCTIONS: dict[MulOp, Callable[[np.ndarray, np.ndarray], MulResult]] = {
    MulOp.FMUL: lambda a, b: (fp.fmul(a, b), _clear(a)),
    MulOp.MUL24: _mul24,
    MulOp.V8MULD: lambda a, b: (_v8muld(a, b), _clear(a)),
    MulOp.V8MIN: lambda a, b: (_v8min(a, b), _clear(a)),
    MulOp.V8MAX: lambda a, b: (_v8max(a, b), _clear(a)),
    MulOp.V8ADDS: lambda a, b: (_v8adds(a, b), _clear(a)),
    MulOp.V8SUBS: lambda a, b: (_v8subs(a, b), _clear(a)),
}


def add_alu(op: AddOp, a: np.ndarray, b: np.ndarray) -> AddResult:
    """Result, carry and overflow of `op` of the add ALU. `KeyError` for nop and reserved codes: they compute nothing."""
    return ADD_FUNCTIONS[op](a, b)


def mul_alu(op: MulOp, a: np.ndarray, b: np.ndarray) -> MulResult:
    """Result and carry of `op` of the mul ALU. `KeyError` for nop: it computes nothing."""
    return MUL_FUNCTIONS[op](a, b)
