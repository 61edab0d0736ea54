"""Blends of texels and of levels, for one channel. A weight is 0 to 255 and counts in units of 1/256 for the second of two.

A blend of four texels is rounded to 8 bits after the point of a byte, a blend of two levels to the byte, both to the
nearest. Half floats are blended as fixed point with 24 bits after the point, where each is exact, and rounded down.
"""

from ..compiled import kernel
from .formats import Channels

__all__ = ["blend_levels", "blend_texels", "fixed_of_half", "half_of_fixed", "with_wrong_sign", "without_sign"]

_WEIGHT = 8
_HALF = 1 << _WEIGHT - 1
_MANTISSA = 10
#: Significands that are shifted further than this are infinity.
_MOST_SHIFT = 29
_HALVES = Channels.HALVES.value
_INFINITY = 1 << 16 + 24
_SIGN = 1 << 15


@kernel
def _blend(first: int, second: int, weight: int) -> int:
    return first * ((1 << _WEIGHT) - weight) + second * weight


@kernel
def fixed_of_half(half: int) -> int:
    """A half float as a signed number of 42 bits in units of 2^-24. The highest exponent is one like the others."""
    exponent, mantissa = half >> _MANTISSA & 31, half & (1 << _MANTISSA) - 1
    magnitude = (mantissa | 1 << _MANTISSA) << exponent - 1 if exponent else mantissa
    return -magnitude if half >> 15 else magnitude


@kernel
def half_of_fixed(fixed: int) -> int:
    """The half float of a number of 42 bits, cut off toward zero; infinity from 65536 on. 0 has no sign."""
    magnitude = abs(fixed)
    shift = max(magnitude.bit_length() - _MANTISSA - 1, 0)
    # The hidden bit adds one to the exponent; without it the number is denormal.
    half = 31 << _MANTISSA if shift > _MOST_SHIFT else (shift << _MANTISSA) + (magnitude >> shift)
    return half | (_SIGN if fixed < 0 else 0)


@kernel
def blend_texels(first: int, right: int, upper: int, last: int, across: int, up: int, channels: int) -> int:
    """The blend of four texels. Bytes become 16 bits, 8 of them after the point; half floats become fixed point."""
    if channels != _HALVES:
        return _blend(_blend(first, right, across), _blend(upper, last, across), up) + _HALF >> _WEIGHT
    below = _blend(fixed_of_half(first), fixed_of_half(right), across)
    above = _blend(fixed_of_half(upper), fixed_of_half(last), across)
    return _blend(below, above, up) >> 2 * _WEIGHT


@kernel
def blend_levels(larger: int, smaller: int, weight: int, channels: int) -> int:
    """The byte or half float of the blend of two levels, which are as `blend_texels` returns them."""
    blend = _blend(larger, smaller, weight)
    if channels == _HALVES:
        return half_of_fixed(blend >> _WEIGHT)
    return blend + (1 << 2 * _WEIGHT - 1) >> 2 * _WEIGHT


@kernel
def with_wrong_sign(half: int, larger: int, smaller: int) -> int:
    """A half float, the blend of two levels as `blend_texels` returns them: negative if the larger level is, and the smaller one
    is too large for a half float, which makes it infinite: the erratum HW-2645. It is *chosen* that only the larger level, which is
    the one before, may be the negative one, and that nothing but the sign is wrong.
    """
    return half | _SIGN if larger < 0 and smaller >= _INFINITY else half


@kernel
def without_sign(half: int) -> int:
    """A half float, without its sign if it is a power of two: the erratum HW-2619. Denormal ones are *chosen* to be none."""
    exponent, mantissa = half >> _MANTISSA & 31, half & (1 << _MANTISSA) - 1
    return half & 0x7FFF if mantissa == 0 and 0 < exponent < 31 else half
