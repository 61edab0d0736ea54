"""The square of a float."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .float_parts import MANTISSA, SIGNIFICAND
from .float_product import LATENCY, LOW, finish, scales

__all__ = ["FloatSquare"]

_BIAS = 127


class FloatSquare(wiring.Component):
    """The square of a float, as the QPU has it (QPU facts, 1.3): cut off, without denormals.

    Behaviour: a square a clock, `FloatSquare.LATENCY` clocks later.

    Interface attributes
    --------------------
    value : a float, without its sign
    o : the square
    """

    LATENCY = LATENCY

    value: In(31)
    o: Out(31)

    def elaborate(self, platform):
        m = Module()
        exponent = self.value[MANTISSA:]
        significand = Signal(SIGNIFICAND, reset_less=True)
        low, high = significand[:LOW], significand[LOW:]
        low_square = Signal(2 * LOW, reset_less=True)
        high_square = Signal(2 * (SIGNIFICAND - LOW), reset_less=True)
        both = Signal(SIGNIFICAND, reset_less=True)
        product = Signal(2 * SIGNIFICAND, reset_less=True)
        # A table is smaller than a multiplier of so few bits.
        with m.Switch(low):
            for number in range(1 << LOW):
                with m.Case(number):
                    m.d.sync += low_square.eq(number * number)
        m.d.sync += [
            significand.eq(Cat(self.value[:MANTISSA], 1)),
            *(high_square.eq(high * high), both.eq(high * low)),
            product.eq(Cat(low_square, high_square) + (both << LOW + 1)),
        ]
        finish(m, product, scales(m, exponent, (exponent << 1) - _BIAS), self.o)
        return m
