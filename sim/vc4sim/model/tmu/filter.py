"""Blends of texels and of levels. A weight is 0 to 255 and counts in units of 1/256 for the second of two values.

A blend of four texels is rounded to 8 bits behind the point of a byte, a blend of two levels to the byte, both to the
nearest. Half floats are blended as fixed point with 24 bits behind the point, where each is exact, and rounded down.
"""

import numpy as np

from .formats import Channels

__all__ = ["bilinear", "bytes_of", "fixed_of_half", "half_of_fixed", "levels"]

_WEIGHT = 8
_HALF = 1 << _WEIGHT - 1
_MANTISSA = 10


def _blend(first: np.ndarray, second: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return first * ((1 << _WEIGHT) - weight) + second * weight


def fixed_of_half(half: np.ndarray) -> np.ndarray:
    """A half float as a signed number of 42 bits in units of 2^-24. The highest exponent is one like the others."""
    exponent, mantissa = half >> _MANTISSA & 31, half & (1 << _MANTISSA) - 1
    magnitude = np.where(exponent, (mantissa | 1 << _MANTISSA) << np.maximum(exponent - 1, 0), mantissa)
    return np.where(half >> 15, -magnitude, magnitude)


def half_of_fixed(fixed: np.ndarray) -> np.ndarray:
    """The half float of a number of 42 bits, cut off toward zero; infinity from 65536 on. 0 has no sign."""
    magnitude = np.abs(fixed)
    _, top = np.frexp(magnitude.astype(np.float64))  # exact: top is the number of bits
    shift = np.maximum(top.astype(np.int64) - _MANTISSA - 1, 0)
    # The hidden bit adds one to the exponent; without it the number is denormal.
    half = np.where(shift > 29, 31 << _MANTISSA, (shift << _MANTISSA) + (magnitude >> shift))
    return half | np.where(fixed < 0, 1 << 15, 0)


def bilinear(texels: np.ndarray, across: np.ndarray, up: np.ndarray, channels: Channels) -> np.ndarray:
    """The blend of four texels, [upper, right, ...]. Bytes become 16 bits, 8 of them behind the point."""
    if channels is Channels.INTEGER:
        return texels[0, 0]
    if channels is Channels.HALVES:
        texels = fixed_of_half(texels)
    rows = _blend(texels[:, 0], texels[:, 1], across)
    blend = _blend(rows[0], rows[1], up)
    return blend >> 2 * _WEIGHT if channels is Channels.HALVES else blend + _HALF >> _WEIGHT


def levels(larger: np.ndarray, smaller: np.ndarray, weight: np.ndarray, channels: Channels) -> np.ndarray:
    """The blend of two levels, still of as many bits as before."""
    if channels is Channels.INTEGER:
        return larger
    blend = _blend(larger, smaller, weight)
    return blend >> _WEIGHT if channels is Channels.HALVES else blend


def bytes_of(blend: np.ndarray) -> np.ndarray:
    """Bytes of a blend of two levels (24 bits, 16 of them behind the point)."""
    return blend + (1 << 2 * _WEIGHT - 1) >> 2 * _WEIGHT
