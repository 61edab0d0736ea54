"""Coordinates of a texel to its address (pipeline facts, 6.3 and 6.4).

A microtile is 64 bytes. T-format has tiles of 4 KiB, each of four sub-tiles of four by four microtiles, and turns round
with every row of tiles; LT-format has rows of microtiles; raster format has rows of texels.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vc4.records.tile_buffer import MemoryFormat
from vc4.records.tmu import LEVELS

from ..compiled import kernel
from ..elementwise import elementwise
from .formats import Format

__all__ = [
    "LEVEL_FIELDS",
    "LEVEL_FORMAT",
    "LEVEL_HEIGHT",
    "LEVEL_OFFSET",
    "LEVEL_PITCH",
    "LEVEL_SIZE",
    "LEVEL_WIDTH",
    "Level",
    "chain",
    "list_levels",
    "raster_pitch",
    "texel_place",
]

_MICROTILE_BYTES = 64
#: Microtiles of a tile and of a sub-tile in each direction.
_TILE, _SUBTILE = 8, 4
_SUBTILE_BYTES = _MICROTILE_BYTES * _SUBTILE * _SUBTILE
_TILE_BYTES = 4 * _SUBTILE_BYTES
#: Where the sub-tiles of a tile lie, lower left and right, upper left and right, in even and then in odd rows of tiles.
_SUBTILES = (0, 3, 1, 2, 2, 1, 3, 0)
#: Bytes that a row of a raster image is a multiple of, as the tile buffer stores it.
_RASTER_ALIGNMENT = 16
_RASTER, _T_FORMAT, _LT_FORMAT = (format_.value for format_ in MemoryFormat)

#: What kernels know of a level: `Level` has the same, and `MemoryFormat` the codes of the format.
LEVEL_WIDTH, LEVEL_HEIGHT, LEVEL_PITCH, LEVEL_FORMAT, LEVEL_SIZE, LEVEL_OFFSET, LEVEL_FIELDS = range(7)


@kernel
def _log2(power: int) -> int:
    return power.bit_length() - 1


@kernel
def _microtile(format_: int, pitch: int, column: int, row: int) -> int:
    """Number of the first byte of a microtile."""
    if format_ != _T_FORMAT:
        return _MICROTILE_BYTES * (row * pitch + column)
    tiles = pitch // _TILE
    tile_x, tile_y = column // _TILE, row // _TILE
    odd = tile_y % 2
    tile = tile_y * tiles + (tiles - 1 - tile_x if odd else tile_x)
    subtile = _SUBTILES[4 * odd + row // _SUBTILE % 2 * 2 + column // _SUBTILE % 2]
    inner = row % _SUBTILE * _SUBTILE + column % _SUBTILE
    return tile * _TILE_BYTES + subtile * _SUBTILE_BYTES + inner * _MICROTILE_BYTES


@kernel
def texel_place(
    bits: int, tile_width: int, tile_height: int, block: int, format_: int, pitch: int, x: int, y: int
) -> int:
    """Number of the first bit of a texel from the first byte of its level on, or of the block that holds it.

    bits, tile_width, tile_height, block : see `Format`
    format_ : a code of `MemoryFormat`
    pitch : microtiles of a row in memory; bytes of a row of a raster image
    """
    if format_ == _RASTER:
        return 8 * y * pitch + x * bits
    across, up = _log2(tile_width), _log2(tile_height)
    inner_x, inner_y = (x & tile_width - 1) >> _log2(block), (y & tile_height - 1) >> _log2(block)
    inner = (inner_y << across - _log2(block)) + inner_x
    return 8 * _microtile(format_, pitch, x >> across, y >> up) + inner * bits


@kernel
def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


@kernel
def raster_pitch(bits: int, width: int) -> int:
    """Bytes of a row of a raster image of so many texels."""
    return _up(width * bits // 8, _RASTER_ALIGNMENT)


@kernel
def list_levels(
    levels: np.ndarray, bits: int, tile_width: int, tile_height: int, raster: int, width: int, height: int, count: int
) -> None:
    """Writes all levels of an image into `levels`, [level, field]. Each lies right below the larger one.

    Those after the first are stored as if width and height were the next powers of two.
    """
    offset = 0
    for number in range(count):
        across, up = width, height
        if number:
            across = max(1 << (width - 1).bit_length() >> number, 1)
            up = max(1 << (height - 1).bit_length() >> number, 1)
        format_, pitch, rows = _RASTER, raster_pitch(bits, across), up
        if not raster:
            format_, pitch, rows = _LT_FORMAT, -(-across // tile_width), -(-up // tile_height) * _MICROTILE_BYTES
            if across > _SUBTILE * tile_width and up > _SUBTILE * tile_height:
                format_, pitch, rows = _T_FORMAT, _up(pitch, _TILE), _up(rows, _TILE * _MICROTILE_BYTES)
        if number:
            offset -= pitch * rows
        levels[number, LEVEL_WIDTH] = max(width >> number, 1)
        levels[number, LEVEL_HEIGHT] = max(height >> number, 1)
        levels[number, LEVEL_PITCH] = pitch
        levels[number, LEVEL_FORMAT] = format_
        levels[number, LEVEL_SIZE] = pitch * rows
        levels[number, LEVEL_OFFSET] = offset


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
        code = _RASTER if format_.raster else _T_FORMAT if self.tiled else _LT_FORMAT
        shape = format_.bits, format_.tile_width, format_.tile_height, format_.block
        return elementwise(texel_place, *shape, code, self.tiles_across, x, y)


@lru_cache(maxsize=1 << 10)
def chain(format_: Format, width: int, height: int, levels: int) -> tuple[Level, ...]:
    """All levels of an image."""
    rows = np.zeros((LEVELS, LEVEL_FIELDS), np.int64)
    shape = format_.bits, format_.tile_width, format_.tile_height, int(format_.raster)
    list_levels(memoryview(rows), *shape, width, height, levels)
    return tuple(
        Level(format_, wide, high, pitch, code == _T_FORMAT, size, offset)
        for wide, high, pitch, code, size, offset in rows[:levels].tolist()
    )
