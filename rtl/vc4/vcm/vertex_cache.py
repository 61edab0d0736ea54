"""Which vertices of primitives a batch has already."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import Primitive
from vc4.records.compressed import VERTICES
from vc4.records.primitives import INDEX_BITS

from .structs import BATCH, MOST_PRIMITIVES, IndexWrite, PlacedPrimitive

__all__ = ["VertexCache"]


class VertexCache(wiring.Component):
    """Collects primitives until their vertices fill a batch (pipeline facts, 3.6).

    Behaviour: looks up a vertex a clock, and the primitive is at the output in the clock after its last one. A primitive whose
    new vertices have no room, or for which there are too many in the batch, ends that, in the clock after it is known, and is
    looked up anew.

    Interface attributes
    --------------------
    i : stream of primitives with indices
    o : stream of the same with columns in place of indices
    writes : the index of a column of the batch
    last : the number of the last vertex of the batch, without the primitive that is looked up
    any : it has some
    full : the batch ends, as soon as `closes`
    closes : strobe: it has ended, now or when there are no more primitives
    resets : strobe: so has everything else
    """

    i: In(stream.Signature(Primitive))
    o: Out(stream.Signature(PlacedPrimitive))
    writes: Out(IndexWrite)
    last: Out(range(BATCH))
    any: Out(1)
    full: Out(1)
    closes: In(1)
    resets: In(1)

    def elaborate(self, platform):
        m = Module()
        indices = Signal(data.ArrayLayout(INDEX_BITS, BATCH))
        used = Signal(range(BATCH + 1))  # columns, with those of the primitive that is looked up
        settled = Signal(range(BATCH + 1))  # without
        number = Signal(range(len(self.i.payload.vertices)))  # of the vertex
        columns = Signal(data.ArrayLayout(range(BATCH), len(self.i.payload.vertices)))
        index = Signal(INDEX_BITS)
        hits = Signal(BATCH)
        column = Signal(range(BATCH))
        is_last = Signal()
        moves = Signal()
        lacks_room = Signal()
        primitives = Signal(range(MOST_PRIMITIVES + 1))  # of the batch
        m.d.comb += [
            index.eq(self.i.payload.vertices[number]),
            hits.eq(Cat((one == index) & (place < used) for place, one in enumerate(indices))),
            column.eq(used),
            lacks_room.eq((~hits.any() & (used == BATCH)) | (primitives == MOST_PRIMITIVES)),
            moves.eq(self.i.valid & ~lacks_room & ~self.full & (~is_last | ~self.o.valid | self.o.ready)),
            self.i.ready.eq(moves & is_last),
            self.any.eq(settled != 0),
            self.last.eq(settled - 1),
            # Also one that the batch has: nobody looks at the column before it is used, and whether it is takes long to know.
            self.writes.valid.eq(self.i.valid & (used != BATCH)),
            self.writes.column.eq(used),
            self.writes.index.eq(index),
        ]
        for place, hit in enumerate(hits):
            with m.If(hit):
                m.d.comb += column.eq(place)
        with m.Switch(self.i.payload.type):
            for type_, count in VERTICES.items():
                with m.Case(type_):
                    m.d.comb += is_last.eq(number == count - 1)
        with m.If(self.writes.valid):
            m.d.sync += indices[self.writes.column].eq(index)
        with m.If(moves):
            m.d.sync += [number.eq(Mux(is_last, 0, number + 1)), columns[number].eq(column)]
            with m.If(~hits.any()):
                m.d.sync += used.eq(used + 1)
            with m.If(is_last):
                m.d.sync += [settled.eq(used + ~hits.any()), primitives.eq(primitives + 1)]
        m.d.sync += self.full.eq(self.i.valid & lacks_room & ~self.closes & ~self.resets)
        with m.If(self.closes | self.resets):
            m.d.sync += [used.eq(0), settled.eq(0), number.eq(0), primitives.eq(0)]
        self._primitive(m, moves & is_last, columns, number, column)
        return m

    def _primitive(self, m, complete, columns, number, column):
        """The primitive; its last column is that of this clock."""
        primitive, out = self.i.payload, self.o.payload
        with m.If(self.o.ready | self.resets):
            m.d.sync += self.o.valid.eq(0)
        with m.If(complete):
            m.d.sync += [self.o.valid.eq(~self.resets), out.type.eq(primitive.type)]
            m.d.sync += [out.clipped.eq(primitive.clipped), out.opens.eq(~self.any)]
            for place, vertex in enumerate(out.vertices):
                m.d.sync += vertex.eq(Mux(number == place, column, columns[place]))
