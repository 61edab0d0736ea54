"""What is divided by, and its reciprocal."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import leading_zeros

from .structs import DENOMINATOR_BITS, DivisorWords

__all__ = ["Divisor"]

#: Bits of the reciprocal: a number of 2^18, divided by one that is larger than that.
_BITS = 18
#: Of them that a clock finds.
_RADIX_BITS = 2
_STEPS = _BITS // _RADIX_BITS


class Divisor(wiring.Component):
    """Moves a number up until its highest bit is set, and finds the reciprocal of its upper bits.

    Behaviour: one number at a time, 12 clocks from when it is taken until it is there. The reciprocal, 2^36 / (upper
    bits + 1) rounded down, is never too large, and too small by less than 1.5 parts in 2^17.

    Interface attributes
    --------------------
    i : stream of numbers; none of them is 0
    o : stream of `DivisorWords`
    """

    i: In(stream.Signature(DENOMINATOR_BITS))
    o: Out(stream.Signature(DivisorWords))

    def elaborate(self, platform):
        m = Module()
        number = Signal(DENOMINATOR_BITS)
        zeros = Signal(range(DENOMINATOR_BITS))
        busy = Signal()
        step = Signal(range(_STEPS + 3))
        above = Signal(_BITS + 2)  # the upper bits + 1
        remainder = Signal(_BITS + 2)
        reciprocal = Signal(_BITS)
        found = leading_zeros(m, Cat(Const(0, 64 - DENOMINATOR_BITS), number), "zeros")
        m.d.comb += [
            self.i.ready.eq(~busy),
            self.o.valid.eq(busy & (step == _STEPS + 2)),
            self.o.payload.number.eq(number),
            self.o.payload.shift.eq(zeros),
            self.o.payload.reciprocal.eq(reciprocal),
        ]
        rest, digits = remainder, []
        for bit in range(_RADIX_BITS):
            less = Signal(_BITS + 3, name=f"less_{bit}")
            m.d.comb += less.eq((rest << 1) - above)
            digits.insert(0, ~less[-1])
            rest = Mux(less[-1], rest << 1, less)[: len(remainder)]
        with m.If(~busy):
            m.d.sync += [busy.eq(self.i.valid), number.eq(self.i.payload), step.eq(0)]
        with m.Elif(step == 0):
            m.d.sync += [zeros.eq(found), step.eq(1)]
        with m.Elif(step == 1):
            m.d.sync += [number.eq(number << zeros), step.eq(2)]
            m.d.sync += [remainder.eq(1 << _BITS), above.eq((number << zeros)[_BITS:DENOMINATOR_BITS] + 1)]
        with m.Elif(step != _STEPS + 2):
            m.d.sync += [step.eq(step + 1), remainder.eq(rest), reciprocal.eq(Cat(*digits, reciprocal))]
        with m.Elif(self.o.ready):
            m.d.sync += busy.eq(0)
        return m
