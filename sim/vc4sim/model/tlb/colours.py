"""Colours between the tile buffer and memory: means of samples, 16 bits, dither (pipeline facts, 5.2, 5.6 and 5.7).

A colour has four channels of 8 bits, red lowest; in 16 bits red is in bits 15 to 11.
"""

import numpy as np

from vc4.records.tile_buffer import PixelColorFormat

from ..compiled import Buffers, Entry, kernel

__all__ = ["PIXEL_BYTES", "channel", "decoded", "encoded", "mean", "picture", "spread"]

#: Bytes of a pixel in memory, by the codes of `PixelColorFormat`.
PIXEL_BYTES = tuple(4 if pixels is PixelColorFormat.RGBA8888 else 2 for pixels in PixelColorFormat)
#: Thresholds of a dither by four by four pixels, 0 to 15, row after row.
_DITHER = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)
_BYTE = 0xFF
_RGBA8888, _DITHERED = PixelColorFormat.RGBA8888.value, PixelColorFormat.BGR565_DITHERED.value


@kernel
def channel(word: int, number: int) -> int:
    """One of the four channels."""
    return word >> 8 * number & _BYTE


@kernel
def spread(word: int) -> int:
    """A colour with 16 bits for each channel, for sums of them."""
    return channel(word, 0) | channel(word, 1) << 16 | channel(word, 2) << 32 | channel(word, 3) << 48


@kernel
def mean(total: int, count: int) -> int:
    """The mean of colours, up to sixteen, a power of two of them; `total` is the sum of them `spread`. A half is rounded up."""
    word = 0
    for number in range(4):
        word |= (total >> 16 * number & 0xFFFF) + count // 2 >> count.bit_length() - 1 << 8 * number
    return word


@kernel
def encoded(word: int, pixels: int, x: int, y: int) -> int:
    """What memory holds of a colour at a pixel of the frame.

    Without dither low bits are cut off. With it, red and blue are raised by up to 7 before, green by up to 3.
    """
    if pixels == _RGBA8888:
        return word
    threshold = _DITHER[y % 4 * 4 + x % 4] if pixels == _DITHERED else 0
    red = min(channel(word, 0) + (threshold >> 1), _BYTE)
    green = min(channel(word, 1) + (threshold >> 2), _BYTE)
    blue = min(channel(word, 2) + (threshold >> 1), _BYTE)
    return red >> 3 << 11 | green >> 2 << 5 | blue >> 3


@kernel
def decoded(value: int, pixels: int) -> int:
    """The colour of what memory holds: channels of fewer bits repeat them from the top, alpha is 255."""
    if pixels == _RGBA8888:
        return value
    red, green, blue = value >> 11 & 31, value >> 5 & 63, value & 31
    return (red << 3 | red >> 2) | (green << 2 | green >> 4) << 8 | (blue << 3 | blue >> 2) << 16 | _BYTE << 24


@kernel
def _decode(words, pixels: int) -> None:
    for number in range(len(words)):
        words[number] = decoded(words[number], pixels)


_decode_words = Entry(_decode)


def picture(values: np.ndarray, pixels: PixelColorFormat) -> np.ndarray:
    """Channels of what memory holds of pixels, [..., 4], 8 bits each."""
    words = values.astype(np.int64).reshape(-1)
    _decode_words(Buffers(words), pixels.value)
    return words.astype("<u4").view(np.uint8).reshape(*values.shape, 4)
