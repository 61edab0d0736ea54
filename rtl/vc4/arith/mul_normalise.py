"""Clock A2 of the mul ALU: the result and its colour."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_by_keys

from .mul_colour import MulColour
from .mul_records import MulResult

__all__ = ["MulNormalise"]


class MulNormalise(wiring.Component):
    """Normalises a product by one place, or makes a colour of it; combinational. What is no product passes, its significand being
    below 2.

    What is known before the colour is makes two keys of each bit: the bit itself, that of the carried product, 0 or 1. The colour
    comes last, and is one LUT of it.

    Interface attributes
    --------------------
    i : from A1
    colours : the result is a colour
    result : of the operation, or its colour in each byte
    negative, zero : the result of the operation is
    """

    i: In(MulResult)
    colours: In(1)
    result: Out(32)
    negative: Out(1)
    zero: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.mul_colour = colour = MulColour()
        i, carry = self.i, self.i.significand[24]
        mantissa = i.significand[:23]
        plain, carried = (Cat(scale.exponent, scale.negative) for scale in (i.scale, i.scale_carried))
        clear = Cat(i.scale.clear, i.scale_carried.clear)
        places = Cat(~carry, carry)
        full = i.colour.full.replicate(2)
        m.d.comb += [
            *(colour.terms.eq(i.colour), colour.wanted.eq(self.colours)),
            self.result.eq(
                Cat(
                    select_by_keys(Mux(self.colours, full, places & ~clear), (mantissa, i.significand[1:24])),
                    select_by_keys(Mux(self.colours, full, places), (plain, carried)),
                )
                | colour.result.replicate(4)
            ),
            self.negative.eq(Mux(carry, i.scale_carried.negative, i.scale.negative)),
            # Only a product has a carry.
            self.zero.eq(Mux(carry, i.scale_carried.zero, i.scale.zero | ~Cat(mantissa, plain).any())),
        ]
        return m
