"""Clock A2 of the mul ALU: a float as a colour."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mul_records import ColourTerms

__all__ = ["MulColour"]


class MulColour(wiring.Component):
    """Chooses the upper half of the sum that `MulColourTerms` explains, and shifts it; combinational.

    Interface attributes
    --------------------
    terms : from A1
    wanted : the colour is
    result : 0..255, of a float that is not too large (`terms.full`); 0 if it is not wanted
    """

    terms: In(ColourTerms)
    wanted: In(1)
    result: Out(8)

    def elaborate(self, platform):
        m = Module()
        total = Signal(11)
        m.d.comb += total.eq(Mux(self.terms.carry, self.terms.sums[1], self.terms.sums[0]) & self.wanted.replicate(11))
        integers = [total[place:][:8] for place in range(1, len(self.terms.keys) + 1)]
        m.d.comb += self.result.eq(
            reduce(or_, (key.replicate(8) & part for key, part in zip(self.terms.keys, integers, strict=True)))
        )
        return m
