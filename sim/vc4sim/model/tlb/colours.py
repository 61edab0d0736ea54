"""Colours between the tile buffer and memory: means of samples, 16 bits, dither (pipeline facts, 5.2, 5.6 and 5.7).

A colour has four channels of 8 bits in the last axis, red first; in 16 bits red is in bits 15 to 11.
"""

import numpy as np

from vc4.records.tile_buffer import PixelColorFormat

__all__ = ["channels_of", "decoded", "encoded", "mean", "words_of"]

#: Thresholds of a dither by four by four pixels, 0 to 15: [row, column].
DITHER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], np.int64)
_SHIFTS = 8 * np.arange(4)
_BYTE = 0xFF


def channels_of(words: np.ndarray) -> np.ndarray:
    """The four channels of words."""
    return words.astype(np.int64)[..., None] >> _SHIFTS & _BYTE


def words_of(channels: np.ndarray) -> np.ndarray:
    """Words of four channels."""
    return (channels << _SHIFTS).sum(-1).astype(np.uint32)


def mean(words: np.ndarray) -> np.ndarray:
    """The mean of colours along the last axis, a power of two of them; a half is rounded up."""
    count = words.shape[-1]
    return words_of(channels_of(words).sum(-2) + count // 2 >> count.bit_length() - 1)


def encoded(words: np.ndarray, format_: PixelColorFormat, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What memory holds of colours at pixels of the frame.

    Without dither low bits are cut off. With it, red and blue are raised by up to 7 before, green by up to 3.
    """
    if format_ is PixelColorFormat.RGBA8888:
        return words
    red, green, blue, _ = np.moveaxis(channels_of(words), -1, 0)
    if format_ is PixelColorFormat.BGR565_DITHERED:
        threshold = DITHER[y % 4, x % 4]
        red, blue = (np.minimum(channel + (threshold >> 1), _BYTE) for channel in (red, blue))
        green = np.minimum(green + (threshold >> 2), _BYTE)
    return (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).astype(np.uint32)


def decoded(values: np.ndarray, format_: PixelColorFormat) -> np.ndarray:
    """Colours of what memory holds: channels of fewer bits repeat them from the top, alpha is 255."""
    if format_ is PixelColorFormat.RGBA8888:
        return values.astype(np.uint32)
    value = values.astype(np.int64)
    red, green, blue = value >> 11 & 31, value >> 5 & 63, value & 31
    opaque = np.full_like(red, _BYTE)
    return words_of(np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2, opaque], axis=-1))
