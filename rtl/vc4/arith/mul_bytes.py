"""Clock A0 of the mul ALU: sums, differences, minima and maxima of bytes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import byte_terms, words
from .mul_records import MulFactors

__all__ = ["MulBytes"]


class MulBytes(wiring.Component):
    """The byte operations of the mul ALU that do not multiply, through one carry chain; combinational.

    v8adds and v8subs saturate; v8min and v8max select by the carry of a - b (QPU facts, 1.3).

    Interface attributes
    --------------------
    i : from RR
    result : of the operation, of no use if it is another one
    """

    i: In(MulFactors)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        i = self.i
        # The carry into the lowest byte comes from a spacer below it, as for the other bytes.
        terms = (Cat(i.subtract, byte_terms(term, i.subtract)) for term in (i.a, i.b ^ i.subtract.replicate(32)))
        total = Signal(37)
        m.d.comb += total.eq(sum(terms))
        parts = words(total[1:], 9)
        for a, b, part, result in zip(words(i.a, 8), words(i.b, 8), parts, words(self.result, 8), strict=True):
            byte, carry = part[:8], part[8]
            with m.If(i.v8min | i.v8max):
                m.d.comb += result.eq(Mux(carry ^ i.v8min, a, b))
            with m.Elif(i.subtract):
                m.d.comb += result.eq(Mux(carry, byte, 0))
            with m.Else():
                m.d.comb += result.eq(Mux(carry, 0xFF, byte))
        return m
