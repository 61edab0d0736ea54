"""The config parameters of a lookup as one texture (guide, section 4; pipeline facts, 6.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib.data import Layout

from vc4.records.tmu import (
    BASE_SHIFT,
    MOST_TEXELS,
    ChildOffset,
    ChildSize,
    CubeStride,
    MagnificationFilter,
    MinificationFilter,
    ParameterKind,
    TextureImage,
    TextureSampling,
    TextureType,
    Wrap,
)

from ..compiled import kernel

__all__ = [
    "BASE",
    "BIAS_ONLY",
    "CUBE",
    "CUBE_STRIDE",
    "FLIP",
    "FLIP_BLOCKS",
    "HEIGHT",
    "LEVEL_COUNT",
    "MAGNIFICATION",
    "MINIFICATION",
    "PARAMETERS",
    "TEXTURE_FIELDS",
    "TYPE",
    "WIDTH",
    "WINDOW_HEIGHT",
    "WINDOW_WIDTH",
    "WINDOW_X",
    "WINDOW_Y",
    "WRAP_S",
    "WRAP_T",
    "Child",
    "Texture",
    "describe",
    "texture",
]

#: Config parameters that count; a lookup with more writes takes their uniforms and forgets them.
PARAMETERS = 4
#: Types 18 to 31 are what the low four bits say.
_LOW_TYPE, _TYPES = 15, len(TextureType)

#: What kernels know of a texture: `Texture` has the same. The window is the whole image where there is no child image.
(TYPE, _TYPE_HIGH, BASE, WIDTH, HEIGHT, LEVEL_COUNT, WRAP_S, WRAP_T, MAGNIFICATION, MINIFICATION, FLIP, FLIP_BLOCKS, CUBE,
 CUBE_STRIDE, BIAS_ONLY, _CHILD, WINDOW_X, WINDOW_Y, WINDOW_WIDTH, WINDOW_HEIGHT, TEXTURE_FIELDS) = range(21)  # fmt: skip

#: Parameter 0, parameter 1, and later ones by their kind.
_IMAGE, _SAMPLING, _LATER = 0, 1, 2
_STRIDE, _SIZE, _OFFSET = (
    _LATER + kind.value for kind in (ParameterKind.CUBE_STRIDE, ParameterKind.CHILD_SIZE, ParameterKind.CHILD_OFFSET)
)
_FIELDS: dict[tuple[int, Any], dict[str, int]] = {
    (_IMAGE, TextureImage): {
        "type": TYPE, "base": BASE, "levels": LEVEL_COUNT, "flip": FLIP, "cube": CUBE,
    },
    (_SAMPLING, TextureSampling): {
        "type_high": _TYPE_HIGH, "width": WIDTH, "height": HEIGHT, "wrap_s": WRAP_S, "wrap_t": WRAP_T,
        "magnification": MAGNIFICATION, "minification": MINIFICATION, "flip_blocks": FLIP_BLOCKS,
    },
    (_STRIDE, CubeStride): {"stride": CUBE_STRIDE, "bias_only": BIAS_ONLY},
    (_SIZE, ChildSize): {"width": WINDOW_WIDTH, "height": WINDOW_HEIGHT},
    (_OFFSET, ChildOffset): {"x": WINDOW_X, "y": WINDOW_Y},
}  # fmt: skip


def _places() -> tuple[tuple[int, ...], ...]:
    """Of each field: the parameter, the field, its lowest bit, and a mask."""
    found = []
    for (parameter, record), names in _FIELDS.items():
        layout = Layout.cast(record)
        for name, field in names.items():
            mask = (1 << Shape.cast(layout[name].shape).width) - 1
            found.append((parameter, field, layout[name].offset, mask))
    return tuple(found)


_PLACES = _places()
_PLACE_COUNT = len(_PLACES)


@kernel
def describe(texture: np.ndarray, uniforms: np.ndarray, count: int) -> None:
    """Writes the fields of the texture that the first `count` uniforms describe into `texture`; 2 to 4 of them count."""
    for field in range(TEXTURE_FIELDS):
        texture[field] = 0
    for number in range(min(count, PARAMETERS)):
        word = uniforms[number]
        parameter = number if number < _LATER else _LATER + (word >> 30)
        for row in range(_PLACE_COUNT):
            if _PLACES[row][0] == parameter:
                texture[_PLACES[row][1]] = word >> _PLACES[row][2] & _PLACES[row][3]
        if parameter >= _SIZE:
            texture[_CHILD] = 1
    code = texture[_TYPE_HIGH] << 4 | texture[TYPE]
    texture[TYPE] = code if code < _TYPES else code & _LOW_TYPE
    texture[BASE] <<= BASE_SHIFT
    texture[CUBE_STRIDE] <<= BASE_SHIFT
    texture[LEVEL_COUNT] += 1
    for field in (WIDTH, HEIGHT):
        texture[field] = texture[field] or MOST_TEXELS
    if not texture[_CHILD]:
        texture[WINDOW_WIDTH], texture[WINDOW_HEIGHT] = texture[WIDTH], texture[HEIGHT]
    for field in (WINDOW_WIDTH, WINDOW_HEIGHT):
        texture[field] = texture[field] or MOST_TEXELS


@dataclass(frozen=True, slots=True)
class Child:
    """The window of a child image in level 0, in texels."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Texture:
    """What a lookup samples, and how.

    base, cube_stride : in bytes
    levels : 1 to 16
    cube : the coordinates are a direction
    child : or `None`
    bias_only : the level of detail is the bias alone
    """

    type: TextureType
    base: int
    width: int
    height: int
    levels: int
    wrap_s: Wrap
    wrap_t: Wrap
    magnification: MagnificationFilter
    minification: MinificationFilter
    flip: bool
    flip_blocks: bool
    cube: bool
    cube_stride: int
    bias_only: bool
    child: Child | None


@lru_cache(maxsize=1 << 10)
def _texture(*uniforms: int) -> Texture:
    fields = np.zeros(TEXTURE_FIELDS, np.int64)
    describe(memoryview(fields), memoryview(np.array(uniforms, np.int64)), len(uniforms))
    found = fields.tolist()
    child = Child(found[WINDOW_X], found[WINDOW_Y], found[WINDOW_WIDTH], found[WINDOW_HEIGHT])
    return Texture(
        type=TextureType(found[TYPE]),
        base=found[BASE],
        width=found[WIDTH],
        height=found[HEIGHT],
        levels=found[LEVEL_COUNT],
        wrap_s=Wrap(found[WRAP_S]),
        wrap_t=Wrap(found[WRAP_T]),
        magnification=MagnificationFilter(found[MAGNIFICATION]),
        minification=MinificationFilter(found[MINIFICATION]),
        flip=bool(found[FLIP]),
        flip_blocks=bool(found[FLIP_BLOCKS]),
        cube=bool(found[CUBE]),
        cube_stride=found[CUBE_STRIDE],
        bias_only=bool(found[BIAS_ONLY]),
        child=child if found[_CHILD] else None,
    )


def texture(uniforms: Sequence[int]) -> Texture:
    """The texture that two or more uniforms describe, in the order in which their parameters were written."""
    return _texture(*uniforms[:PARAMETERS])
