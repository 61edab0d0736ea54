"""Stores and loads of a tile as a part of an image in memory (guide, table 38, records 24, 25, 28 and 29; pipeline facts, 5.4 to 5.7).

Pixels of a tile beyond the width or height of the frame are neither stored nor loaded.
"""

from dataclasses import dataclass

import numpy as np

from vc4.records.tile_buffer import DecimateMode, MemoryFormat, PixelColorFormat
from vc4.records.tile_buffer import TileBuffer as Part

from ..compiled import Buffers, Entry, kernel
from ..memory import Memory
from .colours import PIXEL_BYTES, decoded, encoded, mean, spread
from .surfaces import Rectangle, Surface, gather, runs_of, scatter
from .tlb import SAMPLES, WIDTH, WORDS, TileBuffer, TileState

__all__ = ["ColourForm", "FrameSize", "image_of", "load_image", "store_image"]

_COLOR, _Z_STENCIL, _MASK = (part.value for part in (Part.COLOR, Part.Z_STENCIL, Part.VG_MASK))
_WORD, _Z_ALONE = 0xFFFF_FFFF, 0xFFFF_FF00
_WIDE_BYTES = 8
#: Bytes of a pixel of the other parts, and what faults call them.
_PIXEL_BYTES = {Part.Z_STENCIL: 4, Part.Z_ONLY: 4, Part.VG_MASK: 1}
_NAMES = {Part.COLOR: "colour", Part.Z_STENCIL: "Z", Part.Z_ONLY: "Z", Part.VG_MASK: "alpha mask"}


@dataclass(frozen=True, slots=True)
class FrameSize:
    """Pixels of the frame."""

    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class ColourForm:
    """How colours of 32 bits are stored; those of 64 bits are stored as they are."""

    pixels: PixelColorFormat = PixelColorFormat.RGBA8888
    decimate: DecimateMode = DecimateMode.SAMPLE_0


@kernel
def _resolved(tile: TileState, column: int, row: int, block: int, samples: int) -> int:
    """The mean of some samples of `block` by `block` pixels; column and row are those of the first pixel in the tile."""
    first = (row * tile.about[WIDTH] + column) * tile.about[SAMPLES]
    if block * samples == 1:
        return int(tile.colour[first])
    total = 0
    for y in range(block):
        for x in range(block):
            for sample in range(samples):
                total += spread(tile.colour[first + (y * tile.about[WIDTH] + x) * tile.about[SAMPLES] + sample])
    return mean(total, block * block * samples)


@kernel
def _take(
    tile: TileState, words, part: int, pixels: int, block: int, samples: int, x: int, y: int, columns: int, rows: int
) -> None:
    """What memory shall hold of a rectangle of the image whose first pixel is that of the tile: a word a pixel, or two."""
    for number in range(columns * rows):
        column, row = number % columns, number // columns
        pixel = row * tile.about[WIDTH] + column
        first = pixel * tile.about[SAMPLES]
        if part == _MASK:
            words[number] = tile.mask[pixel]
        elif part != _COLOR:
            words[number] = tile.zs[first] & (_WORD if part == _Z_STENCIL else _Z_ALONE)
        elif tile.about[WORDS] == 2:
            words[2 * number] = tile.colour[2 * first]
            words[2 * number + 1] = tile.colour[2 * first + 1]
        else:
            colour = _resolved(tile, column * block, row * block, block, samples)
            words[number] = encoded(colour, pixels, x + column, y + row)


@kernel
def _put(tile: TileState, words, part: int, pixels: int, columns: int, rows: int) -> None:
    """The inverse; all samples of a pixel get the same."""
    samples, wide = tile.about[SAMPLES], tile.about[WORDS] == 2
    for number in range(columns * rows):
        pixel = number // columns * tile.about[WIDTH] + number % columns
        if part == _MASK:
            tile.mask[pixel] = words[number]
        else:
            for place in range(pixel * samples, (pixel + 1) * samples):
                if part == _Z_STENCIL:
                    tile.zs[place] = words[number]
                elif wide:
                    tile.colour[2 * place] = words[2 * number]
                    tile.colour[2 * place + 1] = words[2 * number + 1]
                else:
                    tile.colour[place] = decoded(words[number], pixels)


_take_words = Entry(_take)
_put_words = Entry(_put)


def _blocks(tile: TileBuffer, part: Part, decimate: DecimateMode) -> tuple[int, int]:
    """How many pixels of the tile a side of a stored one is, and how many samples of each count.

    With multisampling a mean of four is one of a pixel's samples, of sixteen one of two by two pixels; without it both are
    of two by two pixels.
    """
    if part is not Part.COLOR or tile.shape.words == 2 or decimate is DecimateMode.SAMPLE_0:
        return 1, 1
    one_pixel = tile.shape.multisample and decimate is DecimateMode.DECIMATE_X4
    return 1 if one_pixel else 2, tile.shape.samples


def _inside(tile: TileBuffer, frame: FrameSize, block: int = 1) -> Rectangle:
    """Pixels of the image that the tile has, `block` by `block` of its own each, as far as they are in the frame."""
    x, y = tile.x // block, tile.y // block
    columns, rows = tile.shape.width // block, tile.shape.height // block
    return Rectangle(x, y, max(min(columns, frame.width - x), 0), max(min(rows, frame.height - y), 0))


def _pixel_bytes(tile: TileBuffer, part: Part, pixels: PixelColorFormat) -> int:
    if part is Part.COLOR:
        return _WIDE_BYTES if tile.shape.words == 2 else PIXEL_BYTES[pixels.value]
    return _PIXEL_BYTES[part]


def image_of(
    tile: TileBuffer, part: Part, frame: FrameSize, address: int, format_: MemoryFormat, form: ColourForm
) -> tuple[Surface, Rectangle]:
    """Where a store goes: the image, and the pixels of it that the tile has."""
    block, _ = _blocks(tile, part, form.decimate)
    return Surface(address, format_, _pixel_bytes(tile, part, form.pixels), frame.width), _inside(tile, frame, block)


def store_image(
    memory: Memory,
    tile: TileBuffer,
    part: Part,
    frame: FrameSize,
    address: int,
    format_: MemoryFormat,
    form: ColourForm = ColourForm(),
) -> None:
    """A part of the tile: colours; Z in bits 31 to 8 with or without the stencil value in 7 to 0, of the first sample; or the
    alpha mask, a byte a pixel. Raises `MemoryFault`.
    """
    block, samples = _blocks(tile, part, form.decimate)
    surface, where = image_of(tile, part, frame, address, format_, form)
    width = surface.pixel_bytes
    words = np.zeros(where.pixels * max(width // 4, 1), np.int64)
    codes = part.value, form.pixels.value, block, samples
    _take_words(tile.state, Buffers(words), *codes, where.x, where.y, where.columns, where.rows)
    values = words.astype("<u4").view("<u8") if width == _WIDE_BYTES else words
    runs = runs_of(surface, where)
    scatter(memory, runs, values, width, f"{_NAMES[part]} store")


def load_image(
    memory: Memory,
    tile: TileBuffer,
    part: Part,
    frame: FrameSize,
    address: int,
    format_: MemoryFormat,
    pixels: PixelColorFormat = PixelColorFormat.RGBA8888,
) -> None:
    """A part of the tile; all samples of a pixel get the same. Raises `MemoryFault`."""
    where, width = _inside(tile, frame), _pixel_bytes(tile, part, pixels)
    runs = runs_of(Surface(address, format_, width, frame.width), where)
    values = gather(memory, runs, width, f"{_NAMES[part]} load")
    words = (values.view("<u4") if width == _WIDE_BYTES else values).astype(np.int64)
    _put_words(tile.state, Buffers(words), part.value, pixels.value, where.columns, where.rows)
