"""Zeros in rows of the VPM."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.vpm.structs import ROW_WORDS, QuadWrite
from vc4.vpm.window import BLOCK_BITS

from .structs import PlacedBatch

__all__ = ["RowClear"]

#: Quads of a block.
_QUADS = ROW_WORDS


class RowClear(wiring.Component):
    """Clears the rows of a batch, so that its vertices do not depend on those before: what no attribute fills, and what a
    program does not write, is 0 (docs/reference/rendering.md).

    Behaviour: writes a quad a clock, and hands the batch on in the clock of the last one.

    Interface attributes
    --------------------
    i, o : streams of `PlacedBatch`
    writes : stream of `QuadWrite`
    """

    i: In(stream.Signature(PlacedBatch))
    o: Out(stream.Signature(PlacedBatch))
    writes: Out(stream.Signature(QuadWrite))

    def elaborate(self, platform):
        m = Module()
        attributes, results = self.i.payload.attributes, self.i.payload.results
        quad = Signal(range(_QUADS))
        block = Signal(BLOCK_BITS)  # cleared ones
        blocks = Signal(BLOCK_BITS)
        over = Signal()
        write = self.writes.payload
        m.d.comb += [
            blocks.eq(attributes.count + results.count),
            over.eq(block == blocks),
            self.writes.valid.eq(self.i.valid & ~over),
            write.address.row.eq(Cat(Const(0, 2), (attributes.first + block)[:BLOCK_BITS])),
            write.address.column.eq(quad),
            write.address.vertical.eq(1),
            write.enable.eq(~0),
            self.o.payload.eq(self.i.payload),
            self.o.valid.eq(self.i.valid & over),
            self.i.ready.eq(self.o.ready & over),
        ]
        with m.If(self.writes.valid & self.writes.ready):
            m.d.sync += quad.eq(quad + 1)
            with m.If(quad == _QUADS - 1):
                m.d.sync += block.eq(block + 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += block.eq(0)
        return m
