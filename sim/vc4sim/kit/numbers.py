"""Exact numbers of bit patterns, and patterns of exact numbers, by rules that differ in what becomes of the last place."""

from collections.abc import Callable
from fractions import Fraction
from math import floor

from ..model.arith.float import EXPONENT_MAX, INFINITY, MANTISSA, SIGN, WORD, exponent, significand

__all__ = ["LARGEST", "float_of", "half_of", "integer_of", "number_of", "power_of"]

#: The largest float.
LARGEST = INFINITY - 1
_HALF_PLACES, _HALF_LOWEST, _HALF_INFINITY = 10, -14, 0x7C00


def power_of(number: Fraction) -> int:
    """The exponent of the largest power of two that is not larger than a positive number."""
    found = number.numerator.bit_length() - number.denominator.bit_length()
    return found if Fraction(2) ** found <= number else found - 1


def number_of(word: int) -> Fraction:
    """The number of a float; denormals are 0. It must not be infinity or a NaN pattern."""
    number = significand(word) * Fraction(2) ** (exponent(word) - 150)
    return -number if word & SIGN else number


def float_of(
    number: Fraction, *, more: Fraction = Fraction(0), overflow: int = INFINITY, signed_zero: bool = False
) -> int:
    """The float of a number, cut off after `more` of its last place was added.

    overflow : without its sign, what is too large becomes
    signed_zero : what is too small keeps its sign
    """
    sign = SIGN if number < 0 else 0
    if number == 0:
        return 0
    power = power_of(abs(number))
    places = floor(abs(number) / Fraction(2) ** (power - 23) + more)
    biased = power + 127 + (places >> 24)
    if biased >= EXPONENT_MAX:
        return sign | overflow
    if biased <= 0:
        return sign if signed_zero else 0
    return sign | biased << 23 | (0 if places >> 24 else places & MANTISSA)


def integer_of(word: int, *, shift: Callable[[int], int | None] = lambda distance: min(distance, 31)) -> int:
    """The integer of a float, cut off. `shift` says how far a significand is shifted left whose last place weighs 2^distance;
    `None`: the result is 0.
    """
    biased = exponent(word)
    if biased == EXPONENT_MAX:
        return 0
    distance = shift(biased - 150) if biased > 150 else biased - 150
    if distance is None:
        return 0
    value = significand(word) << distance if distance > 0 else significand(word) >> -distance
    return (-value if word & SIGN else value) & WORD


def half_of(word: int, rounded: Callable[[Fraction], int], *, flush: str = "after") -> int:
    """The half float of a float that is neither infinity nor NaN pattern.

    rounded : a positive number of last places to an integer
    flush : what is denormal becomes 0 `after` it was rounded to eleven bits, `before` that, or after it was rounded to the
        last place that a `denormal` half float has
    """
    number = abs(number_of(word))
    sign = (word & SIGN) >> 16
    if number == 0 or (flush == "before" and number < Fraction(2) ** _HALF_LOWEST):
        return 0
    power = power_of(number)
    if flush == "denormal":
        power = max(power, _HALF_LOWEST)
    places = rounded(number / Fraction(2) ** (power - _HALF_PLACES))
    half = (power + 14 << _HALF_PLACES) + places  # its hidden bit adds one to the exponent
    if half < 1 << _HALF_PLACES:
        return 0
    return sign | min(half, _HALF_INFINITY)
