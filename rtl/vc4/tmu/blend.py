"""A blend of two values."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Blend"]

_WEIGHT = 8
#: A difference of two values must fit a multiplier, which has 18 bits.
_MOST = 17


class Blend(wiring.Component):
    """`first` * (256 - `weight`) + `second` * `weight`, exact.

    Behaviour: a blend a clock, `Blend.LATENCY` clocks later.

    Parameters
    ----------
    width : of both values, which are signed; at most 17

    Interface attributes
    --------------------
    first, second, weight : the values, and how much the second counts, in units of 1/256
    o : the blend
    """

    LATENCY = 3

    def __init__(self, width: int):
        if width > _MOST:
            raise ValueError(f"values have at most {_MOST} bits, not {width}")
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
        product = Signal(signed(len(step) + 1 + _WEIGHT))
        first = Signal(signed(self._width))
        first_later = Signal(signed(self._width))
        m.d.sync += [
            *(step.eq(self.second - self.first), weight.eq(self.weight), first.eq(self.first)),
            *(product.eq(step * weight), first_later.eq(first)),
            self.o.eq((first_later << _WEIGHT) + product),
        ]
        return m
