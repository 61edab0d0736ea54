"""What the add ALU does with the moved operand and with the sum."""

from amaranth import *
from amaranth.lib import data, wiring
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
    infinity, the second operand's before the first one's (QPU facts, 1.2).

    Interface attributes
    --------------------
    op, a, b : operation and operands
    invert, negate : what A0 does with the moved operand
    exponent_if, negative_if : of a float result, without a swap and with one
    control : for the clocks after that
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    invert: Out(1)
    negate: Out(1)
    exponent_if: Out(data.ArrayLayout(8, 2))
    negative_if: Out(2)
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
            *(self.exponent_if[0].eq(b), self.exponent_if[1].eq(a)),
            self.negative_if.eq(Cat(b_negative, Mux(b.all(), b_negative, self.a[31]))),
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
                    *(exponent.eq(_INTEGER_EXPONENT) for exponent in self.exponent_if),
                    self.negative_if.eq(self.a[31].replicate(2)),
                ]
            with m.Case(AddOp.ASR):
                m.d.comb += self.invert.eq(self.a[31])
        return m
