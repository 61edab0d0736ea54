"""Clock RR of the mul ALU: the decoder and the exponents."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_keys
from vc4.isa.ops import MUL_OPERANDS, MulOp

from .bits import one_of, words
from .mul_records import MulFactors

__all__ = ["MulPrepare"]


class MulPrepare(wiring.Component):
    """Decodes an operation of the mul ALU; combinational.

    An operand of fmul whose exponent is 0 counts as zero, one whose exponent is 255 as infinite (QPU facts, 1.3).

    Interface attributes
    --------------------
    op, a, b : operation and operands
    o : to A0
    """

    op: In(MulOp)
    a: In(32)
    b: In(32)
    o: Out(MulFactors)

    def elaborate(self, platform):
        m = Module()
        o, control, fmul = self.o, self.o.control, self.op == MulOp.FMUL
        mul24, v8muld = self.op == MulOp.MUL24, self.op == MulOp.V8MULD
        a, b = self.a[23:31], self.b[23:31]
        halves = words(a, 4) + words(b, 4)
        m.d.comb += [
            *(o.a.eq(self.a), o.b.eq(self.b)),
            o.exponent_sum.eq((Cat(1, a) + Cat(1, b))[1:]),
            o.negative.eq(self.a[31] ^ self.b[31]),
            # Whether both halves are is found a clock later, as operands may come out of a block RAM in RR.
            o.some.eq(Cat(half.any() for half in halves)),
            o.ones.eq(Cat(half.all() for half in halves)),
            o.subtract.eq(self.op != MulOp.V8ADDS),
            o.v8min.eq(self.op == MulOp.V8MIN),
            o.v8max.eq(self.op == MulOp.V8MAX),
            control.live.eq(one_of(self.op, [op for op, count in MUL_OPERANDS.items() if count])),
            control.kind_keys.eq(select_keys(Cat(fmul | v8muld, fmul | mul24))),
            *(control.mul24.eq(mul24), control.v8muld.eq(v8muld)),
        ]
        with m.If(fmul):
            m.d.comb += [o.a[23].eq(1), o.b[23].eq(1)]
        return m
