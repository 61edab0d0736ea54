"""Floats to fixed point."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FixedPoint"]

_SIGNIFICAND_BITS = 24
#: What a float with this exponent has as its lowest bit: 1.
_UNIT_EXPONENT = 150
_SPECIAL = 255
#: To the right of the point no more than this counts.
_MOST_RIGHT = 31


class FixedPoint(wiring.Component):
    """A float as a signed number of `width` bits with `fraction` bits behind the point, rounded down.

    Behaviour: a number a clock, `FixedPoint.LATENCY` clocks later. Out of range it is limited, or with `modulo` keeps its
    low bits. Infinity and NaN patterns are numbers out of range with their sign, and modulo the range 0; denormals are 0.

    Parameters
    ----------
    fraction, width : bits behind the point, and all

    Interface attributes
    --------------------
    value : a float
    modulo : keep the low bits
    o : the number
    """

    LATENCY = 2

    def __init__(self, fraction: int, width: int):
        self._fraction = fraction
        self._width = width
        super().__init__({"value": In(32), "modulo": In(1), "o": Out(signed(width))})

    def elaborate(self, platform):
        m = Module()
        width = self._width
        exponent, mantissa, negative = self.value[23:31], self.value[:23], self.value[31]
        normal = exponent != 0
        significand = Cat(mantissa, normal)
        # How far the significand, `width` places up, moves down.
        most = width + _MOST_RIGHT
        distance = Signal(signed(10))
        m.d.comb += distance.eq(_UNIT_EXPONENT - self._fraction + width - exponent)

        number = Signal(_SIGNIFICAND_BITS + width)
        shift = Signal(range(most + 1))
        minus = Signal()
        below = Signal()  # the complement of the number below rounds down
        special = Signal()
        modulo = Signal()
        m.d.sync += [
            # One less, in front of as many ones as there are places: its complement is the number rounded down.
            number.eq(
                Mux(
                    negative & normal,
                    Cat(Const(-1, width), (significand - 1)[:_SIGNIFICAND_BITS]),
                    Cat(Const(0, width), Mux(normal, significand, 0)),
                )
            ),
            shift.eq(Mux(distance < 0, 0, Mux(distance > most, most, distance))),
            minus.eq(negative),
            below.eq(negative & normal),
            special.eq(exponent == _SPECIAL),
            modulo.eq(self.modulo),
        ]
        shifted = Signal.like(number)
        result = Signal(width)
        m.d.comb += [shifted.eq(number >> shift), result.eq(shifted[:width] ^ below.replicate(width))]
        beyond = shifted[width - 1 :].any() | special
        limit = Cat((~minus).replicate(width - 1), minus)
        m.d.sync += self.o.eq(Mux(modulo, Mux(special, 0, result), Mux(beyond, limit, result)))
        return m
