"""The tiles of a rectangle that a primitive touches."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import TILE_BITS
from .tile_edges import TileEdges
from .tile_structs import COUNT_BITS, TILE_EDGES, EdgeStart, FrameTiles, TilesFound

__all__ = ["BoxWalk"]


class BoxWalk(wiring.Component):
    """Goes through a rectangle of tiles, row by row, each from the left, and finds those that no edge leaves out.

    Behaviour: a tile a clock, the first one a clock after `starts`. A row is left as soon as nothing more of it is inside.

    Interface attributes
    --------------------
    edge : an edge at the first tile
    tiles : of the frame
    counts : edges of the primitive, a bit each
    negative : values are negative inside, else positive or 0
    found : the rectangle; it must not change in the clock before `starts`
    starts : strobe: the edges are there; there is a tile in the rectangle
    touches : this is a tile that the primitive touches
    takes : strobe: it goes on after it
    tile : its number
    ends : strobe: there are no more after this tile
    """

    edge: In(EdgeStart)
    tiles: In(FrameTiles)
    counts: In(TILE_EDGES)
    negative: In(1)
    found: In(TilesFound)
    starts: In(1)
    touches: Out(1)
    takes: In(1)
    tile: Out(TILE_BITS)
    ends: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.tile_edges = edges = TileEdges()
        found, tiles = self.found, self.tiles
        active = Signal()
        moves = Signal()
        row_ends = Signal()
        column = Signal(COUNT_BITS)
        row = Signal(COUNT_BITS)
        first_column, last_column, last_row = (
            Signal(COUNT_BITS, name=f"{name}_kept") for name in ("first", "last", "row")
        )
        first_tile = Signal(TILE_BITS)  # of the primitive's first row
        row_tile = Signal(TILE_BITS)
        m.d.sync += first_tile.eq(found.first_row * tiles.width)
        m.d.comb += [
            *(edges.start.eq(self.edge), edges.tiles.eq(tiles), edges.counts.eq(self.counts)),
            *(
                edges.negative.eq(self.negative),
                edges.next.eq(self.starts | moves),
                edges.row.eq(self.starts | row_ends),
            ),
            row_ends.eq((column == last_column) | edges.leaves),
            moves.eq(active & (edges.outside | self.takes)),
            *(self.touches.eq(active & ~edges.outside), self.tile.eq(row_tile + column)),
            self.ends.eq(moves & row_ends & (row == last_row)),
        ]
        with m.If(self.starts):
            m.d.sync += [
                *(active.eq(1), row.eq(found.first_row), row_tile.eq(first_tile), column.eq(found.first_column)),
                *(first_column.eq(found.first_column), last_column.eq(found.last_column), last_row.eq(found.last_row)),
            ]
        with m.Elif(moves):
            m.d.sync += [active.eq(~self.ends), column.eq(Mux(row_ends, first_column, column + 1))]
            with m.If(row_ends):
                m.d.sync += [row.eq(row + 1), row_tile.eq(row_tile + tiles.width)]
        return m
