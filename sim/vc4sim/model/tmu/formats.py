"""Texel types: how large a texel is, what it decodes to, and the words that a lookup returns (guide, table 18).

A texel has channels: four of 8 bits, red first, for most types; half floats or one integer for the others. What memory
holds of a texel is a number of as many bits as the type has, and for ETC1 a block of 64 bits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from vc4.records.tmu import TextureType

__all__ = ["FORMATS", "Channels", "Format", "border", "decode", "words"]

_OPAQUE = 255
#: Bits of a microtile.
_MICROTILE_BITS = 512


class Channels(Enum):
    """What the channels of a texel are."""

    BYTES = auto()  # red, green, blue and alpha, 8 bits each
    SAMPLE = auto()  # one of 8 bits
    HALVES = auto()  # half floats: one, or red, green, blue and alpha
    INTEGER = auto()  # one of 16 bits, which is never blended


@dataclass(frozen=True, slots=True)
class Format:
    """What is known of a type.

    bits : of what memory holds as one: a texel, or an ETC1 block
    tile_width, tile_height : of a microtile in texels
    block : texels of a block in each direction
    raster : rows one after the other, without tiles
    channels : what a texel decodes to
    order : which byte of the border colour each channel is
    """

    bits: int
    tile_width: int
    tile_height: int
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
    TextureType.RGBX8888: Format(32, 4, 4),
    TextureType.RGBA4444: Format(16, 8, 4, order=(3, 2, 1, 0)),
    TextureType.RGBA5551: Format(16, 8, 4, order=(3, 2, 1, 0)),
    TextureType.RGB565: Format(16, 8, 4, order=(2, 1, 0, 3)),
    TextureType.LUMINANCE: Format(8, 8, 8, order=(0, 0, 0, 3)),
    TextureType.ALPHA: Format(8, 8, 8),
    TextureType.LUMALPHA: Format(16, 8, 4, order=(0, 0, 0, 3)),
    TextureType.ETC1: Format(64, 8, 16, block=4),
    TextureType.S16F: Format(16, 8, 4, Channels.HALVES),
    TextureType.S8: Format(8, 8, 8, Channels.SAMPLE, order=(0,)),
    TextureType.S16: Format(16, 8, 4, Channels.INTEGER),
    TextureType.BW1: Format(1, 32, 16, order=(0, 0, 0, 3)),
    TextureType.A4: Format(4, 16, 8),
    TextureType.A1: Format(1, 32, 16),
    TextureType.RGBA64: Format(64, 2, 4, Channels.HALVES),
    TextureType.RGBA32R: Format(32, 4, 4, raster=True),
    TextureType.YUYV422R: Format(16, 8, 4, raster=True),
}
# fmt: on

#: Channels of types that do not have them, whatever the border colour says: channel and value.
_CONSTANT = {
    **dict.fromkeys((TextureType.RGBX8888, TextureType.RGB565, TextureType.LUMINANCE, TextureType.ETC1,
                     TextureType.BW1, TextureType.YUYV422R), ((3, _OPAQUE),)),
    **dict.fromkeys((TextureType.ALPHA, TextureType.A4, TextureType.A1), ((0, 0), (1, 0), (2, 0))),
}  # fmt: skip


def _field(raw: np.ndarray, low: int, width: int) -> np.ndarray:
    """Bits of `raw`, widened to 8 by repeating them from the top."""
    value = raw >> low & (1 << width) - 1
    wide, bits = value, width
    while bits < 8:
        wide, bits = wide << width | value, bits + width
    return wide >> bits - 8


def _fields(*fields: tuple[int, int]) -> Callable[[np.ndarray], list]:
    return lambda raw: [_field(raw, low, width) for low, width in fields]


def _grey(raw: np.ndarray, width: int = 8) -> list:
    return [_field(raw, 0, width)] * 3 + [_OPAQUE]


def _alpha(width: int) -> Callable[[np.ndarray], list]:
    return lambda raw: [0, 0, 0, _field(raw, 0, width)]


def _yuv(raw: np.ndarray) -> list:
    """Y in bits 7:0, U in 15:8, V in 23:16: BT.601 of the video range, coefficients in units of 1/256."""
    y, u, v = 298 * ((raw & 255) - 16), (raw >> 8 & 255) - 128, (raw >> 16 & 255) - 128
    colours = (y + 409 * v, y - 100 * u - 208 * v, y + 516 * u)
    return [np.clip(colour + 128 >> 8, 0, 255) for colour in colours] + [_OPAQUE]


_BYTES = _fields((0, 8), (8, 8), (16, 8), (24, 8))
_DECODERS: dict[TextureType, Callable[[np.ndarray], list]] = {
    TextureType.RGBA8888: _BYTES,
    TextureType.RGBX8888: lambda raw: [*_BYTES(raw)[:3], _OPAQUE],
    TextureType.RGBA4444: _fields((12, 4), (8, 4), (4, 4), (0, 4)),
    TextureType.RGBA5551: _fields((11, 5), (6, 5), (1, 5), (0, 1)),
    TextureType.RGB565: lambda raw: [*_fields((11, 5), (5, 6), (0, 5))(raw), _OPAQUE],
    TextureType.LUMINANCE: _grey,
    TextureType.ALPHA: _alpha(8),
    TextureType.LUMALPHA: lambda raw: [_field(raw, 0, 8)] * 3 + [_field(raw, 8, 8)],
    TextureType.S16F: lambda raw: [raw],
    TextureType.S8: lambda raw: [raw],
    TextureType.S16: lambda raw: [raw],
    TextureType.BW1: lambda raw: _grey(raw, 1),
    TextureType.A4: _alpha(4),
    TextureType.A1: _alpha(1),
    TextureType.RGBA64: lambda raw: [raw >> shift & 0xFFFF for shift in (0, 16, 32, 48)],
    TextureType.RGBA32R: _BYTES,
    TextureType.YUYV422R: _yuv,
}


def decode(type_: TextureType, raw: np.ndarray) -> np.ndarray:
    """Channels (the last axis, int64) of what memory holds of texels of any type but ETC1."""
    return np.stack(np.broadcast_arrays(*_DECODERS[type_](raw)), axis=-1).astype(np.int64)


def border(type_: TextureType, word: int) -> np.ndarray:
    """Channels of the border colour: bytes of `word`, or its halves, green and alpha the upper one."""
    format_ = FORMATS[type_]
    if format_.channels in (Channels.HALVES, Channels.INTEGER):
        halves = [word & 0xFFFF, word >> 16] * 2
        return np.array(halves if format_.reads == 2 else halves[:1], np.int64)
    channels = np.array([word >> 8 * byte & 255 for byte in format_.order], np.int64)
    for channel, value in _CONSTANT.get(type_, ()):
        channels[channel] = value
    return channels


def words(type_: TextureType, channels: np.ndarray) -> list[np.ndarray]:
    """What a lookup returns: one or two words an element, low channels first, zeros above."""
    width = 8 if FORMATS[type_].channels in (Channels.BYTES, Channels.SAMPLE) else 16
    packed = [channels[..., first : first + 32 // width] for first in range(0, channels.shape[-1], 32 // width)]
    return [(part << width * np.arange(part.shape[-1])).sum(-1).astype(np.uint32) for part in packed]
