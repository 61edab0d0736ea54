"""Which tiles a primitive touches (guide, section 9; pipeline facts, 2.1)."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..cle.fields import Fields

__all__ = ["ONE", "TileGrid", "Window"]

#: A pixel, in the units of positions: s12.4 with a viewport offset, 17 bits.
ONE = 16
_TILE_PIXELS = 64

#: A position, x and y.
Point = tuple[int, int]
#: A point of it, x and y, and the coefficients of its function, which is positive inside.
Edge = tuple[int, int, int, int]


@dataclass(frozen=True)
class Window:
    """Where pixels are drawn: columns and rows of pixels."""

    columns: range
    rows: range


class TileGrid:
    """The tiles of a frame, numbered row after row.

    tile_width, tile_height : pixels of a tile
    width, height : tiles
    """

    def __init__(self, configuration: Fields):
        self.width, self.height = configuration.width, configuration.height
        multisample = configuration.multisample_mode
        self.tile_width = self.tile_height = _TILE_PIXELS >> multisample
        if configuration.tile_buffer_64_bit_color_depth:
            self.tile_height >>= 1
        if configuration.double_buffer_in_non_ms_mode and not multisample:
            self.tile_height >>= 1

    @property
    def count(self) -> int:
        """Tiles."""
        return self.width * self.height

    def touched(self, points: tuple[Point, ...], margin: int, window: Window | None, *, box: bool = False) -> list[int]:
        """The tiles that a point, line or triangle with these corners overlaps inside of a window.

        margin : how much the primitive reaches beyond, in x and y
        box : take the rectangle around the points instead
        """
        columns = self._span([x for x, _ in points], margin, self.width, self.tile_width, window and window.columns)
        rows = self._span([y for _, y in points], margin, self.height, self.tile_height, window and window.rows)
        if not columns or not rows:
            return []
        edges = []
        if len(points) > 1 and not box:
            edges = [self._tile_edge(edge, margin, len(points)) for edge in _edges(points)]
        return [
            row * self.width + column
            for row in rows
            for column in columns
            if all(a * column + b * row + c > 0 for a, b, c in edges)
        ]

    @staticmethod
    def _span(values: list[int], margin: int, count: int, size: int, window: range | None) -> range:
        """Columns or rows of tiles that the rectangle around the primitive overlaps."""
        first, last = (min(values) - margin) // (size * ONE), (max(values) + margin - 1) // (size * ONE)
        if window is not None:
            first, last = max(first, window.start // size), min(last, (window.stop - 1) // size)
        return range(max(first, 0), min(last, count - 1) + 1)

    def _tile_edge(self, edge: Edge, margin: int, corners: int) -> tuple[int, int, int]:
        """A, B and C of an edge of a line or triangle: A column + B row + C is positive for tiles that are not altogether on its
        wrong side. That is its function at the best corner of a tile, 37 bits; what touches a line is not on its wrong side.
        """
        x, y, a, b = edge
        corner_x = self.tile_width * ONE + margin if a > 0 else -margin
        corner_y = self.tile_height * ONE + margin if b > 0 else -margin
        c = a * (corner_x - x) + b * (corner_y - y) + (corners == 2)
        return a * self.tile_width * ONE, b * self.tile_height * ONE, c


def _edges(points: tuple[Point, ...]) -> Iterator[Edge]:
    """The edges of a primitive.

    A line has an edge there and one back: each leaves what is on one side.
    """
    turned = len(points) > 2 and _area(points) < 0
    for (x, y), (next_x, next_y) in zip(points, (*points[1:], points[0]), strict=True):
        a, b = y - next_y, next_x - x
        yield (x, y, -a, -b) if turned else (x, y, a, b)


def _area(points: tuple[Point, ...]) -> int:
    (x0, y0), (x1, y1), (x2, y2) = points
    return (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
