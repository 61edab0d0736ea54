"""A plane of Z."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.numbers import Float32
from vc4.records.quads import DEPTH_BITS

__all__ = ["DepthLimit"]

#: Exponent of a float whose significand is Z.
_WHOLE = 126


class DepthLimit(wiring.Component):
    """A float as Z of 24 bits: the model's `z_of` without the bits after the point.

    Behaviour: up to 27 clocks after `stb`, a place a clock.

    Parameters
    ----------
    first : Z at first

    Interface attributes
    --------------------
    value, stb : strobe: the float
    z : the number
    busy : it is not there yet
    """

    value: In(Float32)
    stb: In(1)
    z: Out(DEPTH_BITS)
    busy: Out(1)

    def __init__(self, first: int):
        self._first = first
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        value = self.value
        number = Signal(DEPTH_BITS, init=self._first)
        exponent = Signal(8, init=_WHOLE)
        shifts = Signal()
        m.d.comb += [self.z.eq(number), shifts.eq((exponent != _WHOLE) & (number != 0))]
        m.d.sync += self.busy.eq(self.stb | (self.busy & shifts))
        with m.If(self.stb):
            m.d.sync += [number.eq(Cat(value.fraction, 1)), exponent.eq(value.exponent)]
            with m.If(value.sign):
                m.d.sync += number.eq(0)
            with m.Elif(value.exponent > _WHOLE):
                m.d.sync += [number.eq(-1), exponent.eq(_WHOLE)]
        with m.Elif(shifts):
            m.d.sync += [number.eq(number >> 1), exponent.eq(exponent + 1)]
        return m
