"""The vertices of primitives, one by one."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.records.compressed import VERTICES
from vc4.records.primitives import INDEX_BITS

from .structs import IndexedPrimitive, IndexedVertex

__all__ = ["VertexWalk"]


class VertexWalk(wiring.Component):
    """Takes primitives apart.

    Behaviour: a vertex comes every clock, the first one two clocks after its primitive. What is on offer comes from a register,
    and who offers primitives does not hear in the same clock whether it is taken: two more vertices wait here.

    Interface attributes
    --------------------
    i : stream of `IndexedPrimitive`
    o : stream of `IndexedVertex`
    any : a vertex has come that was not taken
    restarts : strobe: the primitive whose vertex is on offer comes once more, from its first one on
    forgets : nothing comes in, and what has come is forgotten one by one; until `any` falls at least
    """

    i: In(stream.Signature(IndexedPrimitive))
    o: Out(stream.Signature(IndexedVertex))
    any: Out(1)
    restarts: In(1)
    forgets: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.vertices = queue = Queue(IndexedVertex, 2)
        self._enter(m, queue.i)
        out, coming = self.o.payload, queue.o.payload
        come = Signal(data.ArrayLayout(INDEX_BITS, len(self.i.payload.indices)))  # of the primitive on offer
        newest = Signal.like(out.number)  # of these
        complete = Signal()  # it is the last one
        behind = Signal()  # what is on offer is not the newest one
        repeats = Signal()
        number = Signal.like(out.number)  # of the vertex that comes once more
        moves = Signal()
        advances = Signal()
        m.d.comb += [
            moves.eq(self.o.valid & self.o.ready),
            advances.eq(moves | self.restarts | ~self.o.valid),
            repeats.eq(self.restarts | (moves & behind)),
            number.eq(Mux(self.restarts, 0, out.number + 1)),
            queue.o.ready.eq((advances & ~repeats) | self.forgets),
            self.any.eq(self.o.valid | queue.o.valid),
        ]
        with m.If(self.forgets):
            m.d.sync += self.o.valid.eq(0)
        with m.Elif(repeats):
            m.d.sync += [
                out.index.eq(come[number]),
                out.number.eq(number),
                out.is_last.eq(complete & (number == newest)),
                behind.eq(number != newest),
            ]
        with m.Elif(advances):
            m.d.sync += [
                self.o.valid.eq(queue.o.valid),
                out.eq(coming),
                come[coming.number].eq(coming.index),
                newest.eq(coming.number),
                complete.eq(coming.is_last),
                behind.eq(0),
            ]
        return m

    def _enter(self, m, vertices):
        """A primitive moves with its last vertex."""
        primitive, vertex = self.i.payload, vertices.payload
        m.d.comb += [
            vertex.index.eq(primitive.indices[vertex.number]),
            vertex.type.eq(primitive.type),
            vertex.clipped.eq(primitive.clipped),
            vertices.valid.eq(self.i.valid & ~self.forgets),
            self.i.ready.eq(vertices.valid & vertices.ready & vertex.is_last),
        ]
        with m.Switch(primitive.type):
            for type_, count in VERTICES.items():
                with m.Case(type_):
                    m.d.comb += vertex.is_last.eq(vertex.number == count - 1)
        with m.If(self.forgets):
            m.d.sync += vertex.number.eq(0)
        with m.Elif(vertices.valid & vertices.ready):
            m.d.sync += vertex.number.eq(Mux(vertex.is_last, 0, vertex.number + 1))
