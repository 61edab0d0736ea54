"""Zeros in rows of the VPM."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.vpm.structs import ROW_WORDS, QuadWrite
from vc4.vpm.window import BLOCK_BITS

from .structs import BATCH, THREADS, PlacedBatch, VertexFormat

__all__ = ["RowClear"]

#: Quads of a block.
_QUADS = ROW_WORDS


class RowClear(wiring.Component):
    """Clears the rows of a batch into which something comes from memory, so that its vertices do not depend on those before:
    what no attribute fills is 0 (docs/reference/rendering.md). Blocks that sixteen vertices fill are left out.

    Behaviour: writes a quad a clock, sixteen for each block, and hands the batch on in the clock after the last one.

    Interface attributes
    --------------------
    formats : of the batches of each thread
    i, o : streams of `PlacedBatch`
    writes : stream of `QuadWrite`, all of them zeros
    """

    formats: In(data.ArrayLayout(VertexFormat, THREADS))
    i: In(stream.Signature(PlacedBatch))
    o: Out(stream.Signature(PlacedBatch))
    writes: Out(stream.Signature(QuadWrite))

    def elaborate(self, platform):
        m = Module()
        attributes, results = self.i.payload.attributes, self.i.payload.results
        quad = Signal(range(_QUADS))
        done = Signal(BLOCK_BITS)  # blocks that were cleared
        skipped = Signal(BLOCK_BITS)
        blocks = Signal(BLOCK_BITS)
        over = Signal()
        write = self.writes.payload
        format_ = Signal(VertexFormat)
        batch = self.i.payload.batch
        m.d.comb += format_.eq(self.formats[batch.thread])
        with m.If(~format_.shades):
            m.d.comb += blocks.eq(format_.partial & (results.count != 0))
        with m.Elif(format_.gapless & (batch.last == BATCH - 1) & (attributes.count != 0)):
            m.d.comb += [blocks.eq(format_.partial), skipped.eq(attributes.count - format_.partial)]
        with m.Else():
            m.d.comb += blocks.eq(attributes.count)
        m.d.comb += [
            over.eq(done == blocks),
            self.writes.valid.eq(self.i.valid & ~over),
            write.address.row.eq(Cat(Const(0, 2), (attributes.first + skipped + done)[:BLOCK_BITS])),
            write.address.column.eq(quad),
            write.address.vertical.eq(1),
            write.enable.eq(~0),
            write.zeros.eq(1),
            self.o.payload.eq(self.i.payload),
            self.o.valid.eq(self.i.valid & over),
            self.i.ready.eq(self.o.ready & over),
        ]
        with m.If(self.writes.valid & self.writes.ready):
            m.d.sync += quad.eq(quad + 1)
            with m.If(quad == _QUADS - 1):
                m.d.sync += done.eq(done + 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += done.eq(0)
        return m
