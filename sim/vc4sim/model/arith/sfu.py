"""The special function unit, for one element (SFU facts, sections 2 and 3).

Every function takes and returns a word: bit patterns of floats. A pattern of a NaN counts as the infinity with its sign, and
what would be denormal as zero.
"""

from vc4.isa.sfu_tables import COEFFICIENTS, PARABOLA, STEPS, SfuFunction

from ..compiled import kernel
from .float import EXPONENT_MAX, INFINITY, MANTISSA, SIGN, exponent, significand

__all__ = ["exp", "interpolate", "log", "recip", "recipsqrt", "special"]

_FRACTION_BITS = 15
_FRACTION_MASK = (1 << _FRACTION_BITS) - 1
_ONE = 127 << 23
#: The bits of `log` before its magnitude is a float: seven of an integer, sixteen of a fraction.
_FIXED_MASK = 0x7F_FFFF

_RECIP, _RECIPSQRT, _EXP, _LOG = (function.value for function in SfuFunction)
_PARABOLA = tuple(PARABOLA)
_ROWS = tuple((row.c0, row.c1, row.c2) for function in SfuFunction for row in COEFFICIENTS[function])
_SEGMENTS = len(_ROWS) // len(SfuFunction)


@kernel
def interpolate(function: int, argument: int) -> int:
    """Fifteen bits for an argument of fifteen bits; of LOG the complement of the fraction."""
    row = function * _SEGMENTS + argument // STEPS
    x = argument % STEPS
    linear = _ROWS[row][1] * x >> 11
    curve = _ROWS[row][2] * _PARABOLA[x >> 5] >> 5
    return _ROWS[row][0] + (linear + 1 if function == _EXP else -linear) - curve


@kernel
def recip(word: int) -> int:
    """1 / x: infinity for zeros, and zero from 2^126 on, each with the sign of x. That of 1 is 1, not what the table gives."""
    sign, biased, mantissa = word & SIGN, exponent(word), word & MANTISSA
    if biased == 127 and mantissa == 0:
        return sign | _ONE
    if biased == 0:
        return sign | INFINITY
    if biased >= 253:
        return sign
    return sign | 253 - biased << 23 | interpolate(_RECIP, mantissa >> 8) << 8


@kernel
def recipsqrt(word: int) -> int:
    """1 / sqrt(|x|): infinity for zeros, +0 for infinities."""
    biased, mantissa = exponent(word), word & MANTISSA
    if biased == 0:
        return INFINITY
    if biased == EXPONENT_MAX:
        return 0
    value = interpolate(_RECIPSQRT, (0 if biased % 2 else 1 << 14) + (mantissa >> 9))
    return 126 - (biased - 127 >> 1) << 23 | value << 8


@kernel
def exp(word: int) -> int:
    """2^x: infinity from 128 on, +0 up to -126."""
    biased = exponent(word)
    negative = word & SIGN and biased
    if biased >= 127 + 7:
        return 0 if negative else INFINITY
    # |x| in fixed point; the complement of all its bits is 128 - |x|, less one unit.
    fixed = significand(word) >> min(150 - _FRACTION_BITS - biased, 63)
    if negative:
        fixed = (128 << _FRACTION_BITS) - 1 - fixed
    integer = fixed >> _FRACTION_BITS
    if negative and integer < 2:
        return 0
    return (integer - 1 if negative else 127 + integer) << 23 | interpolate(_EXP, fixed & _FRACTION_MASK) << 8


@kernel
def log(word: int) -> int:
    """log2(|x|): infinity for infinities, minus infinity for zeros."""
    biased = exponent(word)
    if biased == 0:
        return SIGN | INFINITY
    if biased == EXPONENT_MAX:
        return INFINITY
    fraction = 2 * (_FRACTION_MASK - interpolate(_LOG, (word & MANTISSA) >> 8))
    fixed = (biased + 1) % 128 << 16 | fraction
    sign = 0
    if biased < 127:
        sign, fixed = SIGN, _FIXED_MASK - fixed
    if fixed == 0:
        return 0
    top = fixed.bit_length()
    return sign | 110 + top << 23 | fixed << 24 - top & MANTISSA


@kernel
def special(function: int, word: int) -> int:
    """The function with the code of `SfuFunction`."""
    if function == _RECIP:
        return recip(word)
    if function == _RECIPSQRT:
        return recipsqrt(word)
    return exp(word) if function == _EXP else log(word)
