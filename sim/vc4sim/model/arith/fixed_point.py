"""Numbers of the set-up engine: fixed point of floats, floats of quotients, the reciprocal of W."""

import numpy as np

from vc4.isa.sfu_tables import SfuFunction

from . import float as fp
from .sfu import interpolate

__all__ = ["MINUS", "fixed", "quotient", "reciprocal"]

MINUS = 0x8000_0000
_HIDDEN = 1 << 23
_EXPONENT_MAX = 255


def fixed(word: int, fraction: int) -> int:
    """A float in units of 2^-fraction, rounded toward zero; denormals are 0, infinity and NaN patterns 2^128."""
    exponent = word >> 23 & 255
    if not exponent:
        return 0
    significand = word & _HIDDEN - 1 | _HIDDEN
    if exponent == _EXPONENT_MAX:
        significand = _HIDDEN
    shift = exponent - 150 + fraction
    value = significand << shift if shift >= 0 else significand >> -shift
    return -value if word & MINUS else value


def quotient(numerator: int, denominator: int) -> int:
    """The float of a quotient of integers, its significand truncated to 24 bits; 0 if one of them is 0."""
    if not numerator or not denominator:
        return 0
    sign = MINUS if (numerator < 0) != (denominator < 0) else 0
    top, bottom = abs(numerator), abs(denominator)
    shift = 25 + bottom.bit_length() - top.bit_length()
    value = (top << shift) // bottom if shift >= 0 else (top >> -shift) // bottom  # 25 or 26 bits
    extra = value.bit_length() - 24
    exponent = 150 + extra - shift
    if not 0 < exponent < _EXPONENT_MAX:
        return 0 if exponent <= 0 else sign | int(fp.INFINITY)
    return sign | exponent << 23 | value >> extra & _HIDDEN - 1


def reciprocal(word: np.ndarray) -> np.ndarray:
    """1 / x of floats: the table of the special function unit, and one step of Newton's in fixed point.

    R, the table's value in [0.5, 1), has 16 bits; the product P of R and the significand 40, with 39 behind the point; of
    2 - P 28 are kept, 27 of them behind the point. R (2 - P) is rounded to the nearest of 24 bits. Zeros give infinity, and
    what is 2^126 or more zero, each with the sign of x.
    """
    sign = (word & fp.SIGN).astype(np.int64)
    exponent = fp.exponent(word)
    significand = fp.significand(word)
    table = interpolate(SfuFunction.RECIP, (significand & _HIDDEN - 1) >> 8) | 1 << 15
    rest = (1 << 40) - significand * table >> 12
    value = table * rest + (1 << 18) >> 19
    carry = value >> 24
    result = sign | 253 - exponent + carry << 23 | np.where(carry, 0, value) & _HIDDEN - 1
    result = np.where(exponent == 0, sign | int(fp.INFINITY), np.where(exponent >= 253, sign, result))
    return result.astype(np.uint32)
