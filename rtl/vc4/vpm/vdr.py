"""DMA from memory to the VPM."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort

from .dma_blocks import is_reserved, load_block, load_rows
from .dma_order import DmaOrder
from .dma_requests import DmaRequests
from .dma_units import DmaUnits
from .structs import WINDOW_ROWS, QuadWrite, RowRange, VdrLoad
from .vdr_packer import VdrPacker

__all__ = ["Vdr"]

#: Rows that are asked for before the first one has come: all of a block.
_DEPTH = 16


class Vdr(wiring.Component):
    """Loads blocks of words, halves or bytes from memory into rows or columns of the VPM.

    Behaviour: one load at a time; the next is taken in the clock after `done`. A load waits while the store engine has
    yet to read rows of it for a store that it had before. The first request is on the bus 3 clocks after the load was
    taken, and one follows every clock, whatever becomes of the answers; a row that crosses 4 KiB is two. A quad is at
    the output one clock after the word of the bus that completes it, and a word is taken every clock, from row to row,
    as long as quads are taken; see `VdrPacker` for the exception. Rows are written in their order.

    Implements section 8.5 of the QPU facts and tables 36 and 37 of the guide. Choices where they are silent: what
    memory answers with an error is not written; see also `DmaUnits`.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    loads : stream of `VdrLoad`; one that is set up with a reserved code ends at once
    done : strobe: the load is in the VPM
    unread : the rows that the store engine has yet to read
    unwritten : the rows that the load has yet to write, or more: all of them in its first clock, none if there is no
        load; a range that only shrinks
    writes : stream of `QuadWrite`
    bus : port to memory; only reads, all with tag 0
    error : memory has answered with an error; sticky
    bad_setup : strobe: a load was set up with a reserved code
    stalled : a quad waits for the VPM
    """

    def __init__(self, *, word_bytes: int, tag_bits: int = 1):
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        super().__init__(
            {
                "loads": In(stream.Signature(VdrLoad)),
                "done": Out(1),
                "unread": In(RowRange),
                "unwritten": Out(RowRange),
                "writes": Out(stream.Signature(QuadWrite)),
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
            write=False, depth=_DEPTH, word_bytes=width, tag_bits=tag_bits
        )
        m.submodules.dma_order = order = DmaOrder()
        m.submodules.vdr_packer = packer = VdrPacker(word_bytes=width)
        connect(m, requests.o, packer.units)
        connect(m, requests.requests, flipped(self.bus.requests))
        connect(m, packer.o, flipped(self.writes))

        active = Signal()
        starts = Signal()  # the load was taken in the clock before
        ended = Signal()  # all of it has been written
        load = Signal(VdrLoad)
        bad = Signal()
        begins = Signal()
        finishes = Signal()
        rows = Signal(RowRange)
        response = self.bus.responses
        block = load_block(load.basic, load.pitch, load.address)
        m.d.comb += [
            begins.eq(self.loads.valid & ~active),
            self.loads.ready.eq(~active),
            bad.eq(starts & is_reserved(load.basic.mode)),
            units.i.valid.eq(starts & ~bad),
            *(units.i.payload[name].eq(value) for name, value in block.items()),
            order.asks.eq(begins),
            order.rows.eq(rows),
            order.others.eq(self.unread),
            self.unwritten.eq(rows),
            requests.i.payload.eq(units.o.payload),
            requests.i.valid.eq(units.o.valid & ~order.waits),
            units.o.ready.eq(requests.i.ready & ~order.waits),
            packer.words.valid.eq(response.valid),
            packer.words.payload.data.eq(response.payload.data),
            packer.words.payload.error.eq(response.payload.error),
            response.ready.eq(packer.words.ready),
            finishes.eq(packer.o.valid & packer.o.ready & packer.final),
            self.done.eq(active & ended),
            self.bad_setup.eq(bad),
            self.stalled.eq(packer.o.valid & ~packer.o.ready),
        ]
        m.d.sync += [
            active.eq(begins | (active & ~ended)),
            starts.eq(begins),
            ended.eq(bad | finishes),
            self.error.eq(self.error | (response.valid & response.ready & response.payload.error)),
            Assert(~response.valid | active, "memory answers what nobody asked"),
        ]
        with m.If(begins):
            m.d.sync += [load.eq(self.loads.payload), rows.count.eq(WINDOW_ROWS)]
        with m.Elif(starts & ~bad):
            m.d.sync += rows.eq(load_rows(load.basic))
        with m.Elif(bad | finishes):
            m.d.sync += rows.count.eq(0)
        return m
