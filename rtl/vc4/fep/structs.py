"""What passes between the parts of the front end."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from vc4.isa.registers import QUADS
from vc4.pse.structs import EDGES, OFFSET_Z_BITS, POSITION_BITS, PlaneCoefficients
from vc4.qpu.structs import THREADS
from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS, TILE_QUAD_BITS
from vc4.records.samples import SAMPLES
from vc4.records.state import DepthTest, Oversample
from vc4.tlb.structs import QuadFlags, QuadPlace

__all__ = [
    "COLUMN_BITS",
    "MOST_SAMPLES",
    "PIXEL_BITS",
    "PLANES",
    "PLANE_SLOTS",
    "ClippedWindow",
    "CoveredQuad",
    "DepthLimits",
    "DepthPlane",
    "DepthQuad",
    "FragmentModes",
    "FragmentQuad",
    "PlaneSlot",
    "PlaneWrite",
    "RasterPrimitive",
    "RowSpan",
    "TileEdge",
]

#: Of a pixel.
MOST_SAMPLES = max(map(len, SAMPLES.values()))
#: Of the number of a column or row of pixels of the largest tile.
COLUMN_BITS = TILE_QUAD_BITS + 1
#: Of the number of a column or row of pixels of the frame: 256 tiles of 64.
PIXEL_BITS = 14
#: Primitives whose coefficients the slices hold, and planes of all of them together.
PLANE_SLOTS, PLANES = 16, 512


class TileEdge(data.Struct):
    """An edge: a sample (x, y) is inside if a x + b y + c >= 0.

    x and y count sixteenths of a pixel from the first quad of a primitive on. `a` and `b` are differences of positions of
    17 bits. Within a tile a x + b y has 30 bits, so a `c` that needs more is as good as the nearest that does not.
    """

    a: signed(18)
    b: signed(18)
    c: signed(31)


class RasterPrimitive(data.Struct):
    """A primitive in a tile, from its first quad on.

    x, y : of the first quad, in quads of the tile
    edges : a triangle's last one is 0 x + 0 y + 0 >= 0
    left, right, low, high : its first and last columns and rows of pixels, as the window leaves them; the first ones are 0 or 1
    """

    edges: data.ArrayLayout(TileEdge, EDGES)
    oversample: Oversample
    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    left: unsigned(1)
    right: unsigned(COLUMN_BITS)
    low: unsigned(1)
    high: unsigned(COLUMN_BITS)


class RowSpan(data.Struct):
    """Quads of a row that may have samples of a primitive; `is_empty`: there are none.

    row, first, last : in quads, from the first one of the primitive on; `last` may be after the primitive's last one
    opens, ends : it is the first row of its primitive, the last one
    """

    row: unsigned(TILE_QUAD_BITS)
    first: unsigned(TILE_QUAD_BITS)
    last: unsigned(TILE_QUAD_BITS)
    is_empty: unsigned(1)
    opens: unsigned(1)
    ends: unsigned(1)


class CoveredQuad(data.Struct):
    """A quad with samples of a primitive.

    x, y : in quads of the tile
    covered : of each pixel a bit for each sample
    ends : it is the last one of its primitive; only then it may have no sample at all
    """

    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    covered: data.ArrayLayout(unsigned(MOST_SAMPLES), QUAD_PIXELS)
    ends: unsigned(1)


class DepthLimits(data.Struct):
    """Z of the pixels that are drawn, from the first number to the second one (pipeline facts, 4.6)."""

    nearest: unsigned(DEPTH_BITS)
    farthest: unsigned(DEPTH_BITS)


class DepthPlane(data.Struct):
    """Z of a primitive (docs/reference/rendering.md).

    z : at the reference vertex, with 8 bits after the point
    gain_x, gain_y : for a sixteenth of a pixel, with 24 bits after the point, modulo 2^64
    first : what it has gained at the centre of pixel 0 of the primitive's first quad, the same
    x, y : of this quad, in quads of the tile
    limits : of the primitive
    """

    z: signed(OFFSET_Z_BITS)
    gain_x: unsigned(64)
    gain_y: unsigned(64)
    first: unsigned(64)
    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    limits: DepthLimits


class DepthQuad(data.Struct):
    """A quad with samples of a primitive, and Z.

    x, y, covered, ends : as in `CoveredQuad`
    is_empty : it has no sample at all
    z : at the centres of its pixels
    """

    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    covered: data.ArrayLayout(unsigned(MOST_SAMPLES), QUAD_PIXELS)
    z: data.ArrayLayout(unsigned(DEPTH_BITS), QUAD_PIXELS)
    ends: unsigned(1)
    is_empty: unsigned(1)


class ClippedWindow(data.Struct):
    """What may be drawn of a tile, in pixels of the frame: from `left` and `low` on to the ones before `right` and `high`.

    tile_x, tile_y : its first pixel
    """

    left: unsigned(16)
    right: unsigned(16)
    low: unsigned(16)
    high: unsigned(16)
    tile_x: unsigned(16)
    tile_y: unsigned(16)


class FragmentModes(data.Struct):
    """What control lists say of the tile buffer's work on a vector of fragments.

    test, updates : the Z test, and whether Z is written
    clears, as_mask : reads of coverage clear it, and give a bit a sample instead of a level
    """

    test: DepthTest
    updates: unsigned(1)
    clears: unsigned(1)
    as_mask: unsigned(1)


class FragmentQuad(data.Struct):
    """A quad of a vector on its way to the thread of a QPU: all four of them follow one another, 0 first.

    thread, quad : of the QPU, and which elements it has
    x, y : of pixel 0 in the frame; their lowest bit is 0
    place : in the tile buffer
    real : 0: it is the last quad once more, without flags
    flags : samples of each pixel that are drawn
    reverse : it is seen from behind
    slot : of the coefficients of its primitive
    """

    thread: range(THREADS)
    quad: range(QUADS)
    x: unsigned(PIXEL_BITS)
    y: unsigned(PIXEL_BITS)
    place: QuadPlace
    real: unsigned(1)
    flags: QuadFlags
    reverse: unsigned(1)
    slot: range(PLANE_SLOTS)
    z: data.ArrayLayout(unsigned(DEPTH_BITS), QUAD_PIXELS)
    w: data.ArrayLayout(unsigned(32), QUAD_PIXELS)
    modes: FragmentModes


class PlaneSlot(data.Struct):
    """What slices know of a primitive.

    base : number of its first varying's plane; the others follow, after the last plane comes number 0
    count : of its varyings
    x, y : of its reference vertex, in sixteenths of a pixel
    """

    base: range(PLANES)
    count: unsigned(6)
    x: signed(POSITION_BITS)
    y: signed(POSITION_BITS)


class PlaneWrite(data.Struct):
    """A plane of a varying, and which one it is."""

    number: range(PLANES)
    plane: PlaneCoefficients
