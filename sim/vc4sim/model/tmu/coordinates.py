"""Floats to fixed point, wrap modes, and faces of a cube. All values are int64 of the width that is stated.

A normalised coordinate is fixed point with 24 bits behind the point and two before it, the upper one the sign. A
coordinate in texels has 8 bits behind the point.
"""

from dataclasses import dataclass

import numpy as np

from vc4.records.tmu import Wrap

from ..arith import float as fp

__all__ = ["FRACTION", "WEIGHT", "Axis", "axis", "face_coordinates", "faces", "fixed", "wrapped"]

#: Bits behind the point of a normalised coordinate, and of a coordinate in texels.
FRACTION, WEIGHT = 24, 8
_ONE = 1 << FRACTION
_HALF_TEXEL = 1 << FRACTION - 1
#: What a float with this exponent has as its lowest bit: 1.
_UNIT_EXPONENT = 150


def fixed(value: np.ndarray, fraction: int, width: int, *, modulo: bool = False) -> np.ndarray:
    """Floats as signed numbers of `width` bits with `fraction` bits behind the point, rounded down.

    Out of range they are limited to it, or with `modulo` keep their low bits. Infinity and NaN patterns are numbers out
    of range with their sign, and modulo the range 0; denormals are 0.
    """
    significand, exponent = fp.significand(value), fp.exponent(value)
    shift = exponent - (_UNIT_EXPONENT - fraction)
    # Beyond these distances nothing is left, or everything is out of range.
    left, right = np.clip(shift, 0, width), np.clip(-shift, 0, 31)
    negative = value & fp.SIGN != 0
    # The complement rounds down where a shift of the negated significand would: floor(-m / 2^n) = ~((m - 1) >> n).
    magnitude = np.where(
        negative & (significand != 0), ~((significand << left) - 1 >> right), significand << left >> right
    )
    top = 1 << width - 1
    if modulo:
        low = np.where(exponent == fp.EXPONENT_MAX, 0, magnitude)
        return (low + top & 2 * top - 1) - top
    limited = np.clip(magnitude, -top, top - 1)
    return np.where(exponent == fp.EXPONENT_MAX, np.where(negative, -top, top - 1), limited)


def wrapped(coordinate: np.ndarray, wrap: Wrap) -> np.ndarray:
    """A normalised coordinate (26 bits) within the image where the wrap mode repeats it, else unchanged."""
    if wrap is Wrap.REPEAT:
        return coordinate & _ONE - 1
    if wrap is Wrap.MIRROR:
        back = coordinate & _ONE
        return np.where(back, ~coordinate, coordinate) & _ONE - 1
    return coordinate


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """Where a lookup reads along one axis of a level.

    texels : the first and the second one of each element, within the level, [2, element]
    inside : false where the border colour takes their place
    weight : of the second, 8 bits, in units of 1/256; 0 where only the first is read
    """

    texels: np.ndarray
    inside: np.ndarray
    weight: np.ndarray


def axis(coordinate: np.ndarray, size: int, wrap: Wrap, linear: np.ndarray) -> Axis:
    """Texels at a normalised coordinate (26 bits, `wrapped`) of a level with `size` texels (1 to 2048).

    The product has 38 bits, and is rounded down: to the weight where the filter is `linear`, else to the texel.
    """
    place = coordinate * size + np.where(linear, -_HALF_TEXEL, 0) >> FRACTION - WEIGHT
    index = (place >> WEIGHT) + np.array([[0], [1]])
    inside = (index >= 0) & (index < size)
    if wrap is Wrap.REPEAT:
        index = np.where(index < 0, index + size, np.where(index >= size, index - size, index))
    weight = np.where(linear, place & (1 << WEIGHT) - 1, 0)
    return Axis(np.clip(index, 0, size - 1), inside | (wrap is not Wrap.BORDER), weight)


def faces(s: np.ndarray, t: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The face of a cube that a direction meets: +X, -X, +Y, -Y, +Z, -Z. The larger pattern wins, the first of equals."""
    patterns = np.stack([s, t, r])
    major = fp.magnitude(patterns).argmax(axis=0)
    sign = np.take_along_axis(patterns, major[None], axis=0)[0] >> np.uint32(31)
    return 2 * major + sign.astype(np.int64)


def face_coordinates(face: np.ndarray, s: np.ndarray, t: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Floats from -1 to 1 on a face, whose major component is 1 or -1 (OpenGL ES 2.0, table 3.21)."""
    minus_s, minus_t, minus_r = (value ^ fp.SIGN for value in (s, t, r))
    across = np.choose(face, [minus_r, r, s, s, s, minus_s])
    up = np.choose(face, [minus_t, minus_t, r, minus_r, minus_t, minus_t])
    return across, up
