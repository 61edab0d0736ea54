"""The number that is divided, where its digits begin."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import leading_zeros

from .structs import DENOMINATOR_BITS, GAIN_BITS, NUMERATOR_BITS, Axis, DivisionItem

__all__ = ["Dividend", "DivisionSlot"]

_DIGIT_BITS = 14
#: Digits of a float, of a gain if the divisor is not moved, and the most of a gain, which has up to 66 bits.
_FLOAT_DIGITS, _FEWEST, _MOST = 2, 3, 5
_QUOTIENT_BITS = _MOST * _DIGIT_BITS
_GAIN_SHIFT = GAIN_BITS - NUMERATOR_BITS
#: Numerators of floats, and how far they are moved up further: they stay below the divisor.
_FLOAT_BITS = 18
_FLOAT_SHIFT = DENOMINATOR_BITS - 1 - _FLOAT_BITS
#: Of a float in front of any shift, if its quotient has 27 bits.
_EXPONENT = 127 - 2 - _FLOAT_SHIFT


class DivisionSlot(data.Struct):
    """A quotient under way.

    remainder : below twice the divisor
    quotient : what was found of it; above that the rest of the number, whose complement counts if `negative`
    left : digits that are missing, this one not
    exponent : of the float, if the quotient has the fewest bits it may have
    zero : so is the number
    """

    valid: unsigned(1)
    axis: Axis
    place: DivisionItem.Place
    negative: unsigned(1)
    zero: unsigned(1)
    left: range(_MOST)
    exponent: unsigned(8)
    remainder: unsigned(DENOMINATOR_BITS + 1)
    quotient: unsigned(_QUOTIENT_BITS)

    DIGIT_BITS = _DIGIT_BITS


class Dividend(wiring.Component):
    """Prepares a number for division, in two clocks: its sign, then its place.

    A gain that is negative is rounded down if the complement of its numerator is divided, with ones for all that is moved in,
    and that of the quotient taken. A number moves up as far as the divisor: within a digit by a shift, and by more digits.

    Interface attributes
    --------------------
    item, stb : strobe: the next number
    shift : in the clocks after that: how far the divisor was moved to the left
    o : its slot, through logic; it stays until the next strobe
    """

    item: In(DivisionItem)
    stb: In(1)
    shift: In(range(DENOMINATOR_BITS))
    o: Out(DivisionSlot)

    def elaborate(self, platform):
        m = Module()
        item, o = self.item, self.o
        is_gain = Signal()
        signed_number = Signal(signed(NUMERATOR_BITS))
        size = Signal(_FLOAT_BITS)
        moved = Signal(GAIN_BITS + _DIGIT_BITS - 1)
        digits = Signal(range(_MOST - _FEWEST + 1))
        places = Signal(range(_DIGIT_BITS))
        rest = _FEWEST * _DIGIT_BITS
        top = Signal(_FLOAT_BITS)
        number = item.numerator
        zeros = leading_zeros(m, Cat(Const(0, 32 - _FLOAT_BITS), size), "zeros")
        negative = Signal()
        axis = Signal(Axis)
        place = Signal(DivisionItem.Place)
        m.d.comb += [
            top.eq(size << zeros[:5]),
            digits.eq((self.shift >= _DIGIT_BITS) + (self.shift >= 2 * _DIGIT_BITS)),
            places.eq(self.shift - Mux(digits[1], 2 * _DIGIT_BITS, Mux(digits[0], _DIGIT_BITS, 0))),
            moved.eq((signed_number << places) << _GAIN_SHIFT),
            *(o.valid.eq(1), o.zero.eq(size == 0)),
            o.exponent.eq(_EXPONENT + self.shift - zeros),
        ]
        with m.If(self.stb):
            m.d.sync += [
                *(is_gain.eq(item.place == DivisionItem.Place.Z), axis.eq(item.axis), place.eq(item.place)),
                signed_number.eq(Mux(item.negative, -number, number)),
                negative.eq(number[-1] ^ item.negative),
                size.eq(Mux(number[-1], -number[:_FLOAT_BITS], number[:_FLOAT_BITS])),
            ]
        m.d.comb += [o.axis.eq(axis), o.place.eq(place)]
        with m.If(is_gain):
            m.d.comb += [
                *(o.negative.eq(signed_number[-1]), o.left.eq(digits + _FEWEST - 1)),
                o.quotient.eq(moved[:rest] << (_QUOTIENT_BITS - rest)),
                o.remainder.eq(moved[rest:-1] ^ signed_number[-1].replicate(len(moved) - 1 - rest)),
            ]
        with m.Else():
            m.d.comb += [
                *(o.negative.eq(negative), o.left.eq(_FLOAT_DIGITS - 1)),
                o.remainder.eq(top << _FLOAT_SHIFT),
            ]
        return m
