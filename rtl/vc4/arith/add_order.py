"""Which operand of the add ALU is the larger one."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .bits import one_of

__all__ = ["AddOrder"]


class AddOrder(wiring.Component):
    """Compares two words in the order of the operation, through one carry chain of 31 bits; combinational.

    Floats compare as sign and magnitude with +0 = -0, denormals and patterns above infinity by their bits (fact sheet,
    1.2); fminabs and fmaxabs compare magnitudes; everything else compares signed integers.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    a_larger : `a` is the larger one by bits 30:0
    greater : a > b in the order of `op`
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    a_larger: Out(1)
    greater: Out(1)

    def elaborate(self, platform):
        m = Module()
        a, b = self.a[:31], self.b[:31]
        same, floats = Signal(), Signal()
        m.d.comb += [
            self.a_larger.eq(a > b),
            same.eq(a == b),
            floats.eq(one_of(self.op, (AddOp.FMIN, AddOp.FMAX))),
        ]
        with m.If(one_of(self.op, (AddOp.FMINABS, AddOp.FMAXABS)) | (self.a[31] == self.b[31])):
            m.d.comb += self.greater.eq(self.a_larger)
        with m.Else():
            m.d.comb += self.greater.eq(self.b[31] & ~(floats & same & ~a.any()))
        with m.If(floats & self.a[31] & self.b[31]):
            m.d.comb += self.greater.eq(~self.a_larger & ~same)
        return m
