"""The batches of a thread."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.common.ram import LutRam
from vc4.vpm.window import Space

from .structs import BATCH, BATCHES, Batch, PlacedBatch

__all__ = ["BatchRing"]


class BatchRing(wiring.Component):
    """Knows how far each batch of a thread is: collected, under way, shaded, in use, in this order.

    Behaviour: the batch that is collected and those that are not given back have a place each. Batches are shaded in any
    order, and used and given back in theirs.

    Parameters
    ----------
    thread : its number

    Interface attributes
    --------------------
    collected : number of the batch that is collected
    room : it may be closed
    closes, last : strobe: it has its vertices, with the number of its last one
    o : stream of closed batches, for whoever shades them
    ended, ended_stb : strobe: a batch of the thread is shaded, or never will be
    unshaded : there is a closed batch that is not ended
    any : there is a closed batch that was not given back
    shaded, bad : the first one of these is shaded, or will never be
    row : its first row in the VPM
    leaves : strobe: it is given back; when `space` is ready and it is ended
    space : stream of the rows of results that are given back
    """

    collected: Out(range(BATCHES))
    room: Out(1)
    closes: In(1)
    last: In(range(BATCH))
    o: Out(stream.Signature(Batch))
    ended: In(PlacedBatch)
    ended_stb: In(1)
    unshaded: Out(1)
    any: Out(1)
    shaded: Out(1)
    bad: Out(1)
    row: Out(8)
    leaves: In(1)
    space: Out(stream.Signature(Space))

    def __init__(self, thread: int):
        self._thread = thread
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.closed = closed = Queue(Batch, BATCHES)
        m.submodules.spaces = spaces = LutRam(Shape.cast(Space).width, BATCHES)
        connect(m, closed.o, flipped(self.o))
        first = Signal(range(BATCHES))
        level = Signal(range(BATCHES + 1))
        pending = Signal(range(BATCHES + 1))
        ended = Signal(BATCHES)
        bad = Signal(BATCHES)
        slot = self.ended.batch.slot
        gone = Signal()
        m.d.comb += [
            self.room.eq(level < BATCHES - 1),
            self.any.eq(level != 0),
            self.unshaded.eq(pending != 0),
            closed.i.valid.eq(self.closes),
            closed.i.payload.thread.eq(self._thread),
            closed.i.payload.slot.eq(self.collected),
            closed.i.payload.last.eq(self.last),
            spaces.write_address.eq(slot),
            spaces.write_data.eq(self.ended.results),
            spaces.write_enable.eq(self.ended_stb),
            spaces.read_address.eq(first),
            self.space.payload.eq(spaces.read_data),
            self.space.valid.eq(self.leaves),
            gone.eq(self.leaves & self.space.ready),
            self.shaded.eq(ended.bit_select(first, 1) & ~bad.bit_select(first, 1)),
            self.bad.eq(ended.bit_select(first, 1) & bad.bit_select(first, 1)),
            self.row.eq(Cat(Const(0, 2), self.space.payload.first)),
        ]
        m.d.sync += [
            level.eq(level + self.closes - gone),
            pending.eq(pending + self.closes - self.ended_stb),
            Assert(~self.closes | closed.i.ready, "a batch is closed for which there is no room"),
            Assert(~gone | ended.bit_select(first, 1), "a batch is given back that is under way"),
        ]
        with m.If(self.closes):
            m.d.sync += self.collected.eq(self.collected + 1)
        with m.If(gone):
            m.d.sync += [first.eq(first + 1), ended.bit_select(first, 1).eq(0)]
        with m.If(self.ended_stb):
            m.d.sync += [ended.bit_select(slot, 1).eq(1), bad.bit_select(slot, 1).eq(self.ended.bad)]
        return m
