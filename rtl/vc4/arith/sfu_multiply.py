"""Clock 2 of the special function unit: both products, and the exponent."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .sfu_records import SfuArgument, SfuSegment, SfuTerms

__all__ = ["SfuMultiply"]


class SfuMultiply(wiring.Component):
    """Multiplies the slope by the place in the segment and the curvature by the parabola; combinational.

    Two multiplier blocks: 12 by 11 bits and 6 by 6 bits.

    Interface attributes
    --------------------
    i : from the first clock
    coefficients, parabola : the words of the tables
    o : to the third clock
    """

    i: In(SfuArgument)
    coefficients: In(SfuSegment)
    parabola: In(6)
    o: Out(SfuTerms)

    def elaborate(self, platform):
        m = Module()
        i, o, coefficients = self.i, self.o, self.coefficients
        zeros = Signal(range(7))
        # The highest one of the upper six bits; the lowest bit counts as one.
        with m.If(i.integer[4:].any()):
            m.d.comb += zeros.eq(Mux(i.integer[6], 0, Mux(i.integer[5], 1, 2)))
        with m.Else():
            m.d.comb += zeros.eq(Mux(i.integer[3], 3, Mux(i.integer[2], 4, Mux(i.integer[1], 5, 6))))
        m.d.comb += [
            o.start.eq(coefficients.c0),
            o.linear.eq((coefficients.c1 * i.x) >> 11),
            o.curve.eq((coefficients.c2 * self.parabola) >> 5),
            *(o.rises.eq(i.rises), o.inverts.eq(i.inverts)),
            *(o.integer.eq(i.integer), o.zeros.eq(zeros), o.filler.eq(i.filler)),
            o.exponent.eq(i.exponent + 5 - zeros),
            o.outcome.eq(i.outcome),
        ]
        return m
