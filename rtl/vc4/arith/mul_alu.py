"""The mul ALU of one lane."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import MulOp

from .mul_multiply import MulMultiply
from .mul_normalise import MulNormalise
from .mul_prepare import MulPrepare
from .mul_records import MulFactors, MulProducts, MulResult
from .mul_sum import MulSum

__all__ = ["MulAlu"]


class MulAlu(wiring.Component):
    """All operations of the mul ALU (guide, table 13; QPU facts, sections 1.3 and 2.1) on 32 bits.

    An operation enters in clock RR, its result is valid in clock A2, three clocks later; one operation a clock. nop
    computes nothing: A2 then shows the last result again.

    Interface attributes
    --------------------
    rr_op, rr_a, rr_b : operation and operands
    rr_colours : the result, taken as a float whatever the operation, becomes a colour of 8 bits (guide, table 9)
    a2_result : the result, or its colour in each byte
    a2_negative, a2_zero : the result is, before it becomes a colour
    a2_carry : C of mul24, the product has more than 32 bits; otherwise 0
    """

    rr_op: In(MulOp)
    rr_a: In(32)
    rr_b: In(32)
    rr_colours: In(1)
    a2_result: Out(32)
    a2_negative: Out(1)
    a2_zero: Out(1)
    a2_carry: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.mul_prepare = prepare = MulPrepare()
        m.submodules.mul_multiply = multiply = MulMultiply()
        m.submodules.mul_sum = add = MulSum()
        m.submodules.mul_normalise = normalise = MulNormalise()
        # No operation is under way after a reset that anyone waits for.
        a0_factors = Signal(MulFactors, reset_less=True)
        a1_products = Signal(MulProducts, reset_less=True)
        a2_sum = Signal(MulResult, reset_less=True)
        m.d.sync += [a0_factors.eq(prepare.o), a1_products.eq(multiply.o)]
        colours = self.rr_colours
        for stage in ("a0", "a1", "a2"):
            before, colours = colours, Signal(name=f"{stage}_colours", reset_less=True)
            m.d.sync += colours.eq(before)
        m.d.comb += normalise.colours.eq(colours)
        with m.If(a1_products.control.live):
            m.d.sync += a2_sum.eq(add.o)
        m.d.comb += [
            *(prepare.op.eq(self.rr_op), prepare.a.eq(self.rr_a), prepare.b.eq(self.rr_b)),
            *(multiply.i.eq(a0_factors), add.i.eq(a1_products), normalise.i.eq(a2_sum)),
            self.a2_result.eq(normalise.result),
            self.a2_carry.eq(a2_sum.carry),
            *(self.a2_negative.eq(normalise.negative), self.a2_zero.eq(normalise.zero)),
        ]
        return m
