"""Texels of a texture, from memory to their channels."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from vc4.errata import Erratum
from vc4.isa.registers import ELEMENTS
from vc4.records.tmu import LEVELS, TextureType, TmuParameterName

from ..compiled import inlined
from ..memory import MemoryState
from .etc1 import decode_block
from .formats import BITS, BLOCK, FORMAT_ROWS, TILE_HEIGHT, TILE_WIDTH, decode_texel
from .layout import LEVEL_FIELDS, LEVEL_FORMAT, LEVEL_HEIGHT, LEVEL_OFFSET, LEVEL_PITCH, texel_place
from .parameters import BASE, CUBE_STRIDE, FLIP, FLIP_BLOCKS, PARAMETERS, TEXTURE_FIELDS, TYPE
from .reader import NO_FAULT, fetch

__all__ = ["COLOURS", "HALF_SIGN", "INFINITY_SIGN", "RASTER_WIDTH", "SamplerState", "new_sampler", "read_texel"]

#: Errata of texture units, and their numbers in `SamplerState`.
ERRATA = (Erratum.HW_2619, Erratum.HW_2898, Erratum.HW_2645)
HALF_SIGN, RASTER_WIDTH, INFINITY_SIGN = range(len(ERRATA))

_ADDRESSES = 0xFFFF_FFFF
_ETC1, _YUYV = TextureType.ETC1.value, TextureType.YUYV422R.value
#: Two texels, which are read as one.
_YUYV_BYTES = 4
#: Channels of a texel.
COLOURS = 4
#: Words that a lookup returns of an element.
_WORDS = 2


class SamplerState(NamedTuple):
    """What one lookup works with; nothing of it outlasts the lookup.

    uniforms : that it took
    coordinates : what the program wrote, [letter, element]; 0 if it did not
    texture, levels : see `describe` and `list_levels`
    border : channels of the border colour
    texels : channels of the texels of a level: lower left and right, upper left and right
    blends : channels of the larger and the smaller level of an element
    words : what it returns, [word, element]
    fault : address of its first read outside of memory, or `NO_FAULT`
    errata : whether it has each of `ERRATA`
    """

    uniforms: np.ndarray
    coordinates: np.ndarray
    texture: np.ndarray
    levels: np.ndarray
    border: np.ndarray
    texels: np.ndarray
    blends: np.ndarray
    words: np.ndarray
    fault: np.ndarray
    errata: np.ndarray


def new_sampler(errata: Collection[Erratum] = ()) -> SamplerState:
    """The arrays of a sampler."""
    return SamplerState(
        uniforms=np.zeros(PARAMETERS, np.int64),
        coordinates=np.zeros((len(TmuParameterName), ELEMENTS), np.int64),
        texture=np.zeros(TEXTURE_FIELDS, np.int64),
        levels=np.zeros((LEVELS, LEVEL_FIELDS), np.int64),
        border=np.zeros(COLOURS, np.int64),
        texels=np.zeros((4, COLOURS), np.int64),
        blends=np.zeros((2, COLOURS), np.int64),
        words=np.zeros((_WORDS, ELEMENTS), np.int64),
        fault=np.full(1, NO_FAULT, np.int64),
        errata=np.array([one in errata for one in ERRATA], np.int64),
    )


@inlined
def read_texel(
    sampler: SamplerState, memory: MemoryState, level: int, face: int, x: int, y: int
) -> tuple[int, int, int, int]:
    """Channels of a texel of a level."""
    type_ = sampler.texture[TYPE]
    bits, block = FORMAT_ROWS[type_][BITS], FORMAT_ROWS[type_][BLOCK]
    tile_width, tile_height = FORMAT_ROWS[type_][TILE_WIDTH], FORMAT_ROWS[type_][TILE_HEIGHT]
    if sampler.texture[FLIP]:
        y = sampler.levels[level, LEVEL_HEIGHT] - 1 - y
    format_, pitch = sampler.levels[level, LEVEL_FORMAT], sampler.levels[level, LEVEL_PITCH]
    place = texel_place(bits, tile_width, tile_height, block, format_, pitch, x, y)
    first = sampler.texture[BASE] + face * sampler.texture[CUBE_STRIDE] + sampler.levels[level, LEVEL_OFFSET]
    width = _YUYV_BYTES if type_ == _YUYV else max(bits // 8, 1)
    low, high = fetch(memory, sampler.fault, first + place // 8 & _ADDRESSES & -width, width)
    if type_ == _ETC1:
        return decode_block(low, high, x & block - 1, (y if sampler.texture[FLIP_BLOCKS] else ~y) & block - 1)
    if type_ == _YUYV:
        # Both texels of a pair have its chroma.
        low = low >> x % 2 * 16 & 0xFF | low & 0xFF00 | low >> 24 << 16
    return decode_texel(type_, low >> place % 8, high)
