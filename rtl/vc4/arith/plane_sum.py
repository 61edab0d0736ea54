"""What a plane has gained at a pixel."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.ops import AddOp, MulOp

from .add_alu import AddAlu
from .convert import magnitude_to_float
from .mul_alu import MulAlu

__all__ = ["PlaneSum"]

#: Of a distance, with sign.
_DISTANCE_BITS = 18
#: Of an operation of an ALU.
_LATENCY = 3


class PlaneSum(wiring.Component):
    """A dx + B dy, with A and B floats and distances of 18 bits: the partial result of a varying (guide, section 6), and what
    1/W has gained. Products and sum are those of the QPU.

    The result is valid `PlaneSum.LATENCY` clocks after its distances, whose factors follow a clock later; one operation a clock, no
    stall.

    Interface attributes
    --------------------
    dx, dy : distances
    a, b : what they are multiplied with, in the clock after them
    result : through logic; whoever takes it has a register or an ALU for it
    """

    LATENCY = 2 + 2 * _LATENCY

    a: In(32)
    b: In(32)
    dx: In(signed(_DISTANCE_BITS))
    dy: In(signed(_DISTANCE_BITS))
    result: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sum = total = AddAlu()
        m.d.comb += [total.rr_op.eq(AddOp.FADD), self.result.eq(total.a2_result)]
        for name, factor, distance, term in (("x", self.a, self.dx, total.rr_a), ("y", self.b, self.dy, total.rr_b)):
            m.submodules[f"product_{name}"] = product = MulAlu()
            given = Signal(32, name=f"factor_{name}", reset_less=True)
            number = Signal(32, name=f"distance_{name}", reset_less=True)
            size = Signal(_DISTANCE_BITS, name=f"size_{name}", reset_less=True)
            negative = Signal(name=f"negative_{name}", reset_less=True)
            m.d.sync += [
                *(size.eq(Mux(distance < 0, -distance, distance)), negative.eq(distance < 0)),
                *(given.eq(factor), number.eq(magnitude_to_float(m, size, negative, name))),
            ]
            m.d.comb += [
                product.rr_op.eq(MulOp.FMUL),
                product.rr_a.eq(given),
                product.rr_b.eq(number),
                term.eq(product.a2_result),
            ]
        return m
