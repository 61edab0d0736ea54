"""Texels of YUYV422R."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .texel_decode import limited

__all__ = ["YuvDecode"]

_FRACTION = 8
#: What video calls black, and a coefficient of the brightness: one for all channels.
_BLACK, _BRIGHT = 16, 298
_HALF = 1 << _FRACTION - 1
_SUM_BITS = 20


class YuvDecode(wiring.Component):
    """Red, green and blue of a texel: BT.601 of the video range, coefficients in units of 1/256.

    Behaviour: a texel a clock; through logic, a clock later.

    Interface attributes
    --------------------
    pair : two texels, in bytes Y0 U Y1 V
    odd : which of them
    o : red, green and blue
    """

    pair: In(32)
    odd: In(1)
    o: Out(data.ArrayLayout(8, 3))

    def elaborate(self, platform):
        m = Module()
        first, u, second, v = (self.pair.word_select(number, 8) for number in range(4))
        # Chroma is signed, 128 above zero.
        u, v = (Cat(one[:-1], ~one[-1]).as_signed() for one in (u, v))
        bright = Signal(signed(_SUM_BITS))
        y = Mux(self.odd, second, first)
        # Sums of shifted terms: multipliers are for what is wanted every clock.
        # 298 y: 149 is 128 and 16 and 5.
        five = _plus(Cat(y, C(0, 2)).as_signed(), y, 2)
        bright_149 = _plus(_plus(five, y, 4), y, 7)
        m.d.sync += bright.eq((bright_149 << 1) + (_HALF - _BRIGHT * _BLACK))
        # 409 v, 100 u + 208 v, 516 u.
        v_3, v_13 = _plus(v, v, 1), _plus(_plus(v, v, 2), v, 3)
        u_25 = _plus(_plus(u, u, 3), u, 4)
        chroma = (_plus(v, _plus(v_3, v_3, 4), 3), -(_plus(u_25, v_13, 2) << 2), _plus(u, u, 7) << 2)
        for number, one in enumerate(chroma):
            colour = Signal(signed(_SUM_BITS), name=f"chroma_{number}")
            m.d.sync += colour.eq(one)
            m.d.comb += self.o[number].eq(limited((bright + colour) >> _FRACTION))
        return m


def _plus(first, second, places):
    """`first` and `second` so many places up. What is below goes beside the sum: Yosys would make one sum of all, which is larger."""
    return Cat(first[:places], (first >> places) + second).as_signed()
