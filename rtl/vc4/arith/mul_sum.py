"""Clock A1 of the mul ALU: the product of 48 bits, or the quotients of the bytes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import words
from .mul_records import MulProducts, MulResult

__all__ = ["MulSum"]


class MulSum(wiring.Component):
    """Adds the products and brings every result into the form of a float; combinational.

    v8muld rounds a * b / 255 to the nearest integer: with p = 257 * a * b that is p[23:16], plus one if p[15] is set or
    p[14:7] are all ones; this holds for all 65,536 pairs.

    Interface attributes
    --------------------
    i : from A0
    o : to A2
    """

    i: In(MulProducts)
    o: Out(MulResult)

    def elaborate(self, platform):
        m = Module()
        i, o, control = self.i, self.o, self.i.control
        middle = Signal(25)
        upper = Signal(32)
        product = Signal(48)
        quotients = Signal(32)
        word = Signal(32)
        m.d.comb += [
            middle.eq(i.middle_a + i.middle_b),
            upper.eq(Cat(i.low[16:], i.high[:16]) + middle),
            product.eq(Cat(i.low[:16], upper)),
            o.carry.eq(control.mul24 & product[32:].any()),
        ]
        for scaled, quotient in zip((i.low, i.middle_a, i.middle_b, i.high), words(quotients, 8), strict=True):
            m.d.comb += quotient.eq(scaled[16:24] + (scaled[15] | scaled[7:15].all()))

        with m.If(control.mul24):
            m.d.comb += word.eq(product)
        with m.Elif(control.v8muld):
            m.d.comb += word.eq(quotients)
        with m.Else():
            m.d.comb += word.eq(i.bytes)
        m.d.comb += o.scale_carried.eq(i.scale_carried)
        with m.If(control.fmul):
            m.d.comb += [o.significand.eq(product[23:]), o.scale.eq(i.scale)]
        with m.Else():
            m.d.comb += [
                o.significand.eq(Cat(word[:23], 1)),
                *(o.scale.exponent.eq(word[23:31]), o.scale.negative.eq(word[31])),
            ]
        return m
