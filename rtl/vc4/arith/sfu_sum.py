"""Clock 3 of the special function unit: the interpolated value, below its integer."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .sfu_records import SfuTerms, SfuValue

__all__ = ["SfuSum"]


class SfuSum(wiring.Component):
    """Adds the terms and shifts the highest one of the integer to the top; combinational (SFU facts, section 3).

    Interface attributes
    --------------------
    i : from the second clock
    o : to the fourth clock
    """

    i: In(SfuTerms)
    o: Out(SfuValue)

    def elaborate(self, platform):
        m = Module()
        i, o = self.i, self.o
        value = Signal(15)
        fraction = Signal(15)
        linear = Cat(i.linear, C(0, 3)) ^ (~i.rises).replicate(15)
        m.d.comb += [
            value.eq(i.start + linear + 1 - i.curve),
            fraction.eq(value ^ i.inverts.replicate(15)),
        ]
        shifted = Cat(i.filler, fraction, i.integer)
        for level in range(len(i.zeros)):
            before, shifted = shifted, Signal(23, name=f"shifted_{1 << level}")
            m.d.comb += shifted.eq(Mux(i.zeros[level], before << (1 << level), before))
        m.d.comb += [o.significand.eq(shifted), o.exponent.eq(i.exponent), o.outcome.eq(i.outcome)]
        return m
