"""The next block of a tile list."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.records.compressed import BRANCH_UNIT

from .list_structs import ADDRESS_BITS

__all__ = ["NextBlock"]

_REACH_BITS = 16
_UNIT_BITS = exact_log2(BRANCH_UNIT)


class NextBlock(wiring.Component):
    """Takes a block, and looks whether a branch in a compressed list reaches it (guide, table 39; `encode_branch` of the model).

    Behaviour: three clocks after the one in which memory has a block.

    Interface attributes
    --------------------
    start : strobe
    address : where the branch lies
    take, memory_busy, taken : of `ListMemory`
    done : strobe: from the next clock on there is a block
    reaches, blocks : a branch in a compressed list reaches it, and what the branch says
    """

    start: In(1)
    address: In(ADDRESS_BITS)
    take: Out(1)
    memory_busy: In(1)
    taken: In(32)
    done: Out(1)
    reaches: Out(1)
    blocks: Out(_REACH_BITS)

    def elaborate(self, platform):
        m = Module()
        distance = Signal(32 - _UNIT_BITS + 1)
        high = distance[_REACH_BITS - 1 :]
        m.d.comb += distance.eq(self.taken[_UNIT_BITS:] - self.address[_UNIT_BITS:32])
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.take.eq(self.start)
                with m.If(self.start):
                    m.next = "TAKEN"
            with m.State("TAKEN"):
                with m.If(~self.memory_busy):
                    m.next = "MEASURE"
            with m.State("MEASURE"):
                m.d.comb += self.done.eq(1)
                m.d.sync += [self.reaches.eq(high.all() | ~high.any()), self.blocks.eq(distance)]
                m.next = "IDLE"
        return m
