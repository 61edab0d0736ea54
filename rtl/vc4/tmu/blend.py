"""A blend of two values."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Blend"]

_WEIGHT = 8
_PART = 17


class Blend(wiring.Component):
    """`first` * (256 - `weight`) + `second` * `weight`, exact.

    Behaviour: a blend a clock, `Blend.LATENCY` clocks later.

    Parameters
    ----------
    width : of both values, which are signed

    Interface attributes
    --------------------
    first, second, weight : the values, and how much the second counts, in units of 1/256
    o : the blend
    """

    LATENCY = 3

    def __init__(self, width: int):
        self._width = width
        super().__init__(
            {
                "first": In(signed(width)),
                "second": In(signed(width)),
                "weight": In(_WEIGHT),
                "o": Out(signed(width + _WEIGHT)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        step = Signal(signed(self._width + 1))
        weight = Signal(_WEIGHT)
        first = Signal(signed(self._width))
        first_later = Signal(signed(self._width))
        # Multipliers have 18 bits: the step is multiplied in parts, of which the last one has the sign.
        total = 0
        for low in range(0, len(step), _PART):
            part = step[low : low + _PART]
            part = part.as_signed() if low + _PART >= len(step) else part
            product = Signal(signed(len(part) + 1 + _WEIGHT), name=f"product_{low}")
            m.d.sync += product.eq(part * weight)
            total = total + (product << low)
        m.d.sync += [
            *(step.eq(self.second - self.first), weight.eq(self.weight), first.eq(self.first)),
            first_later.eq(first),
            self.o.eq((first_later << _WEIGHT) + total),
        ]
        return m
