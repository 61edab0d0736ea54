"""What passes between the parts of what finds the tiles of primitives."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

__all__ = [
    "COUNT_BITS",
    "MARGIN_BITS",
    "PLACE_BITS",
    "SIXTEENTHS",
    "SLOPE_BITS",
    "SPAN_BITS",
    "TILE_EDGES",
    "VALUE_BITS",
    "EdgeSlot",
    "EdgeStart",
    "FrameTiles",
    "PixelWindow",
    "PlacedPoint",
    "TilesFound",
]

#: Of a pixel, as many bits.
SIXTEENTHS = 4
#: Of a position with the offset of the viewport.
PLACE_BITS = 17
#: Of the distance that a primitive reaches beyond its vertices: 2^17 at the most, and half a pixel.
MARGIN_BITS = 18
#: Of the number of a column or row of tiles.
COUNT_BITS = 8
#: Of the pixel where a column or row of tiles of a frame begins.
SPAN_BITS = 14
#: Of a triangle; a line has two of them.
TILE_EDGES = 3
#: Of the coefficients of an edge: differences of positions.
SLOPE_BITS = 17
#: Of its value at a tile, in 256ths: the low bits are the same at all tiles, so they are left out.
VALUE_BITS = 29


class FrameTiles(data.Struct):
    """The tiles of a frame.

    width, height : how many
    narrow : they are 32 pixels wide, else 64
    low : they are 64 >> low pixels high
    """

    width: unsigned(COUNT_BITS)
    height: unsigned(COUNT_BITS)
    narrow: unsigned(1)
    low: range(3)


class PixelWindow(data.Struct):
    """Where pixels are drawn.

    left, bottom : the first ones
    right, top : how many follow
    """

    left: unsigned(16)
    bottom: unsigned(16)
    right: unsigned(16)
    top: unsigned(16)


class PlacedPoint(data.Struct):
    """A position with the offset of the viewport."""

    x: signed(PLACE_BITS)
    y: signed(PLACE_BITS)


class TilesFound(data.Struct):
    """The rectangle of tiles around a primitive.

    first_column, last_column, first_row, last_row : of it
    none : there is none
    """

    first_column: unsigned(COUNT_BITS)
    last_column: unsigned(COUNT_BITS)
    first_row: unsigned(COUNT_BITS)
    last_row: unsigned(COUNT_BITS)
    none: unsigned(1)


class EdgeSlot(data.Struct):
    """What is made of two vertices.

    area : the area of the triangle, only its sign counts: that of the area, or if `minus` of one less
    edge : an edge, or with `high` only the upper half of its value, which comes first
    number : which one
    line : of a line
    minus : one less is wanted
    last : nothing comes after it; it need not be an edge
    """

    area: unsigned(1)
    edge: unsigned(1)
    high: unsigned(1)
    number: range(TILE_EDGES)
    line: unsigned(1)
    minus: unsigned(1)
    last: unsigned(1)


class EdgeStart(data.Struct):
    """An edge at the first tile of a primitive.

    stb : there is one
    number : which one
    value : its function at the best corner of the tile
    along, up : its coefficients along X and Y
    """

    stb: unsigned(1)
    number: range(TILE_EDGES)
    value: signed(VALUE_BITS)
    along: signed(SLOPE_BITS)
    up: signed(SLOPE_BITS)
