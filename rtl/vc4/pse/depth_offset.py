"""The depth offset."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.numbers import Float16

from .structs import GAIN_BITS, Z_BITS

__all__ = ["DepthOffset"]

#: Twice the range of Z.
_LIMIT_BITS = Z_BITS + 1
#: Bits behind the point of what is limited, and of a product before that.
_SHIFT = 28
_PRODUCT_BITS = _LIMIT_BITS + _SHIFT
#: Bits of the number that a float of 16 bits is.
_NUMBER_BITS = 8
#: Exponents with which the number is whole: 16 bits behind the point for the factor, 8 for the units.
_WHOLE_FACTOR, _WHOLE_UNITS = 118, 126


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    REST = 0
    LARGER = 1  # of the gains
    PREPARE = 2  # the float is moved down
    MULTIPLY = 3  # a bit a clock
    MOVE = 4  # up, a bit a clock
    ADD = 5


class DepthOffset(wiring.Component):
    """The factor times the larger gain of Z for a pixel, and units, both limited to twice the range of Z, as is their sum
    (docs/reference/rendering.md, set-up).

    Behaviour: `done` comes 25 clocks after `starts`, and one later for each factor of two that factor or units have
    above 2^-9 or 1/2, until they are limited. Nothing is larger than 2^33: from there on no bit is moved.

    Interface attributes
    --------------------
    starts : strobe: begin
    z_x, z_y, factor, units : of the primitive; they hold until `done`
    done : strobe
    o : the offset, with 8 bits behind the point
    """

    starts: In(1)
    z_x: In(signed(GAIN_BITS))
    z_y: In(signed(GAIN_BITS))
    factor: In(Float16)
    units: In(Float16)
    done: Out(1)
    o: Out(signed(_LIMIT_BITS + 2))

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        is_units = Signal()
        size = Signal(
            _PRODUCT_BITS + 1
        )  # of the larger gain; the highest bit: it is so large that any factor is too much
        product = Signal(_PRODUCT_BITS + 1)
        number = Signal(_NUMBER_BITS)
        left = Signal(8)
        negative = Signal()
        total = Signal(signed(_LIMIT_BITS + 3))
        count = Signal(range(_NUMBER_BITS))
        word = Signal(16)
        exponent = Signal(8)
        distance = Signal(signed(9))
        m.d.comb += [
            word.eq(Mux(is_units, Value.cast(self.units), Value.cast(self.factor))),
            exponent.eq(word[7:15]),
            distance.eq(exponent - Mux(is_units, _WHOLE_UNITS, _WHOLE_FACTOR)),
        ]
        self._run(m, state, is_units, size, product, number, left, negative, total, count, word, distance)
        return m

    def _run(self, m, state, is_units, size, product, number, left, negative, total, count, word, distance):
        """From state to state."""
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.sync += [self.o.eq(0), is_units.eq(0)]
                with m.If(self.starts):
                    m.d.sync += [size.eq(self._size(m, self.z_x, "x")), state.eq(_State.LARGER)]
            with m.Case(_State.LARGER):
                size_y = self._size(m, self.z_y, "y")
                m.d.sync += state.eq(_State.PREPARE)
                with m.If(size_y > size):
                    m.d.sync += size.eq(size_y)
            with m.Case(_State.PREPARE):
                whole = Cat(word[:7], word[7:15].any())
                m.d.sync += [
                    number.eq(Mux(distance < 0, Mux(distance < -_NUMBER_BITS, 0, whole >> (-distance)[:4]), whole)),
                    left.eq(Mux(distance < 0, 0, distance)),
                    negative.eq(word[15]),
                    *(product.eq(0), count.eq(_NUMBER_BITS - 1)),
                    state.eq(_State.MULTIPLY),
                ]
            with m.Case(_State.MULTIPLY):
                m.d.sync += [number.eq(number << 1), count.eq(count - 1)]
                m.d.sync += product.eq(self._limited((product << 1) + Mux(number[-1], size, 0)))
                with m.If(count == 0):
                    m.d.sync += state.eq(_State.MOVE)
            with m.Case(_State.MOVE):
                m.d.sync += left.eq(left - 1)
                with m.If((left == 0) | product[-1] | ~product.any()):
                    m.d.sync += [state.eq(_State.ADD), total.eq(self.o + self._offset(product, negative))]
                with m.Else():
                    m.d.sync += product.eq(self._limited(product << 1))
            with m.Case(_State.ADD):
                m.d.sync += [self.o.eq(self._between(total)), is_units.eq(1), size.eq(1 << _SHIFT)]
                m.d.sync += state.eq(Mux(is_units, _State.REST, _State.PREPARE))
                m.d.comb += self.done.eq(is_units)

    def _size(self, m, gain, name):
        """The magnitude of a gain, limited."""
        size = Signal(GAIN_BITS, name=f"size_{name}")
        m.d.comb += size.eq(Mux(gain[-1], -gain, gain))
        return self._limited(size)

    def _limited(self, value):
        """Not more than twice the range of Z."""
        full = value[_PRODUCT_BITS:].any()
        return Cat(value[:_PRODUCT_BITS] & ~full.replicate(_PRODUCT_BITS), full)

    def _offset(self, product, negative):
        """Cut off, toward minus infinity."""
        up = negative & product[:_SHIFT].any()
        whole = product[_SHIFT:] + up
        return Mux(negative, -whole, whole)

    def _between(self, total):
        """Limited."""
        limit = 1 << _LIMIT_BITS
        return Mux(total > limit, limit, Mux(total < -limit, -limit, total))
