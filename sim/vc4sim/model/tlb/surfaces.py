"""Where pixels of a frame lie in memory, and many numbers to and from there (pipeline facts, 5.4 and 6.3)."""

from dataclasses import dataclass

import numpy as np

from vc4.records.tile_buffer import MemoryFormat

from ..memory import Memory
from ..tmu.formats import Format
from ..tmu.layout import Level

__all__ = ["Surface", "gather", "scatter"]

_ADDRESSES = 0xFFFF_FFFF
_ALIGNMENT = 16
#: Microtiles of a tile of T-format in each direction.
_TILE = 8
#: Width and height of a microtile by the bytes of a pixel.
_MICROTILES = {1: (8, 8), 2: (8, 4), 4: (4, 4), 8: (2, 4)}


@dataclass(frozen=True, slots=True)
class Surface:
    """An image of `width` pixels of 1, 2, 4 or 8 bytes, from `address` on.

    A row of a raster image is a multiple of 16 bytes; one of T-format has whole tiles, one of LT-format whole microtiles.
    """

    address: int
    format: MemoryFormat
    pixel_bytes: int
    width: int

    def addresses(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of pixels."""
        tile_width, tile_height = _MICROTILES[self.pixel_bytes]
        raster = self.format is MemoryFormat.RASTER
        tiled = self.format is MemoryFormat.T_FORMAT
        texels = Format(8 * self.pixel_bytes, tile_width, tile_height, raster=raster)
        if raster:
            across = -(-self.width * self.pixel_bytes // _ALIGNMENT) * _ALIGNMENT
        else:
            across = -(-self.width // tile_width)
            if tiled:
                across = -(-across // _TILE) * _TILE
        level = Level(texels, self.width, 0, across, tiled, 0, 0)
        return self.address + level.place(x, y) // 8 & _ADDRESSES


def scatter(memory: Memory, addresses: np.ndarray, values: np.ndarray, width: int, access: str) -> None:
    """Write numbers of `width` bytes, each at an address, in rising order. Raises `MemoryFault`."""
    addresses = addresses.reshape(-1)
    order = np.argsort(addresses, kind="stable")
    addresses = addresses[order]
    data = values.reshape(-1)[order].astype(f"<u{width}")
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
