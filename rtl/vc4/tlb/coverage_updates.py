"""Primitives in coverage mode."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest

from .coverage import SAMPLES_16, coverage_updated, sixteen_of
from .structs import CoverageQuad, DepthAnswer, DepthWrite

__all__ = ["CoverageUpdates"]


class CoverageUpdates(wiring.Component):
    """Accumulates the coverage of quads in place of Z and stencil of the first sample of each pixel (docs/reference/rendering.md,
    coverage accumulation).

    Behaviour: a quad is read and then written, one after the other; nobody else writes meanwhile. One takes 6 clocks, or
    longer if it is the same one again.

    Interface attributes
    --------------------
    i : stream of `CoverageQuad`
    depth_writes, depth_answers : of `DepthStencil`
    busy : a quad is under way, or offered
    """

    i: In(stream.Signature(CoverageQuad))
    depth_writes: Out(stream.Signature(DepthWrite))
    depth_answers: In(stream.Signature(DepthAnswer))
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        quad, write = self.i.payload, self.depth_writes.payload
        covered = Signal(data.ArrayLayout(SAMPLES_16, QUAD_PIXELS))
        words = Signal(data.ArrayLayout(32, QUAD_PIXELS))
        reads = Signal()  # it is asked for
        there = Signal()  # what was there is known
        unanswered = Signal()  # a write
        taken = Signal()
        answered = Signal()
        m.d.comb += [
            self.depth_writes.valid.eq(there | (self.i.valid & ~reads)),
            taken.eq(self.depth_writes.valid & self.depth_writes.ready),
            self.depth_answers.ready.eq(1),
            answered.eq(self.depth_answers.valid),
            self.i.ready.eq(there & self.depth_writes.ready),
            self.busy.eq(self.i.valid | unanswered),
            write.place.eq(quad.place),
            write.test.eq(Mux(there, DepthTest.ALWAYS, DepthTest.NEVER)),
            write.updates.eq(there),
            write.replaces.eq(there),
            *(
                word.as_value().eq(coverage_updated(old, samples, quad.update, quad.falls))
                for word, old, samples in zip(write.words, words, covered, strict=True)
            ),
            *(flags.eq(there & samples.any()) for flags, samples in zip(write.flags, covered, strict=True)),
        ]
        # Answers come in the order of reads and writes, so the first one is that of the write before.
        with m.If(taken):
            m.d.sync += [reads.eq(~there), there.eq(0)]
        with m.If(answered):
            m.d.sync += words.eq(Cat(self.depth_answers.payload.words))
            m.d.sync += [
                samples.eq(sixteen_of(one, quad.oversample)) for samples, one in zip(covered, quad.covered, strict=True)
            ]
            with m.If(~unanswered):
                m.d.sync += there.eq(1)
        m.d.sync += unanswered.eq((unanswered & ~answered) | (taken & there))
        return m
