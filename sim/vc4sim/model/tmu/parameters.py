"""The config parameters of a lookup as one texture (guide, section 4; pipeline facts, 6.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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

__all__ = ["PARAMETERS", "Child", "Texture", "texture"]

#: Config parameters that count; a lookup with more writes takes their uniforms and forgets them.
PARAMETERS = 4
#: Types 18 to 31 are what the low four bits say.
_LOW_TYPE = 15


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
def _texture(image: int, sampling: int, *others: int) -> Texture:
    first, second = TextureImage.from_bits(image), TextureSampling.from_bits(sampling)
    code = second.type_high << 4 | first.type
    try:
        type_ = TextureType(code)
    except ValueError:
        type_ = TextureType(code & _LOW_TYPE)
    stride, bias_only = 0, False
    size, offset, is_child = ChildSize.from_bits(0), ChildOffset.from_bits(0), False
    for word in others:
        match ParameterKind(word >> 30):
            case ParameterKind.CUBE_STRIDE:
                parameter = CubeStride.from_bits(word)
                stride, bias_only = parameter.stride << BASE_SHIFT, bool(parameter.bias_only)
            case ParameterKind.CHILD_SIZE:
                size, is_child = ChildSize.from_bits(word), True
            case ParameterKind.CHILD_OFFSET:
                offset, is_child = ChildOffset.from_bits(word), True
    child = Child(offset.x, offset.y, size.width or MOST_TEXELS, size.height or MOST_TEXELS)
    return Texture(
        type=type_,
        base=first.base << BASE_SHIFT,
        width=second.width or MOST_TEXELS,
        height=second.height or MOST_TEXELS,
        levels=first.levels + 1,
        wrap_s=second.wrap_s,
        wrap_t=second.wrap_t,
        magnification=second.magnification,
        minification=second.minification,
        flip=bool(first.flip),
        flip_blocks=bool(second.flip_blocks),
        cube=bool(first.cube),
        cube_stride=stride,
        bias_only=bias_only,
        child=child if is_child else None,
    )


def texture(uniforms: Sequence[int]) -> Texture:
    """The texture that two or more uniforms describe, in the order in which their parameters were written."""
    return _texture(*uniforms[:PARAMETERS])
