"""Stores and loads of all samples of a tile (guide, table 38, records 26 to 29; pipeline facts, 5.5).

A dump holds the colours, then Z and stencil, then the alpha mask, as far as it has them. Each is a row of quads after the
other; of a quad, its first sample, then the others; of a sample, the pixels of the quad.
"""

from dataclasses import dataclass

import numpy as np

from ..memory import Memory
from .surfaces import gather, scatter
from .tlb import TileBuffer

__all__ = ["Dumped", "dump_bytes", "load_dump", "store_dump"]

_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class Dumped:
    """Which buffers a dump has."""

    colour: bool = True
    zs: bool = True
    mask: bool = False


def _in_order(buffer: np.ndarray) -> np.ndarray:
    """[row, column, sample, word] in the order of a dump."""
    rows, columns, samples, words = buffer.shape
    quads = buffer.reshape(rows // 2, 2, columns // 2, 2, samples, words)
    return quads.transpose(0, 2, 4, 1, 3, 5).reshape(-1)


def _buffer(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of `_in_order`."""
    rows, columns, samples, words = shape
    quads = values.reshape(rows // 2, columns // 2, samples, 2, 2, words)
    return quads.transpose(0, 3, 1, 4, 2, 5).reshape(shape)


def dump_bytes(tile: TileBuffer, dumped: Dumped) -> int:
    """Bytes of a dump."""
    sizes = (tile.colour.size * _WORD_BYTES, tile.z.size * _WORD_BYTES, tile.mask.size)
    present = (dumped.colour, dumped.zs, dumped.mask)
    return sum(size for size, is_there in zip(sizes, present, strict=True) if is_there)


def _addresses(address: int, count: int, width: int) -> np.ndarray:
    return address + width * np.arange(count, dtype=np.int64)


def store_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples to `address` and on."""
    parts = []
    if dumped.colour:
        parts.append((_in_order(tile.colour), _WORD_BYTES))
    if dumped.zs:
        parts.append((_in_order((tile.z << 8 | tile.stencil)[..., None]), _WORD_BYTES))
    if dumped.mask:
        parts.append((_in_order(tile.mask[..., None, None]), 1))
    for values, width in parts:
        scatter(memory, _addresses(address, len(values), width), values, width, "tile store")
        address += len(values) * width


def load_dump(memory: Memory, tile: TileBuffer, address: int, dumped: Dumped) -> None:
    """All samples from `address` on."""

    def read(shape: tuple[int, ...], width: int) -> np.ndarray:
        nonlocal address
        four = (*shape, 1, 1)[:4]
        places = _addresses(address, int(np.prod(shape)), width)
        address += len(places) * width
        return _buffer(gather(memory, places, width, "tile load"), four).reshape(shape).astype(np.int64)

    if dumped.colour:
        tile.colour[...] = read(tile.colour.shape, _WORD_BYTES)
    if dumped.zs:
        words = read(tile.z.shape, _WORD_BYTES)
        tile.z[...], tile.stencil[...] = words >> 8, words & 0xFF
    if dumped.mask:
        tile.mask[...] = read(tile.mask.shape, 1)
