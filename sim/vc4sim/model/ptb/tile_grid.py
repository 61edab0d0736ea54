"""Which tiles a primitive touches (guide, section 9; pipeline facts, 2.1)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..cle.fields import Fields

__all__ = ["ONE", "TileGrid", "Window"]

#: A pixel, in the units of positions: s12.4 with a viewport offset, 17 bits.
ONE = 16
_TILE_PIXELS = 64

#: A position, x and y.
Point = tuple[int, int]


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
        if box or len(points) == 1:
            return [row * self.width + column for row in rows for column in columns]
        inside = self._inside(points, margin, columns, rows)
        found = np.array(rows)[:, None] * self.width + np.array(columns)
        return found[inside].tolist()

    @staticmethod
    def _span(values: list[int], margin: int, count: int, size: int, window: range | None) -> range:
        """Columns or rows of tiles that the rectangle around the primitive overlaps."""
        first, last = (min(values) - margin) // (size * ONE), (max(values) + margin - 1) // (size * ONE)
        if window is not None:
            first, last = max(first, window.start // size), min(last, (window.stop - 1) // size)
        return range(max(first, 0), min(last, count - 1) + 1)

    def _inside(self, points: tuple[Point, ...], margin: int, columns: range, rows: range) -> np.ndarray:
        """Which of these tiles are not altogether on the wrong side of an edge, [row, column]. Edge functions have 37 bits."""
        left = np.array(columns, np.int64) * self.tile_width * ONE - margin
        bottom = np.array(rows, np.int64)[:, None] * self.tile_height * ONE - margin
        right = left + self.tile_width * ONE + 2 * margin
        top = bottom + self.tile_height * ONE + 2 * margin
        inside = np.ones((len(rows), len(columns)), bool)
        for x, y, a, b in _edges(points):
            highest = a * ((right if a > 0 else left) - x) + b * ((top if b > 0 else bottom) - y)
            inside &= highest > 0 if len(points) > 2 else highest >= 0
        return inside


def _edges(points: tuple[Point, ...]) -> Iterator[tuple[int, int, int, int]]:
    """A point of each edge, and the coefficients of its edge function, which is positive inside.

    A line has an edge there and one back: each leaves what is on one side.
    """
    turned = len(points) > 2 and _area(points) < 0
    for (x, y), (next_x, next_y) in zip(points, (*points[1:], points[0]), strict=True):
        a, b = y - next_y, next_x - x
        yield (x, y, -a, -b) if turned else (x, y, a, b)


def _area(points: tuple[Point, ...]) -> int:
    (x0, y0), (x1, y1), (x2, y2) = points
    return (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
