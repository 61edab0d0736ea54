"""Floats to fixed point."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import below, rotate_left, shift_right

__all__ = ["FixedPoint"]

_MANTISSA, _SIGNIFICAND = 23, 24
_BIAS = 127
#: Places of the rotation by which a significand moves up or down.
_PLACES = 32


class FixedPoint(wiring.Component):
    """A float as a signed number of `width` bits with `fraction` bits after the point, rounded down.

    A negative number is the complement of what is less than its magnitude by as little as can be.

    Behaviour: a number a clock, `FixedPoint.LATENCY` clocks later. Out of range it is limited, or with `modulo` keeps its
    low bits. Infinity and NaN patterns are numbers out of range with their sign, and modulo the range 0; denormals are 0.

    Parameters
    ----------
    fraction, width : bits after the point, and all; not more than 32
    limits : numbers are always limited: there is no `modulo`

    Interface attributes
    --------------------
    value : a float
    modulo : keep the low bits
    o : the number
    """

    LATENCY = 2

    def __init__(self, fraction: int, width: int, *, limits: bool = False):
        self._fraction = fraction
        self._width = width
        self._limits = limits
        ports = {"value": In(32), "o": Out(signed(width))}
        super().__init__(ports if limits else ports | {"modulo": In(1)})

    def elaborate(self, platform):
        m = Module()
        width = self._width
        exponent, mantissa, negative = self.value[_MANTISSA:31], self.value[:_MANTISSA], self.value[31]
        normal = exponent.any()
        modulo = Const(0) if self._limits else self.modulo
        beyond = ~modulo & (exponent >= _BIAS + width - 1 - self._fraction)
        # How far the significand moves up, or down if that is negative.
        move = Signal(signed(10))
        inside = Signal()
        number = Signal(_SIGNIFICAND)
        minus = Signal()
        # What bits are where the number has none, the highest one apart.
        rest = Signal()
        sign = Signal()
        m.d.comb += [
            move.eq(exponent - (_BIAS + _MANTISSA - self._fraction)),
            inside.eq(normal & ~beyond & (move >= -_PLACES) & (move < _PLACES)),
        ]
        m.d.sync += [
            number.eq(Cat(mantissa, 1) + negative.replicate(_SIGNIFICAND)),
            minus.eq(negative),
            sign.eq(negative & normal & ((move < 0) | beyond)),
            rest.eq(normal & Mux(beyond, ~negative, negative & (move < 0))),
        ]
        keep, moved = (self._down if self._limits else self._around)(m, number, move, inside)
        bits = [Mux(keep[bit], moved[bit] ^ minus, sign if bit == width - 1 else rest) for bit in range(width)]
        m.d.sync += self.o.eq(Cat(bits))
        return m

    def _around(self, m, number, move, inside):
        """Up or down: the number goes round, and some of its bits count."""
        width = self._width
        amount = Signal(5)
        keep = Signal(width)
        counts = below(move[:5])[:width] ^ (move >= 0).replicate(width)
        m.d.sync += [amount.eq(move), keep.eq(counts & inside.replicate(width))]
        word = Cat(number, C(0, _PLACES - _SIGNIFICAND))
        return keep, rotate_left(m, word, amount, "moved")

    def _down(self, m, number, move, inside):
        """What is not limited is in the highest bits, and only moves down."""
        width = self._width
        top = number[_SIGNIFICAND + 1 - width :]
        down = Signal(signed(11))
        amount = Signal(range(width - 1))
        keep = Signal()
        m.d.comb += down.eq(width - 1 - _SIGNIFICAND - move)
        m.d.sync += [amount.eq(down), keep.eq(inside & (down < 1 << len(amount)))]
        return keep.replicate(width), Cat(shift_right(top, amount), 0)
