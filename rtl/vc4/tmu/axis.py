"""Where a lookup reads along one axis."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import MOST_TEXELS, Wrap

__all__ = ["Axis", "AxisTexels"]

#: Bits after the point of a normalised coordinate, which has two more, and of a coordinate in texels.
_FRACTION, _WEIGHT = 24, 8
_BITS = _FRACTION + 2
#: Place of the bit that is half a texel.
_HALF_TEXEL = _FRACTION - 1
_SIZE_BITS = MOST_TEXELS.bit_length()
#: The coordinate is multiplied in two parts: multipliers have 18 bits.
_LOW_BITS = 13


class AxisTexels(data.Struct):
    """The first and the second texel, whether they are in the image, and how much the second counts, in units of 1/256."""

    texels: data.ArrayLayout(range(MOST_TEXELS), 2)
    inside: 2
    weight: _WEIGHT


class Axis(wiring.Component):
    """Texels at a normalised coordinate of a level, along one axis.

    Behaviour: a coordinate a clock, `Axis.LATENCY` clocks later.

    Interface attributes
    --------------------
    coordinate : of which repeat and mirror take what is within the image
    wrap, size, linear : mode, texels of the level (1 to 2048), and whether two of them are blended
    o : the texels; those outside of the image are inside if they take no border colour
    """

    LATENCY = 4

    coordinate: In(signed(_BITS))
    wrap: In(Wrap)
    size: In(_SIZE_BITS)
    linear: In(1)
    o: Out(AxisTexels)

    def elaborate(self, platform):
        m = Module()
        wrapped = Signal(signed(_BITS), reset_less=True)
        sizes = [Signal(_SIZE_BITS, name=f"size_{clock}") for clock in range(3)]
        wraps = [Signal(Wrap, name=f"wrap_{clock}") for clock in range(3)]
        linears = [Signal(name=f"linear_{clock}") for clock in range(3)]
        for delayed, first in (sizes, self.size), (wraps, self.wrap), (linears, self.linear):
            for before, after in zip([first, *delayed], delayed, strict=False):
                m.d.sync += after.eq(before)
        with m.Switch(self.wrap):
            with m.Case(Wrap.REPEAT):
                m.d.sync += wrapped.eq(self.coordinate[:_FRACTION])
            with m.Case(Wrap.MIRROR):
                back = self.coordinate[_FRACTION]
                m.d.sync += wrapped.eq((self.coordinate ^ back.replicate(_BITS))[:_FRACTION])
            with m.Default():
                m.d.sync += wrapped.eq(self.coordinate)
        product = Signal(_LOW_BITS + _SIZE_BITS)
        low = Signal(signed(len(product) + 1))
        m.d.comb += product.eq(wrapped[:_LOW_BITS] * sizes[0])
        high = Signal(signed(_BITS - _LOW_BITS + _SIZE_BITS + 1))
        m.d.sync += [
            # With the half texel it stays one sum of two.
            low.eq(Cat(product[:_HALF_TEXEL], product[_HALF_TEXEL:] - linears[0])),
            high.eq(wrapped[_LOW_BITS:].as_signed() * sizes[0]),
        ]
        sum_ = Signal(signed(_BITS + _SIZE_BITS))
        place = Signal(signed(_BITS + _SIZE_BITS - _FRACTION + _WEIGHT))
        m.d.comb += sum_.eq((high << _LOW_BITS) + low)
        m.d.sync += place.eq(sum_ >> _FRACTION - _WEIGHT)
        last = Signal(_SIZE_BITS)
        m.d.sync += last.eq(sizes[1] - 1)
        self._texels(m, place, last, wraps[-1], linears[-1])
        return m

    def _texels(self, m, place, last, wrap, linear):
        """The texel at a place and the one after it: both may be outside, but one that repeats by no more than one."""
        first = Signal(signed(len(place) - _WEIGHT))
        second = Signal(signed(len(first) + 1))
        beyond = Signal(signed(len(first) + 1))
        m.d.comb += [first.eq(place >> _WEIGHT), second.eq(first + 1), beyond.eq(first - last)]
        weight = Signal(_WEIGHT, reset_less=True)
        m.d.sync += weight.eq(Mux(linear, place[:_WEIGHT], 0))
        m.d.comb += self.o.weight.eq(weight)
        repeats = wrap == Wrap.REPEAT
        belows = first < 0, second < 0
        aboves = (beyond >= 0) & (beyond != 0), beyond >= 0
        for number, (index, below, above) in enumerate(zip((first, second), belows, aboves, strict=True)):
            ends = Signal(name=f"ends_{number}")  # the last texel is taken
            begins = Signal(name=f"begins_{number}")  # the first one is
            m.d.comb += [ends.eq(Mux(repeats, below, above)), begins.eq(Mux(repeats, above, below))]
            m.d.sync += [
                self.o.texels[number].eq(Mux(ends, last, Mux(begins, 0, index))),
                self.o.inside[number].eq(~(below | above) | (wrap != Wrap.BORDER)),
            ]
