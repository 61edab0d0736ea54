"""The samples of a quad, one after the other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import SAMPLES

__all__ = ["SampleWalk"]


class SampleWalk(wiring.Component):
    """Names the samples of a quad that somebody wants, in rising order: those that nobody wants take no clock.

    Behaviour: combinational, but for what has been. A quad of which nothing is wanted has one step, with sample 0.

    Interface attributes
    --------------------
    wanted : samples; they stay until the last step
    steps : strobe: on to the next one, or to the next quad
    sample, first, last : of this step
    """

    wanted: In(SAMPLES)
    steps: In(1)
    sample: Out(range(SAMPLES))
    first: Out(1)
    last: Out(1)

    def elaborate(self, platform):
        m = Module()
        done = Signal(SAMPLES)
        left = Signal(SAMPLES)
        others = Signal(SAMPLES)  # without the lowest one
        m.d.comb += [
            left.eq(self.wanted & ~done),
            others.eq(left & (left - 1)[:SAMPLES]),
            self.sample.eq(Cat(~left[0] & (left[1] | (left[3] & ~left[2])), ~left[0] & ~left[1] & (left[2] | left[3]))),
            self.first.eq(done == 0),
            self.last.eq(others == 0),
        ]
        with m.If(self.steps):
            m.d.sync += done.eq(Mux(self.last, 0, self.wanted & ~others))
        return m
