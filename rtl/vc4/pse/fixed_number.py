"""Z and sizes as integers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.convert import significand
from vc4.records.numbers import Float32

from .structs import Z_BITS, Z_FRACTION

__all__ = ["FixedNumber"]

#: Exponents: of the largest float below 1; of the largest one below the largest size, 2^12 pixels.
_MOST_Z, _MOST_SIZE = 126, 138
#: Of a float whose significand, eight places up, is Z, and the size in sixteenths.
_WHOLE_Z, _WHOLE_SIZE = 126, 154


class FixedNumber(wiring.Component):
    """A float as the model's `z_of`, or as a size in sixteenths of a pixel, at most 2^16; what is negative is 0.

    Behaviour: a number a clock, one clock later.

    Interface attributes
    --------------------
    value, is_size : the float
    o : the number
    """

    value: In(Float32)
    is_size: In(1)
    o: Out(Z_BITS)

    def elaborate(self, platform):
        m = Module()
        exponent = self.value.exponent
        distance = Signal(9)
        number = Signal(24)
        shift = Signal(5)
        none = Signal()
        most = Signal()
        is_size = Signal()
        shifted = Signal(Z_BITS)
        m.d.comb += distance.eq(Mux(self.is_size, _WHOLE_SIZE, _WHOLE_Z) - exponent)
        m.d.sync += [
            number.eq(significand(Value.cast(self.value))),
            shift.eq(distance[:5]),
            none.eq(self.value.sign | (distance[5:].any() & ~distance[-1])),
            most.eq(exponent > Mux(self.is_size, _MOST_SIZE, _MOST_Z)),
            is_size.eq(self.is_size),
        ]
        m.d.comb += shifted.eq(Cat(Const(0, Z_FRACTION), number) >> shift)
        with m.If(none):
            m.d.comb += self.o.eq(0)
        with m.Elif(is_size):
            m.d.comb += self.o.eq(Mux(most, 1 << 16, shifted))
        with m.Else():
            # A float has no bits after the point above half the range.
            m.d.comb += self.o.eq(Mux(most, Cat(Const(0, Z_FRACTION), Const(-1, Z_BITS - Z_FRACTION)), shifted))
        return m
