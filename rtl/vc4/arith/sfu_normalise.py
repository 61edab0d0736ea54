"""Clock 4 of the special function unit: the result as a float."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .sfu_records import SfuValue

__all__ = ["SfuNormalise"]

#: The bits that the highest one can be among: the lowest bit of the integer, the fraction and the bit below it.
_UPPER = 17


class SfuNormalise(wiring.Component):
    """Shifts the highest one to the top and assembles the float; combinational.

    The one is not on top only in a logarithm between -1 and 1. Its exponent is then that of 1 less the shift, and as the low
    four bits of that are ones, the difference is an exclusive or. Nothing but zeros lies below the upper bits there.

    Interface attributes
    --------------------
    i : from the third clock
    result : of the operation
    """

    i: In(SfuValue)
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        i, outcome = self.i, self.i.outcome
        lower, upper = i.significand[:-_UPPER], i.significand[-_UPPER:]
        count = Signal(4)
        shifted = upper
        for level in reversed(range(len(count))):
            step = 1 << level
            before, shifted = shifted, Signal(_UPPER, name=f"shifted_{step}")
            m.d.comb += [
                count[level].eq(~before[-step:].any()),
                shifted.eq(Mux(count[level], before << step, before)),
            ]
        zero = outcome.zero | ~upper.any()
        clear = zero | outcome.infinite | outcome.whole
        m.d.comb += self.result.eq(
            Cat(
                C(0, 1),
                Cat(lower, shifted[:-1]) & ~clear.replicate(22),
                ((i.exponent ^ count) & ~zero.replicate(8)) | outcome.infinite.replicate(8),
                outcome.negative,
            )
        )
        return m
