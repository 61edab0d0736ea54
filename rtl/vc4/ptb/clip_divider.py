"""Quotients of floats."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.convert import significand

__all__ = ["ClipDivider"]

_BITS = 24
_BIAS = 127
_LARGEST = 0x7F7F_FFFF


class ClipDivider(wiring.Component):
    """Divides floats as the model's `truncated.div`: a truncated quotient of 24 bits; below the smallest number 0, above the largest
    one that, as is what is divided by 0, but for 0 itself.

    Behaviour: a bit a clock of the significand, of which the first one may be 0: `done` comes 25 or 26 clocks after `starts`.

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
        rest = Signal(_BITS + 1)
        divisor = Signal(_BITS)
        quotient = Signal(_BITS)  # its leading one comes to the top
        exponent = Signal(signed(10))
        negative = Signal()
        zero = Signal()
        infinite = Signal()
        is_first = Signal()
        less = Signal(_BITS + 2)
        a_zero = Signal()
        b_zero = Signal()
        m.d.comb += [
            less.eq(rest - divisor),
            *(a_zero.eq(~self.a[23:31].any()), b_zero.eq(~self.b[23:31].any())),
            self.done.eq(self.busy & quotient[-1]),
        ]
        bit = ~less[-1]
        with m.If(self.starts):
            m.d.sync += [
                *(rest.eq(significand(self.a)), divisor.eq(significand(self.b)), quotient.eq(0)),
                exponent.eq(self.a[23:31] - self.b[23:31] + _BIAS),
                *(negative.eq(self.a[31] ^ (self.b[31] & ~b_zero)), zero.eq(a_zero), infinite.eq(b_zero)),
                *(is_first.eq(1), self.busy.eq(1)),
            ]
        with m.Else():
            with m.If(~quotient[-1]):
                m.d.sync += [
                    rest.eq(Mux(bit, less[:_BITS], rest[:_BITS]) << 1),
                    quotient.eq(Cat(bit, quotient)),
                    is_first.eq(0),
                ]
                with m.If(is_first & ~bit):
                    m.d.sync += exponent.eq(exponent - 1)
            with m.If(self.taken):
                m.d.sync += self.busy.eq(0)
        over = infinite | (~exponent[-1] & (exponent[8] | exponent[:8].all()))
        under = zero | (~infinite & (exponent <= 0))
        number = Cat(quotient[: _BITS - 1], exponent[:8], negative)
        m.d.comb += self.o.eq(Mux(under, 0, Mux(over, Cat(C(_LARGEST, 31), negative), number)))
        return m
