"""Where pixels of a frame lie in memory, and many numbers to and from there (pipeline facts, 5.4 and 6.3)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vc4.records.tile_buffer import MemoryFormat

from ..compiled import Buffers, Entry, kernel
from ..memory import Memory
from ..tmu.layout import texel_place

__all__ = ["Rectangle", "Runs", "Surface", "gather", "in_order", "pixel_address", "runs_of", "scatter"]

_ADDRESSES = 0xFFFF_FFFF
_ALIGNMENT = 16
_RASTER, _T_FORMAT = MemoryFormat.RASTER.value, MemoryFormat.T_FORMAT.value
#: Microtiles of a tile of T-format in each direction.
_TILE = 8
#: Rectangles whose places are kept.
_KEPT = 1 << 8


@kernel
def pixel_address(address: int, layout: int, pixel_bytes: int, width: int, x: int, y: int) -> int:
    """Of a pixel of an image of `width` pixels, see `Surface`; `layout` is a code of `MemoryFormat`."""
    # Microtiles of pixels of 1, 2, 4 and 8 bytes are 8 by 8, 8 by 4, 4 by 4, 2 by 4.
    tile_width = 8 if pixel_bytes < 4 else 16 // pixel_bytes
    tile_height = 8 if pixel_bytes == 1 else 4
    if layout == _RASTER:
        pitch = -(-width * pixel_bytes // _ALIGNMENT) * _ALIGNMENT
    else:
        pitch = -(-width // tile_width)
        if layout == _T_FORMAT:
            pitch = -(-pitch // _TILE) * _TILE
    place = texel_place(8 * pixel_bytes, tile_width, tile_height, 1, layout, pitch, x, y)
    return address + place // 8 & _ADDRESSES


@kernel
def _fill(
    into, address: int, layout: int, pixel_bytes: int, width: int, x: int, y: int, columns: int, rows: int
) -> None:
    """The addresses of a rectangle of pixels."""
    for row in range(rows):
        for column in range(columns):
            into[row * columns + column] = pixel_address(address, layout, pixel_bytes, width, x + column, y + row)


_fill_addresses = Entry(_fill)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Pixels of an image: the first one, how many in each direction."""

    x: int
    y: int
    columns: int
    rows: int

    @property
    def pixels(self) -> int:
        """All of them."""
        return self.columns * self.rows


@dataclass(frozen=True, slots=True)
class Surface:
    """An image of `width` pixels of 1, 2, 4 or 8 bytes, from `address` on.

    A row of a raster image is a multiple of 16 bytes; one of T-format has whole tiles, one of LT-format whole microtiles.
    """

    address: int
    format: MemoryFormat
    pixel_bytes: int
    width: int

    def addresses(self, where: Rectangle) -> np.ndarray:
        """Of pixels, row after row."""
        found = np.zeros(where.pixels, np.int64)
        layout = (self.address, self.format.value, self.pixel_bytes, self.width)
        _fill_addresses(Buffers(found), *layout, where.x, where.y, where.columns, where.rows)
        return found


class Runs(NamedTuple):
    """Numbers in memory, in rising order.

    order : which number comes next
    places : of numbers that follow each other without a gap: the address of the first one; which they are in the order, from the
        first on to the one before the second
    """

    order: np.ndarray
    places: Sequence[tuple[int, int, int]]


def in_order(addresses: np.ndarray, width: int) -> Runs:
    """Numbers of `width` bytes, each at an address."""
    order = np.argsort(addresses, kind="stable")
    rising = addresses[order]
    ends = [0, *(np.flatnonzero(np.diff(rising) != width) + 1).tolist(), len(rising)]
    places = [(int(rising[first]), first, last) for first, last in itertools.pairwise(ends) if last > first]
    return Runs(order, places)


@lru_cache(_KEPT)
def runs_of(surface: Surface, where: Rectangle) -> Runs:
    """Pixels of a tile: drivers draw a tile again and again."""
    return in_order(surface.addresses(where), surface.pixel_bytes)


def scatter(memory: Memory, runs: Runs, values: np.ndarray, width: int, access: str) -> None:
    """Write numbers of `width` bytes. Raises `MemoryFault`."""
    data = values[runs.order].astype(f"<u{width}").tobytes()
    for address, first, last in runs.places:
        memory.write(address, data[first * width : last * width], access)


def gather(memory: Memory, runs: Runs, width: int, access: str) -> np.ndarray:
    """Numbers of `width` bytes. Raises `MemoryFault`: for the first one, else for the last one."""
    values = np.zeros(len(runs.order), f"<u{width}")
    if runs.places:
        address, first, last = runs.places[-1]
        memory.read(runs.places[0][0], width, access)
        memory.read(address + (last - first - 1) * width, width, access)
    data = b"".join(memory.read(address, (last - first) * width, access) for address, first, last in runs.places)
    values[runs.order] = np.frombuffer(data, f"<u{width}")
    return values
