"""X or Y on the screen of a float."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import POINT_BITS

__all__ = ["ScreenHalf"]

#: Exponent of a number between 2^23 and twice that, whose lowest bit is worth one.
_EXPONENT = 127 + 23
_REACH_BITS = POINT_BITS - 1


class ScreenHalf(wiring.Component):
    """Limits to 16 bits: the model's `_limited`; combinational.

    Interface attributes
    --------------------
    i : a float whose magnitude 2^23 has been added to
    o : the integer that it was before, cut off
    """

    i: In(32)
    o: Out(signed(POINT_BITS))

    def elaborate(self, platform):
        m = Module()
        magnitude, negative = self.i[:_REACH_BITS], self.i[31]
        minus = negative.replicate(POINT_BITS)
        too_large = self.i[_REACH_BITS:23].any() | (self.i[23:31] != _EXPONENT)
        limit = Cat((~negative).replicate(_REACH_BITS), negative)
        m.d.comb += self.o.eq(Mux(too_large, limit, (Cat(magnitude, C(0, 1)) ^ minus) + negative))
        return m
