"""Clock 1 of the special function unit: the argument of the tables, and what is known of the result."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.sfu_tables import SfuFunction

from .convert import significand
from .sfu_records import SfuArgument

__all__ = ["SfuPrepare"]

#: Exponents of 1 and 1/2, less that of 2^-15.
_ONE, _HALF = 15, 14
_FRACTION_BITS = 15
_FIXED_BITS = 7 + _FRACTION_BITS


class SfuPrepare(wiring.Component):
    """Brings an operand into fixed point; combinational (SFU facts, section 3).

    All functions take fifteen fraction bits of a fixed-point number: EXP those of the operand itself, or of its complement
    if it is negative; RECIP and LOG those of its significand in [1, 2); RECIPSQRT those of its significand in [1/2, 1), the
    first of which, always one, is replaced by whether the exponent is even. So one shift makes all of them, by the exponent
    of the operand or by a fixed one.

    A result is a significand with an exponent: the integer 1 and the fraction of the table, or, of LOG, the exponent of the
    operand and the fraction. A negative logarithm is the complement of all bits of the positive one, with a one below them.

    Interface attributes
    --------------------
    function, word : the operation and its operand
    segment : address of the coefficients
    o : to the second clock
    """

    function: In(SfuFunction)
    word: In(32)
    segment: Out(6)
    o: Out(SfuArgument)

    def elaborate(self, platform):
        m = Module()
        function, o = self.function, self.o
        exponent = self.word[23:31]
        recipsqrt, exp, log = (function == which for which in (SfuFunction.RECIPSQRT, SfuFunction.EXP, SfuFunction.LOG))
        denormal = Signal()  # or zero
        special = Signal()  # infinite
        large = Signal()  # at least 2^7
        below_one = Signal()
        next_exponent = Signal(8)
        integer = Signal(7)
        argument = Signal(_FRACTION_BITS)
        minus = Signal()  # as EXP sees it
        m.d.comb += [
            denormal.eq(~exponent.any()),
            special.eq(exponent.all()),
            below_one.eq(~exponent[7] & ~exponent[:7].all()),
            large.eq(exponent[7] & (exponent[1:7] >= 3)),
            next_exponent.eq(exponent + 1),
            minus.eq(self.word[31] & ~denormal),
            Cat(argument, integer).eq(self._fixed(m, exponent, exp, recipsqrt) ^ (exp & minus).replicate(_FIXED_BITS)),
            self.segment.eq(Cat(argument[11:14], Mux(recipsqrt, ~exponent[0], argument[14]), function)),
            o.x.eq(argument[:11]),
            *(o.rises.eq(exp), o.filler.eq(log & below_one), o.inverts.eq(log & ~below_one)),
            o.integer.eq(Mux(log, next_exponent[:7] ^ below_one.replicate(7), 1)),
        ]
        half = ~next_exponent[1:]  # the exponent halved around its bias, upside down
        outcome = o.outcome
        with m.Switch(function):
            with m.Case(SfuFunction.RECIP):
                # The table gives a little less than 1 for 1; see `docs/reference/choices.md`.
                one = (exponent == 0x7F) & ~self.word[:23].any()
                m.d.comb += [
                    o.exponent.eq(Mux(one, 0x80, ~next_exponent)),
                    outcome.whole.eq(one),
                    outcome.negative.eq(self.word[31]),
                    outcome.infinite.eq(denormal),
                    outcome.zero.eq(exponent[2:].all() & exponent[:2].any()),
                ]
            with m.Case(SfuFunction.RECIPSQRT):
                m.d.comb += [
                    o.exponent.eq(Cat(half[:6], ~half[6], half[6])),
                    *(outcome.infinite.eq(denormal), outcome.zero.eq(special)),
                ]
            with m.Case(SfuFunction.EXP):
                m.d.comb += [
                    o.exponent.eq(Cat(integer, ~minus)),
                    outcome.infinite.eq(large & ~minus),
                    outcome.zero.eq(minus & (large | ~integer[1:].any())),
                ]
            with m.Case(SfuFunction.LOG):
                m.d.comb += [
                    o.exponent.eq(0x80),
                    *(outcome.negative.eq(below_one), outcome.infinite.eq(denormal | special)),
                ]
        return m

    def _fixed(self, m, exponent, exp, recipsqrt):
        """Seven bits of an integer, fifteen of a fraction. Right for all exponents below that of 2^7."""
        amount = Signal(5)  # to the right by 31 less this
        # Of an exponent from that of 2^-15 to that of 2^6, these bits are its distance from the first.
        own = Cat(exponent[:4], exponent[7])
        m.d.comb += amount.eq(Mux(exp, own, Mux(recipsqrt, _HALF, _ONE)))
        shifted = Cat(C(0, 8), significand(self.word))
        for level in reversed(range(len(amount))):
            before, shifted = shifted, Signal(32, name=f"shifted_{1 << level}")
            m.d.comb += shifted.eq(Mux(amount[level], before, before >> (1 << level)))
        too_small = exp & ~exponent[7] & ~exponent[4:7].all()
        return shifted[:_FIXED_BITS] & ~too_small.replicate(_FIXED_BITS)
