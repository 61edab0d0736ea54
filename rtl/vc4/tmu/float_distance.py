"""How far two floats are apart."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import leading_zeros, shift_right

from .float_parts import INFINITE, MANTISSA, SIGNIFICAND, held

__all__ = ["FloatDistance"]

#: A significand that moves further down is gone but for one bit that says so.
_MOST_SHIFT = 31


class FloatDistance(wiring.Component):
    """The magnitude of a difference of floats, as the QPU has it (QPU facts, 1.1): cut off, without denormals.

    Half of an adder of floats is not needed: what has no sign has none of the rules for it.

    Behaviour: a difference a clock, `FloatDistance.LATENCY` clocks later.

    Interface attributes
    --------------------
    a, b : floats
    o : the distance, without a sign
    """

    LATENCY = 4

    a: In(32)
    b: In(32)
    o: Out(31)

    def elaborate(self, platform):
        m = Module()
        a, b = self.a, self.b
        exponents = a[MANTISSA:31], b[MANTISSA:31]
        # Which is the larger one, and how far the other one would move down.
        significands, each = held(m, a, b)
        downs = [Signal(8, name=f"down_{name}", reset_less=True) for name in "ab"]
        larger = Signal(reset_less=True)  # `a` is
        apart = Signal(reset_less=True)  # significands are subtracted
        m.d.sync += [
            *(larger.eq(a[:31] >= b[:31]), apart.eq(a[31] == b[31])),
            *(downs[0].eq(exponents[1] - exponents[0]), downs[1].eq(exponents[0] - exponents[1])),
        ]

        # The other one moves down, with a bit below the last, and whether anything is below that.
        still = Signal(SIGNIFICAND, reset_less=True)
        moved = Signal(SIGNIFICAND + 1, reset_less=True)
        lost = Signal(reset_less=True)
        exponent = Signal(8, reset_less=True)
        apart_later = Signal(reset_less=True)
        other = Mux(larger, significands[1], significands[0])
        down = Mux(larger, downs[1], downs[0])
        far = down[5:].any()
        shift = Signal(5)
        shifted = Signal(SIGNIFICAND + 1 + _MOST_SHIFT)
        m.d.comb += [
            shift.eq(down[:5] | far.replicate(5)),
            shifted.eq(shift_right(Cat(C(0, _MOST_SHIFT + 1), other), shift)),
        ]
        m.d.sync += [
            *(still.eq(Mux(larger, significands[0], significands[1])), exponent.eq(Mux(larger, each[0], each[1]))),
            *(moved.eq(shifted[_MOST_SHIFT:] ^ apart.replicate(SIGNIFICAND + 1)), apart_later.eq(apart)),
            lost.eq(shifted[:_MOST_SHIFT].any()),
        ]

        # What is lost is a borrow. A bit more below carries it in.
        total = Signal(SIGNIFICAND + 3)
        sum_ = Signal(SIGNIFICAND + 2)
        kept = Signal(SIGNIFICAND + 2, reset_less=True)
        zeros = Signal(6, reset_less=True)
        carried = Signal(9, reset_less=True)
        infinite = Signal(reset_less=True)
        m.d.comb += [
            total.eq(Cat(1, 0, still) + Cat(apart_later & ~lost, moved, apart_later)),
            sum_.eq(total[1:]),
        ]
        m.d.sync += [
            *(kept.eq(sum_), zeros.eq(leading_zeros(m, Cat(C(0, 32 - len(sum_)), sum_), "zeros"))),
            carried.eq(exponent + 1),
            infinite.eq((exponent == INFINITE) | ((exponent == INFINITE - 1) & sum_[-1])),
        ]
        self._normalise(m, kept, zeros, carried, infinite)
        return m

    def _normalise(self, m, kept, zeros, carried, infinite):
        """The leading one moves to the top."""
        top = kept
        for level in reversed(range(5)):
            top = Mux(zeros[level], (top << (1 << level))[: len(kept)], top)
        exponent = Signal(signed(10))
        clear = Signal()
        m.d.comb += [exponent.eq(carried - zeros), clear.eq(infinite | zeros[5] | (exponent <= 0))]
        m.d.sync += [
            self.o[:MANTISSA].eq(Mux(clear, 0, top[-1 - MANTISSA : -1])),
            self.o[MANTISSA:].eq(Mux(infinite, INFINITE, Mux(clear, 0, exponent))),
        ]
