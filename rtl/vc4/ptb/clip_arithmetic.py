"""Sums, products and quotients of the clipper."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import AddOp, MulOp

from .clip_divider import ClipDivider
from .clip_steps import ClipAction, ClipSign, Operation
from .corner_memory import CORNER_ADDRESS_BITS

__all__ = ["ClipArithmetic", "ClipResult", "ClipTag"]

_FLOAT_BITS = 32
_EXPONENT = slice(23, 31)
#: Of an operation of an ALU.
_LATENCY = 3


class ClipTag(data.Struct):
    """Where a result goes.

    writes, address : it is written there
    action, axis : what else becomes of it; which coordinate it is about
    """

    writes: unsigned(1)
    address: unsigned(CORNER_ADDRESS_BITS)
    action: ClipAction
    axis: range(3)


class ClipResult(data.Struct):
    """A result.

    a_negative, b_negative : signs of its operands, as they were
    """

    value: unsigned(_FLOAT_BITS)
    tag: ClipTag
    a_negative: unsigned(1)
    b_negative: unsigned(1)


class _Passing(data.Struct):
    """What goes along with an operation."""

    stb: unsigned(1)
    operation: Operation
    tag: ClipTag
    a_negative: unsigned(1)
    b_negative: unsigned(1)


class ClipArithmetic(wiring.Component):
    """Computes as the model's `truncated`: as the QPU does, but with the largest number in place of infinity.

    Behaviour: a sum or product a clock, with its result `ClipArithmetic.LATENCY` clocks later. A quotient, one at a time, comes when
    no other result does, 15 clocks later or more. No operand is infinite.

    Interface attributes
    --------------------
    stb, operation, a, b, tag : strobe: an operation; a zero has no sign
    sign, minus_side : what is done to the sign of b; the side of the plane is -1
    operand : a of the clock before, whether or not there was an operation
    idle : nothing is under way
    o, o_stb : strobe: a result
    """

    LATENCY = _LATENCY + 2

    stb: In(1)
    operation: In(Operation)
    a: In(_FLOAT_BITS)
    b: In(_FLOAT_BITS)
    tag: In(ClipTag)
    sign: In(ClipSign)
    minus_side: In(1)
    operand: Out(_FLOAT_BITS)
    idle: Out(1)
    o: Out(ClipResult)
    o_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_alu = add = AddAlu()
        m.submodules.mul_alu = mul = MulAlu()
        m.submodules.clip_divider = divider = ClipDivider()
        a = Signal(_FLOAT_BITS)
        b = Signal(_FLOAT_BITS)
        first = Signal(_Passing)
        sign = Signal()
        quotient = Signal(ClipTag)
        own, inverts = self.b[-1], Value.cast(self.sign)[0]
        with m.Switch(self.sign):
            with m.Case(ClipSign.OWN, ClipSign.MINUS):
                m.d.comb += sign.eq(own ^ inverts)
            with m.Case(ClipSign.SIDE, ClipSign.MINUS_SIDE):
                m.d.comb += sign.eq(own ^ inverts ^ self.minus_side)
            with m.Case(ClipSign.LIKE, ClipSign.UNLIKE):
                m.d.comb += sign.eq(self.a[-1] ^ inverts)
        m.d.comb += [
            *(first.stb.eq(self.stb), first.operation.eq(self.operation), first.tag.eq(self.tag)),
            *(first.a_negative.eq(self.a[-1]), first.b_negative.eq(own)),
            *(add.rr_op.eq(AddOp.FADD), add.rr_a.eq(a), add.rr_b.eq(b)),
            *(mul.rr_op.eq(MulOp.FMUL), mul.rr_a.eq(a), mul.rr_b.eq(b)),
            *(divider.a.eq(a), divider.b.eq(b), self.operand.eq(a)),
        ]
        m.d.sync += [a.eq(self.a), b.eq(Cat(self.b[:-1], sign))]
        passing = [first]
        for clock in range(self.LATENCY):
            following = Signal(_Passing, name=f"passing_{clock}")
            m.d.sync += following.eq(passing[-1])
            passing.append(following)
        given, before, last = passing[1], passing[-2], passing[-1]
        divides = given.stb & (given.operation == Operation.DIV)
        m.d.comb += divider.starts.eq(divides)
        m.d.sync += Assert(~divides | ~divider.busy, "a division begins while another one is under way")
        with m.If(divides):
            m.d.sync += quotient.eq(given.tag)
        # A division leaves no result after it here.
        with m.If(divides):
            m.d.sync += passing[2].stb.eq(0)
        result = Signal(_FLOAT_BITS)
        m.d.sync += result.eq(Mux(before.operation == Operation.MUL, mul.a2_result, add.a2_result))
        infinite = result[_EXPONENT].all()
        largest = Cat(result[:23] | infinite.replicate(23), result[23] & ~infinite, result[24:])
        m.d.comb += [
            self.o_stb.eq(last.stb | divider.done),
            divider.taken.eq(divider.done & ~last.stb),
            self.o.value.eq(Mux(last.stb, largest, divider.o)),
            self.o.tag.eq(Mux(last.stb, last.tag, quotient)),
            *(self.o.a_negative.eq(last.a_negative), self.o.b_negative.eq(last.b_negative)),
            self.idle.eq(~(Cat(one.stb for one in passing[1:]).any() | divider.busy)),
        ]
        return m
