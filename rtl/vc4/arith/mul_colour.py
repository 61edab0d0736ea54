"""Clock A2 of the mul ALU: a float as a colour."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import shift_right
from .mul_records import ColourTerms

__all__ = ["MulColour"]


class MulColour(wiring.Component):
    """The upper half of the sum that `MulColourTerms` explains, and the shift of it; combinational.

    Interface attributes
    --------------------
    terms : from A1
    upper : bits 24:15 of the significand
    exponent : its low four bits, biased, for a significand in [1, 2)
    result : 0..255
    """

    terms: In(ColourTerms)
    upper: In(10)
    exponent: In(4)
    result: Out(8)

    def elaborate(self, platform):
        m = Module()
        total = Signal(12)
        m.d.comb += [
            total.eq(Cat(self.terms.carry, self.upper) + Cat(self.terms.carry, self.terms.upper)),
            self.result.eq(
                (shift_right(total[1:], ~self.exponent)[:8] & self.terms.some.replicate(8))
                | self.terms.full.replicate(8)
            ),
        ]
        return m
