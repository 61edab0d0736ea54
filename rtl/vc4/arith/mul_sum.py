"""Clock A1 of the mul ALU: the product of 48 bits, or the quotients of the bytes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_by_keys

from .bits import words
from .mul_colour_terms import MulColourTerms
from .mul_records import MulProducts, MulResult, MulScale

__all__ = ["MulSum"]


class MulSum(wiring.Component):
    """Adds the products and brings every result into the form of a float; combinational.

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
        significand = Signal(25)
        scale = Signal(MulScale)
        m.d.comb += [
            middle.eq(i.middle_a + i.middle_b),
            upper.eq(Cat(i.low[16:], i.high[:16]) + middle),
            product.eq(Cat(i.low[:16], upper)),
            o.carry.eq(control.mul24 & product[32:].any()),
        ]
        scaled = (i.low, i.middle_a, i.middle_b, i.high)
        for quotient, product_of_bytes, ones in zip(words(quotients, 8), scaled, i.ones, strict=True):
            # A carry comes from bit 15, or from all ones below it.
            m.d.comb += quotient.eq((Cat(ones[0], product_of_bytes[15:24]) + Cat(ones[1], 1))[2:])

        kinds = [_as_float(word) for word in (i.bytes, quotients, product)]
        kinds.append(Cat(product[23:], i.scale.exponent, i.scale.negative))
        is_product = control.kind_keys[:2].all()
        m.d.comb += [
            Cat(significand, scale.exponent, scale.negative).eq(select_by_keys(control.kind_keys, kinds)),
            # What is no product ends in all bits of its word.
            *(scale.clear.eq(i.scale.clear & is_product), scale.zero.eq(i.scale.zero & is_product)),
            *(o.significand.eq(significand), o.scale.eq(scale), o.scale_carried.eq(i.scale_carried)),
        ]
        m.submodules.mul_colour_terms = colour = MulColourTerms()
        m.d.comb += [
            *(colour.significand.eq(significand), colour.exponent.eq(scale.exponent)),
            *(colour.negative.eq(scale.negative), o.colour.eq(colour.o)),
        ]
        return m


def _as_float(word: Value):
    """The bits of a word where those of a float are, its significand below 2."""
    return Cat(word[:23], C(0b01, 2), word[23:32])
