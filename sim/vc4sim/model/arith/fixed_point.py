"""Numbers of the set-up engine: fixed point of floats, floats of quotients, the reciprocal of W."""

from vc4.isa.sfu_tables import SfuFunction

from ..compiled import kernel
from .float import EXPONENT_MAX, HIDDEN, INFINITY, MANTISSA, SIGN, exponent, significand
from .sfu import interpolate

__all__ = ["fixed", "quotient", "reciprocal"]

_RECIP = SfuFunction.RECIP.value


def fixed(word: int, fraction: int) -> int:
    """A float in units of 2^-fraction, rounded toward zero; denormals are 0, infinity and NaN patterns 2^128."""
    biased = exponent(word)
    shift = biased - 150 + fraction
    magnitude = HIDDEN if biased == EXPONENT_MAX else significand(word)
    value = magnitude << shift if shift >= 0 else magnitude >> -shift
    return -value if word & SIGN else value


def quotient(numerator: int, denominator: int) -> int:
    """The float of a quotient of integers, its significand truncated to 24 bits; 0 if one of them is 0."""
    if not numerator or not denominator:
        return 0
    sign = SIGN if (numerator < 0) != (denominator < 0) else 0
    top, bottom = abs(numerator), abs(denominator)
    shift = 25 + bottom.bit_length() - top.bit_length()
    value = (top << shift) // bottom if shift >= 0 else (top >> -shift) // bottom  # 25 or 26 bits
    extra = value.bit_length() - 24
    biased = 150 + extra - shift
    if not 0 < biased < EXPONENT_MAX:
        return 0 if biased <= 0 else sign | INFINITY
    return sign | biased << 23 | value >> extra & MANTISSA


@kernel
def reciprocal(word: int) -> int:
    """1 / x of a float: the table of the special function unit, and one step of Newton's in fixed point.

    R, the table's value in [0.5, 1), has 16 bits; the product P of R and the significand 40, with 39 after the point; of
    2 - P 28 are kept, 27 of them after the point. R (2 - P) is rounded to the nearest of 24 bits. Zeros give infinity, and
    what is 2^126 or more zero, each with the sign of x.
    """
    sign, biased = word & SIGN, exponent(word)
    if biased == 0:
        return sign | INFINITY
    if biased >= 253:
        return sign
    table = interpolate(_RECIP, (word & MANTISSA) >> 8) | 1 << 15
    rest = (1 << 40) - significand(word) * table >> 12
    value = table * rest + (1 << 18) >> 19
    carry = value >> 24
    return sign | 253 - biased + carry << 23 | (0 if carry else value & MANTISSA)
