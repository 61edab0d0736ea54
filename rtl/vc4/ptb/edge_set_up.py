"""Edges of primitives at their first tile."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .tile_structs import (
    MARGIN_BITS,
    PLACE_BITS,
    SIXTEENTHS,
    SLOPE_BITS,
    SPAN_BITS,
    VALUE_BITS,
    EdgeSlot,
    EdgeStart,
    FrameTiles,
    PlacedPoint,
)

__all__ = ["EdgeSetUp"]

#: Of a distance from a vertex to the corner of a tile; of what a multiplier takes of it, in one part or as the lower half.
_DISTANCE_BITS, _FACTOR_BITS, _HALF = 20, 18, 17
#: Low bits of a value that edges do not have.
_LEFT_OUT = 8
_SUM_BITS = VALUE_BITS + _LEFT_OUT
_SMALLEST_TILE, _LARGEST_TILE = 4, 6


class EdgeSetUp(wiring.Component):
    """Makes edges of pairs of vertices, with two multipliers (the model's `TileGrid._tile_edge`).

    A triangle that turns clockwise has negative values inside, all others positive ones; from those of triangles that are, one is
    taken away: so both signs leave what is 0 outside. Values of a line are 0 or more inside. The distance to a tile of a line may
    be longer than a multiplier is wide, so its upper bits have a slot of their own in front.

    Behaviour: a slot a clock. Its edge is there four clocks later, and so is the sign of an area. `starts` counts two
    clocks after its slot, and so does the sign of the area. Everything waits while `run` is low, which it must not be when
    an edge or the last slot comes out.

    Interface attributes
    --------------------
    run : time goes on
    slot : what is made of both vertices
    previous, point : the vertices; two clocks after the slot of an area, `previous` is the third one
    margin, reach : how far the primitive reaches beyond them, and one less; one clock after the slot
    starts : a pixel of the first column and row of tiles
    tiles : of the frame
    clockwise, flat : the last triangle turns clockwise, has no area
    o : the edge
    last : strobe: that was the last slot
    """

    run: In(1)
    slot: In(EdgeSlot)
    previous: In(PlacedPoint)
    point: In(PlacedPoint)
    margin: In(MARGIN_BITS)
    reach: In(signed(MARGIN_BITS + 1))
    starts: In(data.ArrayLayout(SPAN_BITS, 2))
    tiles: In(FrameTiles)
    clockwise: Out(1)
    flat: Out(1)
    o: Out(EdgeStart)
    last: Out(1)

    def elaborate(self, platform):
        m = Module()
        turns = Signal()
        slots = [Signal(EdgeSlot, name=f"slot_{clock}") for clock in range(4)]
        with m.If(self.run):
            m.d.sync += [after.eq(before) for before, after in zip([self.slot, *slots], slots, strict=False)]
            # One less is wanted of an edge whose values are positive, too.
            with m.If(slots[1].edge):
                m.d.sync += slots[2].minus.eq(~slots[1].line & ~turns)
        m.d.comb += self.clockwise.eq(turns)
        m.d.sync += Assert(self.run | ~(self.o.stb | self.last), "an edge comes while `run` is low")
        axes = [
            self._axis(m, "x", slots, turns, self.starts[0], Mux(self.tiles.narrow, 1, 0)),
            self._axis(m, "y", slots, turns, self.starts[1], self.tiles.low),
        ]
        slopes = [slope for slope, _ in axes]
        self._sum(m, slots[3], slots[2].minus, turns, slopes, [product for _, product in axes])
        return m

    def _axis(self, m, name, slots, turns, start, low):
        """The coefficient along an axis, and its product with the distance."""
        # The coefficient along X is a difference of positions in Y.
        other = "y" if name == "x" else "x"
        here, there = getattr(self.previous, other), getattr(self.point, other)
        slopes = [Signal(signed(SLOPE_BITS), name=f"slope_{name}_{clock}") for clock in range(4)]
        place = Signal(signed(PLACE_BITS), name=f"place_{name}")
        rest = Signal(signed(_DISTANCE_BITS), name=f"rest_{name}")
        distance = Signal(signed(_DISTANCE_BITS), name=f"distance_{name}")
        factor = Signal(signed(_FACTOR_BITS), name=f"factor_{name}")
        product = Signal(signed(SLOPE_BITS + _FACTOR_BITS), name=f"product_{name}")
        with m.If(self.run):
            m.d.sync += [after.eq(before) for before, after in zip(slopes, slopes[1:], strict=False)]
            m.d.sync += slopes[0].eq(here - there if name == "x" else there - here)
            m.d.sync += place.eq(getattr(self.previous, name))
            # The corner of a line is beyond its tile.
            m.d.sync += rest.eq(Mux(slopes[0] < 0, ~self.reach, self.margin) - place)
        is_far = Signal(name=f"is_far_{name}")  # the best corner is that with the largest coordinate
        bits = [
            Mux(low > _LARGEST_TILE - 1 - place, start[place], is_far) for place in range(_SMALLEST_TILE, _LARGEST_TILE)
        ]
        tile = Cat(is_far.replicate(SIXTEENTHS + _SMALLEST_TILE), *bits, start[_LARGEST_TILE:])
        corner = Signal(signed(_DISTANCE_BITS), name=f"corner_{name}")
        m.d.comb += [
            is_far.eq(~slots[1].area & ((slopes[1] >= 0) ^ (turns & ~slots[1].line))),
            corner.eq(Mux(slots[1].area, getattr(self.previous, name), tile)),
        ]
        with m.If(self.run):
            # A bit below carries: that corner is where the next tile begins.
            m.d.sync += distance.eq((Cat(Const(1, 1), rest).as_signed() + Cat(is_far, corner).as_signed()) >> 1)
            m.d.sync += product.eq(slopes[2] * factor)
        with m.If(~slots[2].line):
            m.d.comb += factor.eq(distance)
        with m.Elif(slots[2].high):
            m.d.comb += factor.eq(distance >> _HALF)
        with m.Else():
            m.d.comb += factor.eq(distance[:_HALF])
        return slopes[3], product

    def _sum(self, m, slot, minus_next, turns, slopes, products):
        """Values and areas."""
        whole = Signal(signed(_SUM_BITS))
        total = Signal(signed(_SUM_BITS))
        high = Signal(_SUM_BITS - _HALF)  # of what is added: the upper half that has come before, or of -1
        falls = Signal()  # one less than the area is negative
        more = Cat(slot.minus.replicate(_HALF), high).as_signed()
        m.d.comb += [whole.eq(products[0] + products[1]), total.eq(whole + more)]
        with m.If(self.run):
            m.d.sync += high.eq(Mux(slot.high, whole[: len(high)], minus_next.replicate(len(high))))
            with m.If(slot.area & slot.minus):
                m.d.sync += falls.eq(total < 0)
            with m.Elif(slot.area):
                m.d.sync += turns.eq(whole < 0)
        m.d.comb += [
            self.flat.eq(falls & ~turns),
            *(self.o.stb.eq(slot.edge & ~slot.high), self.o.number.eq(slot.number), self.last.eq(slot.last)),
            *(self.o.value.eq(total[_LEFT_OUT:]), self.o.along.eq(slopes[0]), self.o.up.eq(slopes[1])),
        ]
