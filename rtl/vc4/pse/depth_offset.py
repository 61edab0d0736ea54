"""The depth offset."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.numbers import Float16

from .structs import GAIN_BITS, Z_BITS

__all__ = ["DepthOffset"]

#: Twice the range of Z.
_LIMIT_BITS = Z_BITS + 1
#: Bits after the point of what is limited, and of a product before that.
_SHIFT = 28
_PRODUCT_BITS = _LIMIT_BITS + _SHIFT
#: Bits of the number that a float of 16 bits is.
_NUMBER_BITS = 8
#: Exponents with which the number is whole: 16 bits after the point for the factor, 8 for the units.
_WHOLE_FACTOR, _WHOLE_UNITS = 118, 126


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    REST = 0
    X = 1  # the magnitude of this gain is known
    Y = 2
    LARGER = 3  # of both
    PREPARE = 4  # the float is moved down
    MULTIPLY = 5  # a bit a clock
    MOVE = 6  # up, a bit a clock


class DepthOffset(wiring.Component):
    """The factor times the larger gain of Z for a pixel, and units, both limited to twice the range of Z, as is their sum
    (docs/reference/rendering.md, set-up).

    Behaviour: `done` comes 24 clocks after `starts`, and one later for each factor of two that factor or units have
    above 2^-9 and 1/2, until they are limited. Nothing is larger than 2^33: from there on no bit is moved.

    Interface attributes
    --------------------
    starts : strobe: begin
    z_x, z_y, factor, units : of the primitive; they hold until `done`
    busy, done : it is under way; strobe: `o` is there from the next clock on
    o : the offset, with 8 bits after the point
    """

    starts: In(1)
    z_x: In(signed(GAIN_BITS))
    z_y: In(signed(GAIN_BITS))
    factor: In(Float16)
    units: In(Float16)
    busy: Out(1)
    done: Out(1)
    o: Out(signed(_LIMIT_BITS + 2))

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        is_units = Signal()
        # Of the larger gain; the highest bit says that it is so large that any factor is too much.
        size = Signal(_PRODUCT_BITS + 1)
        product = Signal(_PRODUCT_BITS + 1)
        number = Signal(_NUMBER_BITS)
        left = Signal(8)
        count = Signal(range(_NUMBER_BITS))
        negative = Signal()
        word = Signal(16)
        distance = Signal(signed(9))
        exponent = word[7:15]
        whole = Cat(word[:7], exponent.any())
        gain = self._size(m, state)
        up = (product << 1) + (size & number[-1].replicate(len(size)))
        m.d.comb += [
            self.busy.eq(state != _State.REST),
            word.eq(Mux(is_units, Value.cast(self.units), Value.cast(self.factor))),
            distance.eq(exponent - Mux(is_units, _WHOLE_UNITS, _WHOLE_FACTOR)),
        ]
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.sync += is_units.eq(0)
                with m.If(self.starts):
                    m.d.sync += [self.o.eq(0), state.eq(_State.X)]
            with m.Case(_State.X):
                m.d.sync += [product.eq(gain), state.eq(_State.Y)]
            with m.Case(_State.Y):
                m.d.sync += [size.eq(gain), state.eq(_State.LARGER)]
            with m.Case(_State.LARGER):
                m.d.sync += state.eq(_State.PREPARE)
                with m.If(product > size):
                    m.d.sync += size.eq(product)
            with m.Case(_State.PREPARE):
                m.d.sync += [number.eq(whole), left.eq(distance), negative.eq(word[15]), product.eq(0)]
                m.d.sync += [count.eq(_NUMBER_BITS - 1), state.eq(_State.MULTIPLY)]
                with m.If(distance < 0):
                    m.d.sync += left.eq(0)
                    m.d.sync += number.eq(Mux(distance < -_NUMBER_BITS, 0, whole >> (-distance)[:4]))
            with m.Case(_State.MULTIPLY):
                m.d.sync += [number.eq(number << 1), count.eq(count - 1), product.eq(self._limited(up))]
                with m.If(count == 0):
                    m.d.sync += state.eq(_State.MOVE)
            with m.Case(_State.MOVE):
                m.d.sync += left.eq(left - 1)
                with m.If((left == 0) | product[-1] | ~product.any()):
                    m.d.sync += [state.eq(Mux(is_units, _State.REST, _State.PREPARE)), is_units.eq(1)]
                    m.d.sync += [size.eq(1 << _SHIFT), self.o.eq(self._sum(m, product, negative))]
                    m.d.comb += self.done.eq(is_units)
                with m.Else():
                    # The number has no bits any more.
                    m.d.sync += product.eq(self._limited(up))
        return m

    def _size(self, m, state):
        """The magnitude of a gain, a clock later: of X at rest, then of Y."""
        gain = Signal(GAIN_BITS)
        size = Signal(GAIN_BITS)
        minus = gain[-1].replicate(GAIN_BITS)
        m.d.comb += gain.eq(Mux(state == _State.REST, self.z_x, self.z_y))
        m.d.sync += size.eq((gain ^ minus) + gain[-1])
        return self._limited(size)

    def _limited(self, value):
        """Not more than twice the range of Z."""
        full = value[_PRODUCT_BITS:].any()
        return Cat(value[:_PRODUCT_BITS] & ~full.replicate(_PRODUCT_BITS), full)

    def _sum(self, m, product, negative):
        """The offset with one more number, cut off toward minus infinity, and limited."""
        total = Signal(signed(_LIMIT_BITS + 3))
        minus = negative.replicate(_LIMIT_BITS + 2)
        whole = (Cat(product[_SHIFT:], Const(0, 1)) ^ minus).as_signed()
        m.d.comb += total.eq(self.o + whole + (negative & ~product[:_SHIFT].any()))
        limit = 1 << _LIMIT_BITS
        above = ~total[-1] & total[_LIMIT_BITS:].any()
        below = total[-1] & ~total[_LIMIT_BITS]
        return Mux(above, limit, Mux(below, -limit, total))
