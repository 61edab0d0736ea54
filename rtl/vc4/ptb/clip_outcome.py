"""What results of the clipper's programs say."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .clip_arithmetic import ClipResult
from .clip_steps import ClipAction, CornerWord

__all__ = ["ClipOutcome"]

_AXES = 3
_SIDES = 2


class ClipOutcome(wiring.Component):
    """Whether corners are outside of planes, fit the screen, and how far the last one is from a plane: the model's `classify`,
    `_on_screen` and the signs of `_distance`.

    Behaviour: a result counts from the next clock on. One sum tells both sides of an axis: with W not below 0 only that can be
    outside to which the coordinate points; with W below 0 that to which it does not point is, and both if |X| is below -W.

    Interface attributes
    --------------------
    begins : strobe: corners are classified
    result, stb : strobe: a result
    outside : all of them are outside of one plane
    cuts : one of them is outside of Z, or does not fit the screen
    misses : one of them does not fit the screen
    negative, zero : of the last distance
    """

    begins: In(1)
    result: In(ClipResult)
    stb: In(1)
    outside: Out(1)
    cuts: Out(1)
    misses: Out(1)
    negative: Out(1)
    zero: Out(1)

    def elaborate(self, platform):
        m = Module()
        result, value = self.result, self.result.value
        every = Signal(data.ArrayLayout(_SIDES, _AXES))
        beyond = Signal()  # one is outside of Z
        reach = Signal(31)
        below, is_zero = value[31], ~value[23:31].any()
        outside = Signal(_SIDES)  # of the positive side, which is that of W + X, and the negative one
        points = Cat(result.b_negative, ~result.b_negative)
        m.d.comb += [
            outside.eq(Mux(result.a_negative, points | below.replicate(_SIDES), points & below.replicate(_SIDES))),
            self.outside.eq(every.as_value().any()),
            self.cuts.eq(beyond | self.misses),
        ]
        with m.If(self.begins):
            m.d.sync += [every.as_value().eq(~0), beyond.eq(0), self.misses.eq(0)]
        with m.Elif(self.stb):
            with m.Switch(result.tag.action):
                with m.Case(ClipAction.OUTCODE):
                    for axis in range(_AXES):
                        with m.If(result.tag.axis == axis):
                            m.d.sync += every[axis].eq(every[axis] & outside)
                    with m.If((result.tag.axis == CornerWord.Z) & outside.any()):
                        m.d.sync += beyond.eq(1)
                with m.Case(ClipAction.REACH):
                    m.d.sync += reach.eq(value)
                    with m.If(below | is_zero):
                        m.d.sync += self.misses.eq(1)
                with m.Case(ClipAction.CHECK):
                    with m.If(value[:31] > reach):
                        m.d.sync += self.misses.eq(1)
                with m.Case(ClipAction.DISTANCE):
                    m.d.sync += [self.negative.eq(below), self.zero.eq(is_zero)]
        return m
