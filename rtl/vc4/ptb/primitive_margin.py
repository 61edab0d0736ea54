"""How far a primitive reaches beyond its vertices."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.convert import significand
from vc4.records.numbers import Float32
from vc4.records.primitives import PrimitiveType

from .tile_structs import MARGIN_BITS

__all__ = ["PrimitiveMargin"]

#: Exponents: of 1, of the smallest size whose half is the largest margin, of infinity.
_ONE, _MOST, _INFINITE = 127, 141, 255
#: Of a float whose significand is half a size in sixteenths, but for as many low bits: none is larger.
_WHOLE, _REST = 140, 7
_LARGEST = 1 << 17
#: Half of a line of one pixel, and what lines reach beyond their half.
_HALF_PIXEL = 8
_SHIFT_BITS = 5


class PrimitiveMargin(wiring.Component):
    """Half of the size of a point or line, as the model's `Ptb._margin`; 0 for other primitives.

    Behaviour: a primitive a clock, three clocks later.

    Interface attributes
    --------------------
    type : of the primitive
    size : of it
    margin : sixteenths of a pixel, rounded up
    reach : one less
    """

    type: In(PrimitiveType)
    size: In(Float32)
    margin: Out(MARGIN_BITS)
    reach: Out(signed(MARGIN_BITS + 1))

    def elaborate(self, platform):
        m = Module()
        exponent = self.size.exponent
        is_line, is_point = self.type == PrimitiveType.LINES, self.type == PrimitiveType.POINTS
        infinite = exponent == _INFINITE
        distance = Signal(8)
        number = Signal(24)
        shift = Signal(8)
        # The size is the largest, else nothing, else that of a thin line.
        most, none, thin = Signal(name="most"), Signal(name="none"), Signal(name="thin")
        lines = Signal(2)
        m.d.comb += distance.eq(_WHOLE - exponent)
        m.d.sync += [
            *(number.eq(significand(Value.cast(self.size))), shift.eq(distance)),
            most.eq((is_line | is_point) & (infinite | (~self.size.sign & (exponent >= _MOST)))),
            none.eq(~is_line & (~is_point | (exponent == 0) | self.size.sign)),
            thin.eq(is_line & (self.size.sign | (exponent < _ONE))),
            lines.eq(Cat(is_line, lines)),
        ]
        whole = Signal(MARGIN_BITS)
        more = Signal()
        value, rest = number[_REST:], number[:_REST].any()
        for place in reversed(range(_SHIFT_BITS)):
            width = 1 << place
            rest = rest | (shift[place] & value[:width].any())
            value = Mux(shift[place], value[width:], value)
        small = shift[_SHIFT_BITS:].any()
        with m.If(most | none | thin):
            m.d.sync += [whole.eq(Mux(most, _LARGEST, Mux(thin, _HALF_PIXEL, 0))), more.eq(0)]
        with m.Else():
            m.d.sync += [whole.eq(Mux(small, 0, value)), more.eq(small | rest)]
        slack = Mux(lines[1], _HALF_PIXEL, 0)
        m.d.sync += [
            self.margin.eq(whole + Cat(more, Const(0, 2), lines[1])),
            self.reach.eq(whole + Mux(more, slack, slack - 1)),
        ]
        return m
