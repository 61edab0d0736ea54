"""Edges of a primitive at one tile after the other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .tile_structs import SLOPE_BITS, TILE_EDGES, VALUE_BITS, EdgeStart, FrameTiles

__all__ = ["TileEdges"]

#: Of what a value changes from a tile to the next one.
_STEP_BITS = SLOPE_BITS + 2


class TileEdges(wiring.Component):
    """Says whether a tile is on the wrong side of an edge (the model's `TileGrid.touched`).

    Behaviour: a tile a clock.

    Interface attributes
    --------------------
    start : an edge at the first tile
    tiles : of the frame
    counts : edges of the primitive, a bit each
    negative : values are negative inside, else positive or 0
    next : strobe: the next tile
    row : it is the first one of the next row, or of all
    outside : the tile is on the wrong side of an edge
    leaves : and so are all after it in its row
    """

    start: In(EdgeStart)
    tiles: In(FrameTiles)
    counts: In(TILE_EDGES)
    negative: In(1)
    next: In(1)
    row: In(1)
    outside: Out(1)
    leaves: Out(1)

    def elaborate(self, platform):
        m = Module()
        start, tiles = self.start, self.tiles
        step_x = Signal(signed(_STEP_BITS))
        step_y = Signal(signed(_STEP_BITS))
        m.d.comb += step_x.eq(Mux(tiles.narrow, start.along << 1, start.along << 2))
        with m.Switch(tiles.low):
            for low in range(3):
                with m.Case(low):
                    m.d.comb += step_y.eq(start.up << 2 - low)
        outside, leaves = [], []
        for number, counts in enumerate(self.counts):
            value = Signal(signed(VALUE_BITS), name=f"value_{number}")
            row = Signal(signed(VALUE_BITS), name=f"row_{number}")  # at the first tile of the next one
            along = Signal(signed(_STEP_BITS), name=f"along_{number}")
            up = Signal(signed(_STEP_BITS), name=f"up_{number}")
            with m.If(start.stb & (start.number == number)):
                m.d.sync += [row.eq(start.value), along.eq(step_x), up.eq(step_y)]
            with m.Elif(self.next & self.row):
                m.d.sync += row.eq(row + up)
            with m.If(self.next):
                m.d.sync += value.eq(Mux(self.row, row, value + along))
            outside.append(counts & (value[-1] ^ self.negative))
            leaves.append(outside[-1] & (along[-1] == value[-1]))
        m.d.comb += [self.outside.eq(Cat(outside).any()), self.leaves.eq(Cat(leaves).any())]
        return m
