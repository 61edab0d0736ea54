"""Clock RR of the add ALU: everything that only compares and selects, before a bit is moved."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .add_decode import AddDecode
from .add_order import AddOrder
from .add_records import AddOperands, Moved, Still
from .add_shift import AddShift
from .bits import one_of
from .convert import significand

__all__ = ["AddPrepare"]

#: What is moved and what stays: without a swap, with one. Operations that are missing move `a` alone.
_OPERANDS = {
    AddOp.FADD: ((Moved.A, Still.B), (Moved.B, Still.A)),
    AddOp.FSUB: ((Moved.A, Still.B), (Moved.B, Still.A)),
    AddOp.FMIN: ((Moved.A, Still.ZERO), (Moved.B, Still.ZERO)),
    AddOp.FMAX: ((Moved.B, Still.ZERO), (Moved.A, Still.ZERO)),
    AddOp.FMINABS: ((Moved.A, Still.ZERO), (Moved.B, Still.ZERO)),
    AddOp.FMAXABS: ((Moved.B, Still.ZERO), (Moved.A, Still.ZERO)),
    AddOp.ADD: ((Moved.A, Still.B),) * 2,
    AddOp.SUB: ((Moved.B, Still.A),) * 2,
    AddOp.ASR: ((Moved.A, Still.ZERO), (Moved.NOT_A, Still.ZERO)),
    AddOp.MIN: ((Moved.A, Still.ZERO), (Moved.B, Still.ZERO)),
    AddOp.MAX: ((Moved.B, Still.ZERO), (Moved.A, Still.ZERO)),
    AddOp.AND: ((Moved.BOTH, Still.ZERO),) * 2,
    AddOp.OR: ((Moved.BOTH, Still.EITHER),) * 2,
    AddOp.XOR: ((Moved.BOTH, Still.EITHER),) * 2,  # its shift keeps nothing of the moved one
    AddOp.NOT: ((Moved.NOT_A, Still.ZERO),) * 2,
    AddOp.V8ADDS: ((Moved.A, Still.B),) * 2,
    AddOp.V8SUBS: ((Moved.B, Still.A),) * 2,
}
#: Operations whose carry is a > b.
_SELECT = (AddOp.FMIN, AddOp.FMAX, AddOp.FMINABS, AddOp.FMAXABS, AddOp.MIN, AddOp.MAX)


class AddPrepare(wiring.Component):
    """Selects the operands of the add ALU and how they are moved; combinational.

    The operands of fadd, fsub and ftoi become significands in bits 23:0 with the hidden one, zero if they count as zero
    (denormal; for ftoi also below one, or infinite). A swap exchanges the roles of the operands: of a sum of floats if
    `a` is the larger one, of a minimum or maximum if a > b, of asr if `a` is negative.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    o : to A0
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    o: Out(AddOperands)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_order = order = AddOrder()
        m.submodules.add_shift = shift = AddShift()
        m.submodules.add_decode = decode = AddDecode()
        for part in (order, shift, decode):
            m.d.comb += [part.op.eq(self.op), part.a.eq(self.a), part.b.eq(self.b)]
        m.d.comb += [
            shift.a_larger.eq(order.a_larger),
            decode.a_larger.eq(order.a_larger),
            self.o.shift.eq(shift.shift),
            self.o.control.eq(decode.control),
            self.o.invert.eq(decode.invert),
            self.o.negate.eq(decode.negate),
            self.o.carry.eq(order.greater & one_of(self.op, _SELECT)),
        ]

        swap = Signal()
        with m.Switch(self.op):
            with m.Case(AddOp.FADD, AddOp.FSUB):
                m.d.comb += swap.eq(order.a_larger)
            with m.Case(AddOp.ASR):
                m.d.comb += swap.eq(self.a[31])
            with m.Default():
                m.d.comb += swap.eq(order.greater)
        with m.Switch(self.op):
            for op, (straight, swapped) in _OPERANDS.items():
                with m.Case(op):
                    m.d.comb += [
                        self.o.moved.eq(Mux(swap, swapped[0], straight[0])),
                        self.o.still.eq(Mux(swap, swapped[1], straight[1])),
                    ]

        absolute = one_of(self.op, (AddOp.FMINABS, AddOp.FMAXABS))
        for source, operand in ((self.a, self.o.a), (self.b, self.o.b)):
            exponent = source[23:31]
            below_one = ~(exponent[7] | exponent[:7].all())
            m.d.comb += operand.eq(Cat(source[:31], source[31] & ~absolute))
            with m.Switch(self.op):
                with m.Case(AddOp.FADD, AddOp.FSUB):
                    m.d.comb += operand.eq(Mux(exponent.any(), significand(source), 0))
                with m.Case(AddOp.FTOI):
                    m.d.comb += operand.eq(Mux(below_one | exponent.all(), 0, significand(source)))
        return m
