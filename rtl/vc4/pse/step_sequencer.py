"""Runs the programs of the set-up."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .steps import FIRST_STEPS, STEPS, Program, Step

__all__ = ["StepSequencer"]


class StepSequencer(wiring.Component):
    """Gives a step a clock.

    Behaviour: the first one is there two clocks after `starts`.

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
        runs = Signal()
        step = Signal(Step)
        with m.Switch(number):
            for place, fields in enumerate(STEPS):
                with m.Case(place):
                    m.d.comb += step.eq(Step.const(fields))
        m.d.sync += [self.step.eq(step), self.stb.eq(runs & ~self.stops)]
        with m.If(self.starts):
            m.d.sync += runs.eq(1)
            with m.Switch(self.program):
                for program, place in FIRST_STEPS.items():
                    with m.Case(program):
                        m.d.sync += number.eq(place)
        with m.Else():
            m.d.sync += [number.eq(number + 1), runs.eq(runs & ~step.ends & ~self.stops)]
        return m
