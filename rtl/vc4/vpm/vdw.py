"""DMA from the VPM to memory."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort

from .structs import ROW_WORDS, WINDOW_ROWS, QuadAddress, RowRange, VdwStore, Words
from .vdw_chunks import VdwChunks
from .vdw_packer import VdwPacker
from .vdw_reader import VdwReader
from .vdw_runs import VdwRuns

__all__ = ["Vdw"]


class Vdw(wiring.Component):
    """Stores blocks of 32-bit words, taken along the rows of the VPM, to memory.

    Behaviour: one store at a time; the next is taken when memory has answered every write of the one before. The first
    request is on the bus 2 clocks after the store was taken, the first word 6 clocks after it; then the words follow
    one a clock, from unit to unit, save one clock for each run that `VdwPacker` names. A unit is one burst, or two if
    it crosses 4 KiB. No byte outside the block is written. Responses are always taken.

    Implements section 8.6 of the fact sheet and tables 34 and 35 of the guide. Choices where they are silent: see
    `VdwRuns`. It is up to the caller not to ask for what is not built: columns, elements of 8 and 16 bits, BLOCKMODE.

    Parameters
    ----------
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    stores : stream of `VdwStore`
    done : strobe: the store is in memory
    unread : the rows that the store has yet to read, none if there is no store; a range that only shrinks to nothing
    read, read_enable, read_data : read port of the store of the VPM
    bus : port to memory; only writes, all with tag 0
    error : memory has answered a write with an error; sticky
    """

    def __init__(self, *, word_bytes: int, tag_bits: int = 1):
        self._word_bytes = word_bytes
        self._tag_bits = tag_bits
        super().__init__(
            {
                "stores": In(stream.Signature(VdwStore)),
                "done": Out(1),
                "unread": Out(RowRange),
                "read": Out(QuadAddress),
                "read_enable": Out(1),
                "read_data": In(Words),
                "bus": Out(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.vdw_runs = runs = VdwRuns(word_bytes=self._word_bytes, tag_bits=self._tag_bits)
        m.submodules.vdw_reader = reader = VdwReader()
        m.submodules.vdw_chunks = chunks = VdwChunks(self._word_bytes // 4)
        m.submodules.vdw_packer = packer = VdwPacker(word_bytes=self._word_bytes)
        connect(m, runs.requests, flipped(self.bus.requests))
        connect(m, runs.o, reader.i)
        connect(m, reader.o, chunks.i)
        connect(m, chunks.o, packer.i)
        connect(m, packer.o, flipped(self.bus.writes))

        active = Signal()
        begins = Signal()
        basic = self.stores.payload.basic
        m.d.comb += [
            runs.i.payload.eq(self.stores.payload),
            runs.i.valid.eq(self.stores.valid & ~active),
            self.stores.ready.eq(~active),
            begins.eq(self.stores.valid & ~active),
            self.read.eq(reader.read),
            self.read_enable.eq(reader.read_enable),
            reader.read_data.eq(self.read_data),
        ]
        with m.If(begins):
            m.d.sync += active.eq(1)
        with m.If(self.done):
            m.d.sync += active.eq(0)

        # A unit reads from its first row to the one that its last word lies in; each unit starts a row further on.
        last_column = basic.column + (basic.depth - 1)[: len(basic.depth)]
        with m.If(begins):
            m.d.sync += [
                self.unread.first.eq(basic.row),
                self.unread.count.eq((basic.units - 1)[: len(basic.units)] + last_column // ROW_WORDS + 1),
            ]
        with m.Elif(reader.finished):
            m.d.sync += self.unread.count.eq(0)
        self._answers(m, runs, active)
        return m

    def _answers(self, m, runs, active):
        """A store is done when its last run has gone and every run has its answer."""
        waiting = Signal(range(2 * WINDOW_ROWS + 1))  # runs without an answer; a unit is at most two
        asked = Signal()
        answered = Signal()
        final = Signal()
        m.d.comb += [
            asked.eq(runs.o.valid & runs.o.ready),
            self.bus.responses.ready.eq(1),
            answered.eq(self.bus.responses.valid),
            self.done.eq(active & final & (waiting == 0)),
        ]
        m.d.sync += [
            waiting.eq(waiting + asked - answered),
            self.error.eq(self.error | (answered & self.bus.responses.payload.error)),
            Assert(~answered | (waiting != 0), "memory answers what nobody asked"),
        ]
        with m.If(self.stores.valid & self.stores.ready):
            m.d.sync += final.eq(0)
        with m.Elif(asked & runs.o.payload.final):
            m.d.sync += final.eq(1)
