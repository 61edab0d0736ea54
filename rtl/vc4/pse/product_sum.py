"""Sums of products."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import COEFFICIENT_BITS, NUMERATOR_BITS, POSITION_BITS, Z_BITS

__all__ = ["ProductSum"]

_HALF = 17


class ProductSum(wiring.Component):
    """Multiplies, and adds up what it has multiplied: with two multipliers of 18 bits.

    Behaviour: a product a clock. It is in the sum three clocks later.

    Interface attributes
    --------------------
    a, b : factors
    stb : there is a product
    begins, subtracts : the sum is 0 before; the product is subtracted
    terms, axis : `a`, or if it is subtracted minus `a`, is minus the coefficient along this axis
    o, o_a, o_b : the sum, and the coefficients along X and Y
    """

    a: In(signed(Z_BITS + 1))
    b: In(signed(POSITION_BITS + 1))
    stb: In(1)
    begins: In(1)
    subtracts: In(1)
    terms: In(1)
    axis: In(1)
    o: Out(signed(NUMERATOR_BITS))
    o_a: Out(signed(COEFFICIENT_BITS))
    o_b: Out(signed(COEFFICIENT_BITS))

    def elaborate(self, platform):
        m = Module()
        a = Signal.like(self.a)
        b = Signal.like(self.b)
        low = Signal(signed(_HALF + 1 + len(b)))
        high = Signal(signed(len(a) - _HALF + len(b)))
        again = Signal(signed(len(self.o_a)))
        product = Signal(signed(NUMERATOR_BITS))
        m.d.sync += [
            *(a.eq(self.a), b.eq(self.b), again.eq(a)),
            low.eq(Cat(a[:_HALF], Const(0, 1)).as_signed() * b),
            high.eq(a[_HALF:].as_signed() * b),
        ]
        m.d.comb += product.eq((high << _HALF) + low)
        controls = Cat(self.stb, self.begins, self.subtracts, self.terms, self.axis)
        for clock in range(2):
            before, controls = controls, Signal(len(controls), name=f"controls_{clock}")
            m.d.sync += controls.eq(before)
        stb, begins, subtracts, terms, axis = controls
        minus = subtracts.replicate(len(product))
        with m.If(stb):
            m.d.sync += self.o.eq((product ^ minus) + Mux(begins, 0, self.o) + subtracts)
            for number, coefficient in enumerate((self.o_a, self.o_b)):
                with m.If(terms & (axis == number)):
                    m.d.sync += coefficient.eq(Mux(subtracts, again, -again))
                with m.Elif(begins):
                    m.d.sync += coefficient.eq(0)
        return m
