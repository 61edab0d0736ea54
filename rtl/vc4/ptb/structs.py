"""What passes between the parts of the binner."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data, enum

from vc4.cle.structs import VERTICES, PipelineRecord
from vc4.records.primitives import PrimitiveType

__all__ = [
    "CLIPPED_WORDS",
    "COORDINATES",
    "POINT_BITS",
    "TILE_BITS",
    "BinBody",
    "BinItem",
    "BinKind",
    "BinPrimitive",
    "ClipWord",
    "ScreenPoint",
    "TileBody",
    "TileItem",
    "TileKind",
    "TilePrimitive",
]

#: Of a position on the screen, x or y: sixteenths of a pixel from the centre of the viewport.
POINT_BITS = 16
#: Of the number of a tile, row after row.
TILE_BITS = 16
#: Clip coordinates of a vertex: x, y, z and w.
COORDINATES = 4
#: Words in memory of a vertex that clipping has made, see `vc4.records.shaders.ClippedVertex`.
CLIPPED_WORDS = 7


class ScreenPoint(data.Struct):
    """A vertex on the screen, from the centre of the viewport, s12.4."""

    x: signed(POINT_BITS)
    y: signed(POINT_BITS)


class ClipWord(data.Struct):
    """A clip coordinate of a vertex, a float.

    bank : that of its primitive
    vertex : number of the vertex in the primitive
    number : which coordinate: x, y, z, w
    """

    bank: unsigned(1)
    vertex: range(VERTICES)
    number: range(COORDINATES)
    value: unsigned(32)


class BinPrimitive(data.Struct):
    """A primitive whose vertices have been shaded. It begins like a `TilePrimitive`.

    type : how many of its vertices count, the first ones
    vertices : what the tile lists have of them: indices, or coordinates with x in the low half
    coordinates : which of both
    made : vertices that clipping has made, a bit each: their words come in the stream beside
    points : where they are on the screen
    size : of a point that has a size of its own, a float
    has_size : it has
    clips : it may have to be clipped
    bank : where its clip coordinates are, if it clips
    """

    type: PrimitiveType
    vertices: data.ArrayLayout(32, VERTICES)
    coordinates: unsigned(1)
    made: unsigned(VERTICES)
    points: data.ArrayLayout(ScreenPoint, VERTICES)
    size: unsigned(32)
    has_size: unsigned(1)
    clips: unsigned(1)
    bank: unsigned(1)


class BinKind(enum.Enum, shape=unsigned(1)):
    """Of an item."""

    RECORD = 0
    PRIMITIVE = 1


class BinBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    primitive: BinPrimitive


class BinItem(data.Struct):
    """What the clipper and what finds tiles get, in the order of the list."""

    kind: BinKind
    body: BinBody


class TilePrimitive(data.Struct):
    """What tile lists have of a primitive.

    type, coordinates : its format
    vertices : the first ones count
    made : vertices that clipping has made, a bit each
    """

    type: PrimitiveType
    vertices: data.ArrayLayout(32, VERTICES)
    coordinates: unsigned(1)
    made: unsigned(VERTICES)


#: So what passes one on need not know which of both it is.
assert all(data.Layout.cast(BinPrimitive)[name] == field for name, field in data.Layout.cast(TilePrimitive))


class TileKind(enum.Enum, shape=unsigned(2)):
    """Of an item."""

    RECORD = 0
    PRIMITIVE = 1  # that touches tiles, which follow
    TILE = 2  # of the primitive before
    DROP = 3  # a primitive that touches no tile, with the words of vertices that clipping has made


class TileBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    primitive: TilePrimitive
    tile: unsigned(TILE_BITS)


class TileItem(data.Struct):
    """What writes tile lists gets, in the order of the list."""

    kind: TileKind
    body: TileBody
