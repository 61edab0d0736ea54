"""Which quads of a row a primitive may cover."""

import operator

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import EDGES
from vc4.records.quads import TILE_QUAD_BITS
from vc4.records.samples import PIXEL

from .structs import RasterPrimitive, RowSpan, TileEdge

__all__ = ["RowSpans"]

#: Sixteenths of a pixel from a quad to the next one.
_SIDE = 2 * PIXEL
_SIDE_BITS = _SIDE.bit_length() - 1
_LAST_BIT = TILE_QUAD_BITS - 1
_VALUE = signed(32)
_STEP = signed(TileEdge.as_shape()["a"].shape.width + _SIDE_BITS + _LAST_BIT)


class _Limits(data.Struct):
    """What an edge leaves of a row.

    falls : quads up to the last one that is not outside; else those after the last one that is
    any : there is such a last one
    """

    falls: unsigned(1)
    any: unsigned(1)
    last: unsigned(TILE_QUAD_BITS)


class _Found(data.Struct):
    """A row whose edges are done."""

    valid: unsigned(1)
    row: unsigned(TILE_QUAD_BITS)
    ends: unsigned(1)
    limits: data.ArrayLayout(_Limits, EDGES)


class RowSpans(wiring.Component):
    """Goes through the rows of a primitive, and finds in each the quads that are not outside of an edge as a whole.

    How far a quad is inside of an edge grows or falls along a row, so the last quad that is not yet, or still is, inside is
    found bit by bit.

    Behaviour: a row comes every five clocks, the first one nine clocks after the primitive came, or later. The next primitive
    is taken two clocks after the last row.

    Interface attributes
    --------------------
    i : stream of `RasterPrimitive`
    primitive : that of the rows
    o : stream of `RowSpan`, from the lowest row up
    """

    i: In(stream.Signature(RasterPrimitive))
    primitive: Out(RasterPrimitive)
    o: Out(stream.Signature(RowSpan))

    def elaborate(self, platform):
        m = Module()
        primitive = self.primitive
        active = Signal()
        begun = Signal()  # rows have values
        row = Signal(TILE_QUAD_BITS)
        searches = Signal()
        bit = Signal(TILE_QUAD_BITS, init=1 << _LAST_BIT)  # that is found now
        done = Signal()
        loads = Signal()  # the next row begins
        ends = Signal()  # there is none
        over = Signal()
        found = Signal(_Found)
        room = Signal()  # for what is found
        leaves = Signal()  # the last row is taken
        m.d.comb += [
            ends.eq(row == primitive.high[1:]),
            done.eq(searches & bit[0] & room),
            loads.eq(begun & ~over & (~searches | (done & ~ends))),
            # Rows are further apart than it takes to know that one is gone.
            room.eq(~found.valid | ~self.o.valid),
            leaves.eq(over & ~found.valid & self.o.ready),
            self.i.ready.eq(~active),
        ]
        with m.If(searches & ~bit[0]):
            m.d.sync += bit.eq(bit >> 1)
        with m.If(done):
            m.d.sync += [searches.eq(0), over.eq(ends), row.eq(Mux(ends, 0, row + 1))]
        with m.If(loads):
            m.d.sync += [searches.eq(1), bit.eq(1 << _LAST_BIT)]
        with m.If(leaves):
            m.d.sync += [over.eq(0), active.eq(0)]
        with m.If(self.i.valid & ~active):
            m.d.sync += [active.eq(1), primitive.eq(self.i.payload)]
        m.d.sync += begun.eq(active & ~leaves)
        with m.If(room):
            m.d.sync += [found.valid.eq(done), found.row.eq(row), found.ends.eq(ends)]
        self._edges(m, primitive, begun, loads, bit, found, room)
        self._combine(m, primitive, found)
        return m

    def _edges(self, m, primitive, begun, loads, bit, found, room):
        """What each edge leaves of a row."""
        for number in range(EDGES):
            edge, limits = primitive.edges[number], found.limits[number]
            falls = edge.a < 0
            reach = Mux(falls, 0, edge.a) + Mux(edge.b < 0, 0, edge.b)
            start = Signal(_VALUE, name=f"start_{number}")  # the most that a sample of the next row's first quad has
            value = Signal(_VALUE, name=f"value_{number}")  # of the quad that was found
            step = Signal(_STEP, name=f"step_{number}")  # to the one that is tried
            last = Signal(TILE_QUAD_BITS, name=f"last_{number}")
            any_found = Signal(name=f"any_found_{number}")
            further = Signal(_VALUE, name=f"further_{number}")
            holds = Signal(name=f"holds_{number}")
            m.d.comb += [
                further.eq(value + step),
                # It is still outside of an edge that it comes into, or still inside of one that it leaves.
                holds.eq(any_found & ((further < 0) != falls)),
            ]
            with m.If(~begun):
                m.d.sync += start.eq(edge.c + (reach << _SIDE_BITS))
            with m.If(loads):
                m.d.sync += [value.eq(start), last.eq(0), any_found.eq((start < 0) != falls)]
                m.d.sync += [start.eq(start + (edge.b << _SIDE_BITS)), step.eq(edge.a << _SIDE_BITS + _LAST_BIT)]
            with m.Elif(~bit[0]):
                m.d.sync += step.eq(step >> 1)
                with m.If(holds):
                    m.d.sync += [value.eq(further), last.eq(last | bit)]
            with m.If(room):
                m.d.sync += [
                    limits.falls.eq(falls),
                    limits.any.eq(any_found),
                    limits.last.eq(last | Mux(holds, bit, 0)),
                ]

    def _combine(self, m, primitive, found):
        """All of them together, a clock later."""
        span = self.o.payload
        first = Signal(TILE_QUAD_BITS + 1)
        nothing = Signal()
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(~self.o.valid):
            m.d.sync += [
                self.o.valid.eq(found.valid),
                span.row.eq(found.row),
                first.eq(_extreme([Mux(one.falls | ~one.any, 0, one.last + 1) for one in found.limits], operator.gt)),
                span.last.eq(
                    _extreme(
                        [one.last | ~one.falls.replicate(TILE_QUAD_BITS) for one in found.limits],
                        operator.lt,
                    )
                ),
                nothing.eq(Cat(one.falls & ~one.any for one in found.limits).any()),
                span.opens.eq(found.row == 0),
                span.ends.eq(found.ends),
            ]
        m.d.comb += [
            span.first.eq(first),
            span.is_empty.eq(nothing | (first > span.last) | (first > primitive.right[1:])),
        ]


def _extreme(values, comes_first):
    """The one of `values` that comes before all others."""
    if len(values) == 1:
        return values[0]
    one, other = (_extreme(part, comes_first) for part in (values[: len(values) // 2], values[len(values) // 2 :]))
    return Mux(comes_first(one, other), one, other)
