"""The part of a rotation that stays inside a quad."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select_by_keys, select_keys

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
        whole = self.a2_i.as_value()
        width = len(whole) // LANES
        turned = [whole.rotate_left(amount * width) for amount in range(LANES)]
        keys = select_keys(self.a1_amount)
        a2_keys = Signal(len(keys))
        m.d.sync += a2_keys.eq(keys)
        m.d.comb += self.a2_o.as_value().eq(select_by_keys(a2_keys, turned))
        return m
