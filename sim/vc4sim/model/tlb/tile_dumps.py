"""Stores and loads of all samples of a tile (guide, table 38, records 26 to 29; pipeline facts, 5.5).

A dump holds the colours, then Z and stencil, then the alpha mask, as far as it has them. Each is a row of quads after the
other; of a quad, its first sample, then the others; of a sample, the pixels of the quad.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vc4.records.tile_buffer import TileBuffer as Part

from ..compiled import Buffers, Entry, kernel
from ..memory import Memory
from .surfaces import gather, scatter
from .tlb import SAMPLES, WIDTH, WORDS, TileBuffer, TileState

__all__ = ["Dumped", "dump_bytes", "load_dump", "store_dump"]

_COLOR, _MASK = Part.COLOR.value, Part.VG_MASK.value
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class Dumped:
    """Which buffers a dump has."""

    colour: bool = True
    zs: bool = True
    mask: bool = False


@kernel
def _place(tile: TileState, number: int, samples: int, words: int) -> int:
    """Where the buffer has what is number n of a dump."""
    word, number = number % words, number // words
    column, row, number = number % 2, number // 2 % 2, number // 4
    sample, quad = number % samples, number // samples
    across = tile.shape[WIDTH] // 2
    pixel = (quad // across * 2 + row) * tile.shape[WIDTH] + quad % across * 2 + column
    return (pixel * samples + sample) * words + word


@kernel
def _dump(tile: TileState, numbers, count: int, part: int, load: int) -> None:
    """Numbers of a dump out of a buffer, or into it."""
    samples = 1 if part == _MASK else tile.shape[SAMPLES]
    words = tile.shape[WORDS] if part == _COLOR else 1
    for number in range(count):
        place = _place(tile, number, samples, words)
        if part == _COLOR:
            if load:
                tile.colour[place] = numbers[number]
            else:
                numbers[number] = tile.colour[place]
        elif part == _MASK:
            if load:
                tile.mask[place] = numbers[number]
            else:
                numbers[number] = tile.mask[place]
        elif load:
            tile.z[place] = numbers[number] >> 8
            tile.stencil[place] = numbers[number] & 0xFF
        else:
            numbers[number] = tile.z[place] << 8 | tile.stencil[place]


_dump_numbers = Entry(_dump)


def _parts(tile: TileBuffer, dumped: Dumped) -> Iterator[tuple[Part, int, int]]:
    """What a dump has: numbers, and bytes of each."""
    if dumped.colour:
        yield Part.COLOR, tile.colour.size, _WORD_BYTES
    if dumped.zs:
        yield Part.Z_STENCIL, tile.z.size, _WORD_BYTES
    if dumped.mask:
        yield Part.VG_MASK, tile.mask.size, 1


def dump_bytes(tile: TileBuffer, dumped: Dumped) -> int:
    """Bytes of a dump."""
    return sum(count * width for _, count, width in _parts(tile, dumped))


def store_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples to `address` and on. Raises `MemoryFault`."""
    for part, count, width in _parts(tile, dumped):
        numbers = np.zeros(count, np.int64)
        _dump_numbers(tile.state, Buffers(numbers), count, part.value, 0)
        scatter(memory, address + width * np.arange(count), numbers, width, "tile store")
        address += count * width


def load_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples from `address` on. Raises `MemoryFault`."""
    for part, count, width in _parts(tile, dumped):
        numbers = gather(memory, address + width * np.arange(count), width, "tile load").astype(np.int64)
        _dump_numbers(tile.state, Buffers(numbers), count, part.value, 1)
        address += count * width
