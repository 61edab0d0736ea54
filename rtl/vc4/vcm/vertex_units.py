"""What vertices have in memory, piece by piece."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.primitives import INDEX_BITS
from vc4.records.shaders import ATTRIBUTE_ARRAYS
from vc4.vpm.structs import DOWN_BITS, DmaUnit

from .structs import BATCH, Batch, VertexArray

__all__ = ["VertexUnits"]


class _Step(data.Struct):
    """A vertex on its way."""

    valid: unsigned(1)
    column: range(BATCH)
    array: VertexArray
    final: unsigned(1)


class VertexUnits(wiring.Component):
    """Walks over the arrays of a batch, and in each over its vertices (guide, figure 10).

    Behaviour: a unit comes every clock; between arrays is no pause. The first one of a batch comes four clocks after it was
    taken. The next batch is taken with the last vertex of the one before.

    Interface attributes
    --------------------
    i : stream of batches
    arrays : which arrays the batch has, one at least
    number, array : one of these, in the same clock
    vertex, step, index : a vertex of the batch, and its index after the clock of `step`
    o : stream of `DmaUnit`, down the columns of the batch; the last one of a batch is final
    """

    i: In(stream.Signature(Batch))
    arrays: In(ATTRIBUTE_ARRAYS)
    number: Out(range(ATTRIBUTE_ARRAYS))
    array: In(VertexArray)
    vertex: Out(range(BATCH))
    step: Out(1)
    index: In(INDEX_BITS)
    o: Out(stream.Signature(DmaUnit))

    def elaborate(self, platform):
        m = Module()
        done = Signal(ATTRIBUTE_ARRAYS)  # arrays that were walked over
        left = Signal(ATTRIBUTE_ARRAYS)
        final = Signal()
        last = Signal()
        found = Signal(_Step)
        product = Signal(_Step)
        offset = Signal(32)
        advances = Signal()
        m.d.comb += [
            left.eq(self.arrays & ~done),
            final.eq((left & (left - 1)) == 0),
            last.eq(self.vertex == self.i.payload.last),
            advances.eq(~self.o.valid | self.o.ready),
            self.step.eq(self.i.valid & advances),
            self.i.ready.eq(advances & last & final),
        ]
        for number in reversed(range(ATTRIBUTE_ARRAYS)):
            with m.If(left[number]):
                m.d.comb += self.number.eq(number)
        with m.If(self.step):
            m.d.sync += self.vertex.eq(self.vertex + 1)
            with m.If(last):
                m.d.sync += [self.vertex.eq(0), done.eq(Mux(final, 0, done | (left & -left)))]
        unit = self.o.payload
        with m.If(advances):
            m.d.sync += [
                found.valid.eq(self.i.valid),
                found.column.eq(self.vertex),
                found.array.eq(self.array),
                found.final.eq(last & final),
                product.eq(found),
                offset.eq(self.index * found.array.stride),
                self.o.valid.eq(product.valid),
                unit.vertical.eq(1),
                unit.place.eq(Cat(product.array.offset, Const(0, DOWN_BITS - 8), product.column)),
                unit.length.eq(product.array.length),
                unit.address.eq(product.array.address + offset),
                unit.final.eq(product.final),
            ]
        return m
