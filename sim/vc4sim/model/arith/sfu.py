"""The special function unit (SFU facts, sections 2 and 3).

Every function takes an array of uint32 of any shape, or one word, and returns the like: bit patterns of floats. A pattern
of a NaN counts as the infinity with its sign, and what would be denormal as zero.
"""

from collections.abc import Callable

import numpy as np

from vc4.isa.sfu_tables import COEFFICIENTS, PARABOLA, STEPS, SfuFunction

from . import float as fp

__all__ = ["SFU_FUNCTIONS", "exp", "interpolate", "log", "recip", "recipsqrt"]

_FRACTION_BITS = 15
_FRACTION_MASK = (1 << _FRACTION_BITS) - 1
_INFINITY = int(fp.INFINITY)
_MINUS = int(fp.SIGN)
_ONE = 127 << 23
#: The bits of `log` before its magnitude is a float: seven of an integer, sixteen of a fraction.
_FIXED_MASK = 0x7F_FFFF

_PARABOLA = np.array(PARABOLA, np.int64)
_ROWS = {
    function: np.array([(row.c0, row.c1, row.c2) for row in rows], np.int64).T
    for function, rows in COEFFICIENTS.items()
}


def interpolate(function: SfuFunction, argument: np.ndarray) -> np.ndarray:
    """Fifteen bits for an argument of fifteen bits; of LOG the complement of the fraction. Both are int64."""
    segment, x = argument // STEPS, argument % STEPS
    c0, c1, c2 = (row[segment] for row in _ROWS[function])
    linear = c1 * x >> 11
    curve = c2 * _PARABOLA[x >> 5] >> 5
    return c0 + (linear + 1 if function is SfuFunction.EXP else -linear) - curve


def _fields(word: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sign (0 or the sign bit), biased exponent and mantissa, int64."""
    bits = np.asarray(word, np.uint32).astype(np.int64)
    return bits & _MINUS, bits >> 23 & fp.EXPONENT_MAX, bits & 0x7F_FFFF


def _words(cases: list, otherwise: np.ndarray) -> np.ndarray:
    """The value of the first of the (condition, value) that holds."""
    conditions, values = zip(*cases, strict=True)
    return np.select(conditions, values, otherwise).astype(np.uint32)


def recip(word: np.ndarray) -> np.ndarray:
    """1 / x: infinity for zeros, and zero from 2^126 on, each with the sign of x. That of 1 is 1, not what the table gives."""
    sign, exponent, mantissa = _fields(word)
    value = interpolate(SfuFunction.RECIP, mantissa >> 8)
    result = sign | 253 - exponent << 23 | value << 8
    is_one = (exponent == 127) & (mantissa == 0)
    return _words([(is_one, sign | _ONE), (exponent == 0, sign | _INFINITY), (exponent >= 253, sign)], result)


def recipsqrt(word: np.ndarray) -> np.ndarray:
    """1 / sqrt(|x|): infinity for zeros, +0 for infinities."""
    _, exponent, mantissa = _fields(word)
    value = interpolate(SfuFunction.RECIPSQRT, np.where(exponent % 2, 0, 1 << 14) + (mantissa >> 9))
    result = 126 - (exponent - 127) // 2 << 23 | value << 8
    return _words([(exponent == 0, _INFINITY), (exponent == fp.EXPONENT_MAX, 0)], result)


def exp(word: np.ndarray) -> np.ndarray:
    """2^x: infinity from 128 on, +0 up to -126."""
    sign, exponent, mantissa = _fields(word)
    negative = (sign != 0) & (exponent != 0)
    too_large = exponent >= 127 + 7
    significand = np.where(exponent == 0, 0, mantissa | 1 << 23)
    # |x| in fixed point; the complement of all its bits is 128 - |x|, less one unit.
    fixed = significand >> np.clip(150 - _FRACTION_BITS - exponent, 0, 63)
    fixed = np.where(negative, (128 << _FRACTION_BITS) - 1 - fixed, fixed)
    integer = fixed >> _FRACTION_BITS
    value = interpolate(SfuFunction.EXP, fixed & _FRACTION_MASK)
    result = np.where(negative, integer - 1, 127 + integer) << 23 | value << 8
    too_small = negative & (too_large | (integer < 2))
    return _words([(too_small, 0), (too_large, _INFINITY)], result)


def log(word: np.ndarray) -> np.ndarray:
    """log2(|x|): infinity for infinities, minus infinity for zeros."""
    _, exponent, mantissa = _fields(word)
    fraction = 2 * (_FRACTION_MASK - interpolate(SfuFunction.LOG, mantissa >> 8))
    fixed = (exponent + 1) % 128 << 16 | fraction
    below_one = exponent < 127
    fixed = np.where(below_one, _FIXED_MASK - fixed, fixed)
    _, top = np.frexp(fixed.astype(np.float64))  # exact: top - 1 is the leading one
    top = top.astype(np.int64)
    result = np.where(below_one, _MINUS, 0) | 110 + top << 23 | fixed << 24 - top & 0x7F_FFFF
    infinite = (exponent == fp.EXPONENT_MAX) | (exponent == 0)
    return _words([(infinite, np.where(exponent == 0, _MINUS, 0) | _INFINITY), (fixed == 0, 0)], result)


SFU_FUNCTIONS: dict[SfuFunction, Callable[[np.ndarray], np.ndarray]] = {
    SfuFunction.RECIP: recip,
    SfuFunction.RECIPSQRT: recipsqrt,
    SfuFunction.EXP: exp,
    SfuFunction.LOG: log,
}
