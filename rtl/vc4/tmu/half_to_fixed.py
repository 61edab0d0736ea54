"""Half floats to fixed point."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["HALF_FIXED_BITS", "HalfToFixed"]

#: Every half float is a number of so many bits, in units of 2^-24.
HALF_FIXED_BITS = 42
_MANTISSA = 10


class HalfToFixed(wiring.Component):
    """A half float as a signed number in units of 2^-24; the highest exponent is one like the others.

    Behaviour: a number a clock, one clock later. What is no half float passes unchanged.

    Interface attributes
    --------------------
    i, half : 16 bits, and whether they are a half float
    o : the number
    """

    i: In(16)
    half: In(1)
    o: Out(signed(HALF_FIXED_BITS))

    def elaborate(self, platform):
        m = Module()
        exponent, mantissa = self.i[_MANTISSA:15], self.i[:_MANTISSA]
        normal = exponent != 0
        magnitude = Signal(HALF_FIXED_BITS - 1)
        m.d.comb += magnitude.eq(Cat(mantissa, normal) << Mux(normal, exponent - 1, 0)[:5])
        with m.If(~self.half):
            m.d.sync += self.o.eq(self.i)
        with m.Else():
            m.d.sync += self.o.eq(Mux(self.i[15], -magnitude, magnitude))
        return m
