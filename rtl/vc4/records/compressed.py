"""The codings of primitives in compressed lists (guide, tables 39 to 43). Low bits first.

Which coding a primitive has is seen from its first byte, in this order:

1. `END`, `ABSOLUTE`, `BRANCH`
2. the coding whose `Coding.mask` and `Coding.value` fit, the first one of several

A field `edge` says which vertices the primitive has in common with the one before, see `EDGES`. Fields with `delta` are
differences in two's complement: `delta_2` to vertex 2 of the primitive before, `delta_1_0` of vertex 1 to vertex 0 of
the same one. Where x has seven bits, the lowest lies above the others.
"""

from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Shape, signed, unsigned
from amaranth.lib import data

from .primitives import PrimitiveType

__all__ = [
    "ABSOLUTE",
    "BRANCH",
    "BRANCH_BYTES",
    "BRANCH_UNIT",
    "CODINGS",
    "COORDINATE_CODINGS",
    "EDGES",
    "END",
    "VERTICES",
    "Coding",
]

#: First bytes that are not a coding by their bits: end of the list, all vertices as they are, branch.
END, ABSOLUTE, BRANCH = 128, 129, 130
#: A branch has 16 bits after its first byte: blocks of this many bytes, from the block on that its first byte is in.
BRANCH_UNIT, BRANCH_BYTES = 32, 3

#: Vertices of a primitive.
VERTICES = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}

#: By the vertices of a primitive: the first ones of the new primitive, as vertices of the old one, for each `edge`.
EDGES = {2: ((1,), (0,), (1,)), 3: ((2, 1), (0, 2), (1, 0))}


@dataclass(frozen=True)
class Coding:
    """A way to write a primitive.

    layout : its bits, a multiple of 8; `None`: the coding is reserved
    mask, value : bits of the first byte that tell it from the others
    vertex_follows : vertex 0 lies after these bits, as it is
    """

    layout: type[data.Struct] | None
    mask: int
    value: int
    vertex_follows: bool = False

    @cached_property
    def length(self) -> int:
        """Bytes, without a vertex that follows."""
        return Shape.cast(self.layout).width // 8


class TriangleShared(data.Struct):
    """Table 39, coding 0."""

    edge: unsigned(2)
    delta_2: signed(6)  #: not -32


class TriangleRelative(data.Struct):
    """Table 39, coding 1."""

    code: unsigned(2)
    unused: unsigned(2)
    delta_0: signed(4)
    delta_1: signed(4)
    delta_2: signed(4)


class TriangleNear(data.Struct):
    """Table 39, coding 2."""

    code: unsigned(4)
    delta_1_0: signed(6)
    delta_2_0: signed(6)


class LineShared(data.Struct):
    """Table 40, coding 0."""

    edge: unsigned(2)
    delta_1: signed(6)  #: not -32


class LineRelative(data.Struct):
    """Table 40, coding 1."""

    code: unsigned(2)
    unused: unsigned(2)
    delta_0: signed(4)
    delta_1: signed(4)
    unused_12: unsigned(4)


class LineNear(data.Struct):
    """Table 40, coding 2."""

    code: unsigned(2)
    delta_1_0: signed(6)  #: not -32


class PointShared(data.Struct):
    """Table 41, coding 0."""

    code: unsigned(1)
    unused: unsigned(1)
    delta_0: signed(6)  #: not -32


class PointRelative(data.Struct):
    """Table 41, coding 1."""

    code: unsigned(2)
    delta_0: signed(14)


class TriangleSharedXY(data.Struct):
    """Table 42, coding 0."""

    edge: unsigned(2)
    delta_2_x_high: signed(6)  #: not -32
    delta_2_x_low: unsigned(1)
    delta_2_y: signed(7)


class TriangleRelativeXY(data.Struct):
    """Table 42, coding 1."""

    code: unsigned(2)
    edge: unsigned(2)
    delta_2_x: signed(10)
    delta_2_y: signed(10)


class TriangleNearXY(data.Struct):
    """Table 42, coding 2."""

    code: unsigned(4)
    delta_1_0_x: signed(7)
    delta_1_0_y: signed(7)
    delta_2_0_x: signed(7)
    delta_2_0_y: signed(7)


class RhtSharedXY(data.Struct):
    """Table 43, coding 0."""

    edge: unsigned(2)
    delta_1_x_high: signed(6)  #: not -32
    delta_1_x_low: unsigned(1)
    delta_1_y: signed(7)


class RhtRelativeXY(data.Struct):
    """Table 43, coding 1; edge 2 is edge 0."""

    code: unsigned(2)
    edge: unsigned(2)
    delta_1_x: signed(10)
    delta_1_y: signed(10)


class RhtNearXY(data.Struct):
    """Table 43, coding 2."""

    code: unsigned(2)
    delta_1_0_x_high: signed(6)  #: not -32
    delta_1_0_x_low: unsigned(1)
    delta_1_0_y: signed(7)


_TRIANGLES = (
    Coding(TriangleNear, 0b1111, 0b1111, vertex_follows=True),
    Coding(TriangleRelative, 0b11, 0b11),
    Coding(TriangleShared, 0, 0),
)
_LINES = (
    Coding(None, 0b1111, 0b1111),
    Coding(LineRelative, 0b11, 0b11),
    Coding(LineNear, 0b11, 0b10, vertex_follows=True),
    Coding(LineShared, 0, 0),
)

#: Codings of vertices that are indices, of 16 or 24 bits, in the order in which they are looked for. Coding 2 of points,
#: a run of them, was never built.
CODINGS = {
    PrimitiveType.POINTS: (
        Coding(PointRelative, 0b11, 0b11),
        Coding(None, 0b11, 0b10),
        Coding(PointShared, 0, 0),
    ),
    PrimitiveType.LINES: _LINES,
    PrimitiveType.TRIANGLES: _TRIANGLES,
    PrimitiveType.RHTS: _LINES,
}

#: Codings of vertices that are coordinates, x in the low half.
COORDINATE_CODINGS = {
    PrimitiveType.TRIANGLES: (
        Coding(TriangleNearXY, 0b1111, 0b1111, vertex_follows=True),
        Coding(TriangleRelativeXY, 0b11, 0b11),
        Coding(TriangleSharedXY, 0, 0),
    ),
    PrimitiveType.RHTS: (
        Coding(None, 0b1111, 0b1111),
        Coding(RhtRelativeXY, 0b11, 0b11),
        Coding(RhtNearXY, 0b11, 0b10, vertex_follows=True),
        Coding(RhtSharedXY, 0, 0),
    ),
}
