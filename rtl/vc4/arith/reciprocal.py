"""1 / x of a float to 24 bits."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.sfu_tables import SfuFunction

from .sfu_lane import SfuLane

__all__ = ["Reciprocal"]

_MANTISSA_BITS = 23
#: Of the table's value, and of what is kept of the error.
_TABLE_BITS, _REST_BITS = 16, 28
_PRODUCT_BITS = _TABLE_BITS + _MANTISSA_BITS + 1
#: From here on 1 / x is too small for a float.
_LARGEST_EXPONENT = 253
_ANY_EXPONENT = 128


class Reciprocal(wiring.Component):
    """1 / x: the table of the special function unit, and one step of Newton's in fixed point (docs/reference/rendering.md, "W").

    R, the table's value, has 16 bits, its product with the significand 40; of 2 minus the product 28 are kept, and R times that
    is rounded to the nearest of 24 bits. Zeros give infinity, and what is 2^126 or more zero, each with the sign of x.

    The result is valid `Reciprocal.LATENCY` clocks after its operand; one operation a clock, no stall. Six multiplier blocks.

    Interface attributes
    --------------------
    word : operand
    result : from a register
    """

    LATENCY = SfuLane.LATENCY + 4

    word: In(32)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.table = table = SfuLane()
        # Any exponent but that of 1, whose reciprocal is not what the table gives.
        m.d.comb += [
            table.function.eq(SfuFunction.RECIP),
            table.word.eq(Cat(self.word[:_MANTISSA_BITS], Const(_ANY_EXPONENT, 8))),
        ]
        words = [self.word]
        for age in range(1, self.LATENCY):
            word = Signal(32, name=f"word_{age}", reset_less=True)
            m.d.sync += word.eq(words[-1])
            words.append(word)
        significand = Cat(words[SfuLane.LATENCY + 1][:_MANTISSA_BITS], 1)
        value = Signal(_TABLE_BITS, reset_less=True)
        product = Signal(_PRODUCT_BITS + 1, reset_less=True)
        rest = Signal(_REST_BITS)
        total = Signal(_TABLE_BITS + _REST_BITS, reset_less=True)
        values = [Signal(_TABLE_BITS, name=f"value_{age}", reset_less=True) for age in (1, 2)]
        m.d.comb += [
            rest.eq(((1 << _PRODUCT_BITS) - product) >> _PRODUCT_BITS - _REST_BITS),
        ]
        m.d.sync += [
            value.eq(Cat(table.result[_MANTISSA_BITS + 1 - _TABLE_BITS : _MANTISSA_BITS], 1)),
            *(product.eq(significand * value), values[0].eq(value)),
            *(total.eq(values[0] * rest), values[1].eq(values[0])),
            self.result.eq(_rounded(total, words[-1])),
        ]
        return m


def _rounded(total, word):
    """The float of a result with its point after the first bit but 18, for an operand."""
    dropped = len(total) - _MANTISSA_BITS - 2
    rounded = (total + (1 << dropped - 1))[dropped:]
    carries = rounded[_MANTISSA_BITS + 1]
    biased = word[_MANTISSA_BITS:31]
    mantissa = Mux(carries, 0, rounded[:_MANTISSA_BITS])
    number = Cat(mantissa, (_LARGEST_EXPONENT - biased + carries)[:8])
    infinity = Const(0xFF << _MANTISSA_BITS, 31)
    return Cat(Mux(biased == 0, infinity, Mux(biased >= _LARGEST_EXPONENT, 0, number)), word[31])
