"""How far the add ALU moves an operand, and which bits of it stay."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .add_records import Rotation
from .bits import one_of

__all__ = ["AddShift"]

#: Exponent of a float whose significand is its value.
_WHOLE = 127 + 23


class AddShift(wiring.Component):
    """Makes a rotation to the left and a mask of every kind of shift; combinational.

    A shift right by n rotates by 32 - n and keeps the bits below that; a shift left by n rotates by n and keeps the bits
    not below that. Shifts count modulo 32; ftoi shifts a significand left by at most 31 (QPU facts, 1.2); the smaller
    operand of a sum of floats moves right by the difference of the exponents, and nothing of it stays from 32 on.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    straight, swapped : the rotation if `b` is the larger float, and if `a` is; otherwise they are equal
    keep_all : no mask
    out_left, out_right : the carry is the last bit that went out, at the top or at the bottom
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    straight: Out(Rotation)
    swapped: Out(Rotation)
    keep_all: Out(1)
    out_left: Out(1)
    out_right: Out(1)

    def elaborate(self, platform):
        m = Module()
        count, a, b = self.b[:5], self.a[23:31], self.b[23:31]
        a_over_b = Signal(8)
        b_over_a = Signal(8)
        m.d.comb += [
            *(a_over_b.eq(a - b), b_over_a.eq(b - a)),
            self.keep_all.eq(self.op == AddOp.ROR),
            self.out_left.eq((self.op == AddOp.SHL) & count.any()),
            self.out_right.eq(one_of(self.op, (AddOp.SHR, AddOp.ASR)) & count.any()),
        ]
        sides = ((self.straight, b_over_a, a_over_b), (self.swapped, a_over_b, b_over_a))
        for rotation, distance, opposite in sides:
            with m.Switch(self.op):
                with m.Case(AddOp.FADD, AddOp.FSUB):
                    m.d.comb += rotation.not_below.eq(a == b)
                    with m.If(~distance[5:].any()):
                        m.d.comb += rotation.amount.eq(opposite)
                with m.Case(AddOp.FTOI):
                    m.d.comb += [
                        rotation.amount.eq(Mux(a >= _WHOLE + 32, 31, a - _WHOLE)),
                        rotation.not_below.eq(a >= _WHOLE),
                    ]
                with m.Case(AddOp.SHL):
                    m.d.comb += [rotation.amount.eq(count), rotation.not_below.eq(1)]
                with m.Case(AddOp.SHR, AddOp.ASR, AddOp.ROR):
                    m.d.comb += [rotation.amount.eq(-count), rotation.not_below.eq(~count.any())]
                with m.Case(AddOp.XOR):
                    pass
                with m.Default():
                    m.d.comb += rotation.not_below.eq(1)
        return m
