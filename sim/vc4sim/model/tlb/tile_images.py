"""Stores and loads of a tile as a part of an image in memory (guide, table 38, records 24, 25, 28 and 29; pipeline facts, 5.4 to 5.7).

Pixels of a tile beyond the width or height of the frame are neither stored nor loaded.
"""

from dataclasses import dataclass

import numpy as np

from vc4.records.tile_buffer import DecimateMode, MemoryFormat, PixelColorFormat

from ..memory import Memory
from .colours import decoded, encoded, mean
from .surfaces import Surface, gather, scatter
from .tlb import TileBuffer

__all__ = ["ColourForm", "FrameSize", "load_colour", "load_mask", "load_zs", "store_colour", "store_mask", "store_zs"]

_PIXEL_BYTES = {PixelColorFormat.RGBA8888: 4, PixelColorFormat.BGR565: 2, PixelColorFormat.BGR565_DITHERED: 2}
_WIDE_BYTES, _ZS_BYTES, _MASK_BYTES = 8, 4, 1


@dataclass(frozen=True, slots=True)
class FrameSize:
    """Pixels of the frame."""

    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class ColourForm:
    """How colours of 32 bits are stored; those of 64 bits are stored as they are."""

    pixels: PixelColorFormat
    decimate: DecimateMode = DecimateMode.SAMPLE_0


def _pixels(tile: TileBuffer, frame: FrameSize, block: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pixels of the image that the tile has, `block` by `block` of its own each: x, y [row, column], inside the frame."""
    x = tile.x // block + np.arange(tile.shape.width // block)
    y = tile.y // block + np.arange(tile.shape.height // block)
    x, y = np.broadcast_arrays(x, y[:, None])
    return x, y, (x < frame.width) & (y < frame.height)


def _resolved(tile: TileBuffer, decimate: DecimateMode) -> tuple[np.ndarray, int]:
    """Colours of 32 bits as they are stored, and how many pixels of the tile a side of each is.

    With multisampling a mean of four is one of a pixel's samples, of sixteen one of two by two pixels; without it both are
    of two by two pixels.
    """
    colour = tile.colour[..., 0]
    if decimate is DecimateMode.SAMPLE_0:
        return colour[..., 0], 1
    if tile.shape.multisample and decimate is DecimateMode.DECIMATE_X4:
        return mean(colour), 1
    rows, columns, samples = colour.shape
    blocks = colour.reshape(rows // 2, 2, columns // 2, 2, samples).transpose(0, 2, 1, 3, 4)
    return mean(blocks.reshape(rows // 2, columns // 2, 4 * samples)), 2


def store_colour(
    memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat, form: ColourForm
) -> None:
    """The colour buffer."""
    if tile.shape.words == 2:
        x, y, inside = _pixels(tile, frame)
        words = tile.colour[:, :, 0].astype(np.uint64)
        values, width = words[..., 0] | words[..., 1] << np.uint64(32), _WIDE_BYTES
    else:
        colours, block = _resolved(tile, form.decimate)
        x, y, inside = _pixels(tile, frame, block)
        values, width = encoded(colours, form.pixels, x, y), _PIXEL_BYTES[form.pixels]
    _store(memory, Surface(address, format_, width, frame.width), (x, y, inside), values, "colour store")


def store_zs(
    memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat, *, stencil: bool
) -> None:
    """Z in bits 31 to 8, stencil in 7 to 0, or 0, of the first sample."""
    values = tile.z[..., 0] << 8
    if stencil:
        values = values | tile.stencil[..., 0]
    surface = Surface(address, format_, _ZS_BYTES, frame.width)
    _store(memory, surface, _pixels(tile, frame), values, "Z store")


def store_mask(memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat) -> None:
    """The alpha mask, a byte a pixel."""
    surface = Surface(address, format_, _MASK_BYTES, frame.width)
    _store(memory, surface, _pixels(tile, frame), tile.mask, "alpha mask store")


def _store(
    memory: Memory,
    surface: Surface,
    pixels: tuple[np.ndarray, np.ndarray, np.ndarray],
    values: np.ndarray,
    access: str,
) -> None:
    x, y, inside = pixels
    scatter(memory, surface.addresses(x[inside], y[inside]), values[inside], surface.pixel_bytes, access)


def _load(memory: Memory, tile: TileBuffer, frame: FrameSize, surface: Surface, access: str) -> tuple:
    """Rows and columns of the tile that are inside the frame, and what memory has for them."""
    x, y, inside = _pixels(tile, frame)
    values = gather(memory, surface.addresses(x[inside], y[inside]), surface.pixel_bytes, access)
    return *np.nonzero(inside), values


def load_colour(
    memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat, pixels: PixelColorFormat
) -> None:
    """The colour buffer; all samples of a pixel get the same."""
    wide = tile.shape.words == 2
    width = _WIDE_BYTES if wide else _PIXEL_BYTES[pixels]
    row, column, values = _load(memory, tile, frame, Surface(address, format_, width, frame.width), "colour load")
    if wide:
        words = np.stack([values & np.uint64(0xFFFF_FFFF), values >> np.uint64(32)], axis=-1).astype(np.uint32)
    else:
        words = decoded(values, pixels)[..., None]
    tile.colour[row, column] = words[:, None]


def load_zs(memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat) -> None:
    """Z and stencil; all samples of a pixel get the same."""
    row, column, values = _load(memory, tile, frame, Surface(address, format_, _ZS_BYTES, frame.width), "Z load")
    values = values.astype(np.int64)[:, None]
    tile.z[row, column] = values >> 8
    tile.stencil[row, column] = values & 0xFF


def load_mask(memory: Memory, tile: TileBuffer, frame: FrameSize, address: int, format_: MemoryFormat) -> None:
    """The alpha mask."""
    surface = Surface(address, format_, _MASK_BYTES, frame.width)
    row, column, values = _load(memory, tile, frame, surface, "alpha mask load")
    tile.mask[row, column] = values
