"""The rasteriser."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .quad_coverage import QuadCoverage
from .row_spans import RowSpans
from .structs import CoveredQuad, RasterPrimitive

__all__ = ["Rasteriser"]


class Rasteriser(wiring.Component):
    """Finds the quads of a primitive in a tile, and their samples (guide, section 1; pipeline facts, 4.2).

    Behaviour: a quad comes every clock without oversampling, and every four or sixteen clocks with it; see `RowSpans` and
    `QuadCoverage`. Rows are looked for five clocks each, beside the quads of the row before.

    Interface attributes
    --------------------
    i : stream of `RasterPrimitive`
    o : stream of `CoveredQuad`, in rows from the lowest up, each from the left
    busy : a primitive is under way
    """

    i: In(stream.Signature(RasterPrimitive))
    o: Out(stream.Signature(CoveredQuad))
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.row_spans = spans = RowSpans()
        m.submodules.quad_coverage = coverage = QuadCoverage()
        connect(m, flipped(self.i), spans.i)
        connect(m, spans.o, coverage.rows)
        connect(m, coverage.o, flipped(self.o))
        m.d.comb += [
            coverage.primitive.eq(spans.primitive),
            # Rows are looked for until the last one is taken.
            self.busy.eq(~spans.i.ready | coverage.busy),
        ]
        return m
