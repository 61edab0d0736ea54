"""The part of a rotation that stays inside a quad."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select

from .lane import MulResult
from .structs import LANES

__all__ = ["Rotate"]


class Rotate(wiring.Component):
    """Combinational: lane i of the result goes to lane i + `amount`, round the quad (guide, figure 2, "Vector Rotate").

    Interface attributes
    --------------------
    amount : lanes to move up
    i, o : results of the mul ALU
    """

    amount: In(range(LANES))
    i: In(data.ArrayLayout(MulResult, LANES))
    o: Out(data.ArrayLayout(MulResult, LANES))

    def elaborate(self, platform):
        m = Module()
        whole = self.i.as_value()
        width = len(whole) // LANES
        turned = [whole.rotate_left(amount * width) for amount in range(LANES)]
        m.d.comb += self.o.as_value().eq(select(self.amount, turned))
        return m
