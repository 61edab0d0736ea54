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
    three to five, the smaller the divisor is, each 3 clocks after the one before. Results come in any order, 4 clocks after
    their last digit has begun. The next reciprocal and the first item are prepared meanwhile, and begin when the last
    digit of those before is done: triangles of which 18 digits are wanted follow each other in 20 clocks. The ring stands still
    while a result is not taken.

    Interface attributes
    --------------------
    divisors : stream of numbers that are divided by, more than 0
    i : stream of `DivisionItem`, those of a divisor up to the last one
    o : stream of `DivisionResult`
    """

    divisors: In(stream.Signature(DENOMINATOR_BITS))
    i: In(stream.Signature(DivisionItem))
    o: Out(stream.Signature(DivisionResult))

    def elaborate(self, platform):
        m = Module()
        m.submodules.divisor = divisor = Divisor()
        m.submodules.dividend = dividend = Dividend()
        connect(m, flipped(self.divisors), divisor.i)
        current = Signal(DivisorWords)
        waits = Signal()  # an item has its sign
        is_last = Signal()  # it is the last one of its divisor
        prepares = Signal()  # it gets its place
        ended = Signal(init=1)  # all items of the divisor are prepared
        fresh = Signal(DivisionSlot)  # the item that is prepared
        is_first = Signal()  # it is the first one of the next divisor
        first = Signal(DivisionSlot)
        second = Signal(DivisionSlot)
        third = Signal(DivisionSlot)
        done = Signal(DivisionSlot)
        last = Signal(DivisionSlot)
        turns = Signal()
        begins = Signal()
        moves = Signal()  # the ring
        after = self._digit(m, current, moves, first, second, third)
        next_waits = fresh.valid & is_first
        empty = ~(first.valid | second.valid | turns)
        m.d.comb += [
            dividend.shift.eq(Mux(ended | next_waits, divisor.o.payload.shift, current.shift)),
            *(dividend.item.eq(self.i.payload), dividend.stb.eq(self.i.valid & self.i.ready)),
            turns.eq(third.valid & (third.left != 0)),
            moves.eq(~last.valid | self.o.ready),
            begins.eq(fresh.valid & moves & ~turns & (~is_first | empty)),
            prepares.eq(waits & (~fresh.valid | begins) & (~ended | (divisor.o.valid & ~next_waits))),
            self.i.ready.eq(~waits | prepares),
            divisor.o.ready.eq(begins & is_first),
        ]
        with m.If(moves):
            m.d.sync += [first.eq(Mux(turns, after, fresh)), second.eq(first), third.eq(second), done.eq(after)]
            m.d.sync += [first.valid.eq(turns | begins), done.valid.eq(third.valid & ~turns), last.eq(done)]
        with m.If(self.i.ready):
            m.d.sync += [waits.eq(self.i.valid), is_last.eq(self.i.payload.is_last)]
        with m.If(prepares):
            m.d.sync += [fresh.eq(dividend.o), is_first.eq(ended), ended.eq(is_last)]
        with m.Elif(begins):
            m.d.sync += fresh.valid.eq(0)
        with m.If(divisor.o.ready):
            m.d.sync += current.eq(divisor.o.payload)
        self._result(m, current, moves, done, last)
        return m

    def _digit(self, m, current, moves, first, second, third):
        """A digit, its product with the divisor, and what is left after it: three clocks."""
        digit = Signal(_DIGIT + 1)
        estimate = Signal(2 * _HALF)
        again = Signal.like(digit)
        low = Signal(_HALF + len(digit))
        high = Signal(_HALF + len(digit))
        after = Signal(DivisionSlot)
        m.d.comb += estimate.eq(first.remainder[-_HALF:] * current.reciprocal)
        with m.If(moves):
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

    def _result(self, m, current, moves, done, last):
        """The last digit may be too small by one."""
        over = Signal()
        divisor = Signal(DENOMINATOR_BITS)  # of `done`
        total = Signal(GAIN_BITS)
        quotient = self.o.payload
        with m.If(moves):
            m.d.sync += [divisor.eq(Cat(current.number, 1)), over.eq(done.remainder >= divisor)]
        upper = Signal()
        m.d.comb += [
            total.eq(last.quotient + over),
            upper.eq(total[_QUOTIENT_BITS - 1]),
            self.o.valid.eq(last.valid),
            quotient.axis.eq(last.axis),
            quotient.place.eq(last.place),
        ]
        mantissa = Mux(upper, total[_QUOTIENT_BITS - 24 :], total[_QUOTIENT_BITS - 25 :])[:23]
        with m.If(last.place == DivisionItem.Place.Z):
            m.d.comb += quotient.value.eq(total ^ last.negative.replicate(GAIN_BITS))
        with m.Elif(~last.zero):
            m.d.comb += quotient.value.eq(Cat(mantissa, (last.exponent + upper)[:8], last.negative))
