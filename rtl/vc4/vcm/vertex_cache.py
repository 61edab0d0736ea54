"""Which vertices of primitives a batch has already."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import VERTICES
from vc4.records.primitives import INDEX_BITS

from .structs import BATCH, MOST_PRIMITIVES, CachedPrimitive, IndexedPrimitive, IndexWrite
from .vertex_walk import VertexWalk

__all__ = ["VertexCache"]


class VertexCache(wiring.Component):
    """Collects primitives until their vertices fill a batch (pipeline facts, 3.6).

    Behaviour: looks up a vertex a clock, the first one of a primitive two clocks after it came or later, and the primitive is at
    the output in the clock after its last one. A primitive whose new vertices have no room, or for which there are too many
    in the batch, ends that, in the clock after it is known, and is looked up anew.

    Interface attributes
    --------------------
    i : stream of `IndexedPrimitive`
    o : stream of `CachedPrimitive`: the same with columns
    writes : the index of a column of the batch
    last : the number of the last vertex of the batch, without the primitive that is looked up
    any : it has some
    looks_up : a primitive has come that is not at the output yet
    full : the batch ends, as soon as `closes`
    closes : strobe: it has ended, now or when there are no more primitives
    forgets : everything that has come is forgotten; until `looks_up` falls at least
    """

    i: In(stream.Signature(IndexedPrimitive))
    o: Out(stream.Signature(CachedPrimitive))
    writes: Out(IndexWrite)
    last: Out(range(BATCH))
    any: Out(1)
    looks_up: Out(1)
    full: Out(1)
    closes: In(1)
    forgets: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.walk = walk = VertexWalk()
        connect(m, flipped(self.i), walk.i)
        vertex, index = walk.o.payload, walk.o.payload.index
        indices = Signal(data.ArrayLayout(INDEX_BITS, BATCH))
        has = Signal(BATCH)  # columns that are in use, with those of the primitive that is looked up
        used = Signal(range(BATCH + 1))  # how many these are
        settled = Signal(range(BATCH + 1))  # without
        hits = Signal(BATCH)  # one at the most
        is_new = Signal()
        column = Signal(range(BATCH))
        moves = Signal()
        lacks_room = Signal()
        primitives = Signal(range(MOST_PRIMITIVES + 1))  # of the batch
        m.d.comb += [
            hits.eq(has & Cat(one == index for one in indices)),
            is_new.eq(~hits.any()),
            column.eq(Mux(is_new, used, _number_of(hits))),
            lacks_room.eq((is_new & has.all()) | (primitives == MOST_PRIMITIVES)),
            moves.eq(walk.o.valid & ~lacks_room & ~self.full & (~vertex.is_last | ~self.o.valid | self.o.ready)),
            walk.o.ready.eq(moves),
            walk.restarts.eq(self.closes),
            walk.forgets.eq(self.forgets),
            self.looks_up.eq(walk.any),
            self.any.eq(settled != 0),
            self.last.eq(settled - 1),
            # Also one that the batch has: nobody looks at the column before it is used, and whether it is takes long to know.
            self.writes.valid.eq(walk.o.valid & ~has.all()),
            self.writes.column.eq(used),
            self.writes.index.eq(index),
        ]
        with m.If(self.writes.valid):
            m.d.sync += indices[self.writes.column].eq(index)
        with m.If(moves & is_new):
            m.d.sync += [used.eq(used + 1), has.eq(Cat(1, has))]
        with m.If(moves & vertex.is_last):
            m.d.sync += [settled.eq(used + is_new), primitives.eq(primitives + 1)]
        m.d.sync += self.full.eq(walk.o.valid & lacks_room & ~self.closes & ~self.forgets)
        with m.If(self.closes | self.forgets):
            m.d.sync += [used.eq(0), has.eq(0), settled.eq(0), primitives.eq(0)]
        self._give(m, walk.o, moves, column)
        return m

    def _give(self, m, offered, moves, column):
        """The primitive; its last column is that of this clock."""
        vertex, out = offered.payload, self.o.payload
        columns = Signal.like(out.columns)  # of the vertices before this one
        indices = Signal.like(out.indices)
        with m.If(offered.valid):
            m.d.sync += [columns[vertex.number].eq(column), indices[vertex.number].eq(vertex.index)]
        with m.If(self.o.ready | self.forgets):
            m.d.sync += self.o.valid.eq(0)
        with m.If(moves & vertex.is_last):
            m.d.sync += [self.o.valid.eq(~self.forgets), out.type.eq(vertex.type)]
            m.d.sync += [out.clipped.eq(vertex.clipped), out.opens.eq(~self.any)]
            for own, kept, now in (out.columns, columns, column), (out.indices, indices, vertex.index):
                for place in range(VERTICES):
                    m.d.sync += own[place].eq(Mux(vertex.number == place, now, kept[place]))


def _number_of(one_hot):
    """Which bit is set."""
    bits = range((len(one_hot) - 1).bit_length())
    return Cat(Cat(bit for place, bit in enumerate(one_hot) if place >> number & 1).any() for number in bits)
