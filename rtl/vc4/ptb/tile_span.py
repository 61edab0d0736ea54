"""The rectangle of tiles around a primitive."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .tile_structs import (
    COUNT_BITS,
    MARGIN_BITS,
    PLACE_BITS,
    SIXTEENTHS,
    SPAN_BITS,
    FrameTiles,
    PixelWindow,
    PlacedPoint,
    TilesFound,
)

__all__ = ["TileSpan"]

#: Sums of a position and a margin; pixels, of them or of a window; tiles that begin there.
_SUM_BITS = 19
_PIXEL_BITS = 18
_TILE_BITS = _PIXEL_BITS - SIXTEENTHS
#: Of the largest tile; of a window's left and right.
_LARGEST = 6
_LIMIT_BITS = 17


class TileSpan(wiring.Component):
    """Columns and rows of tiles that the rectangle around a primitive overlaps, inside of window and frame: the model's
    `TileGrid._span`, twice.

    Behaviour: a vertex a clock; then in four clocks the turns left, low, right, high, each a clock after the one before. What
    comes of left and low is there two clocks after their turn, of right and high three. Everything waits while `run` is
    low.

    Interface attributes
    --------------------
    run : time goes on
    point, first, more : strobe: the first vertex, or another one
    reach : one less than how far the primitive reaches beyond them
    turns : strobe: which of the four
    window, tiles : of the frame
    starts : a pixel of the first column and row, x and y
    o : the rectangle
    """

    run: In(1)
    point: In(PlacedPoint)
    first: In(1)
    more: In(1)
    reach: In(signed(MARGIN_BITS + 1))
    turns: In(4)
    window: In(PixelWindow)
    tiles: In(FrameTiles)
    starts: Out(data.ArrayLayout(SPAN_BITS, 2))
    o: Out(TilesFound)

    def elaborate(self, platform):
        m = Module()
        corner = Signal(signed(PLACE_BITS))
        self._corners(m, corner)
        is_high = self.turns[2] | self.turns[3]
        is_y = self.turns[1] | self.turns[3]
        window = self.window
        base = Mux(is_y, window.bottom, window.left)
        more = Mux(is_y, window.top, window.right)
        total = Signal(signed(_SUM_BITS))
        limit = Signal(_LIMIT_BITS)
        turns = Signal(4)
        with m.If(self.run):
            m.d.sync += [
                total.eq(corner + Mux(is_high, self.reach, ~self.reach)),
                *(limit.eq(base + Mux(is_high, more, 0)), turns.eq(self.turns)),
            ]
        highest = turns[2] | turns[3]
        pixel = Signal(signed(_PIXEL_BITS))
        below = Signal()
        tile = Signal(signed(_TILE_BITS))
        m.d.comb += [
            below.eq((total >> SIXTEENTHS) < limit),
            pixel.eq(Mux(below ^ highest, limit, total >> SIXTEENTHS)),
        ]
        with m.Switch(Mux(turns[0] | turns[2], self.tiles.narrow, self.tiles.low)):
            for low in range(3):
                with m.Case(low):
                    m.d.comb += tile.eq(pixel >> _LARGEST - low)
        self._bounds(m, turns, pixel, tile)
        return m

    def _corners(self, m, corner):
        """The rectangle around the vertices; that corner whose turn it is."""
        point, values = self.point, []
        for name, place in (("x", point.x), ("y", point.y)):
            low = Signal(signed(PLACE_BITS), name=f"low_{name}")
            high = Signal(signed(PLACE_BITS), name=f"high_{name}")
            with m.If(self.run & (self.first | (self.more & (place < low)))):
                m.d.sync += low.eq(place)
            with m.If(self.run & (self.first | (self.more & (high < place)))):
                m.d.sync += high.eq(place)
            values.append((low, high))
        (left, right), (low, high) = values
        with m.If(self.turns[0]):
            m.d.comb += corner.eq(left)
        with m.Elif(self.turns[1]):
            m.d.comb += corner.eq(low)
        with m.Elif(self.turns[2]):
            m.d.comb += corner.eq(right)
        with m.Else():
            m.d.comb += corner.eq(high)

    def _bounds(self, m, turns, pixel, tile):
        """First and last columns and rows."""
        firsts = [Signal(_TILE_BITS, name=f"first_{name}") for name in "xy"]
        for axis, first in enumerate(firsts):
            with m.If(self.run & turns[axis]):
                m.d.sync += [first.eq(tile), self.starts[axis].eq(pixel)]
        m.d.comb += [self.o.first_column.eq(firsts[0]), self.o.first_row.eq(firsts[1])]
        last = Signal(signed(_TILE_BITS))
        columns, rows = Signal(name="columns"), Signal(name="rows")
        count = Signal(COUNT_BITS)
        first = Signal(_TILE_BITS)
        m.d.comb += [
            count.eq(Mux(rows, self.tiles.height, self.tiles.width)),
            first.eq(Mux(rows, firsts[1], firsts[0])),
        ]
        bound = Signal(COUNT_BITS)
        none = Signal()
        nowhere = Signal()
        m.d.comb += [
            self.o.none.eq(nowhere),
            bound.eq(Mux(last >= count, count - 1, last)),
            none.eq((last < first) | (first >= count)),
        ]
        with m.If(self.run):
            m.d.sync += [last.eq(tile), columns.eq(turns[2]), rows.eq(turns[3])]
            with m.If(columns):
                m.d.sync += [self.o.last_column.eq(bound), nowhere.eq(none)]
            with m.If(rows):
                m.d.sync += [self.o.last_row.eq(bound), nowhere.eq(nowhere | none)]
