"""Several streams become one."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.arbiter import RoundRobin
from vc4.common.select import select_by_keys, select_keys

__all__ = ["Merge"]


class Merge(wiring.Component):
    """Joins streams, item by item.

    Behaviour: the stream whose turn it is passes without delay. The turn moves on with the next clock, to the next one that
    has an item, so while several have items one moves in every clock, and each waits for one item of each other at the
    most; one that comes when it is not its turn waits a clock. An item that the output does not take keeps its turn. After reset
    it is the turn of the first one, as if it had not passed yet. No path leads from the items of one stream to the `ready`
    of another one.

    Parameters
    ----------
    shape : shape of an item
    count : number of streams

    Interface attributes
    --------------------
    i : the streams
    o : the items of all of them
    """

    def __init__(self, shape, count: int):
        self._count = count
        super().__init__({"i": In(stream.Signature(shape)).array(count), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.order = order = RoundRobin(self._count)
        turn = Signal(self._count, init=1)
        pairs = (self._count + 1) // 2
        index = Signal(range(2 * pairs))
        keys = Signal(pairs + 1, init=(1 << (pairs + 1)) - 1 - 2)  # choose the item of the one whose turn it is
        valid = Signal(self._count)
        passes = Signal()
        items = [Value.cast(port.payload) for port in self.i]
        items += items[-1:] * (2 * pairs - self._count)
        m.d.comb += [
            valid.eq(Cat(port.valid for port in self.i)),
            passes.eq((turn & valid).any()),
            self.o.valid.eq(passes),
            Value.cast(self.o.payload).eq(select_by_keys(keys, items)),
            *(port.ready.eq(own & self.o.ready) for port, own in zip(self.i, turn, strict=True)),
            order.requests.eq(valid),
            index.eq(order.grant),
            order.advance.eq(self.o.ready | ~passes),
        ]
        with m.If(order.advance & valid.any()):
            m.d.sync += [turn.eq(order.grant_onehot), keys.eq(select_keys(index, 2 * pairs))]
        return m
