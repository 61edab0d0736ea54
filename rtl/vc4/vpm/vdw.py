"""DMA from the VPM to memory."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort

from .dma_blocks import first_byte_of, is_reserved, spread_of, store_block, store_rows
from .dma_order import DmaOrder
from .dma_requests import DmaRequests
from .dma_units import DmaUnits
from .structs import WINDOW_ROWS, QuadAddress, RowRange, VdwStore, Words
from .vdw_gather import VdwGather
from .vdw_packer import VdwPacker
from .vdw_reader import VdwReader

__all__ = ["Vdw"]

#: Units that memory knows of before their words come: four rows hide 32 clocks of latency on a bus of 8 bytes.
_DEPTH = 4


class Vdw(wiring.Component):
    """Stores blocks of words, halves or bytes, taken from rows or columns of the VPM, to memory.

    Behaviour: one store at a time; the next is taken when memory has answered every write of the one before. A store
    waits while the load engine has yet to write rows of it for a load that it had before, or has got in the same clock.
    The first request is on the bus 3 clocks after the store was taken, the first word 8 clocks after it; then the words
    follow one a clock, from unit to unit, save one clock for each unit that `VdwPacker` names, and while `reads` waits.
    Of laned elements one quad of words is read a clock, so bytes fill half a word of 8 bytes a clock at the most. A
    unit is one burst, or two if it crosses 4 KiB. No byte outside the block is written. Responses are always taken.

    Implements section 8.6 of the QPU facts and tables 34 and 35 of the guide. Choices where they are silent: see
    `store_block` and `DmaUnits`.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    stores : stream of `VdwStore`; one that is set up with a reserved code ends at once
    done : strobe: the store is in memory
    unwritten : the rows that the load engine has yet to write
    unread : the rows that the store has yet to read, or more: all of them in its first clock, none if there is no
        store; a range that only shrinks
    reads : stream of `QuadAddress`, to the store of the VPM
    read_data : the quad, one clock after its address moved
    bus : port to memory; only writes, all with tag 0
    error : memory has answered a write with an error; sticky
    bad_setup : strobe: a store was set up with a reserved code
    stalled : a quad waits to be read from the VPM
    """

    def __init__(self, *, word_bytes: int, tag_bits: int = 1):
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        super().__init__(
            {
                "stores": In(stream.Signature(VdwStore)),
                "done": Out(1),
                "unwritten": In(RowRange),
                "unread": Out(RowRange),
                "reads": Out(stream.Signature(QuadAddress)),
                "read_data": In(Words),
                "bus": Out(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "error": Out(1),
                "bad_setup": Out(1),
                "stalled": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width, tag_bits = self._word_bytes, self._tag_bits
        m.submodules.dma_units = units = DmaUnits()
        m.submodules.dma_requests = requests = DmaRequests(
            write=True, depth=_DEPTH, word_bytes=width, tag_bits=tag_bits
        )
        m.submodules.dma_order = order = DmaOrder()
        m.submodules.vdw_reader = reader = VdwReader(word_bytes=width)
        m.submodules.vdw_gather = gather = VdwGather()
        m.submodules.vdw_packer = packer = VdwPacker(word_bytes=width)
        connect(m, requests.requests, flipped(self.bus.requests))
        connect(m, requests.o, reader.i)
        connect(m, reader.reads, flipped(self.reads))
        connect(m, reader.quads, gather.i)
        connect(m, gather.o, packer.i)
        connect(m, reader.bursts, packer.bursts)
        connect(m, packer.o, flipped(self.bus.writes))

        active = Signal()
        starts = Signal()  # the store was taken in the clock before
        store = Signal(VdwStore)
        bad = Signal()
        begins = Signal()
        rows = Signal(RowRange)
        block = store_block(store.basic, store.stride, store.address)
        m.d.comb += [
            begins.eq(self.stores.valid & ~active),
            self.stores.ready.eq(~active),
            bad.eq(starts & is_reserved(store.basic.mode)),
            units.i.valid.eq(starts & ~bad),
            *(units.i.payload[name].eq(value) for name, value in block.items()),
            order.asks.eq(starts),
            order.rows.eq(rows),
            order.others.eq(self.unwritten),
            self.unread.eq(rows),
            requests.i.payload.eq(units.o.payload),
            requests.i.valid.eq(units.o.valid & ~order.waits),
            units.o.ready.eq(requests.i.ready & ~order.waits),
            reader.spread.eq(spread_of(store.basic)),
            reader.read_data.eq(self.read_data),
            gather.spread.eq(spread_of(store.basic)),
            gather.part.eq(first_byte_of(store.basic.mode)),
            self.bad_setup.eq(bad),
            self.stalled.eq(reader.reads.valid & ~reader.reads.ready),
        ]
        m.d.sync += [active.eq(begins | (active & ~self.done)), starts.eq(begins)]
        with m.If(begins):
            m.d.sync += [store.eq(self.stores.payload), rows.count.eq(WINDOW_ROWS)]
        with m.Elif(starts & ~bad):
            m.d.sync += rows.eq(store_rows(store.basic, store.stride))
        with m.Elif(bad | reader.finished):
            m.d.sync += rows.count.eq(0)
        self._answers(m, requests, active, bad)
        return m

    def _answers(self, m, requests, active, bad):
        """A store is done when its last request was made and every request has its answer."""
        waiting = Signal(range(2 * WINDOW_ROWS + 1))  # requests without an answer; a unit is at most two
        answered = Signal()
        final = Signal()
        m.d.comb += [
            self.bus.responses.ready.eq(1),
            answered.eq(self.bus.responses.valid),
            self.done.eq(active & final & (waiting == 0)),
        ]
        m.d.sync += [
            waiting.eq(waiting + requests.asked - answered),
            final.eq(bad | requests.finished | (final & ~self.done)),
            self.error.eq(self.error | (answered & self.bus.responses.payload.error)),
            Assert(~answered | (waiting != 0), "memory answers what nobody asked"),
        ]
