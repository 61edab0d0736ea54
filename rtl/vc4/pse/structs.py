"""What passes between the parts of the set-up."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data, enum

from vc4.cle.structs import VERTICES, PipelineRecord
from vc4.records.numbers import Float16, Float32
from vc4.records.primitives import PrimitiveType
from vc4.records.quads import DEPTH_BITS
from vc4.records.state import Oversample
from vc4.vcm.structs import ShaderHeader, VcmKind

__all__ = [
    "COEFFICIENT_BITS",
    "DENOMINATOR_BITS",
    "EDGES",
    "GAIN_BITS",
    "MOST_PLANES",
    "MOST_VARYINGS",
    "NUMERATOR_BITS",
    "OFFSET_Z_BITS",
    "POSITION_BITS",
    "Z_BITS",
    "Z_FRACTION",
    "Axis",
    "CoefficientWeights",
    "DivisionItem",
    "DivisionResult",
    "DivisorWords",
    "DrawBody",
    "DrawItem",
    "Edge",
    "PixelBox",
    "PlaneCoefficients",
    "PlaneWords",
    "ScreenVertex",
    "SetUpPiece",
    "SetUpPrimitive",
    "SetUpRequest",
    "SetUpState",
    "UnfinishedPrimitive",
]

#: Of a primitive, at the most.
EDGES = 4
#: Varyings, as many as there are flags for flat ones; a point has two more.
MOST_VARYINGS = 32
MOST_PLANES = 1 + MOST_VARYINGS + 2
#: Positions are sixteenths of a pixel, the sum of two numbers of 16 bits with sign; a difference of two has one more.
POSITION_BITS = 17
_DIFFERENCE_BITS = POSITION_BITS + 1
#: Coefficients of edges are differences, or twice that.
COEFFICIENT_BITS = _DIFFERENCE_BITS + 1
#: Of Z with the bits after its point; with the depth offset, which is twice as large at the most.
Z_FRACTION = 8
Z_BITS = DEPTH_BITS + Z_FRACTION
OFFSET_Z_BITS = Z_BITS + 3
#: What is divided by is below 2^36: areas, lengths times widths.
DENOMINATOR_BITS = 37
#: A sum of two products of differences of Z and of positions, each below 2^49.
NUMERATOR_BITS = Z_BITS + _DIFFERENCE_BITS + 1
#: A quotient of 2^50 with 16 bits after the point, and its sign.
GAIN_BITS = NUMERATOR_BITS + 16


class Axis(enum.Enum, shape=unsigned(1)):
    """Of the screen."""

    X = 0
    Y = 1


class DrawBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    shader: ShaderHeader


class DrawItem(data.Struct):
    """What the front end gets beside the primitives, in the order of the lists.

    kind : a record, the shader record of the primitives from here on, or a primitive, whose pieces come from the set-up: one at
        least, up to the one that is `last`
    """

    kind: VcmKind
    body: DrawBody


class ScreenVertex(data.Struct):
    """A shaded vertex on the screen.

    x, y : with the viewport's offset
    """

    x: signed(POSITION_BITS)
    y: signed(POSITION_BITS)
    zs: Float32
    reciprocal_w: Float32


class SetUpState(data.Struct):
    """What control lists say of primitives, see the model's `SetUpState`.

    front, back : faces that are drawn
    clockwise : the other side is the front
    flat : flags of the varyings that are those of the last vertex
    offsets : there is a depth offset
    size : of the lines, or of this point
    rht_boundary : with the viewport's offset
    """

    front: unsigned(1)
    back: unsigned(1)
    clockwise: unsigned(1)
    flat: unsigned(MOST_VARYINGS)
    offsets: unsigned(1)
    factor: Float16
    units: Float16
    size: Float32
    rht_boundary: signed(POSITION_BITS)
    oversample: Oversample


class SetUpRequest(data.Struct):
    """A primitive whose vertices are shaded.

    varyings : how many of them the vertices have
    """

    type: PrimitiveType
    vertices: data.ArrayLayout(ScreenVertex, VERTICES)
    state: SetUpState
    varyings: range(MOST_VARYINGS + 1)


class Edge(data.Struct):
    """A sample (x, y) is inside if a x + b y + c is not negative.

    Widths: of a line, a and b are twice a difference of positions, below 2^18, and c is the sum of two products of such a
    number and a position, at most 2^34 each, and of width times length, at most 2^33. All others have less.
    """

    a: signed(COEFFICIENT_BITS)
    b: signed(COEFFICIENT_BITS)
    c: signed(DENOMINATOR_BITS)


class PixelBox(data.Struct):
    """Lowest and highest pixels that may have samples. What a line or point reaches over has the width of positions."""

    low_x: signed(POSITION_BITS - 3)
    low_y: signed(POSITION_BITS - 3)
    high_x: signed(POSITION_BITS - 3)
    high_y: signed(POSITION_BITS - 3)


class SetUpPrimitive(data.Struct):
    """A primitive for the rasteriser: the numbers of the model's `SetUp`; its planes follow in a stream of their own.

    count : of edges that bound it, the first ones
    x, y, z : of the reference vertex; z with 8 bits after the point and the depth offset, which is at most 2^33
    z_x, z_y : what Z gains for a sixteenth of a pixel, with 24 bits after the point, modulo 2^64
    reverse : seen from behind
    clockwise : the area is negative, for coverage
    planes : how many there are, 1/W first
    drawn : 0: nothing of it is drawn: it has no area, or a face that is not drawn. The other numbers are anything then, there are
        no planes, and it is the last one of its request
    last : the last one of its request
    """

    edges: data.ArrayLayout(Edge, EDGES)
    count: range(EDGES + 1)
    box: PixelBox
    x: signed(POSITION_BITS)
    y: signed(POSITION_BITS)
    z: signed(OFFSET_Z_BITS)
    z_x: signed(64)
    z_y: signed(64)
    reverse: unsigned(1)
    clockwise: unsigned(1)
    planes: range(MOST_PLANES + 1)
    oversample: Oversample
    drawn: unsigned(1)
    last: unsigned(1)


class SetUpPiece(data.Struct):
    """What becomes of a request: one or two pieces of it; see `SetUpPrimitive`."""

    drawn: unsigned(1)
    last: unsigned(1)


class UnfinishedPrimitive(data.Struct):
    """A primitive whose quotients are missing.

    primitive : Z has no depth offset yet
    type, flat, offsets, factor, units, varyings : of its request
    """

    primitive: SetUpPrimitive
    type: PrimitiveType
    flat: unsigned(MOST_VARYINGS)
    offsets: unsigned(1)
    factor: Float16
    units: Float16
    varyings: range(MOST_VARYINGS + 1)


class DivisorWords(data.Struct):
    """What is divided by, see `Divisor`.

    number : without the highest bit, which is set
    shift : how far it was moved to the left
    reciprocal : 2^36 / (the upper 19 bits + 1), rounded down
    """

    number: unsigned(DENOMINATOR_BITS - 1)
    shift: range(DENOMINATOR_BITS)
    reciprocal: unsigned(18)


class _Place(enum.Enum, shape=unsigned(3)):
    """What a quotient is, together with an axis: (place, axis)."""

    SECOND = 0  # what the weight of the second vertex gains along this axis
    THIRD = 1
    IMPLICIT = 2  # what an implicit varying gains
    Z = 3


class DivisionItem(data.Struct):
    """A number to be divided.

    axis, place : what the quotient is
    numerator : below 2^18 but for Z
    negative : the divisor is
    is_last : the next item has another divisor
    """

    axis: Axis
    place: _Place
    numerator: signed(NUMERATOR_BITS)
    negative: unsigned(1)
    is_last: unsigned(1)

    Place = _Place


class DivisionResult(data.Struct):
    """A quotient.

    axis, place : what it is
    value : a float of 32 bits, or of Z a gain
    """

    axis: Axis
    place: _Place
    value: signed(GAIN_BITS)


class CoefficientWeights(data.Struct):
    """What the coefficients of a primitive are made with.

    second, third : what the weights of these vertices gain along X and Y, floats
    implicit : what an implicit varying gains along X and Y
    count : of planes that the vertices have, 1/W and varyings
    flat : of the varyings
    type : points have two implicit varyings, lines one
    """

    second: data.ArrayLayout(32, 2)
    third: data.ArrayLayout(32, 2)
    implicit: data.ArrayLayout(32, 2)
    count: range(MOST_VARYINGS + 2)
    flat: unsigned(MOST_VARYINGS)
    type: PrimitiveType


class PlaneWords(data.Struct):
    """A plane of the vertices: the value at each."""

    values: data.ArrayLayout(32, VERTICES)


class PlaneCoefficients(data.Struct):
    """Of a plane, floats."""

    a: unsigned(32)
    b: unsigned(32)
    c: unsigned(32)
