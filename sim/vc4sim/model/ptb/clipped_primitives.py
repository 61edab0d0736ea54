"""What is left of a clipped primitive, as primitives with clipped vertices (guide, table 44; pipeline facts, 3.7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from vc4.records.shaders import ClippedVertex

from ..cle.fields import packing
from .clip import ClipVertex
from .truncated import add, bits, div, mul

__all__ = ["ClippedPrimitive", "ScreenTransform", "clipped_primitives"]

_REACH = 1 << 15
#: X and Y on the screen, sixteenths of a pixel relative to the centre of the viewport.
Point = tuple[int, int]


@dataclass(frozen=True)
class ScreenTransform:
    """From clip coordinates to the screen: `x` and `y` to sixteenths of a pixel, `z` and `offset` to Z."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    offset: float = 0.0

    def point(self, corner: ClipVertex) -> Point:
        """X and Y of a new vertex: truncated, and limited to 16 bits."""
        x, y, _, w = corner.position
        return _limited(div(mul(x, self.x), w)), _limited(div(mul(y, self.y), w))

    def vertex(self, corner: ClipVertex) -> bytes:
        """What memory has of a new vertex."""
        _, _, z, w = corner.position
        x, y = self.point(corner)
        weights = (*corner.weights, 0.0)
        pack = packing(ClippedVertex)
        word = pack.pack(
            xs=x,
            ys=y,
            zs=bits(add(mul(div(z, w), self.z), self.offset)),
            reciprocal_wc=bits(div(1.0, w)),
            vertex_0_coefficient=bits(weights[0]),
            vertex_1_coefficient=bits(weights[1]),
            vertex_2_coefficient=bits(weights[2]),
        )
        return word.to_bytes(pack.size // 8, "little")


def _limited(value: float) -> int:
    return int(max(min(value, _REACH - 1), -_REACH))


@dataclass(frozen=True, slots=True)
class ClippedPrimitive:
    """A primitive of which some vertices are new.

    points : of all vertices
    flags, data : which ones are new, and what memory has of these
    """

    points: tuple[Point, ...]
    flags: int
    data: bytes


def clipped_primitives(
    corners: Sequence[ClipVertex], old: Sequence[Point], transform: ScreenTransform
) -> list[ClippedPrimitive]:
    """Primitives that fill what is left: a line, or a fan of triangles.

    old : where the primitive's own vertices are
    """
    count = len(old)
    if len(corners) < count:
        return []
    if count < 3:
        return [_primitive(corners, old, transform)]
    first = corners[0]
    return [_primitive((first, *pair), old, transform) for pair in zip(corners[1:], corners[2:], strict=False)]


def _primitive(corners: Sequence[ClipVertex], old: Sequence[Point], transform: ScreenTransform) -> ClippedPrimitive:
    """One of them, turned so that vertices which are not new keep their numbers; if they cannot, all count as new."""
    count = len(corners)
    turns = range(count) if count > 2 else range(1)
    for turn in turns:
        turned = [corners[(index + turn) % count] for index in range(count)]
        if all(corner.number in (None, index) for index, corner in enumerate(turned)):
            new = [corner.number is None for corner in turned]
            break
    else:
        turned, new = list(corners), [True] * count
    points = tuple(
        transform.point(corner) if is_new else old[index]
        for index, (corner, is_new) in enumerate(zip(turned, new, strict=True))
    )
    data = b"".join(transform.vertex(corner) for corner, is_new in zip(turned, new, strict=True) if is_new)
    return ClippedPrimitive(points, sum(is_new << index for index, is_new in enumerate(new)), data)
