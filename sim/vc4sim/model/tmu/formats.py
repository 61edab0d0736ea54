"""Texel types: how large a texel is, what it decodes to, and the words that a lookup returns (guide, table 18).

A texel has four channels: of 8 bits, red first, for most types; half floats or one integer for the others. What a type does
not have is 0 or 255. What memory holds of a texel is a number of as many bits as the type has, in two words if they are 64.
"""

from dataclasses import dataclass
from enum import Enum

from vc4.records.tmu import TextureType

from ..compiled import kernel

__all__ = [
    "BITS",
    "BLOCK",
    "CHANNELS",
    "FORMATS",
    "FORMAT_ROWS",
    "RASTER",
    "READS",
    "TILE_HEIGHT",
    "TILE_WIDTH",
    "Channels",
    "Format",
    "border_channel",
    "decode_texel",
    "packed",
]

#: Bits of a microtile.
_MICROTILE_BITS = 512


class Channels(Enum):
    """What the channels of a texel are."""

    BYTES = 0  # 8 bits each
    HALVES = 1  # half floats: one, or red, green, blue and alpha
    INTEGER = 2  # one of 16 bits, which is never blended


_RGBA = ((0, 8), (8, 8), (16, 8), (24, 8))
#: Channels of types that do not have them.
_FULL, _NONE = (255, 0), (0, 0)
_RGB = (*_RGBA[:3], _FULL)
_GREY = ((0, 8), (0, 8), (0, 8), _FULL)
_ALONE = (_NONE,) * 3


@dataclass(frozen=True, slots=True)
class Format:
    """What is known of a type.

    bits : of what memory holds as one: a texel, or an ETC1 block
    tile_width, tile_height : of a microtile in texels
    fields : lowest bit and width of each channel; with width 0 the channel is a constant, which takes the place of the bit.
        Those of ETC1 and YUYV422R are computed
    channels : what a texel decodes to
    block : texels of a block in each direction
    raster : rows one after the other, without tiles
    order : which byte or half of the border colour each channel is, if it is no constant
    """

    bits: int
    tile_width: int
    tile_height: int
    fields: tuple[tuple[int, int], ...] = _RGBA
    channels: Channels = Channels.BYTES
    block: int = 1
    raster: bool = False
    order: tuple[int, ...] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        assert self.tile_width * self.tile_height * self.bits == _MICROTILE_BITS * self.block**2

    @property
    def reads(self) -> int:
        """Words that a lookup returns."""
        return 2 if self.bits == 64 and self.block == 1 else 1


# fmt: off
FORMATS = {
    TextureType.RGBA8888: Format(32, 4, 4),
    TextureType.RGBX8888: Format(32, 4, 4, _RGB),
    TextureType.RGBA4444: Format(16, 8, 4, ((12, 4), (8, 4), (4, 4), (0, 4))),
    TextureType.RGBA5551: Format(16, 8, 4, ((11, 5), (6, 5), (1, 5), (0, 1))),
    TextureType.RGB565: Format(16, 8, 4, ((11, 5), (5, 6), (0, 5), _FULL)),
    TextureType.LUMINANCE: Format(8, 8, 8, _GREY, order=(0, 0, 0, 3)),
    TextureType.ALPHA: Format(8, 8, 8, (*_ALONE, (0, 8))),
    TextureType.LUMALPHA: Format(16, 8, 4, (*_GREY[:3], (8, 8)), order=(0, 0, 0, 3)),
    TextureType.ETC1: Format(64, 8, 16, _RGB, block=4),
    TextureType.S16F: Format(16, 8, 4, ((0, 16), *_ALONE), Channels.HALVES),
    TextureType.S8: Format(8, 8, 8, ((0, 8), *_ALONE)),
    TextureType.S16: Format(16, 8, 4, ((0, 16), *_ALONE), Channels.INTEGER),
    TextureType.BW1: Format(1, 32, 16, ((0, 1), (0, 1), (0, 1), _FULL), order=(0, 0, 0, 3)),
    TextureType.A4: Format(4, 16, 8, (*_ALONE, (0, 4))),
    TextureType.A1: Format(1, 32, 16, (*_ALONE, (0, 1))),
    TextureType.RGBA64: Format(64, 2, 4, ((0, 16), (16, 16), (32, 16), (48, 16)), Channels.HALVES, order=(0, 1, 0, 1)),
    TextureType.RGBA32R: Format(32, 4, 4, raster=True),
    TextureType.YUYV422R: Format(16, 8, 4, _RGB, raster=True),
}
# fmt: on


def _row(format_: Format) -> tuple[int, ...]:
    first = format_.bits, format_.tile_width, format_.tile_height, format_.block, int(format_.raster)
    fields = (number for field in format_.fields for number in field)
    return *first, format_.channels.value, format_.reads, *fields, *format_.order


#: Numbers of a row of `FORMAT_ROWS`; after them are two for the field of each channel, and the order of the border's.
BITS, TILE_WIDTH, TILE_HEIGHT, BLOCK, RASTER, CHANNELS, READS, _FIELDS = range(8)
_ORDER = _FIELDS + 8
#: `FORMATS` for kernels, by the code of the type.
FORMAT_ROWS = tuple(_row(FORMATS[type_]) for type_ in TextureType)

_BYTES = Channels.BYTES.value
_YUYV = TextureType.YUYV422R.value


@kernel
def _channel(type_: int, number: int, low: int, high: int) -> int:
    """One channel; fewer bits than 8 are repeated from the top."""
    first, width = FORMAT_ROWS[type_][_FIELDS + 2 * number], FORMAT_ROWS[type_][_FIELDS + 2 * number + 1]
    if width == 0:
        return first
    value = (high if first >= 32 else low) >> first % 32 & (1 << width) - 1
    wide, bits = value, width
    while bits < 8:
        wide, bits = wide << width | value, bits + width
    return wide >> bits - 8 if width < 8 else value


@kernel
def _byte(colour: int) -> int:
    """In units of 1/256, limited."""
    return min(max(colour + 128 >> 8, 0), 255)


@kernel
def decode_texel(type_: int, low: int, high: int) -> tuple[int, int, int, int]:
    """Channels of what memory holds of a texel of any type but ETC1, 32 bits and the 32 above them.

    That of YUYV422R is Y in bits 7:0, U in 15:8, V in 23:16: BT.601 of the video range, coefficients in units of 1/256.
    """
    if type_ == _YUYV:
        y, u, v = 298 * ((low & 255) - 16), (low >> 8 & 255) - 128, (low >> 16 & 255) - 128
        return _byte(y + 409 * v), _byte(y - 100 * u - 208 * v), _byte(y + 516 * u), 255
    return (
        _channel(type_, 0, low, high),
        _channel(type_, 1, low, high),
        _channel(type_, 2, low, high),
        _channel(type_, 3, low, high),
    )


@kernel
def border_channel(type_: int, number: int, word: int) -> int:
    """A channel of the border colour: a byte of `word`, or a half."""
    if FORMAT_ROWS[type_][_FIELDS + 2 * number + 1] == 0:
        return FORMAT_ROWS[type_][_FIELDS + 2 * number]
    width = 8 if FORMAT_ROWS[type_][CHANNELS] == _BYTES else 16
    return word >> width * FORMAT_ROWS[type_][_ORDER + number] & (1 << width) - 1


@kernel
def packed(type_: int, red: int, green: int, blue: int, alpha: int) -> tuple[int, int]:
    """What a lookup returns of an element, low channels first; the second word is 0 where there is only one."""
    if FORMAT_ROWS[type_][CHANNELS] == _BYTES:
        return red | green << 8 | blue << 16 | alpha << 24, 0
    return red | green << 16, blue | alpha << 16
