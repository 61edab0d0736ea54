"""Quotients of floats."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.convert import significand
from vc4.common.select import select

__all__ = ["ClipDivider"]

_BITS = 24
_DIGIT_BITS, _DIGITS = 2, 13
_BIAS = 127
_LARGEST = 0x7F7F_FFFF


class ClipDivider(wiring.Component):
    """Divides floats as the model's `truncated.div`: a truncated quotient of 24 bits; below the smallest number 0, above the largest
    one that, as is what is divided by 0, but for 0 itself.

    Behaviour: two bits a clock of half the quotient of significands, which is above a quarter and below one; 13 digits, as the first
    bit may be 0. `done` comes 14 clocks after `starts`.

    Interface attributes
    --------------------
    starts, a, b : strobe: a is divided by b, which are finite; none is under way
    taken : strobe: the quotient is no longer needed
    busy, done : a quotient is under way, or waits; it is there
    o : the quotient
    """

    starts: In(1)
    a: In(32)
    b: In(32)
    taken: In(1)
    busy: Out(1)
    done: Out(1)
    o: Out(32)

    def elaborate(self, platform):
        m = Module()
        rest = Signal(_BITS + 1)  # below twice the divisor
        divisor = Signal(_BITS)
        thrice = Signal(_BITS + 2)  # of the divisor
        quotient = Signal(_DIGITS * _DIGIT_BITS)  # its first digit comes to the top
        exponent = Signal(signed(10))
        negative = Signal()
        zero = Signal()
        infinite = Signal()
        a_zero = Signal()
        b_zero = Signal()
        ends = Signal()
        digit = Signal(_DIGIT_BITS)
        left = [Signal(_BITS + 3, name=f"left_{times}") for times in range(1 << _DIGIT_BITS)]
        fits = [~one[-1] for one in left]
        m.d.comb += [
            *(one.eq((rest << 1) - times) for one, times in zip(left, (0, divisor, divisor << 1, thrice), strict=True)),
            digit.eq(Cat(Mux(fits[2], fits[3], fits[1]), fits[2])),
            *(a_zero.eq(~self.a[23:31].any()), b_zero.eq(~self.b[23:31].any())),
            *(ends.eq(quotient[-_DIGIT_BITS:].any()), self.done.eq(self.busy & ends)),
        ]
        with m.If(self.starts):
            by = significand(self.b)
            m.d.sync += [
                *(rest.eq(significand(self.a)), divisor.eq(by), thrice.eq(by + (by << 1)), quotient.eq(0)),
                exponent.eq(self.a[23:31] - self.b[23:31] + _BIAS),
                *(negative.eq(self.a[31] ^ (self.b[31] & ~b_zero)), zero.eq(a_zero), infinite.eq(b_zero)),
                self.busy.eq(1),
            ]
        with m.Else():
            with m.If(~ends):
                m.d.sync += [
                    rest.eq(select(digit, [one[:_BITS] for one in left]) << 1),
                    quotient.eq(Cat(digit, quotient)),
                ]
                # The first digit, beside the last one: the quotient of significands is below one.
                with m.If(quotient[-2 * _DIGIT_BITS : -_DIGIT_BITS] == 1):
                    m.d.sync += exponent.eq(exponent - 1)
            with m.If(self.taken):
                m.d.sync += self.busy.eq(0)
        upper = quotient[-1]
        over = infinite | (~exponent[-1] & (exponent[8] | exponent[:8].all()))
        under = zero | (~infinite & (exponent <= 0))
        number = Cat(Mux(upper, quotient[2:-1], quotient[1:-2]), exponent[:8], negative)
        m.d.comb += self.o.eq(Mux(under, 0, Mux(over, Cat(C(_LARGEST, 31), negative), number)))
        return m
