"""Sums of products of floats, one product after the other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import AddOp, MulOp

__all__ = ["WeightedSum"]

#: Of an operation of an ALU, and of the register after it.
_PRODUCT = 4
_SUM = _PRODUCT + 3


class WeightedSum(wiring.Component):
    """Adds up products, in their order, with the QPU's multiplier and adder.

    Behaviour: a product is in the sum after `WeightedSum.LATENCY` clocks; one at a time.

    Interface attributes
    --------------------
    value, weight, stb : strobe: the product of both is added
    first : the sum begins with it; it must not change until `done`
    done : strobe: it is in the sum in the clock after this one
    o : the sum
    """

    LATENCY = _SUM + 1

    value: In(32)
    weight: In(32)
    stb: In(1)
    first: In(1)
    done: Out(1)
    o: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_alu = add = AddAlu()
        m.submodules.mul_alu = mul = MulAlu()
        product = Signal(32)
        clocks = Signal(_SUM)
        m.d.sync += [clocks.eq(Cat(self.stb, clocks)), product.eq(mul.a2_result)]
        m.d.comb += [
            *(add.rr_op.eq(AddOp.FADD), add.rr_a.eq(self.o), add.rr_b.eq(product)),
            *(mul.rr_op.eq(MulOp.FMUL), mul.rr_a.eq(self.value), mul.rr_b.eq(self.weight)),
            self.done.eq(clocks[-1]),
        ]
        # The product stays for one clock only; of a first one nothing is added.
        with m.If(self.first & clocks[_PRODUCT - 1]):
            m.d.sync += self.o.eq(product)
        with m.Elif(~self.first & clocks[-1]):
            m.d.sync += self.o.eq(add.a2_result)
        return m
