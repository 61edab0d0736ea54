"""Floats to fixed point, wrap modes, and faces of a cube, for one element. Wrap modes are the codes of `Wrap`.

A normalised coordinate is fixed point with 24 bits after the point and two before it, the upper one the sign. A
coordinate in texels has 8 bits after the point.
"""

from vc4.records.tmu import Wrap

from ..arith.float import EXPONENT_MAX, SIGN, exponent, magnitude, significand
from ..compiled import kernel

__all__ = ["FRACTION", "WEIGHT", "axis", "face_coordinates", "face_of", "fixed", "wrapped"]

#: Bits after the point of a normalised coordinate, and of a coordinate in texels.
FRACTION, WEIGHT = 24, 8
_ONE = 1 << FRACTION
_HALF_TEXEL = 1 << FRACTION - 1
#: What a float with this exponent has as its lowest bit: 1.
_UNIT_EXPONENT = 150
_REPEAT, _, _MIRROR, _BORDER = (mode.value for mode in Wrap)


@kernel
def fixed(value: int, fraction: int, width: int, modulo: int) -> int:
    """A float as a signed number of `width` bits with `fraction` bits after the point, rounded down.

    Out of range it is limited to it, or with `modulo` keeps its low bits. Infinity and NaN patterns are numbers out
    of range with their sign, and modulo the range 0; denormals are 0.
    """
    top = 1 << width - 1
    if exponent(value) == EXPONENT_MAX:
        return 0 if modulo else -top if value & SIGN else top - 1
    number = -significand(value) if value & SIGN else significand(value)
    shift = exponent(value) - (_UNIT_EXPONENT - fraction)
    # Beyond these distances nothing is left, or everything is out of range.
    number = number << min(shift, width) if shift >= 0 else number >> min(-shift, 31)
    if modulo:
        return (number + top & 2 * top - 1) - top
    return min(max(number, -top), top - 1)


@kernel
def wrapped(coordinate: int, wrap: int) -> int:
    """A normalised coordinate (26 bits) within the image where the wrap mode repeats it, else unchanged."""
    if wrap == _REPEAT:
        return coordinate & _ONE - 1
    if wrap == _MIRROR:
        return (~coordinate if coordinate & _ONE else coordinate) & _ONE - 1
    return coordinate


@kernel
def _texel(index: int, size: int, wrap: int) -> int:
    """The texel of a level that takes the place of number `index`, -1 to `size`."""
    if wrap == _REPEAT and index < 0:
        return index + size
    if wrap == _REPEAT and index >= size:
        return index - size
    return min(max(index, 0), size - 1)


@kernel
def axis(coordinate: int, size: int, wrap: int, linear: int) -> tuple[int, int, int, int, int]:
    """Where a lookup reads along one axis, at a normalised coordinate (26 bits, `wrapped`) of a level with 1 to 2048 texels.

    The product has 38 bits, and is rounded down: to the weight where the filter is `linear`, else to the texel. Returns the
    first and the second texel, within the level; 1 for each that is a texel, 0 where the border colour takes its place; and
    the weight of the second, 8 bits, in units of 1/256, 0 where only the first is read.
    """
    place = coordinate * size - (_HALF_TEXEL if linear else 0) >> FRACTION - WEIGHT
    index = place >> WEIGHT
    first, second = 1, 1
    if wrap == _BORDER:
        first = 1 if 0 <= index < size else 0
        second = 1 if 0 <= index + 1 < size else 0
    weight = place & (1 << WEIGHT) - 1 if linear else 0
    return _texel(index, size, wrap), _texel(index + 1, size, wrap), first, second, weight


@kernel
def face_of(s: int, t: int, r: int) -> int:
    """The face of a cube that a direction meets: +X, -X, +Y, -Y, +Z, -Z. The larger pattern wins, the first of equals."""
    if magnitude(s) >= magnitude(t) and magnitude(s) >= magnitude(r):
        return s >> 31
    if magnitude(t) >= magnitude(r):
        return 2 + (t >> 31)
    return 4 + (r >> 31)


@kernel
def face_coordinates(face: int, s: int, t: int, r: int) -> tuple[int, int]:
    """Floats from -1 to 1 on a face, whose major component is 1 or -1 (OpenGL ES 2.0, table 3.21)."""
    if face == 0:
        return r ^ SIGN, t ^ SIGN
    if face == 1:
        return r, t ^ SIGN
    if face == 2:
        return s, r
    if face == 3:
        return s, r ^ SIGN
    return (s if face == 4 else s ^ SIGN), t ^ SIGN
