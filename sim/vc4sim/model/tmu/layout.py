"""Coordinates of a texel to its address (pipeline facts, 6.3 and 6.4).

A microtile is 64 bytes. T-format has tiles of 4 KiB, each of four sub-tiles of four by four microtiles, and turns round
with every row of tiles; LT-format has rows of microtiles; raster format has rows of texels.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .formats import Format

__all__ = ["Level", "chain"]

_MICROTILE_BYTES = 64
#: Microtiles of a tile and of a sub-tile in each direction.
_TILE, _SUBTILE = 8, 4
_SUBTILE_BYTES = _MICROTILE_BYTES * _SUBTILE * _SUBTILE
_TILE_BYTES = 4 * _SUBTILE_BYTES
#: Where the sub-tiles of a tile lie, (upper, right) from 0 on, in even and in odd rows of tiles.
_SUBTILES = np.array([[0, 3, 1, 2], [2, 1, 3, 0]])
#: Bytes that a row of a raster image is a multiple of, as the tile buffer stores it.
_RASTER_ALIGNMENT = 16


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an image.

    width, height : texels that it has
    tiles_across : microtiles of a row in memory; bytes of a row of a raster image
    tiled : T-format
    size : bytes
    offset : of its first byte from the base address, 0 or less
    """

    format: Format
    width: int
    height: int
    tiles_across: int
    tiled: bool
    size: int
    offset: int

    def place(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Number of the first bit of texels from the first byte of the level on, or of the blocks that hold them."""
        format_ = self.format
        if format_.raster:
            return 8 * y * self.tiles_across + x * format_.bits
        column, inner_x = np.divmod(x, format_.tile_width)
        row, inner_y = np.divmod(y, format_.tile_height)
        across = format_.tile_width // format_.block
        inner = (inner_y // format_.block * across + inner_x // format_.block) * format_.bits
        return 8 * self._microtile(column, row) + inner

    def _microtile(self, column: np.ndarray, row: np.ndarray) -> np.ndarray:
        if not self.tiled:
            return _MICROTILE_BYTES * (row * self.tiles_across + column)
        tiles = self.tiles_across // _TILE
        tile_x, tile_y = column // _TILE, row // _TILE
        odd = tile_y % 2
        tile = tile_y * tiles + np.where(odd, tiles - 1 - tile_x, tile_x)
        subtile = _SUBTILES[odd, row // _SUBTILE % 2 * 2 + column // _SUBTILE % 2]
        inner = row % _SUBTILE * _SUBTILE + column % _SUBTILE
        return tile * _TILE_BYTES + subtile * _SUBTILE_BYTES + inner * _MICROTILE_BYTES


def _stored(format_: Format, width: int, height: int) -> tuple[int, bool, int]:
    """Pitch, whether the level is in T-format, and bytes, of a level that is stored as if it had this size."""
    if format_.raster:
        pitch = _up(width * format_.bits // 8, _RASTER_ALIGNMENT)
        return pitch, False, pitch * height
    across, up = -(-width // format_.tile_width), -(-height // format_.tile_height)
    tiled = width > _SUBTILE * format_.tile_width and height > _SUBTILE * format_.tile_height
    if tiled:
        across, up = _up(across, _TILE), _up(up, _TILE)
    return across, tiled, across * up * _MICROTILE_BYTES


@lru_cache(maxsize=1 << 10)
def chain(format_: Format, width: int, height: int, levels: int) -> tuple[Level, ...]:
    """All levels of an image. Each lies right below the larger one.

    Those behind the first are stored as if width and height were the next powers of two.
    """
    found: list[Level] = []
    offset = 0
    container = [1 << (extent - 1).bit_length() for extent in (width, height)]
    for number in range(levels):
        stored = [max(extent >> number, 1) for extent in container] if number else [width, height]
        pitch, tiled, size = _stored(format_, stored[0], stored[1])
        if number:
            offset -= size
        found.append(Level(format_, max(width >> number, 1), max(height >> number, 1), pitch, tiled, size, offset))
    return tuple(found)
