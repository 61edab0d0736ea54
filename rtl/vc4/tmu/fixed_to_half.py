"""Fixed point to half floats."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import leading_zeros

from .four_halves import HALF_FIXED_BITS

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
        shift = Signal(5)
        chosen = Signal(5)
        later = Signal(HALF_FIXED_BITS)
        negative = self.i[-1]
        m.d.sync += [magnitude.eq(Mux(negative, -self.i, self.i)), minus.eq(negative)]
        zeros = leading_zeros(m, magnitude[_MANTISSA:], "zeros")
        m.d.comb += chosen.eq(Mux(zeros[-1], 0, ~zeros[:-1]))
        m.d.sync += [shift.eq(chosen), later.eq(magnitude), minus_later.eq(minus)]
        # The hidden bit adds one to the exponent; without it the number is denormal.
        moved = later
        for level in reversed(range(len(shift))):
            # The largest step first: few bits are left.
            moved = Mux(shift[level], moved[1 << level :], moved)[: _MANTISSA + (1 << level)]
        number = (shift << _MANTISSA) + moved
        m.d.sync += self.o.eq(Cat(Mux(shift > 29, 31 << _MANTISSA, number)[:15], minus_later))
        return m
