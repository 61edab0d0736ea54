"""The config parameters of a texture lookup (guide, tables 15 to 19; pipeline facts, 6.1). Low bits first.

A lookup takes one uniform with each parameter that a program writes: the first is a `TextureImage`, the second a
`TextureSampling`, two more say by their kind what they are. Each name of a field is followed by the guide's name for it.
"""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

__all__ = [
    "BASE_SHIFT",
    "LEVELS",
    "LINE_BYTES",
    "MOST_TEXELS",
    "PARAMETER_BITS",
    "REQUEST_SLOTS",
    "RESULT_SLOTS",
    "TMU_NAMES",
    "ChildOffset",
    "ChildSize",
    "CubeStride",
    "MagnificationFilter",
    "MinificationFilter",
    "ParameterKind",
    "TextureImage",
    "TextureSampling",
    "TextureType",
    "TmuParameterName",
    "Wrap",
]

PARAMETER_BITS = 32
#: Base and cube stride count 4 KiB.
BASE_SHIFT = 12
#: What a width or height of 0 stands for, and levels at most.
MOST_TEXELS, LEVELS = 2048, 16
#: What a QPU has in each TMU: parameters that wait (TFREQ), words of sixteen elements that come back (TFRCV).
REQUEST_SLOTS, RESULT_SLOTS = 8, 8
#: A line of a TMU's cache, which is what it reads (addendum, cache details).
LINE_BYTES = 64


#: Units that a program can name. Each name has its own waiting parameters and words, also where one unit serves both.
TMU_NAMES = 2


class TmuParameterName(enum.Enum, shape=unsigned(2)):
    """The registers of a unit, in the order of their addresses: s starts the lookup."""

    S = 0  #: coordinate along a row, from 0 to 1 over the image; starts the lookup
    T = 1  #: coordinate along a column, from 0 to 1 over the image
    R = 2  #: third coordinate of a cube, or the border colour
    B = 3  #: bias of the level of detail


class TextureType(enum.Enum, shape=unsigned(5)):
    """What a texel is (table 18)."""

    RGBA8888 = 0  #: 32 bits, red in the lowest byte
    RGBX8888 = 1  #: the same with alpha 255
    RGBA4444 = 2  #: 16 bits, red in the highest
    RGBA5551 = 3  #: 16 bits, red in the highest
    RGB565 = 4  #: 16 bits, red in the highest
    LUMINANCE = 5  #: 8 bits: red, green and blue alike
    ALPHA = 6  #: 8 bits of alpha
    LUMALPHA = 7  #: 16 bits, luminance in the low byte
    ETC1 = 8  #: compressed, 64 bits for 4 by 4 texels
    S16F = 9  #: 16 bits, a half float, which r4 receives as it is
    S8 = 10  #: 8 bits, which r4 receives as they are
    S16 = 11  #: 16 bits, which r4 receives as they are
    BW1 = 12  #: 1 bit: black or white
    A4 = 13  #: 4 bits of alpha
    A1 = 14  #: 1 bit of alpha
    RGBA64 = 15  #: 64 bits, four half floats; a lookup gives two words
    RGBA32R = 16  #: 32 bits, red in the lowest byte, row after row
    YUYV422R = 17  #: 32 bits for two texels, row after row


class MagnificationFilter(enum.Enum, shape=unsigned(1)):
    """How texels are read that are larger than pixels (table 19)."""

    LINEAR = 0  #: weighted mean of four texels
    NEAREST = 1  #: the nearest texel


class MinificationFilter(enum.Enum, shape=unsigned(3)):
    """How texels are read that are smaller than pixels (table 19): within a level, then between levels."""

    LINEAR = 0  #: weighted mean of four texels of the first level
    NEAREST = 1  #: the nearest texel of the first level
    NEAR_MIP_NEAR = 2  #: the nearest texel of the nearest level
    NEAR_MIP_LIN = 3  #: the nearest texels of two levels, their weighted mean
    LIN_MIP_NEAR = 4  #: weighted mean of four texels of the nearest level
    LIN_MIP_LIN = 5  #: that of two levels, and their weighted mean
    RESERVED_6 = 6
    RESERVED_7 = 7


class Wrap(enum.Enum, shape=unsigned(2)):
    """What lies outside of an image."""

    REPEAT = 0  #: the image again
    CLAMP = 1  #: its edge
    MIRROR = 2  #: the image mirrored
    BORDER = 3  #: the border colour


class ParameterKind(enum.Enum, shape=unsigned(2)):
    """What the third or fourth config parameter is: its bits 31:30."""

    UNUSED = 0  #: nothing
    CUBE_STRIDE = 1  #: `CubeStride`
    CHILD_SIZE = 2  #: `ChildSize`
    CHILD_OFFSET = 3  #: `ChildOffset`


class TextureImage(data.Struct):
    """Config parameter 0 (table 15)."""

    levels: unsigned(4)  #: MIPLVLS: levels besides the first
    type: unsigned(4)  #: TYPE: the low bits of `TextureType`
    flip: unsigned(1)  #: FLIPY: the first row in memory is the last of the image
    cube: unsigned(1)  #: CMMODE: six images, see `CubeStride`
    swizzle: unsigned(2)  #: CSWIZ: of the cache
    base: unsigned(20)  #: BASE: address of level 0, in units of 4 KiB


class TextureSampling(data.Struct):
    """Config parameter 1 (table 16)."""

    wrap_s: Wrap  #: WRAP_S
    wrap_t: Wrap  #: WRAP_T
    minification: MinificationFilter  #: MINFILT
    magnification: MagnificationFilter  #: MAGFILT
    width: unsigned(11)  #: WIDTH; 0: 2048
    flip_blocks: unsigned(1)  #: ETCFLIP: the first row of an ETC1 block comes first
    height: unsigned(11)  #: HEIGHT; 0: 2048
    type_high: unsigned(1)  #: TYPE4: the high bit of `TextureType`


class CubeStride(data.Struct):
    """Config parameter 2 or 3 of kind CUBE_STRIDE (table 17)."""

    bias_only: unsigned(1)  #: BSLOD: the level of detail is the bias alone; of every texture, not only of cubes
    unused: unsigned(11)
    stride: unsigned(18)  #: CMST: from a face to the next one, in units of 4 KiB
    kind: ParameterKind  #: PTYPE


class ChildSize(data.Struct):
    """Config parameter 2 or 3 of kind CHILD_SIZE (table 17; meaning of the fields by the pipeline facts)."""

    width: unsigned(11)  #: CWIDTH; 0: 2048
    unused_11: unsigned(1)
    height: unsigned(11)  #: CHEIGHT; 0: 2048
    unused_23: unsigned(7)
    kind: ParameterKind  #: PTYPE


class ChildOffset(data.Struct):
    """Config parameter 2 or 3 of kind CHILD_OFFSET (table 17)."""

    x: unsigned(11)  #: CXOFF
    unused_11: unsigned(1)
    y: unsigned(11)  #: CYOFF
    unused_23: unsigned(7)
    kind: ParameterKind  #: PTYPE


for _layout in (TextureImage, TextureSampling, CubeStride, ChildSize, ChildOffset):
    assert Shape.cast(_layout).width == PARAMETER_BITS
