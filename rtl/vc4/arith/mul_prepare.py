"""Clock RR of the mul ALU: the decoder."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_keys
from vc4.isa.ops import MUL_OPERANDS, MulOp

from .bits import one_of
from .mul_records import MulFactors

__all__ = ["MulPrepare"]


class MulPrepare(wiring.Component):
    """Decodes an operation of the mul ALU; combinational. The operands pass as they are, since they may come out of a block RAM.

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
        m.d.comb += [
            *(o.a.eq(self.a), o.b.eq(self.b)),
            o.hidden.eq(fmul),
            o.subtract.eq(self.op != MulOp.V8ADDS),
            o.v8min.eq(self.op == MulOp.V8MIN),
            o.v8max.eq(self.op == MulOp.V8MAX),
            control.live.eq(one_of(self.op, [op for op, count in MUL_OPERANDS.items() if count])),
            control.kind_keys.eq(select_keys(Cat(fmul | v8muld, fmul | mul24))),
            *(control.mul24.eq(mul24), control.v8muld.eq(v8muld)),
        ]
        return m
