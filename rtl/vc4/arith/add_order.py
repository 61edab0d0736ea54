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

    Two negative floats are in the other order, so the chain asks there whether `a` is at least as large as `b`: then equal ones
    need no comparison of their own. Of +0 and -0 neither is greater. The carry chain comes last: everything else is made for both of
    its outcomes.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    a_larger : `a` is the larger one by bits 30:0, or at least not the smaller one if it is a negative float
    greater_if : a > b in the order of `op`, provided that `a_larger` is the index
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    a_larger: Out(1)
    greater_if: Out(2)

    def elaborate(self, platform):
        m = Module()
        a, b, a_negative, b_negative = self.a[:31], self.b[:31], self.a[31], self.b[31]
        or_equal = Signal()
        m.d.comb += self.a_larger.eq(Cat(or_equal, a) > Cat(C(0, 1), b))
        with m.Switch(self.op):
            with m.Case(AddOp.FMINABS, AddOp.FMAXABS):
                m.d.comb += self.greater_if.eq(Cat(0, 1))
            with m.Case(AddOp.FMIN, AddOp.FMAX):
                # If `a` is not the larger one and not negative, `b` may be -0 and `a` +0.
                m.d.comb += [self.greater_if.eq(Cat(b_negative & b.any(), ~a_negative)), or_equal.eq(a_negative)]
            with m.Default():
                m.d.comb += self.greater_if.eq(Cat(b_negative & ~a_negative, b_negative | ~a_negative))
        return m
