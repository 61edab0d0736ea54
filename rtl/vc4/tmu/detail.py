"""The level of detail of a quad."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.qpu.structs import LANES

from .elements import SIZE_BITS, QuadPoint
from .float_distance import FloatDistance
from .float_scale import FloatScale
from .float_square import FloatSquare
from .float_sum import FloatSum

__all__ = ["Detail"]

_BIAS = 127
_LOG_BITS = 5
#: Clocks from the operands of the last step to its length, which four operations make, and to the level of detail: the longest, and the
#: logarithm.
_LENGTH = FloatDistance.LATENCY + FloatScale.LATENCY + FloatSquare.LATENCY + FloatSum.LATENCY
_AFTER = _LENGTH + 2


def _logarithms():
    """log2 in the middle of each of 32 steps from 1 to 2, in units of 1/256, rounded to the nearest, by integers."""
    powers = [((2 << _LOG_BITS) + 2 * step + 1) ** 512 for step in range(1 << _LOG_BITS)]
    return [(power.bit_length() - 1 - 512 * (_LOG_BITS + 1) + 1) >> 1 for power in powers]


class Detail(wiring.Component):
    """Half of log2 of the longest step to the next pixel, squared, 8 bits after the point; floats as the QPU computes them.

    Behaviour: a quad every four clocks; its level of detail is there `Detail.LATENCY` clocks after its first element. The
    four steps of a quad, two along each direction, follow each other: 0 to 1, 0 to 2, 2 to 3, 1 to 3. Each goes through
    three operations for s and for t, distance, texels, and square; their sum is its length.

    Interface attributes
    --------------------
    i, i_stb : the elements of a quad in successive clocks
    o, o_stb : the level of detail
    """

    LATENCY = LANES + 1 + _AFTER

    i: In(QuadPoint)
    i_stb: In(1)
    o: Out(signed(16))
    o_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.lengths = lengths = FloatSum()
        first, follows, last = self._order(m)
        # Steps meet the size of the image as they leave their operation.
        takes_size = self._delayed(m, "takes_size", first, FloatDistance.LATENCY - 1)
        m.d.comb += [
            lengths.a.eq(self._square(m, "s", self.i.s, self.i.width, follows, takes_size)),
            lengths.b.eq(self._square(m, "t", self.i.t, self.i.height, follows, takes_size)),
        ]
        length = lengths.o
        longest = Signal(31)
        logarithm = Signal(8)
        entry = Signal(8)
        exponent = Signal(signed(9))
        with m.Switch(longest[23 - _LOG_BITS : 23]):
            for number, value in enumerate(_logarithms()):
                with m.Case(number):
                    m.d.comb += entry.eq(value)
        m.d.sync += [
            longest.eq(Mux(self._delayed(m, "first", first, _LENGTH) | (length > longest), length, longest)),
            logarithm.eq(entry),
            exponent.eq(longest[23:31] - _BIAS),
        ]
        m.d.comb += [
            self.o.eq(Cat(logarithm, exponent)[1:]),
            self.o_stb.eq(self._delayed(m, "stb", last, _AFTER)),
        ]
        return m

    def _order(self, m):
        """Whether the operands are those of the first step, will be those of the last one, and are."""
        first = Signal()
        follows = Signal()
        last = Signal()
        m.d.sync += [
            first.eq(self.i_stb & (self.i.lane == 1)),
            follows.eq(self.i_stb & (self.i.lane == LANES - 1)),
            last.eq(follows),
        ]
        return first, follows, last

    def _square(self, m, name, point, texels, follows, takes_size):
        """The squares of the steps along one axis, in texels."""
        m.submodules[f"steps_{name}"] = steps = FloatDistance()
        m.submodules[f"texels_{name}"] = products = FloatScale(SIZE_BITS)
        m.submodules[f"squares_{name}"] = squares = FloatSquare()
        lane = self.i.lane
        # Steps follow each other so that only one of their ends changes, or comes from the other.
        to, origin, kept = (Signal(32, name=f"{what}_{name}") for what in ("to", "from", "kept"))
        third = self.i_stb & (lane == LANES - 1)
        with m.If(self.i_stb & (lane < 2)):
            m.d.sync += kept.eq(point)
        with m.If(self.i_stb & (lane != 0)):
            m.d.sync += to.eq(point)
        with m.If((self.i_stb & lane[0]) | follows):
            m.d.sync += origin.eq(Mux(third, to, kept))
        held = Signal.like(texels, name=f"held_{name}")
        halved = Signal(name=f"halved_{name}")
        with m.If(self.i_stb & (lane == 1)):
            m.d.sync += [held.eq(texels), halved.eq(self.i.halved)]
        with m.If(takes_size):
            m.d.sync += self._float(m, name, held, halved, products)
        m.d.comb += [
            *(steps.a.eq(to), steps.b.eq(origin)),
            *(products.value.eq(steps.o), squares.value.eq(products.o)),
        ]
        return squares.o

    def _float(self, m, name, size, halved, products):
        """A number of texels as a factor."""
        exponent = Signal(signed(5), name=f"size_exponent_{name}")
        significand = Signal(SIZE_BITS, name=f"size_significand_{name}")
        for bit in range(SIZE_BITS):
            with m.If(size[bit]):
                m.d.comb += [exponent.eq(bit - halved), significand.eq(size << SIZE_BITS - 1 - bit)]
        return [products.exponent.eq(exponent), products.significand.eq(significand)]

    def _delayed(self, m, name, value, count):
        for clock in range(count):
            before, value = value, Signal(len(value), name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
        return value
