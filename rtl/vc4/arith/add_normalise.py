"""Clock A2 of the add ALU: the second rotator, the exponent and the result."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .add_records import AddTotal
from .bits import at_most, rotate_left

__all__ = ["AddNormalise"]


class AddNormalise(wiring.Component):
    """Makes the result of a sum; combinational.

    The rest of the rotation, by less than a byte, brings the leading one of a float to bit 23, the hidden one. What comes round
    from the other end is zero, or lies above the mantissa, or is the guard, which enters at the bottom as it should; so no mask is
    needed, and with a rotation of 0 an integer passes. A result below the smallest normal float is +0.

    Interface attributes
    --------------------
    i : from A1
    result : of the operation
    zero : it is zero; sooner than the result itself
    """

    i: In(AddTotal)
    result: Out(32)
    zero: Out(1)

    def elaborate(self, platform):
        m = Module()
        i = self.i
        exponent = Signal(8)
        clear = Signal(32)
        flush = Signal()
        zeros = Cat(Mux(i.lower, i.zeros[0], i.zeros[1]), i.lower, i.none)
        rotated = rotate_left(m, i.sum, zeros[:3], "rotated")
        mantissa = (rotated & ~clear)[:23] & ~flush.replicate(23)
        top = Cat(exponent | i.infinite.replicate(8), i.negative) & ~flush.replicate(9)
        m.d.comb += [
            exponent.eq(i.exponent - zeros),
            flush.eq(i.normalise & ~i.infinite & (i.zero | self._too_small())),
            clear.eq(Cat(bit.replicate(8) for bit in i.clear)),
            self.zero.eq(Mux(i.normalise, flush, ~(i.sum & ~clear).any() & ~(i.count & ~i.sum[31]))),
            self.result.eq(
                Cat(
                    Mux(i.count, zeros, mantissa[: len(zeros)]),
                    mantissa[len(zeros) :],
                    Mux(i.normalise, top, (i.sum & ~clear)[23:]),
                )
            ),
        ]
        return m

    def _too_small(self):
        """The exponent is not larger than the zeros: for each half before it is known which one counts, and without a carry chain."""
        low, bit_4, high = self.i.exponent[:4], self.i.exponent[4], self.i.exponent[5:]
        lower, upper = (at_most(low, zeros) for zeros in self.i.zeros)
        if_some = ~high.any() & Mux(self.i.lower, ~bit_4 | lower, ~bit_4 & upper)
        return Mux(self.i.none, self.i.exponent <= 32, if_some)
