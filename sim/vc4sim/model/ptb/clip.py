"""Clipping against the view volume, in clip coordinates (pipeline facts, 3.7).

The volume is -Wc <= Xc, Yc, Zc <= Wc. What new vertices get is computed in `truncated` numbers, operation by operation.
"""

from dataclasses import dataclass
from enum import Enum

from .truncated import add, div, is_below, mul

__all__ = ["ClipVertex", "Outcome", "Position", "Scale", "classify", "clip"]


#: X, Y, Z and W.
Position = tuple[float, float, float, float]
#: From X and Y over W to the screen.
Scale = tuple[float, float]
#: Coordinate and side of each plane, in the order in which they cut: first Z, which leaves no W below 0.
_PLANES = ((2, 1), (2, -1), (0, 1), (0, -1), (1, 1), (1, -1))
_Z_PLANES, _FIRST_XY = 0b000011, 2
_W = 3
#: What a position on the screen can be, in sixteenths of a pixel.
_REACH = (1 << 15) - 1


class Outcome(Enum):
    """What clipping has to do with a primitive."""

    OUTSIDE = "all of it is outside of one plane"
    WHOLE = "it can stay as it is: it is inside of Z, and has a place on the screen"
    CLIP = "it must be cut"


@dataclass(frozen=True, slots=True)
class ClipVertex:
    """A corner of what is left of a primitive.

    weights : of the primitive's vertices
    number : which of them it is; `None`: a new one
    """

    position: Position
    weights: tuple[float, ...]
    number: int | None = None


def _distance(position: Position, plane: int) -> float:
    """From a plane, in units of its own; negative outside."""
    axis, side = _PLANES[plane]
    return add(position[_W], position[axis] * side)


def _outcode(position: Position) -> int:
    """A bit for each plane that a vertex is outside of."""
    code, w = 0, position[_W]
    for plane, (axis, side) in enumerate(_PLANES):
        if is_below(w, position[axis] * side):
            code |= 1 << plane
    return code


def classify(positions: list[Position], scale: Scale) -> Outcome:
    """What has to be done."""
    codes = [_outcode(position) for position in positions]
    every, some = codes[0], 0
    for code in codes:
        every &= code
        some |= code
    if every:
        return Outcome.OUTSIDE
    if some & _Z_PLANES or not all(_on_screen(position, scale) for position in positions):
        return Outcome.CLIP
    return Outcome.WHOLE


def _on_screen(position: Position, scale: Scale) -> bool:
    """Whether X and Y fit."""
    reach = mul(float(_REACH), position[_W])
    return position[_W] > 0 and all(abs(mul(position[axis], scale[axis])) <= reach for axis in (0, 1))


def clip(positions: list[Position], scale: Scale) -> list[ClipVertex]:
    """What is left of a triangle or line, in its order; fewer than three or two vertices: nothing.

    Z always cuts, X and Y only what has a corner then that does not fit the screen.
    """
    count = len(positions)
    corners = [
        ClipVertex(position, tuple(float(other == number) for other in range(count)), number)
        for number, position in enumerate(positions)
    ]
    for plane in range(_FIRST_XY):
        corners = _cut(corners, plane, closed=count > 2)
    if not all(_on_screen(corner.position, scale) for corner in corners):
        for plane in range(_FIRST_XY, len(_PLANES)):
            corners = _cut(corners, plane, closed=count > 2)
    return corners


def _cut(corners: list[ClipVertex], plane: int, *, closed: bool) -> list[ClipVertex]:
    """What is inside of one plane of a polygon, or of a line."""
    distances = [_distance(corner.position, plane) for corner in corners]
    kept = []
    for index, (corner, distance) in enumerate(zip(corners, distances, strict=True)):
        if distance >= 0:
            kept.append(corner)
        if index + 1 == len(corners) and not closed:
            break
        following, beyond = corners[(index + 1) % len(corners)], distances[(index + 1) % len(corners)]
        if (distance < 0) != (beyond < 0) and distance and beyond:
            inside = (corner, distance, following, beyond) if beyond < 0 else (following, beyond, corner, distance)
            kept.append(_crossing(*inside, plane))
    return kept


def _crossing(inner: ClipVertex, inside: float, outer: ClipVertex, outside: float, plane: int) -> ClipVertex:
    """Where an edge crosses a plane, always seen from inside: both primitives at the edge get the same."""
    part = div(inside, add(inside, -outside))
    position = [_between(a, b, part) for a, b in zip(inner.position, outer.position, strict=True)]
    axis, side = _PLANES[plane]
    position[axis] = -position[_W] * side
    weights = tuple(_between(a, b, part) for a, b in zip(inner.weights, outer.weights, strict=True))
    return ClipVertex((position[0], position[1], position[2], position[3]), weights)


def _between(a: float, b: float, part: float) -> float:
    return add(a, mul(part, add(b, -a)))
