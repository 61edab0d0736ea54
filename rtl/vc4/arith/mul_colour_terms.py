"""Clock A1 of the mul ALU: what a float needs to become a colour."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select

from .mul_records import COLOUR_PLACES, ColourTerms

__all__ = ["MulColourTerms"]

#: Exponent of the floats from 1 on.
_ONE = 127


class MulColourTerms(wiring.Component):
    """floor(255 f + 1/2) of a float f, exactly, clamped to 0..255 (QPU facts, 3.4): all but the shift; combinational.

    Below one, with the significand s and f = s / 2^n, the colour is floor((256 s - s + 2^(n-1)) / 2^n): one carry chain
    and a shift of its integer part, which the fraction cannot change. The terms of the chain are s and, 8 places below,
    its complement, whose upper bits take the power of two. The chain is cut in two halves, as the power of two needs the exponent,
    which may come late: the upper half is there without and with a carry from the lower one, and `MulColour` takes one of both.

    The significand of a product is not normalised yet, because that would cost a level of multiplexers and an exponent;
    what it loses at the bottom by normalisation is left out here.

    Each place that the integer part may have has a key, so that the shift is an OR of what the keys let pass: three LUTs after
    the sum, where a shift by levels is four and what comes after it.

    Interface attributes
    --------------------
    significand : [1, 4) with 23 fraction bits
    exponent : biased, for a significand in [1, 2)
    negative : the sign
    o : to A2
    """

    significand: In(25)
    exponent: In(8)
    negative: In(1)
    o: Out(ColourTerms)

    def elaborate(self, platform):
        m = Module()
        exponent, whole = self.exponent, self.significand[23:]
        s = Cat(self.significand[0] & ~self.significand[24], self.significand[1:])
        lower = Signal(25)
        upper = Signal(11)
        at_least_one = Signal()
        shows = ~self.negative & exponent[4:7].all()
        # The power of two less one. What it is for other exponents is shifted out, or the colour is 0 or 255 whatever it is.
        powers = [((1 << (_ONE - low) % 16 >> 1) - 1) % 2**11 for low in range(16)]
        ones = select(exponent[:4], [Const(power % 4, 2) for power in powers])
        # The complement takes the whole part away, which is 1 where there are no ones, or the colour is 255. Unless the power has
        # what it takes, it borrows from bit 2 on; the whole part is known last.
        if_some, if_more = (
            select(exponent[:4], [Const(power >> 2 if power >> place & 1 else 2**9 - 1, 9) for power in powers])
            for place in range(2)
        )
        m.d.comb += [
            lower.eq(Cat(1, C(0, 8), s[:15]) + Cat(1, ~s[:23])),
            upper.eq(Cat(ones[0] ^ whole[0], (ones[1] ^ whole[1]) | ~ones[0], Mux(whole[1], if_more, if_some))),
            *(self.o.sums[carry].eq((Cat(carry, self.significand[15:]) + Cat(carry, upper))[1:]) for carry in range(2)),
            self.o.carry.eq(lower[-1]),
            at_least_one.eq(exponent[7] | exponent[:7].all() | ((exponent == _ONE - 1) & s[24])),
            self.o.full.eq(~self.negative & at_least_one),
            self.o.keys.eq(Cat(shows & (exponent[:4] == _ONE % 16 - place) for place in range(1, COLOUR_PLACES + 1))),
        ]
        return m
