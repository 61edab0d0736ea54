"""A float times a number of few bits."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .float_parts import MANTISSA, SIGNIFICAND
from .float_product import LATENCY, LOW, finish, scales

__all__ = ["FloatScale"]


class FloatScale(wiring.Component):
    """A float times a number of few bits, as the QPU has it (QPU facts, 1.3): cut off, without denormals.

    Behaviour: a product a clock, `FloatScale.LATENCY` clocks later.

    Parameters
    ----------
    width : bits of the number

    Interface attributes
    --------------------
    value : a float, without its sign
    significand, exponent : the number: its highest bit is set, and is worth so many places
    o : the product
    """

    LATENCY = LATENCY

    def __init__(self, width: int):
        self._width = width
        super().__init__({"value": In(31), "significand": In(width), "exponent": In(signed(5)), "o": Out(31)})

    def elaborate(self, platform):
        m = Module()
        width = self._width
        significand = Signal(SIGNIFICAND, reset_less=True)
        factor = Signal(width, reset_less=True)
        low = Signal(LOW + width, reset_less=True)
        high = Signal(SIGNIFICAND - LOW + width, reset_less=True)
        product = Signal(SIGNIFICAND + width, reset_less=True)
        m.d.sync += [
            *(significand.eq(Cat(self.value[:MANTISSA], 1)), factor.eq(self.significand)),
            *(low.eq(significand[:LOW] * factor), high.eq(significand[LOW:] * factor)),
            product.eq((high << LOW) + low),
        ]
        finish(m, product, scales(m, self.value[MANTISSA:], self.value[MANTISSA:] + self.exponent), self.o)
        return m
