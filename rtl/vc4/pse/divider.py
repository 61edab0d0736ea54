"""Quotients: floats of integers, and what Z gains."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .dividend import Dividend, DivisionSlot
from .divisor import Divisor
from .structs import DENOMINATOR_BITS, GAIN_BITS, DivisionItem, DivisionResult, DivisorWords

__all__ = ["Divider"]

_DIGIT = DivisionSlot.DIGIT_BITS
_HALF = 18
#: A quotient of two normalised numbers has 27 or 28 bits.
_QUOTIENT_BITS = 2 * _DIGIT


class Divider(wiring.Component):
    """Divides integers, exactly: floats whose significands are cut off after 24 bits, as the model's `quotient`, and gains of Z
    with 16 bits more, rounded down, as its `z_gain`.

    Behaviour: a digit of 14 bits of a quotient each clock, of three quotients in turn; it is the product of the remainder's and
    the reciprocal's upper bits, never too large, and the rest stays below twice the divisor. A float takes two digits, a gain
    five, each 3 clocks after the one before. Four floats and two gains, one after the other, take 21 clocks in all, 4 more
    until the last one is out, and 2 until those of the next divisor begin. Results come in any order. The reciprocal of
    the next divisor is found meanwhile.

    Interface attributes
    --------------------
    divisors : stream of numbers that are divided by, more than 0
    i : stream of `DivisionItem`, those of a divisor up to the last one
    opens : those of the next divisor may begin
    o, o_stb : strobe: a quotient
    """

    divisors: In(stream.Signature(DENOMINATOR_BITS))
    i: In(stream.Signature(DivisionItem))
    opens: In(1)
    o: Out(DivisionResult)
    o_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.divisor = divisor = Divisor()
        m.submodules.dividend = dividend = Dividend()
        connect(m, flipped(self.divisors), divisor.i)
        current = Signal(DivisorWords)
        has = Signal()  # there is one
        ended = Signal()  # all of its items have begun
        fresh = Signal(DivisionSlot)
        first = Signal(DivisionSlot)
        second = Signal(DivisionSlot)
        third = Signal(DivisionSlot)
        done = Signal(DivisionSlot)
        begins = Signal()
        turns = Signal()
        after = self._digit(m, current, first, second, third)
        m.d.comb += [
            dividend.shift.eq(current.shift),
            dividend.item.eq(self.i.payload),
            turns.eq(third.valid & (third.left != 0)),
            begins.eq(self.i.valid & has & ~ended & (~fresh.valid | ~turns)),
            self.i.ready.eq(has & ~ended & (~fresh.valid | ~turns)),
            divisor.o.ready.eq(~has & self.opens),
        ]
        m.d.sync += [first.eq(Mux(turns, after, fresh)), second.eq(first), third.eq(second), done.eq(after)]
        m.d.sync += done.valid.eq(third.valid & ~turns)
        with m.If(begins):
            m.d.sync += [fresh.eq(dividend.o), ended.eq(self.i.payload.is_last)]
        with m.Elif(~turns):
            m.d.sync += fresh.valid.eq(0)
        with m.If(~has):
            m.d.sync += [current.eq(divisor.o.payload), has.eq(divisor.o.valid & self.opens), ended.eq(0)]
        with m.Elif(ended & ~(fresh.valid | first.valid | second.valid | third.valid | done.valid)):
            m.d.sync += has.eq(0)
        self._result(m, current, done)
        return m

    def _digit(self, m, current, first, second, third):
        """A digit, its product with the divisor, and what is left after it: three clocks."""
        digit = Signal(_DIGIT + 1)
        estimate = Signal(2 * _HALF)
        again = Signal.like(digit)
        low = Signal(_HALF + len(digit))
        high = Signal(_HALF + len(digit))
        after = Signal(DivisionSlot)
        m.d.comb += estimate.eq(first.remainder[-_HALF:] * current.reciprocal)
        m.d.sync += [
            digit.eq(estimate[2 * _HALF - 2 - _DIGIT :]),
            low.eq(digit * current.number[:_HALF]),
            high.eq(digit * current.number[_HALF:]),
            again.eq(digit),
        ]
        upper = Cat(high, Const(0, 1)) + (again << (DENOMINATOR_BITS - 1 - _HALF))
        is_complement = third.negative & (third.place == DivisionItem.Place.Z)
        rest = third.quotient[-_DIGIT:] ^ is_complement.replicate(_DIGIT)
        m.d.comb += [
            after.eq(third),
            after.remainder.eq(Cat(rest, third.remainder) - low - (upper << _HALF)),
            after.quotient.eq((third.quotient << _DIGIT) + again),
            after.left.eq(third.left - 1),
        ]
        return after

    def _result(self, m, current, done):
        """The last digit may be too small by one."""
        last = Signal(DivisionSlot)
        over = Signal()
        total = Signal(GAIN_BITS)
        m.d.sync += [last.eq(done), over.eq(done.remainder >= Cat(current.number, 1))]
        upper = Signal()
        m.d.comb += [
            total.eq(last.quotient + over),
            upper.eq(total[_QUOTIENT_BITS - 1]),
            self.o_stb.eq(last.valid),
            self.o.axis.eq(last.axis),
            self.o.place.eq(last.place),
        ]
        mantissa = Mux(upper, total[_QUOTIENT_BITS - 24 :], total[_QUOTIENT_BITS - 25 :])[:23]
        with m.If(last.place == DivisionItem.Place.Z):
            m.d.comb += self.o.value.eq(total ^ last.negative.replicate(GAIN_BITS))
        with m.Elif(~last.zero):
            m.d.comb += self.o.value.eq(Cat(mantissa, (last.exponent + upper)[:8], last.negative))
