"""Floating point as the QPU does it: truncated, no denormals, no NaN (QPU facts, 1.2 and 1.3).

Every function takes arrays of uint32 of one shape, bit patterns of floats unless it says otherwise, and returns an array
of uint32. Intermediate values are int64 and their widths are given where they matter.
"""

import numpy as np

__all__ = [
    "EXPONENT_MAX",
    "INFINITY",
    "SIGN",
    "exponent",
    "fadd",
    "fmul",
    "ftoi",
    "itof",
    "magnitude",
    "ordering",
    "significand",
]

SIGN = np.uint32(0x8000_0000)
INFINITY = np.uint32(0x7F80_0000)
#: Exponent of infinity and NaN patterns.
EXPONENT_MAX = 255
_MAGNITUDE = np.uint32(0x7FFF_FFFF)
_HIDDEN = 1 << 23
_GUARD_BITS = 3


def exponent(value: np.ndarray) -> np.ndarray:
    """The biased exponent, int64, 0 to 255."""
    return (value >> np.uint32(23) & np.uint32(255)).astype(np.int64)


def significand(value: np.ndarray) -> np.ndarray:
    """24 bits with the hidden one, int64; 0 if the exponent is 0: zeros and denormals are flushed."""
    bits = (value & np.uint32(0x7F_FFFF)).astype(np.int64)
    return np.where(value & INFINITY, bits | _HIDDEN, 0)


def magnitude(value: np.ndarray) -> np.ndarray:
    """The pattern with its sign cleared."""
    return value & _MAGNITUDE


def ordering(value: np.ndarray) -> np.ndarray:
    """Key of the order that comparisons use, int64: sign and magnitude of the pattern, nothing flushed, +0 = -0."""
    key = (value & _MAGNITUDE).astype(np.int64)
    return np.where(value & SIGN, -key, key)


def _assemble(sign: np.ndarray, scale: np.ndarray, sum_: np.ndarray) -> np.ndarray:
    """Float of `sum_` (0 to 2**48 - 1), whose bit 0 weighs 2**(scale - 127), truncated to 24 bits.

    Too large gives infinity with the sign, too small and zero give +0.
    """
    _, top = np.frexp(sum_.astype(np.float64))  # exact below 2**53: top - 1 is the leading one
    top = top.astype(np.int64)
    right = np.maximum(top - 24, 0)
    left = np.maximum(24 - top, 0)
    mantissa = (sum_ >> right << left) & (_HIDDEN - 1)
    biased = scale + top - 1
    result = np.where(biased >= EXPONENT_MAX, int(INFINITY), biased << 23 | mantissa)
    result = np.where((sum_ == 0) | (biased <= 0), 0, result | sign.astype(np.int64))
    return result.astype(np.uint32)


def fadd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sum, truncated toward zero as if infinitely precise. The last infinity or NaN pattern, B before A, wins."""
    swap = magnitude(b) > magnitude(a)
    big, small = np.where(swap, b, a), np.where(swap, a, b)
    distance = np.minimum(exponent(big) - exponent(small), 31)
    big_significand = significand(big) << _GUARD_BITS
    aligned = significand(small) << _GUARD_BITS
    shifted = aligned >> distance
    sticky = (shifted << distance) != aligned
    subtract = (a ^ b) & SIGN != 0
    # What was shifted out only matters as a borrow.
    total = np.where(subtract, big_significand - shifted - sticky, big_significand + shifted)
    result = _assemble(big & SIGN, exponent(big) - 23 - _GUARD_BITS, total)
    result = np.where(exponent(a) == EXPONENT_MAX, a & SIGN | INFINITY, result)
    return np.where(exponent(b) == EXPONENT_MAX, b & SIGN | INFINITY, result)


def fmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product: the exact 48 bits truncated. A zero or denormal gives +0 even against infinity."""
    sign = (a ^ b) & SIGN
    product = significand(a) * significand(b)
    result = _assemble(sign, exponent(a) + exponent(b) - 127 - 46, product)
    special = (exponent(a) == EXPONENT_MAX) | (exponent(b) == EXPONENT_MAX)
    return np.where(special & (product != 0), sign | INFINITY, result)


def ftoi(a: np.ndarray) -> np.ndarray:
    """Signed integer, truncated toward zero; infinity and NaN patterns give 0.

    Out of range the significand is shifted left by 31 at the most and cut to 32 bits (QPU facts, 1.2).
    """
    shift = exponent(a) - 150
    value = significand(a) << np.clip(shift, 0, 31) >> np.clip(-shift, 0, 31)
    value = np.where(a & SIGN, -value, value)
    return np.where(exponent(a) == EXPONENT_MAX, 0, value & 0xFFFF_FFFF).astype(np.uint32)


def itof(a: np.ndarray) -> np.ndarray:
    """Float of a signed integer, its magnitude truncated to 24 bits."""
    value = np.abs(a.view(np.int32).astype(np.int64))
    return _assemble(a & SIGN, np.int64(127), value)
