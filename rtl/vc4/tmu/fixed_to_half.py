"""Fixed point to half floats."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .half_to_fixed import HALF_FIXED_BITS

__all__ = ["FixedToHalf"]

_MANTISSA = 10


class FixedToHalf(wiring.Component):
    """The half float of a number in units of 2^-24, cut off toward zero; infinity from 65536 on. 0 has no sign.

    Behaviour: a number a clock, `FixedToHalf.LATENCY` clocks later.

    Interface attributes
    --------------------
    i : the number
    o : the half float
    """

    LATENCY = 3

    i: In(signed(HALF_FIXED_BITS))
    o: Out(16)

    def elaborate(self, platform):
        m = Module()
        magnitude = Signal(HALF_FIXED_BITS)
        minus = Signal()
        minus_later = Signal()
        shift = Signal(6)
        chosen = Signal(6)
        later = Signal(HALF_FIXED_BITS)
        negative = self.i[-1]
        m.d.sync += [magnitude.eq(Mux(negative, -self.i, self.i)), minus.eq(negative)]
        for top in range(_MANTISSA + 1, HALF_FIXED_BITS):
            with m.If(magnitude[top]):
                m.d.comb += chosen.eq(top - _MANTISSA)
        m.d.sync += [shift.eq(chosen), later.eq(magnitude), minus_later.eq(minus)]
        # The hidden bit adds one to the exponent; without it the number is denormal.
        number = (shift << _MANTISSA) + (later >> shift)[: _MANTISSA + 1]
        m.d.sync += self.o.eq(Cat(Mux(shift > 29, 31 << _MANTISSA, number)[:15], minus_later))
        return m
