"""Runs the programs of the clipper."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .clip_steps import FIRST_STEPS, FIRST_WORD, STEPS, WORD_BITS, ClipProgram, ClipStep

__all__ = ["ClipSequencer"]


class ClipSequencer(wiring.Component):
    """Gives a step a clock, unless one waits.

    Behaviour: the first one is there in the clock after `starts`.

    Interface attributes
    --------------------
    starts, program : strobe: this program begins; none is under way
    more : there is another corner for a program that loops
    idle : what was begun before is done
    step, stb : a step
    word : that of a step that repeats
    loops : strobe: the next corner
    runs : a program is under way
    """

    starts: In(1)
    program: In(ClipProgram)
    more: In(1)
    idle: In(1)
    step: Out(ClipStep)
    stb: Out(1)
    word: Out(WORD_BITS, init=FIRST_WORD)
    loops: Out(1)
    runs: Out(1)

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(len(STEPS)))
        first = Signal.like(place)
        step = Signal(ClipStep)
        is_last = Signal()  # clock of a step
        repeated = Signal()  # it has begun
        with m.Switch(place):
            for number, fields in enumerate(STEPS):
                with m.Case(number):
                    m.d.comb += step.eq(ClipStep.const(fields))
        with m.Switch(self.program):
            for program, number in FIRST_STEPS.items():
                with m.Case(program):
                    m.d.comb += first.eq(number)
        m.d.comb += [
            self.step.eq(step),
            self.stb.eq(self.runs & (~step.waits | repeated | self.idle)),
            is_last.eq(self.stb & (~step.repeats | (self.word == (FIRST_WORD - 1) % (1 << WORD_BITS)))),
            self.loops.eq(is_last & step.loops & self.more),
        ]
        with m.If(self.stb & step.repeats):
            m.d.sync += [self.word.eq(self.word + 1), repeated.eq(~is_last)]
        with m.If(self.starts):
            m.d.sync += [place.eq(first), self.runs.eq(1)]
        with m.Elif(self.loops):
            m.d.sync += place.eq(FIRST_STEPS[ClipProgram.CLASSIFY])
        with m.Elif(is_last):
            m.d.sync += [place.eq(place + 1), self.runs.eq(~step.ends)]
        return m
