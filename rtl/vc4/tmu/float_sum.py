"""A sum of floats without signs."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import shift_right

from .float_parts import INFINITE, MANTISSA, SIGNIFICAND, held

__all__ = ["FloatSum"]


class FloatSum(wiring.Component):
    """The sum of two floats that are not negative, as the QPU has it (QPU facts, 1.1): cut off, without denormals.

    Nothing is ever taken away, so a sum is one place too long, or none.

    Behaviour: a sum a clock, `FloatSum.LATENCY` clocks later.

    Interface attributes
    --------------------
    a, b : floats, without their sign
    o : their sum
    """

    LATENCY = 4

    a: In(31)
    b: In(31)
    o: Out(31)

    def elaborate(self, platform):
        m = Module()
        exponents = self.a[MANTISSA:], self.b[MANTISSA:]
        significands, each = held(m, self.a, self.b)
        downs = [Signal(9, name=f"down_{name}", reset_less=True) for name in "ab"]
        m.d.sync += [downs[0].eq(exponents[1] - exponents[0]), downs[1].eq(exponents[0] - exponents[1])]

        still = Signal(SIGNIFICAND, reset_less=True)
        moved = Signal(SIGNIFICAND, reset_less=True)
        exponent = Signal(8, reset_less=True)
        larger = ~downs[1][-1]  # the exponent of `a` is, or they are the same
        down = Mux(larger, downs[1], downs[0])[:8]
        other = Mux(larger, significands[1], significands[0])
        m.d.sync += [
            *(still.eq(Mux(larger, significands[0], significands[1])), exponent.eq(Mux(larger, each[0], each[1]))),
            moved.eq(Mux(down[5:].any(), 0, shift_right(other, down[:5]))),
        ]

        total = Signal(SIGNIFICAND + 1)
        exponent_later = Signal(8, reset_less=True)
        carried = Signal(8, reset_less=True)
        infinite = Signal(reset_less=True)
        most = Signal(reset_less=True)
        m.d.sync += [
            *(total.eq(still + moved), exponent_later.eq(exponent), carried.eq(exponent + 1)),
            *(infinite.eq(exponent == INFINITE), most.eq(exponent == INFINITE - 1)),
        ]
        carry = total[-1]
        clear = infinite | (most & carry)
        m.d.sync += [
            self.o[:MANTISSA].eq(Mux(clear, 0, Mux(carry, total[1:-1], total[:MANTISSA]))),
            self.o[MANTISSA:].eq(Mux(carry & ~infinite, carried, exponent_later)),
        ]
        return m
