"""What passes between the parts that move tiles to and from memory."""

from amaranth.hdl import Mux, unsigned
from amaranth.lib import data, enum

from vc4.bus.port import BUS_BYTES
from vc4.records.tile_buffer import MemoryFormat, PixelColorFormat

from .structs import COLUMNS, SAMPLES

__all__ = [
    "COORDINATE_BITS",
    "WORD_ADDRESS_BITS",
    "BusChunk",
    "BusWord",
    "PlacedStep",
    "TileArea",
    "TilePart",
    "TileStep",
    "TileTransfer",
    "chunk_of",
]

#: Of a column or row of pixels of the largest tile, and of the largest frame that tiles have a number in.
COORDINATE_BITS, _FRAME_BITS = 6, 14
WORD_ADDRESS_BITS = 32 - (BUS_BYTES - 1).bit_length()


class TilePart(enum.Enum, shape=unsigned(2)):
    """What is moved."""

    COLOUR = 0
    ZS = 1
    MASK = 2


class TileArea(data.Struct):
    """The frame, and where in it the tile is: its first pixel."""

    width: unsigned(16)
    height: unsigned(16)
    x: unsigned(_FRAME_BITS)
    y: unsigned(_FRAME_BITS)


class TileTransfer(data.Struct):
    """A part of a tile, from or to memory.

    loads : from memory
    dump : all samples, one after the other; else an image
    z_only : there is no stencil value in memory
    layout, pixels : of an image
    block : a pixel in memory is the mean of the pixels of a quad
    sums : of all samples of each
    wide : colours have two words
    samples : a dump has four samples of a pixel
    size : log2 of the bytes of a pixel in memory
    columns, rows : of the tile, in pixels of the image, less 1
    address : of the image, or of the dump
    buffer : which tile buffer, if there are two
    """

    loads: unsigned(1)
    part: TilePart
    dump: unsigned(1)
    z_only: unsigned(1)
    layout: MemoryFormat
    pixels: PixelColorFormat
    block: unsigned(1)
    sums: unsigned(1)
    wide: unsigned(1)
    samples: unsigned(1)
    size: unsigned(2)
    columns: unsigned(COORDINATE_BITS)
    rows: unsigned(COORDINATE_BITS)
    address: unsigned(32)
    buffer: unsigned(1)


class TileStep(data.Struct):
    """Two pixels of a row of the image, or one if it is the mean of several, or a word of a wide one.

    x, y : of the first one, in the tile
    word : of a wide one
    sample : which one
    opens, ends : the first and the last sample of a sum
    final : nothing follows
    """

    x: unsigned(COORDINATE_BITS)
    y: unsigned(COORDINATE_BITS)
    word: unsigned(1)
    sample: range(SAMPLES)
    opens: unsigned(1)
    ends: unsigned(1)
    final: unsigned(1)


class PlacedStep(data.Struct):
    """With its address in memory; `inside`: pixels that the frame has."""

    step: TileStep
    address: unsigned(32)
    inside: unsigned(COLUMNS)


class BusChunk(data.Struct):
    """Up to eight bytes that lie within a word of the bus.

    data : from its lowest bits on
    size : log2 of the bytes; its address is a multiple of them
    half : of these the lower half, the higher half, or both are there
    final : nothing follows
    """

    address: unsigned(32)
    data: unsigned(8 * BUS_BYTES)
    size: unsigned(2)
    half: unsigned(2)
    final: unsigned(1)


class BusWord(data.Struct):
    """A word of the bus; or, with `final`, none, and nothing follows."""

    address: unsigned(WORD_ADDRESS_BITS)
    data: unsigned(8 * BUS_BYTES)
    strobes: unsigned(BUS_BYTES)
    final: unsigned(1)


def chunk_of(m, chunk, transfer, placed):
    """Where the bytes of a step are; `data` is left."""
    single = transfer.block | transfer.wide
    size = Mux(single, Mux(transfer.wide, 2, transfer.size), transfer.size + 1)
    m.d.comb += [
        chunk.address.eq(placed.address),
        chunk.size.eq(size),
        chunk.half.eq(Mux(single, placed.inside[0].replicate(2), placed.inside)),
        chunk.final.eq(placed.step.final),
    ]
