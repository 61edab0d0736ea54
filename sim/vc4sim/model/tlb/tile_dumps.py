"""Stores and loads of all samples of a tile (guide, table 38, records 26 to 29; pipeline facts, 5.5).

A dump holds the colours, then Z and stencil, then the alpha mask, as far as it has them. Each is a row of quads after the
other; of a quad, its first sample, then the others; of a sample, the pixels of the quad.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..compiled import Buffers, Entry, kernel
from ..memory import Memory
from .surfaces import gather, in_order, scatter
from .tlb import TileBuffer

__all__ = ["Dumped", "dump_bytes", "load_dump", "store_dump"]

_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class Dumped:
    """Which buffers a dump has."""

    colour: bool = True
    zs: bool = True
    mask: bool = False


@kernel
def _dump(buffer: np.ndarray, numbers: np.ndarray, width: int, samples: int, words: int, load: int) -> None:
    """Numbers of a dump out of a buffer, or into it; it has so many pixels in a row, samples of a pixel, words of a sample."""
    for number in range(len(numbers)):
        word, rest = number % words, number // words
        column, row, rest = rest % 2, rest // 2 % 2, rest // 4
        sample, quad = rest % samples, rest // samples
        across = width // 2
        pixel = (quad // across * 2 + row) * width + quad % across * 2 + column
        place = (pixel * samples + sample) * words + word
        if load:
            buffer[place] = numbers[number]
        else:
            numbers[number] = buffer[place]


_dump_numbers = Entry(_dump)


def _parts(tile: TileBuffer, dumped: Dumped) -> Iterator[tuple[np.ndarray, int, tuple[int, int, int]]]:
    """What a dump has: buffers, bytes of each number, and how they are divided."""
    shape, state = tile.shape, tile.state.arrays
    if dumped.colour:
        yield state.colour[: tile.colour.size], _WORD_BYTES, (shape.width, shape.samples, shape.words)
    if dumped.zs:
        yield state.zs[: tile.zs.size], _WORD_BYTES, (shape.width, shape.samples, 1)
    if dumped.mask:
        yield state.mask[: tile.mask.size], 1, (shape.width, 1, 1)


def dump_bytes(tile: TileBuffer, dumped: Dumped) -> int:
    """Bytes of a dump."""
    return sum(buffer.size * width for buffer, width, _ in _parts(tile, dumped))


def store_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples to `address` and on. Raises `MemoryFault`."""
    for buffer, width, divided in _parts(tile, dumped):
        numbers = np.zeros(buffer.size, np.int64)
        _dump_numbers(Buffers(buffer), Buffers(numbers), *divided, 0)
        runs = in_order(address + width * np.arange(buffer.size), width)
        scatter(memory, runs, numbers, width, "tile store")
        address += buffer.size * width


def load_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples from `address` on. Raises `MemoryFault`."""
    for buffer, width, divided in _parts(tile, dumped):
        runs = in_order(address + width * np.arange(buffer.size), width)
        numbers = gather(memory, runs, width, "tile load").astype(np.int64)
        _dump_numbers(Buffers(buffer), Buffers(numbers), *divided, 1)
        address += buffer.size * width
