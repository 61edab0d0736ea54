"""What two DMA engines have to do with each other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import RowRange
from .vectors import rows_meet

__all__ = ["DmaOrder"]


class DmaOrder(wiring.Component):
    """Keeps the order of the blocks of two engines: one that has a row in common with an earlier one waits for it.

    Behaviour: a block is after another one that the other engine had when `asks` came, until that one has no rows any
    longer. `waits` may be high until then, and is low from then on. As an engine asks at once, and the other one a
    clock later, no two blocks wait for each other.

    Interface attributes
    --------------------
    asks : strobe: the engine has a new block
    rows : its rows
    others : the rows of the other engine
    waits : the block must not begin
    """

    asks: In(1)
    rows: In(RowRange)
    others: In(RowRange)
    waits: Out(1)

    def elaborate(self, platform):
        m = Module()
        behind = Signal()
        has_rows = Signal()
        m.d.comb += [
            has_rows.eq(self.others.count != 0),
            self.waits.eq(behind & rows_meet(self.rows, self.others)),
        ]
        m.d.sync += behind.eq((behind | self.asks) & has_rows)
        return m
