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
        number = Signal(range(len(STEPS) + 1))
        place = Signal.like(number)
        runs = Signal()
        following = Signal(Step)
        first = Signal(Step)
        step = Signal(Step)
        m.d.comb += place.eq(number)
        # The first steps have a table of their own: the program does not have to pass through the long one.
        with m.Switch(self.program):
            for program, index in FIRST_STEPS.items():
                with m.Case(program):
                    m.d.comb += first.eq(Step.const(STEPS[index]))
                    with m.If(~runs):
                        m.d.comb += place.eq(index)
        with m.Switch(number):
            for index, fields in enumerate(STEPS):
                with m.Case(index):
                    m.d.comb += following.eq(Step.const(fields))
        m.d.comb += step.eq(Mux(runs, following, first))
        valid = self.starts | (runs & ~self.stops)
        m.d.sync += [self.step.eq(step), self.stb.eq(valid), number.eq(place + 1), runs.eq(valid & ~step.ends)]
        return m
