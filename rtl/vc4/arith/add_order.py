"""Which operand of the add ALU is the larger one."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

__all__ = ["AddOrder"]


class AddOrder(wiring.Component):
    """Compares two words in the order of the operation, through one carry chain of 31 bits; combinational.

    Floats compare as sign and magnitude with +0 = -0, denormals and patterns above infinity by their bits (QPU facts,
    1.2); fminabs and fmaxabs compare magnitudes; everything else compares signed integers.

    The carry chain comes last, with the comparisons for equality: everything else is made for all of their outcomes.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    a_larger : `a` is the larger one by bits 30:0
    greater_if : a > b in the order of `op`, provided that `a_larger` is the index
    equal : neither, whatever `greater_if` says
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    a_larger: Out(1)
    greater_if: Out(2)
    equal: Out(1)

    def elaborate(self, platform):
        m = Module()
        a, b, a_negative, b_negative = self.a[:31], self.b[:31], self.a[31], self.b[31]
        same = Signal()
        both_zero = Signal()
        m.d.comb += [self.a_larger.eq(a > b), same.eq(a == b), both_zero.eq(~(a | b).any())]
        with m.Switch(self.op):
            with m.Case(AddOp.FMINABS, AddOp.FMAXABS):
                m.d.comb += self.greater_if.eq(Cat(0, 1))
            with m.Case(AddOp.FMIN, AddOp.FMAX):
                m.d.comb += [
                    self.greater_if.eq(Cat(b_negative, ~a_negative)),
                    self.equal.eq(Mux(a_negative, same, both_zero)),
                ]
            with m.Default():
                m.d.comb += self.greater_if.eq(Cat(b_negative & ~a_negative, b_negative | ~a_negative))
        return m
