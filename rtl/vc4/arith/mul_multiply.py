"""Clock A0 of the mul ALU: four products and the exponents."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bits import words
from .mul_bytes import MulBytes
from .mul_records import MulFactors, MulProducts

__all__ = ["MulMultiply"]


class MulMultiply(wiring.Component):
    """Multiplies halves of 16 and 8 bits, or bytes with twice a byte; combinational.

    Each product fits a multiplier block of 18 bits. For v8muld, each multiplies a byte by 257 times a byte, the first
    step of a division by 255: a * b / 255, rounded to the nearest integer, is p[23:16] of p = 257 * a * b, plus one if p[15]
    is set or p[14:7] are all ones; this holds for all 65,536 pairs. The exponent of a float product is made for both places
    of its leading one; a result that would be denormal is +0, an operand whose exponent is 0 counts as zero, and one whose
    exponent is 255 as infinite (QPU facts, 1.3).

    Interface attributes
    --------------------
    i : from RR
    o : to A1
    """

    i: In(MulFactors)
    o: Out(MulProducts)

    def elaborate(self, platform):
        m = Module()
        m.submodules.mul_bytes = mul_bytes = MulBytes()
        i, o, apart = self.i, self.o, self.i.control.v8muld
        # In a significand, the hidden one is where the lowest bit of the exponent was.
        a, b = (words(word | i.hidden << 23, 8) for word in (i.a, i.b))
        products = {name: Signal.like(o[name], name=name) for name in ("low", "middle_a", "middle_b", "high")}
        m.d.comb += [
            products["low"].eq(Cat(a[0], Mux(apart, 0, a[1])) * Cat(b[0], Mux(apart, b[0], b[1]))),
            products["middle_a"].eq(Cat(Mux(apart, a[1], a[0]), a[1]) * Mux(apart, b[1], b[2])),
            products["middle_b"].eq(a[2] * Mux(apart, b[2].replicate(2), i.b[:16])),
            products["high"].eq(Mux(apart, a[3], a[2]) * Cat(Mux(apart, b[3], b[2]), Mux(apart, b[3], 0))),
            *(o[name].eq(product) for name, product in products.items()),
            *(
                ones.eq(Cat(part.all() for part in words(product[7:15], 4)))
                for ones, product in zip(o.ones, products.values(), strict=True)
            ),
            mul_bytes.i.eq(i),
            o.bytes.eq(mul_bytes.result),
            o.control.eq(i.control),
        ]
        self._scale(m)
        return m

    def _scale(self, m):
        """The exponent is the sum of both and 1, all biased by 127, less 128: too small below 129, too large from 383 on, and both
        one earlier after a carry.
        """
        i, o = self.i, self.o
        exponents = [word[23:31] for word in (i.a, i.b)]
        zero_factor = Cat(~exponent.any() for exponent in exponents).any()
        infinite_factor = Cat(exponent.all() for exponent in exponents).any()
        total = Signal(9)
        m.d.comb += total.eq(sum(Cat(1, exponent) for exponent in exponents)[1:])
        low, high = total[:7], total[7:]
        for scale, biased, too_small, too_large in (
            (o.scale, total, (high == 0) | ((high == 1) & ~low.any()), (high == 3) | ((high == 2) & low.all())),
            (o.scale_carried, total + 1, high == 0, (high == 3) | ((high == 2) & low[1:].all())),
        ):
            zero = zero_factor | (~infinite_factor & too_small)
            infinite = infinite_factor | too_large
            m.d.comb += [
                scale.exponent.eq(Mux(zero, 0, Mux(infinite, 255, Cat(biased[:7], ~biased[7])))),
                scale.negative.eq((i.a[31] ^ i.b[31]) & ~zero),
                *(scale.clear.eq(zero | infinite), scale.zero.eq(zero)),
            ]
