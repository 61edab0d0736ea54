"""Where pixels of a frame lie in memory, and many numbers to and from there (pipeline facts, 5.4 and 6.3)."""

from dataclasses import dataclass

import numpy as np

from vc4.records.tile_buffer import MemoryFormat

from ..compiled import Buffers, Entry, kernel
from ..memory import Memory
from ..tmu.layout import texel_place

__all__ = ["Rectangle", "Surface", "gather", "pixel_address", "scatter"]

_ADDRESSES = 0xFFFF_FFFF
_ALIGNMENT = 16
_RASTER, _T_FORMAT = MemoryFormat.RASTER.value, MemoryFormat.T_FORMAT.value
#: Microtiles of a tile of T-format in each direction.
_TILE = 8


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


def scatter(memory: Memory, addresses: np.ndarray, values: np.ndarray, width: int, access: str) -> None:
    """Write numbers of `width` bytes, each at an address, in rising order. Raises `MemoryFault`."""
    order = np.argsort(addresses, kind="stable")
    addresses = addresses[order]
    data = values[order].astype(f"<u{width}")
    ends = np.flatnonzero(np.diff(addresses) != width) + 1
    for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(data)], strict=True):
        if last > first:
            memory.write(int(addresses[first]), data[first:last].tobytes(), access)


def gather(memory: Memory, addresses: np.ndarray, width: int, access: str) -> np.ndarray:
    """Numbers of `width` bytes, each from an address. Raises `MemoryFault`."""
    if addresses.size == 0:
        return np.zeros(addresses.shape, f"<u{width}")
    low, high = int(addresses.min()), int(addresses.max())
    memory.read(low, width, access)
    memory.read(high, width, access)
    data = np.frombuffer(memory.data, np.uint8)
    bytes_ = data[(addresses - memory.base)[..., None] + np.arange(width)]
    return np.ascontiguousarray(bytes_).view(f"<u{width}")[..., 0]
