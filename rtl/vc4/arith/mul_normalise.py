"""Clock A2 of the mul ALU: the result and its colour."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mul_colour import MulColour
from .mul_records import MulResult, MulScale

__all__ = ["MulNormalise"]


class MulNormalise(wiring.Component):
    """Normalises a product by one place; combinational. What is no product passes, its significand being below 2.

    Interface attributes
    --------------------
    i : from A1
    result : of the operation
    colour : the result, taken as a float, as a colour
    """

    i: In(MulResult)
    result: Out(32)
    colour: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.mul_colour = colour = MulColour()
        i, carry = self.i, self.i.significand[24]
        scale = Signal(MulScale)
        m.d.comb += [
            scale.eq(Mux(carry, i.scale_carried, i.scale)),
            self.result.eq(
                Cat(
                    Mux(carry, i.significand[1:24], i.significand[:23]) & ~scale.clear.replicate(23),
                    scale.exponent,
                    scale.negative,
                )
            ),
            *(colour.terms.eq(i.colour), colour.upper.eq(i.significand[15:]), colour.exponent.eq(i.scale.exponent)),
            self.colour.eq(colour.result),
        ]
        return m
