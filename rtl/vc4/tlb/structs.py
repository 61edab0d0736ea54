"""What passes between the parts of the tile buffer, and to it."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS, TILE_QUAD_BITS
from vc4.records.state import CoverageUpdate, DepthTest, Oversample
from vc4.records.stencil import StencilRule

__all__ = [
    "COLOUR_BITS",
    "COLUMNS",
    "MASK_BITS",
    "QUARTERS",
    "SAMPLES",
    "WORDS",
    "ColourRead",
    "CoverageQuad",
    "DepthAnswer",
    "DepthCounts",
    "DepthWord",
    "DepthWrite",
    "FarthestDepth",
    "QuadFlags",
    "QuadPlace",
    "StencilFace",
    "stencil_write",
    "TileClear",
    "TileForm",
    "clear_of",
    "colour_write",
    "fragment_quad",
]

#: Of a word of a colour, of the alpha mask.
COLOUR_BITS, MASK_BITS = 32, 8
#: Columns of a quad.
COLUMNS = 2
#: Of a pixel, with multisampling.
SAMPLES = 4
#: Of each memory; two tile buffers with wide colours have a quarter for each word of each.
WORDS, QUARTERS = 1024, 4
_WORD_BITS = 32
#: Which samples of each pixel of a quad.
QuadFlags = data.ArrayLayout(SAMPLES, QUAD_PIXELS)


class TileForm(data.Struct):
    """How the tile buffer is divided.

    multisample : four samples a pixel
    wide : a colour has two words
    double : there are two buffers; not with multisampling
    """

    multisample: unsigned(1)
    wide: unsigned(1)
    double: unsigned(1)


class QuadPlace(data.Struct):
    """Where a quad is: in which tile buffer, if there are two, in which column and row of quads of it."""

    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    buffer: unsigned(1)


class DepthWord(data.Struct):
    """Of a sample, as in memory."""

    stencil: unsigned(8)
    z: unsigned(DEPTH_BITS)


class StencilFace(data.Struct):
    """What is set up for the face of a quad.

    enable : there is a test
    write_mask : bits that may change
    """

    rule: StencilRule
    write_mask: unsigned(8)
    enable: unsigned(1)


def stencil_write(threads: int) -> data.StructLayout:
    """What a program of one of so many threads writes: a `StencilSetUp`, or `StencilMasks`."""
    return data.StructLayout({"thread": range(threads), "word": 32})


class CoverageQuad(data.Struct):
    """A quad that a primitive covers, for coverage (docs/reference/rendering.md, coverage accumulation).

    covered : of each pixel a bit for each sample, as many as `oversample` says
    falls : the area of the primitive is negative
    """

    place: QuadPlace
    covered: data.ArrayLayout(16, QUAD_PIXELS)
    oversample: Oversample
    update: CoverageUpdate
    falls: unsigned(1)


class DepthWrite(data.Struct):
    """Z of the pixels of a quad; or both numbers, which a load writes without a test, or zeros after a read of coverage.

    flags : samples that are tested
    words : of each pixel
    test, updates : the Z test, and whether what passes is written
    face : the stencil test
    replaces : the stencil values of samples with a flag become those of `words`
    counted : a program writes Z
    """

    place: QuadPlace
    flags: QuadFlags
    words: data.ArrayLayout(DepthWord, QUAD_PIXELS)
    test: DepthTest
    updates: unsigned(1)
    face: StencilFace
    replaces: unsigned(1)
    counted: unsigned(1)


class DepthAnswer(data.Struct):
    """What has become of a quad.

    flags : those that have passed: without multisampling all four of a pixel, or none
    words : what was there of the last sample that was tested; of the first sample if none was
    held : a sample has passed the stencil test
    counted : a program wrote Z, and there was some flag
    """

    flags: QuadFlags
    words: data.ArrayLayout(DepthWord, QUAD_PIXELS)
    held: unsigned(1)
    counted: unsigned(1)


class FarthestDepth(data.Struct):
    """The farthest Z of a quad in the tile buffer."""

    place: QuadPlace
    z: unsigned(DEPTH_BITS)


class DepthCounts(data.Struct):
    """What is counted of a quad: one of these at the most, but for the first, with which `z_failed` comes, too."""

    stencil_failed: unsigned(1)
    z_failed: unsigned(1)
    z_passed: unsigned(1)


def colour_write(bits: int) -> data.StructLayout:
    """A write of a quad.

    flags : samples that may change
    all, sample : all of these, or only that one; without multisampling there is sample 0 only
    word : which word of a wide colour
    data : of each pixel
    """
    return data.StructLayout(
        {
            "place": QuadPlace,
            "flags": QuadFlags,
            "all": 1,
            "sample": range(SAMPLES),
            "word": 1,
            "data": data.ArrayLayout(bits, QUAD_PIXELS),
        }
    )


class ColourRead(data.Struct):
    """A read of a sample of a quad; see `colour_write`."""

    place: QuadPlace
    sample: range(SAMPLES)
    word: unsigned(1)


def fragment_quad(threads: int) -> data.StructLayout:
    """A quad of a vector of fragments that one of so many threads gets.

    thread : of all QPUs
    first, last : of the vector
    """
    return data.StructLayout({"thread": range(threads), "place": QuadPlace, "first": 1, "last": 1})


def clear_of(values: data.Layout) -> data.StructLayout:
    """A clear of a part of the tile buffer: of which tile buffer, if there are two, and to what."""
    return data.StructLayout({"buffer": 1, "values": values})


class TileClear(data.Struct):
    """What is cleared, and to what.

    buffer : which tile buffer, if there are two
    colours : of even and of odd columns, or both words of a wide colour
    """

    buffer: unsigned(1)
    colour: unsigned(1)
    zs: unsigned(1)
    mask: unsigned(1)
    colours: data.ArrayLayout(_WORD_BITS, COLUMNS)
    zs_value: DepthWord
    mask_value: unsigned(8)
