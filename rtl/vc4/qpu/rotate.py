"""The part of a rotation that stays inside a quad."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .lane import MulResult
from .structs import LANES

__all__ = ["Rotate"]


class Rotate(wiring.Component):
    """Lane i of the result goes to lane i + amount, round the quad (guide, figure 2, "Vector Rotate").

    The results pass in the clock in which they come, A2; the amount comes a clock earlier.

    Interface attributes
    --------------------
    a1_amount : lanes to move up
    a2_i, a2_o : results of the mul ALU
    """

    a1_amount: In(range(LANES))
    a2_i: In(data.ArrayLayout(MulResult, LANES))
    a2_o: Out(data.ArrayLayout(MulResult, LANES))

    def elaborate(self, platform):
        m = Module()
        a2_amount = Signal.like(self.a1_amount)
        m.d.sync += a2_amount.eq(self.a1_amount)
        whole = self.a2_i.as_value()
        width = len(whole) // LANES
        by_one = Signal(len(whole))
        m.d.comb += [
            by_one.eq(Mux(a2_amount[0], whole.rotate_left(width), whole)),
            self.a2_o.as_value().eq(Mux(a2_amount[1], by_one.rotate_left(2 * width), by_one)),
        ]
        return m
