"""What the add ALU does with the moved operand and with the sum."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import ADD_OPERANDS, AddOp

from .add_records import AddControl
from .bits import one_of

__all__ = ["AddDecode"]

_FLOAT_SUM = (AddOp.FADD, AddOp.FSUB)
#: Exponent of an integer whose leading one is bit 23.
_INTEGER_EXPONENT = 127 + 23


class AddDecode(wiring.Component):
    """Decodes the operation and the signs and exponents of its operands; combinational.

    A sum of floats has the sign and the exponent of the larger operand; infinities and patterns above them are one
    infinity, the second operand's before the first one's (fact sheet, 1.2).

    Interface attributes
    --------------------
    op, a, b : operation and operands
    a_larger : `a` is the larger one by bits 30:0
    invert, negate : what A0 does with the moved operand
    control : for the clocks after that
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    a_larger: In(1)
    invert: Out(1)
    negate: Out(1)
    control: Out(AddControl)

    def elaborate(self, platform):
        m = Module()
        control, a, b = self.control, self.a[23:31], self.b[23:31]
        b_negative = Signal()
        m.d.comb += [
            b_negative.eq(self.b[31] ^ (self.op == AddOp.FSUB)),
            control.live.eq(one_of(self.op, [op for op, count in ADD_OPERANDS.items() if count])),
            control.carry_out.eq(one_of(self.op, (AddOp.ADD, AddOp.SUB))),
            control.subtract.eq(one_of(self.op, (AddOp.SUB, AddOp.V8SUBS))),
            control.bytes_apart.eq(one_of(self.op, (AddOp.V8ADDS, AddOp.V8SUBS))),
            control.align.eq(one_of(self.op, _FLOAT_SUM)),
            control.normalise.eq(one_of(self.op, (*_FLOAT_SUM, AddOp.ITOF))),
            control.count.eq(self.op == AddOp.CLZ),
            control.infinite.eq(one_of(self.op, _FLOAT_SUM) & (a.all() | b.all())),
            control.exponent.eq(Mux(self.a_larger, a, b)),
            control.negative.eq(Mux(b.all() | ~(a.all() | self.a_larger), b_negative, self.a[31])),
        ]
        with m.Switch(self.op):
            with m.Case(AddOp.SUB, AddOp.V8SUBS):
                m.d.comb += [self.invert.eq(1), self.negate.eq(1)]
            with m.Case(*_FLOAT_SUM):
                m.d.comb += [self.invert.eq(self.a[31] ^ b_negative), self.negate.eq(self.invert)]
            with m.Case(AddOp.FTOI):
                m.d.comb += [self.invert.eq(self.a[31]), self.negate.eq(self.a[31])]
            with m.Case(AddOp.ITOF):
                m.d.comb += [
                    *(self.invert.eq(self.a[31]), self.negate.eq(self.a[31])),
                    *(control.negative.eq(self.a[31]), control.exponent.eq(_INTEGER_EXPONENT)),
                ]
            with m.Case(AddOp.ASR):
                m.d.comb += self.invert.eq(self.a[31])
        return m
