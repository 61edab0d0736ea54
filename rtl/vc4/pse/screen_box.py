"""The box of a primitive."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .structs import POSITION_BITS, Axis, PixelBox

__all__ = ["ScreenBox"]

_SIXTEENTHS = 4


class ScreenBox(wiring.Component):
    """Collects the lowest and the highest positions along both axes.

    Behaviour: what is given counts from the next clock on.

    Interface attributes
    --------------------
    begins, first : strobe: the box is this position
    position, axis : the position that `stb` gives
    stb : it is in the box
    grows, half : strobe: the box reaches so far over
    above, below : the position is above the lowest one, below the highest one
    o : the box, in pixels
    """

    begins: In(1)
    first: In(data.ArrayLayout(signed(POSITION_BITS), 2))
    position: In(signed(POSITION_BITS))
    axis: In(Axis)
    stb: In(1)
    grows: In(1)
    half: In(POSITION_BITS)
    above: Out(1)
    below: Out(1)
    o: Out(PixelBox)

    def elaborate(self, platform):
        m = Module()
        reach = Signal(POSITION_BITS)
        lows, highs = [], []
        for name, axis in Axis.__members__.items():
            low = Signal(signed(POSITION_BITS), name=f"low_{name.lower()}")
            high = Signal(signed(POSITION_BITS), name=f"high_{name.lower()}")
            lows.append(low)
            highs.append(high)
            with m.If(self.begins):
                m.d.sync += [low.eq(self.first[axis.value]), high.eq(self.first[axis.value])]
            with m.Elif(self.stb & (self.axis == axis)):
                with m.If(~self.above):
                    m.d.sync += low.eq(self.position)
                with m.If(~self.below):
                    m.d.sync += high.eq(self.position)
        with m.If(self.begins):
            m.d.sync += reach.eq(0)
        with m.Elif(self.grows):
            m.d.sync += reach.eq(self.half)
        is_y = self.axis == Axis.Y
        m.d.comb += [
            self.above.eq(Mux(is_y, lows[1], lows[0]) < self.position),
            self.below.eq(self.position < Mux(is_y, highs[1], highs[0])),
            self.o.low_x.eq((lows[0] - reach) >> _SIXTEENTHS),
            self.o.low_y.eq((lows[1] - reach) >> _SIXTEENTHS),
            self.o.high_x.eq((highs[0] + reach) >> _SIXTEENTHS),
            self.o.high_y.eq((highs[1] + reach) >> _SIXTEENTHS),
        ]
        return m
