"""How far the add ALU moves an operand, and which bits of it stay."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp

from .add_records import Shift

__all__ = ["AddShift"]

#: Exponent of a float whose significand is its value.
_WHOLE = 127 + 23


class AddShift(wiring.Component):
    """Makes a rotation to the left and a mask of every kind of shift; combinational.

    A shift right by n rotates by 32 - n and keeps the bits below that; a shift left by n rotates by n and keeps the bits
    not below that. Shifts count modulo 32; ftoi shifts a significand left by at most 31 (fact sheet, 1.2); the smaller
    operand of a sum of floats moves right by the difference of the exponents, and nothing of it stays from 32 on.

    Interface attributes
    --------------------
    op, a, b : operation and operands
    a_larger : `a` is the larger one by bits 30:0
    shift : the shift
    """

    op: In(AddOp)
    a: In(32)
    b: In(32)
    a_larger: In(1)
    shift: Out(Shift)

    def elaborate(self, platform):
        m = Module()
        shift, count = self.shift, self.b[:5]
        a, b = self.a[23:31], self.b[23:31]
        a_over_b, b_over_a, distance = Signal(8), Signal(8), Signal(8)
        m.d.comb += [
            a_over_b.eq(a - b),
            b_over_a.eq(b - a),
            distance.eq(Mux(self.a_larger, a_over_b, b_over_a)),
        ]
        with m.Switch(self.op):
            with m.Case(AddOp.FADD, AddOp.FSUB):
                with m.If(~distance[5:].any()):
                    m.d.comb += [
                        shift.rotation.eq(Mux(self.a_larger, b_over_a, a_over_b)),
                        shift.not_below.eq(~distance.any()),
                    ]
            with m.Case(AddOp.FTOI):
                m.d.comb += [
                    shift.rotation.eq(Mux(a >= _WHOLE + 32, 31, a - _WHOLE)),
                    shift.not_below.eq(a >= _WHOLE),
                ]
            with m.Case(AddOp.SHL):
                m.d.comb += [shift.rotation.eq(count), shift.not_below.eq(1), shift.out_left.eq(count.any())]
            with m.Case(AddOp.SHR, AddOp.ASR):
                m.d.comb += [
                    shift.rotation.eq(-count),
                    shift.not_below.eq(~count.any()),
                    shift.out_right.eq(count.any()),
                ]
            with m.Case(AddOp.ROR):
                m.d.comb += [shift.rotation.eq(-count), shift.all.eq(1)]
            with m.Case(AddOp.XOR):
                pass
            with m.Default():
                m.d.comb += shift.not_below.eq(1)
        return m
