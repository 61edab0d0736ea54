"""The add ALU of one lane."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .add_align import AddAlign
from .add_normalise import AddNormalise
from .add_prepare import AddPrepare
from .add_records import AddOperands, AddTerms, AddTotal
from .add_sum import AddSum

__all__ = ["AddAlu"]


class AddAlu(wiring.Component):
    """All operations of the add ALU (guide, table 12; QPU facts, sections 1.1, 1.2 and 2.1) on 32 bits.

    An operation enters in clock RR, its result is valid in clock A2, three clocks later; one operation a clock. nop and
    the reserved codes compute nothing: A2 then shows the last result and its flags again.

    Interface attributes
    --------------------
    rr_op, rr_a, rr_b : operation and operands; a unary one takes `rr_a`
    a2_result, a2_zero : the result, and whether it is zero
    a2_carry : C of integer operations, shifts, minima and maxima; otherwise 0
    a2_overflow : signed overflow of add and sub; otherwise 0
    a2_carry_if_positive : C is rather "the result is greater than zero", from the flags N and Z of the result
    """

    rr_op: In(AddOp)
    rr_a: In(32)
    rr_b: In(32)
    a2_result: Out(32)
    a2_zero: Out(1)
    a2_carry: Out(1)
    a2_overflow: Out(1)
    a2_carry_if_positive: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_prepare = prepare = AddPrepare()
        m.submodules.add_align = align = AddAlign()
        m.submodules.add_sum = add = AddSum()
        m.submodules.add_normalise = normalise = AddNormalise()
        # No operation is under way after a reset that anyone waits for.
        a0_operands = Signal(AddOperands, reset_less=True)
        a1_terms = Signal(AddTerms, reset_less=True)
        a2_sum = Signal(AddTotal, reset_less=True)
        m.d.sync += [a0_operands.eq(prepare.o), a1_terms.eq(align.o)]
        with m.If(a1_terms.control.live):
            m.d.sync += a2_sum.eq(add.o)
        m.d.comb += [
            *(prepare.op.eq(self.rr_op), prepare.a.eq(self.rr_a), prepare.b.eq(self.rr_b)),
            *(align.i.eq(a0_operands), add.i.eq(a1_terms), normalise.i.eq(a2_sum)),
            self.a2_result.eq(normalise.result),
            self.a2_zero.eq(normalise.zero),
            self.a2_carry.eq(a2_sum.carry),
            self.a2_overflow.eq(a2_sum.overflow),
            self.a2_carry_if_positive.eq(a2_sum.normalise),
        ]
        return m
