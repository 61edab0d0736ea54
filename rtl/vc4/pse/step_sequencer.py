"""Runs the programs of the set-up."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .steps import FIRST_STEPS, STEPS, Program, Step

__all__ = ["StepSequencer"]


class StepSequencer(wiring.Component):
    """Gives a step a clock.

    Behaviour: the first one is there in the clock after `starts`.

    Interface attributes
    --------------------
    starts, program : strobe: this program begins; none is under way
    stops : strobe: the steps that are left are dropped
    step, stb : a step
    """

    starts: In(1)
    program: In(Program)
    stops: In(1)
    step: Out(Step)
    stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        place = Signal(len(STEPS))  # of the next step, a bit for each: what is in it is an or of some of them
        runs = Signal()
        first = Signal(Step)
        step = Signal(Step)
        words = [Value.cast(Step.const(fields)).value for fields in STEPS]
        following = Cat(
            Cat(at for at, word in zip(place, words, strict=True) if word >> bit & 1).any()
            for bit in range(len(step.as_value()))
        )
        m.d.sync += place.eq(Mux(self.stops, 0, place << 1))
        with m.Switch(self.program):
            for program, index in FIRST_STEPS.items():
                with m.Case(program):
                    m.d.comb += first.eq(Step.const(STEPS[index]))
                    with m.If(self.starts):
                        m.d.sync += place.eq(1 << (index + 1))
        m.d.comb += step.as_value().eq(Mux(runs, following, first.as_value()))
        valid = self.starts | (runs & ~self.stops)
        m.d.sync += [self.step.eq(step), self.stb.eq(valid), runs.eq(valid & ~step.ends)]
        with m.If(step.ends):
            m.d.sync += place.eq(0)
        return m
