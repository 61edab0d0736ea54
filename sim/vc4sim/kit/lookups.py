"""Questions about texture lookups: weights, levels of detail."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import floor, log2, sqrt

import numpy as np

from vc4.records.tmu import CubeStride, MagnificationFilter, MinificationFilter, ParameterKind

from ..textures.sampling import Sampling
from ..textures.textures import Texture
from .image import Address
from .numbers import float_of, power_of
from .program import loaded, rows
from .question import Question

__all__ = ["QUESTIONS"]

_COORDINATES, _DETAIL = "tmu.md#coordinates", "tmu.md#level-of-detail"
_GREY = 0x0101_0101
_SIZE, _LEVELS = 32, 6
#: Grey of each level of an image, apart enough to tell levels and their blends.
_STEP = 40


def _image(size: int, value: Callable[[int], int]) -> np.ndarray:
    """Square, of columns of one grey each."""
    columns = np.array([value(column) for column in range(size)], np.uint8)
    return np.broadcast_to(columns[None, :, None], (size, size, 4)).copy()


def _levels(greys: Sequence[int]) -> Texture:
    """An image whose levels have one grey each."""
    return Texture(
        (tuple(_image(max(_SIZE >> number, 1), lambda _, grey=grey: grey) for number, grey in enumerate(greys)),)
    )


#: S, t, and perhaps the level of detail, of each element.
_Points = Sequence[tuple[Fraction, ...]]


def _lookup(
    name: str,
    asks: str,
    page: str,
    texture: Texture,
    sampling: Sampling,
    points: _Points,
    rules: Mapping[str, Callable[[_Points], Sequence[int]]],
) -> Question:
    """Looks up sixteen points; rules give their greys. A level of detail of their own is all that counts for it."""
    data, below, stride = texture.stored()
    first, second, _ = texture.parameters(sampling, 0, stride)
    last = CubeStride.const({"bias_only": 1, "kind": ParameterKind.CUBE_STRIDE}).as_bits()
    columns = [[float_of(one) for one in column] for column in zip(*points, strict=True)]
    load, uniforms, buffers = loaded(columns)
    has_detail = len(columns) == 3
    return rows(
        name,
        asks,
        page,
        load + "mov t0b, r3\n" * has_detail + "mov t0t, r2\nmov t0s, r1\nnop; ldtmu0\nmov vpm, r4\n",
        {rule: [[grey * _GREY for grey in greys(points)]] for rule, greys in rules.items()},
        uniforms=[*uniforms, Address("texture", below + first), second, *([last] if has_detail else [])],
        buffers={**buffers, "texture": data},
    )


def _each(grey: Callable[..., int]) -> Callable[[_Points], list[int]]:
    """The rule of one element for all."""
    return lambda points: [grey(*point) for point in points]


def _cut(number: Fraction, bits: int) -> Fraction:
    return Fraction(floor(number * 2**bits), 2**bits)


def _byte(number: Fraction) -> int:
    return floor(number + Fraction(1, 2))


#: Between texels 0 and 1, which are black and white: parts of a texel that have other weights with other widths.
_PARTS = [Fraction(number, 512) for number in (1, 3, 5, 9, 17, 33, 63, 65, 127, 129, 255, 257, 383, 385, 509, 511)]


def _texel_weight(bits: int, byte: Callable[[Fraction], int] = _byte):
    return _each(lambda s, t: byte(255 * _cut(4 * s - Fraction(1, 2), bits)))


_WEIGHTS = _lookup(
    "tmu_weights",
    "the weight of a texel in a linear filter is cut off to",
    _COORDINATES,
    Texture(((_image(4, lambda column: 255 * (column > 0)),),)),
    Sampling(magnification=MagnificationFilter.LINEAR, minification=MinificationFilter.LINEAR),
    [((part + Fraction(1, 2)) / 4, Fraction(1, 2)) for part in _PARTS],
    {
        "8 bits": _texel_weight(8),
        "8 bits, and the byte of the result is cut off, too": _texel_weight(8, floor),
        **{f"{bits} bits": _texel_weight(bits) for bits in (9, 7, 6, 5)},
    },
)


def _with_details(details: Sequence[Fraction]) -> _Points:
    return [(Fraction(1, 2), Fraction(1, 2), detail) for detail in details]


_TWO_LEVELS = Sampling(minification=MinificationFilter.NEAR_MIP_LIN, magnification=MagnificationFilter.NEAREST)
_ONE_LEVEL = Sampling(minification=MinificationFilter.NEAR_MIP_NEAR, magnification=MagnificationFilter.NEAREST)
_BLACK_AND_WHITE = _levels([0] + [255] * (_LEVELS - 1))
_GREYS = _levels([_STEP * number for number in range(_LEVELS)])
_LEVEL_WEIGHTS = _lookup(
    "tmu_level_weights",
    "the weight of a level, what a level of detail has after the point, is",
    _DETAIL,
    _BLACK_AND_WHITE,
    _TWO_LEVELS,
    _with_details(_PARTS),
    {
        **{
            f"cut off to {bits} bits": _each(lambda s, t, detail, bits=bits: _byte(255 * _cut(detail, bits)))
            for bits in (8, 9, 7, 6, 5, 4)
        },
        "rounded to 8 bits": _each(lambda s, t, detail: _byte(255 * _cut(detail + Fraction(1, 512), 8))),
    },
)


def _nearest(choice: Callable[[Fraction], int], bits: int = 8):
    return _each(lambda s, t, detail: _STEP * min(max(choice(_cut(detail, bits)), 0), _LEVELS - 1))


def _larger(detail: Fraction) -> int:
    """The nearest level, of two the larger image."""
    return -floor(Fraction(1, 2) - detail)


_QUARTERS = (2, 6, 10, 3, 7, 1, 0, -4, 12, 40, 18)
_NEAREST = _lookup(
    "tmu_nearest_level",
    "of two levels that are as near, a lookup takes",
    _DETAIL,
    _GREYS,
    _ONE_LEVEL,
    _with_details(
        [Fraction(number, 4) for number in _QUARTERS]
        + [Fraction(number, 512) for number in (257, 258, 255, 769, 771)]  # near 1/2 and 3/2
    ),
    {
        "the larger image, by a level of detail with 8 bits": _nearest(_larger),
        "the larger image, by a level of detail with more bits": _nearest(_larger, 20),
        "the smaller image": _nearest(lambda detail: floor(detail + Fraction(1, 2))),
        "the larger image, as it always does": _nearest(floor),
    },
)


def _points(*quads: Sequence[tuple[float, float]]) -> _Points:
    """Those of four quads, of which elements 1 to 3 are so many texels away from element 0."""
    start = Fraction(_SIZE // 2)
    steps = [(Fraction(s), Fraction(t)) for quad in quads for s, t in ((0, 0), *quad)]
    return [((start + s) / _SIZE, (start + t) / _SIZE) for s, t in steps]


_Length = Callable[[Fraction, Fraction], float]
_FOUR, _TWO = ((0, 1), (2, 3), (0, 2), (1, 3)), ((0, 1), (0, 2))


def _of_quads(pairs: Sequence[tuple[int, int]], length: _Length, grey: Callable[[float], int]):
    """The greys of quads by the longest step in texels, of those between some of their elements."""

    def rule(points: _Points) -> list[int]:
        found = []
        for first in range(0, len(points), 4):
            quad = points[first : first + 4]
            steps = [[abs(quad[b][axis] - quad[a][axis]) * _SIZE for axis in (0, 1)] for a, b in pairs]
            found += [grey(max(length(*step) for step in steps))] * 4
        return found

    return rule


def _euclid(s: Fraction, t: Fraction) -> float:
    return sqrt(s * s + t * t)


def _by_level(longest: float) -> int:
    return _STEP * round(log2(longest)) if longest > 1 else 0


_LONGEST = _lookup(
    "tmu_level_of_quad",
    "the level of detail of a quad is that of",
    _DETAIL,
    _GREYS,
    _ONE_LEVEL,
    # No step is near to where the level changes.
    _points(
        [(2.375, 2.375), (0, 0), (2.375, 2.375)],
        [(1.875, 1.875), (0, 0), (1.875, 1.875)],
        [(1.25, 0), (0, 0), (6, 0)],
        [(0, 0), (0, 6), (0, 0)],
    ),
    {
        "the longest of four steps": _of_quads(_FOUR, _euclid, _by_level),
        "the longest of two steps, from its first element": _of_quads(_TWO, _euclid, _by_level),
        "the largest component of four steps": _of_quads(_FOUR, lambda s, t: float(max(s, t)), _by_level),
        "the largest component of two steps": _of_quads(_TWO, lambda s, t: float(max(s, t)), _by_level),
        "the longest of four steps, as the sum of its components": _of_quads(
            _FOUR, lambda s, t: float(s + t), _by_level
        ),
        "the longest of two steps, as the sum of its components": _of_quads(_TWO, lambda s, t: float(s + t), _by_level),
    },
)


def _by_table(entries: int):
    """The weight of level 1: the logarithm of the square in the middle of a step of the table, in units of 1/256, halved."""

    def grey(longest: float) -> int:
        square = Fraction(longest) ** 2
        power = power_of(square)
        place = 2 * floor((square / Fraction(2) ** power - 1) * entries) + 1
        detail = round(256 * log2(1 + place / (2 * entries))) + 256 * power >> 1
        return _byte(Fraction(255 * detail, 256))

    return _of_quads(((0, 1),), lambda s, t: float(s), grey)


def _exactly(longest: float) -> int:
    return _byte(255 * Fraction(floor(256 * log2(longest)), 256))


_LOGARITHM = _lookup(
    "tmu_logarithm",
    "the logarithm in a level of detail is",
    _DETAIL,
    _BLACK_AND_WHITE,
    _TWO_LEVELS,
    _points(*([(step, 0), (0, 0), (step, 0)] for step in (1, 1.125, 1.3125, 1.6875))),
    {
        **{f"a table with {entries} entries": _by_table(entries) for entries in (32, 8, 16, 64, 128)},
        "exact to 8 bits": _of_quads(((0, 1),), lambda s, t: float(s), _exactly),
    },
)
QUESTIONS = (_WEIGHTS, _LEVEL_WEIGHTS, _NEAREST, _LONGEST, _LOGARITHM)
