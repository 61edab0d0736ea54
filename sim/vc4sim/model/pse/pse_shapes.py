"""Primitive set-up of points, lines, and RHTs (pipeline facts, 4.5); `pse` has what it is made of."""

from collections.abc import Sequence

from ..arith.fixed_point import fixed, quotient
from ..arith.float import SIGN, fmul
from .pse import ScreenVertex, SetUp, SetUpState, box_of, edge_between, z_gain, z_of

__all__ = ["set_up_line", "set_up_point", "set_up_rht"]

_HALF = 0x3F00_0000
_LARGEST_SIZE = 1 << 16
#: Weights of vertices that do not change from pixel to pixel.
_CONSTANT = (0, 0, 0, 0)


def _size(word: int) -> int:
    """A size in sixteenths of a pixel; what is negative is 0."""
    return min(max(fixed(word, 4), 0), _LARGEST_SIZE)


def set_up_point(vertex: ScreenVertex, size: int) -> SetUp | None:
    """A square of a size (float) around the vertex. Two varyings come first: across the square from 0 to 1, and down."""
    extent = _size(size)
    if not extent:
        return None
    x, y = vertex.x, vertex.y
    gain = fmul(quotient(1, extent), vertex.reciprocal_w)
    half = extent + 1 >> 1
    return SetUp(
        edges=(
            (2, 0, extent - 2 * x),
            (-2, 0, extent + 2 * x - 1),
            (0, 2, extent - 2 * y),
            (0, -2, extent + 2 * y - 1),
        ),
        box=(x - half, y - half, x + half, y + half),
        x=x,
        y=y,
        z=z_of(vertex.zs),
        z_x=0,
        z_y=0,
        corners=(vertex.planes,) * 3,
        weights=_CONSTANT,
        implicit=((gain, 0, _HALF), (0, gain ^ SIGN, _HALF)),
    )


def set_up_line(vertices: Sequence[ScreenVertex], state: SetUpState) -> SetUp | None:
    """A line: from the first vertex on to the one in front of the last along its longer axis, as wide as the state says along
    the other one. One varying comes first: 0 to 1 across the line, not divided by W.
    """
    first, last = vertices
    dx, dy, width = last.x - first.x, last.y - first.y, _size(state.line_width)
    flat = abs(dx) >= abs(dy)
    length = dx if flat else dy
    if not length or not width:
        return None
    # Twice the distance from the line along the shorter axis, times the length of the longer one.
    sign = 1 if length > 0 else -1
    a, b = (-2 * dy * sign, 2 * dx * sign) if flat else (2 * dy * sign, -2 * dx * sign)
    c = -a * first.x - b * first.y
    reach = width * abs(length)
    start = sign * (first.x if flat else first.y)
    end = sign * (last.x if flat else last.y)
    ends = ((sign, 0, -start), (-sign, 0, end - 1)) if flat else ((0, sign, -start), (0, -sign, end - 1))
    one = quotient(1, length)
    dz = z_gain(z_of(last.zs) - z_of(first.zs), length)
    half = width + 1 >> 1
    low_x, low_y, high_x, high_y = box_of((first.x, first.y), (last.x, last.y))
    return SetUp(
        edges=((a, b, c + reach), (-a, -b, reach - c - 1), *ends),
        box=(low_x - half, low_y - half, high_x + half, high_y + half),
        x=first.x,
        y=first.y,
        z=z_of(first.zs),
        z_x=dz if flat else 0,
        z_y=0 if flat else dz,
        corners=(first.planes, last.planes, last.planes),
        weights=(one, 0, 0, 0) if flat else (0, 0, one, 0),
        implicit=((quotient(a, 2 * reach), quotient(b, 2 * reach), _HALF),),
        flat=state.flat,
    )


def set_up_rht(vertices: Sequence[ScreenVertex], state: SetUpState) -> list[SetUp]:
    """What lies between an edge and the boundary: up to two pieces, as the boundary may cross the edge."""
    first, last = vertices
    if first.y == last.y:
        return []
    low, high = sorted(((vertex.x, vertex.y) for vertex in vertices), key=lambda position: position[1])
    a, b, c = edge_between(low, high)  # inside: on its left
    rows = ((0, 1, -low[1]), (0, -1, high[1] - 1))
    found = []
    for right in (True, False):
        boundary = (-1, 0, state.rht_boundary - 1) if right else (1, 0, -state.rht_boundary)
        # The complement of the left side: a sample on the edge belongs to the right one.
        side = (-a, -b, -c - 1) if right else (a, b, c)
        turns = -1 if (last.y > first.y) == right else 1
        reverse = (turns < 0) != state.clockwise
        xs = (low[0], high[0])
        reaches = state.rht_boundary > min(xs) if right else state.rht_boundary < max(xs)
        if reaches and (state.back if reverse else state.front):
            found.append(
                SetUp(
                    edges=(side, boundary, *rows),
                    box=box_of(low, high, (state.rht_boundary, low[1])),
                    x=first.x,
                    y=first.y,
                    z=z_of(first.zs),
                    z_x=0,
                    z_y=0,
                    corners=(first.planes,) * 3,
                    weights=_CONSTANT,
                    reverse=reverse,
                    turns=turns,
                )
            )
    return found
