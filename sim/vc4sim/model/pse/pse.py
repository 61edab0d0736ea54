"""Primitive set-up: edges, planes of Z and 1/W, coefficients of varyings (guide, sections 1 and 6; pipeline facts, 4).

Positions are in sixteenths of a pixel, 17 bits with sign; rows count up. A sample (x, y) is inside of an edge if
a x + b y + c >= 0; c has one less where samples on the edge are not inside. Planes are given by their value at a reference
vertex and by what they gain for a sixteenth of a pixel along x and y.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vc4.records.samples import PIXEL
from vc4.records.state import Oversample

from ..arith.fixed_point import fixed, quotient
from ..compiled import Buffers
from .coefficients import Corners, Implicit, coefficients

__all__ = [
    "Z_FRACTION",
    "Z_GAIN_FRACTION",
    "Z_MAX",
    "Edge",
    "Implicit",
    "PrimitiveState",
    "ScreenVertex",
    "SetUp",
    "SetUpState",
    "box_of",
    "edge_between",
    "set_up_triangle",
    "z_gain",
    "z_of",
]

#: Bits after the point of Z in the set-up, and of what Z gains for a sixteenth of a pixel.
Z_FRACTION, Z_GAIN_FRACTION = 8, 24
_Z_BITS = 24
Z_MAX = (1 << _Z_BITS) - 1
#: Twice the range of Z.
_LARGEST_OFFSET = 1 << 33
_GAIN_SHIFT = Z_GAIN_FRACTION - Z_FRACTION

Edge = tuple[int, int, int]
_WORD = 0xFFFF_FFFF


class ScreenVertex(NamedTuple):
    """A shaded vertex on the screen.

    zs, reciprocal_w : floats
    varyings : floats
    """

    x: int
    y: int
    zs: int
    reciprocal_w: int
    varyings: tuple[int, ...]

    @property
    def planes(self) -> tuple[int, ...]:
        """What is interpolated: 1/W, then the varyings."""
        return self.reciprocal_w, *self.varyings


class SetUpState(NamedTuple):
    """What control lists say of primitives.

    front, back : faces that are drawn
    clockwise : the other side is the front
    flat : flags of the varyings that are those of the last vertex
    offset : factor and units of the depth offset, upper halves of floats, or `None`
    rht_boundary : position, with the viewport's offset
    """

    front: bool = True
    back: bool = True
    clockwise: bool = False
    flat: int = 0
    offset: tuple[int, int] | None = None
    oversample: Oversample = Oversample.NONE
    line_width: int = 0x3F80_0000
    rht_boundary: int = 0


class PrimitiveState(NamedTuple):
    """What kernels see of a primitive, see `SetUp`.

    edges : three numbers of each
    place : lowest x and y, highest x and y; x and y of the reference vertex, whether it is seen from behind, Z there; what Z
        gains along x and y modulo 2^64, the upper half of each, with its sign, and the lower half
    planes : A, B and C of 1/W and of all varyings
    """

    edges: np.ndarray
    place: np.ndarray
    planes: np.ndarray


@dataclass(eq=False)  # frozen ones take three times as long to make
class SetUp:
    """A primitive that is ready for the rasteriser.

    edges : those that bound it
    box : lowest x and y, highest x and y that samples of it may have
    x, y : of the reference vertex
    z, z_x, z_y : Z there with `Z_FRACTION` bits after the point, its gains with `Z_GAIN_FRACTION`
    corners : 1/W and varyings of three vertices, the reference vertex first and the one that flat varyings are of last
    weights : what the second and the third of them gain along x, then along y, floats
    implicit : varyings that come first
    flat : flags of the varyings that are flat
    reverse : seen from behind
    turns : 1 or -1, for coverage
    """

    edges: tuple[Edge, ...]
    box: tuple[int, int, int, int]
    x: int
    y: int
    z: int
    z_x: int
    z_y: int
    corners: Corners
    weights: tuple[int, int, int, int]
    implicit: tuple[Implicit, ...] = ()
    flat: int = 0
    reverse: bool = False
    turns: int = 1

    @property
    def varyings(self) -> int:
        """How many it has."""
        return len(self.implicit) + len(self.corners[0]) - 1

    @cached_property
    def state(self) -> Buffers[PrimitiveState]:
        """For kernels."""
        gains = (half for gain in (self.z_x, self.z_y) for half in (_signed(gain >> 32), gain & _WORD))
        return Buffers(
            PrimitiveState(
                np.array([number for edge in self.edges for number in edge], np.int64),
                np.array([*self.box, self.x, self.y, self.reverse, self.z, *gains], np.int64),
                coefficients(self.corners, self.weights, self.implicit, self.flat),
            )
        )


def _signed(word: int) -> int:
    return (word + (1 << 31) & _WORD) - (1 << 31)


def z_of(zs: int) -> int:
    """Zs 2^24 of a float, cut off after `Z_FRACTION` more bits, limited to 24 bits before the point."""
    return min(max(fixed(zs, _Z_BITS + Z_FRACTION), 0), Z_MAX << Z_FRACTION)


def edge_between(first: tuple[int, int], second: tuple[int, int]) -> Edge:
    """The edge from one position to the next, with its inside where x times y turns to.

    A sample on it is inside if it is an edge that goes down in y, or one with constant y that goes up in x.
    """
    dx, dy = second[0] - first[0], second[1] - first[1]
    inclusive = dy < 0 or (dy == 0 and dx > 0)
    return -dy, dx, dy * first[0] - dx * first[1] - (not inclusive)


def box_of(*positions: tuple[int, int]) -> tuple[int, int, int, int]:
    """Lowest x and y, highest x and y."""
    xs, ys = [x for x, _ in positions], [y for _, y in positions]
    return min(xs), min(ys), max(xs), max(ys)


def z_gain(numerator: int, denominator: int) -> int:
    """What Z gains: a quotient with `Z_GAIN_FRACTION` bits after the point, rounded down; Z has `Z_FRACTION`."""
    return (numerator << _GAIN_SHIFT) // denominator


def _offset(state: SetUpState, z_x: int, z_y: int) -> int:
    """The depth offset: the factor times the larger gain for a pixel, and units of the lowest bit of Z. Both are limited."""
    if state.offset is None:
        return 0
    factor, units = (word << 16 for word in state.offset)
    slope = max(abs(z_x), abs(z_y)) * PIXEL
    return _limited(_limited(fixed(factor, 16) * slope >> 16 + _GAIN_SHIFT) + _limited(fixed(units, Z_FRACTION)))


def _limited(offset: int) -> int:
    return min(max(offset, -_LARGEST_OFFSET), _LARGEST_OFFSET)


def set_up_triangle(vertices: Sequence[ScreenVertex], state: SetUpState) -> SetUp | None:
    """A triangle, or `None` if it has no area or its face is not drawn.

    Its area has 37 bits with the sign, the gains of weights are quotients with it.
    """
    first, second, third = vertices
    x1, y1, x2, y2 = second.x - first.x, second.y - first.y, third.x - first.x, third.y - first.y
    area = x1 * y2 - x2 * y1
    reverse = (area < 0) != state.clockwise
    if not area or not (state.back if reverse else state.front):
        return None
    corners = [(vertex.x, vertex.y) for vertex in vertices]
    turned = corners if area > 0 else corners[::-1]
    z = z_of(first.zs)
    dz1, dz2 = z_of(second.zs) - z, z_of(third.zs) - z
    z_x, z_y = z_gain(dz1 * y2 - dz2 * y1, area), z_gain(dz2 * x1 - dz1 * x2, area)
    return SetUp(
        edges=tuple(edge_between(turned[n], turned[(n + 1) % 3]) for n in range(3)),
        box=box_of(*corners),
        x=first.x,
        y=first.y,
        z=z + _offset(state, z_x, z_y),
        z_x=z_x,
        z_y=z_y,
        corners=(first.planes, second.planes, third.planes),
        weights=(quotient(y2, area), quotient(-y1, area), quotient(-x2, area), quotient(x1, area)),
        flat=state.flat,
        reverse=reverse,
        turns=1 if area > 0 else -1,
    )
