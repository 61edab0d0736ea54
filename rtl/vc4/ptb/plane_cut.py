"""What is left of a polygon or line inside of one plane."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from .clip_steps import CORNER_BITS, ClipProgram

__all__ = ["PlaneCut"]


class _State(enum.Enum, shape=unsigned(3)):
    """What is done, or waited for."""

    REST = 0
    FIRST = 1  # distance of the first corner
    EDGE = 2  # to the next corner
    MEET = 3  # distance of that
    CROSS = 4  # where the edge crosses the plane


class PlaneCut(wiring.Component):
    """Cuts by a plane, as programs of the `ClipEngine`: the model's `_cut`.

    Behaviour: 8 clocks, 17 for each corner that stays, 9 for each other one, and 59 for each crossing.

    Interface attributes
    --------------------
    starts, left, is_line : strobe: so many corners, one at least, are cut, which are those of a line rather than of a polygon
    done : strobe: they are
    corner, next, new : corners that a program is about; in the end `new` is how many are left
    outside : this one is
    program, program_starts, program_done : of the `ClipEngine`
    negative, zero : of `ClipOutcome`
    """

    starts: In(1)
    left: In(CORNER_BITS)
    is_line: In(1)
    done: Out(1)
    corner: Out(CORNER_BITS)
    next: Out(CORNER_BITS)
    new: Out(CORNER_BITS)
    outside: Out(1)
    program: Out(ClipProgram)
    program_starts: Out(1)
    program_done: In(1)
    negative: In(1)
    zero: In(1)

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        zero = Signal()  # distance of this corner
        after = Signal(CORNER_BITS)
        is_last = Signal()
        crosses = Signal()
        leaves = Signal()  # this edge
        m.d.comb += [
            *(after.eq(self.corner + 1), is_last.eq(after == self.left)),
            crosses.eq((self.outside ^ self.negative) & ~zero & ~self.zero & ~(is_last & self.is_line)),
            self.done.eq(leaves & is_last),
        ]
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.comb += [self.program.eq(ClipProgram.DISTANCE), self.program_starts.eq(self.starts)]
                m.d.sync += [self.corner.eq(0), self.next.eq(0)]
                with m.If(self.starts):
                    m.d.sync += [self.new.eq(0), state.eq(_State.FIRST)]
            with m.Case(_State.FIRST):
                with m.If(self.program_done):
                    m.d.sync += [self.outside.eq(self.negative), zero.eq(self.zero), state.eq(_State.EDGE)]
            with m.Case(_State.EDGE):
                # It is there when the program's first step is.
                m.d.comb += self.program.eq(Mux(self.outside, ClipProgram.DISTANCE, ClipProgram.KEEP))
                m.d.comb += self.program_starts.eq(1)
                m.d.sync += [self.next.eq(Mux(is_last, 0, after)), state.eq(_State.MEET)]
            with m.Case(_State.MEET):
                m.d.comb += [self.program.eq(ClipProgram.CROSS), self.program_starts.eq(self.program_done & crosses)]
                with m.If(self.program_done):
                    m.d.sync += self.new.eq(self.new + ~self.outside)
                    m.d.sync += state.eq(_State.CROSS)
                    m.d.comb += leaves.eq(~crosses)
            with m.Case(_State.CROSS):
                with m.If(self.program_done):
                    m.d.sync += self.new.eq(self.new + 1)
                    m.d.comb += leaves.eq(1)
        with m.If(leaves):
            m.d.sync += [self.corner.eq(after), self.outside.eq(self.negative), zero.eq(self.zero)]
            m.d.sync += state.eq(Mux(is_last, _State.REST, _State.EDGE))
        return m
