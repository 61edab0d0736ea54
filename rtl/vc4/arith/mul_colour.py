"""Clock A2 of the mul ALU: a float as a colour."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import shift_right

__all__ = ["MulColour"]

#: Exponent of the floats from 1 on.
_ONE = 127
#: Most places that a float is shifted by: up to 2^-8, all colours are 0.
_PLACES = 10


class MulColour(wiring.Component):
    """floor(255 f + 1/2) of a float f, exactly, clamped to 0..255 (fact sheet, 3.4); combinational.

    Below one, with the significand s and f = s / 2^n, the colour is floor((256 s - s + 2^(n-1)) / 2^n): one carry chain
    and a shift of its integer part, which the fraction cannot change. The terms of the chain are s and, 8 places below,
    its complement, whose upper bits take the power of two.

    The significand of a product is not normalised yet, because that would cost a level of multiplexers and an exponent;
    what it loses at the bottom by normalisation is left out here.

    Interface attributes
    --------------------
    significand : [1, 4) with 23 fraction bits
    exponent : biased, for a significand in [1, 2)
    negative : the sign
    result : 0..255
    """

    significand: In(25)
    exponent: In(8)
    negative: In(1)
    result: Out(8)

    def elaborate(self, platform):
        m = Module()
        s = Signal(25)
        upper = Signal(11)
        total = Signal(27)
        at_least_one = Signal()
        m.d.comb += [
            s.eq(Cat(self.significand[0] & ~self.significand[24], self.significand[1:])),
            total.eq(Cat(1, s) + Cat(~s[:8].any(), ~s[8:23], upper)),
            at_least_one.eq(self.exponent[7] | self.exponent[:7].all() | ((self.exponent == _ONE - 1) & s[24])),
        ]
        with m.Switch(Cat(s[23:], self.exponent[:4])):
            for places in range(1, _PLACES + 1):
                for whole in (1, 2, 3):
                    with m.Case((_ONE - places) % 16 << 2 | whole):
                        m.d.comb += upper.eq((1 << places - 1) - 1 - whole)

        with m.If(~self.negative & at_least_one):
            m.d.comb += self.result.eq(0xFF)
        with m.Elif(~self.negative & self.exponent[4:7].all()):
            m.d.comb += self.result.eq(shift_right(total[16:], ~self.exponent[:4]))
        return m
