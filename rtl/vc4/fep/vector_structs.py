"""What passes between those parts of the front end that know of QPUs."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from vc4.cle.structs import PipelineRecord
from vc4.isa.registers import QUADS
from vc4.pse.structs import MOST_PLANES, POSITION_BITS
from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS, TILE_QUAD_BITS
from vc4.records.state import CoverageUpdate, Oversample
from vc4.tlb.structs import QuadFlags
from vc4.vcm.structs import ShaderHeader

from .structs import PIXEL_BITS, PLANE_SLOTS, FragmentModes

__all__ = [
    "DISTANCE_BITS",
    "HELD_QUADS",
    "OPEN_QUADS",
    "PLACE_BITS",
    "SLOT_NUMBER_BITS",
    "DrawState",
    "DrawnPiece",
    "FragmentProgram",
    "FrontEndEvents",
    "OrderItem",
    "OrderKind",
    "PieceState",
    "PlaneJob",
    "Vector",
    "VectorQuad",
]

#: Quads of vectors that wait for a QPU, or for the rest of their vector.
HELD_QUADS = 32
#: Quads of a vector that is open, and bits of a quad's place in the tile.
OPEN_QUADS, PLACE_BITS = QUADS - 1, 2 * TILE_QUAD_BITS
#: Slots are numbered on and on; a slot's place are the bits but the highest one.
SLOT_NUMBER_BITS = (2 * PLANE_SLOTS - 1).bit_length()
#: From a vertex to a pixel, in sixteenths, with sign.
DISTANCE_BITS = 18


class DrawnPiece(data.Struct):
    """A piece of a primitive that the set-up has drawn.

    oversample, reverse, clockwise, planes : as in `SetUpPrimitive`
    x, y : of its reference vertex, in sixteenths of a pixel
    tile_x, tile_y : first pixel of the tile
    outside : it has no pixel in the window, and no quads come of it
    """

    oversample: Oversample
    reverse: unsigned(1)
    clockwise: unsigned(1)
    x: unsigned(POSITION_BITS)
    y: unsigned(POSITION_BITS)
    planes: range(MOST_PLANES + 1)
    tile_x: unsigned(PIXEL_BITS)
    tile_y: unsigned(PIXEL_BITS)
    outside: unsigned(1)


class OrderKind(enum.Enum, shape=unsigned(2)):
    """What comes beside the quads."""

    RECORD = 0  # state
    SHADER = 1
    PIECE = 2
    TILE = 3  # a record for the tile buffer


class _OrderBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    shader: ShaderHeader
    piece: DrawnPiece


class OrderItem(data.Struct):
    """What comes beside the quads, in the order of the lists."""

    kind: OrderKind
    body: _OrderBody


class FragmentProgram(data.Struct):
    """A fragment shader, as in `ProgramStart`."""

    pc: unsigned(32)
    uniforms: unsigned(32)
    threaded: unsigned(1)


class DrawState(data.Struct):
    """What control lists say of all quads from here on.

    program : of fragments
    to_coverage, update : quads go to coverage, and what they do to it
    """

    program: FragmentProgram
    modes: FragmentModes
    to_coverage: unsigned(1)
    update: CoverageUpdate


class PieceState(data.Struct):
    """What all quads of a piece share.

    oversample, reverse, clockwise, tile_x, tile_y : as in `DrawnPiece`
    dx, dy : from its reference vertex to the centre of the tile's first pixel, in sixteenths
    """

    oversample: Oversample
    reverse: unsigned(1)
    clockwise: unsigned(1)
    tile_x: unsigned(PIXEL_BITS)
    tile_y: unsigned(PIXEL_BITS)
    dx: unsigned(DISTANCE_BITS)
    dy: unsigned(DISTANCE_BITS)


class PlaneJob(data.Struct):
    """The planes of a piece.

    keeps : it has fragments; else nobody wants them
    planes : how many there are, 1/W first
    x, y : of the reference vertex
    """

    keeps: unsigned(1)
    planes: range(MOST_PLANES + 1)
    x: unsigned(POSITION_BITS)
    y: unsigned(POSITION_BITS)


class VectorQuad(data.Struct):
    """A quad of a vector.

    x, y : in quads of the tile
    flags : samples of each pixel that are drawn
    reverse : it is seen from behind
    slot : of the coefficients of its primitive
    """

    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    flags: QuadFlags
    reverse: unsigned(1)
    slot: range(PLANE_SLOTS)
    z: data.ArrayLayout(unsigned(DEPTH_BITS), QUAD_PIXELS)


class Vector(data.Struct):
    """Up to four quads for a QPU, the next ones of those that are held.

    last : number of its last quad
    slots : of its quads, a bit each
    newest : number of the slot of its last quad
    """

    last: range(QUADS)
    slots: unsigned(PLANE_SLOTS)
    newest: unsigned(SLOT_NUMBER_BITS)
    program: FragmentProgram
    modes: FragmentModes


class FrontEndEvents(data.Struct):
    """What is counted, strobes.

    primitives, primitives_empty : pieces; of these, those without a quad between the planes
    quads, quads_clipped : with a pixel between the planes; with samples, but none
    """

    primitives: unsigned(1)
    primitives_empty: unsigned(1)
    quads: unsigned(1)
    quads_clipped: unsigned(1)
