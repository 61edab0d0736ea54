"""Bytes of tile lists become words of the bus."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES
from vc4.common.select import select

from .list_structs import CHUNK_BYTES, WORD_ADDRESS_BITS, ListChunk, ListWord

__all__ = ["ListBytes"]

_LANE_BITS = exact_log2(BUS_BYTES)


class ListBytes(wiring.Component):
    """Puts bytes that lie in the same word into one.

    Behaviour: takes a chunk a clock, or one in three clocks if it lies in two words. A word leaves when bytes of another one come,
    or with `flush`.

    Interface attributes
    --------------------
    i : stream of `ListChunk`
    flush : the word leaves though nothing comes; nothing must come meanwhile
    busy : there is a word
    o : stream of `ListWord`
    """

    i: In(stream.Signature(ListChunk))
    flush: In(1)
    busy: Out(1)
    o: Out(stream.Signature(ListWord))

    def elaborate(self, platform):
        m = Module()
        chunk = Signal(ListChunk)
        waits = Signal()  # it is not in the word yet
        second = Signal()  # its first bytes are
        there = Signal()  # a word
        address = Signal(WORD_ADDRESS_BITS)
        bytes_ = Signal(8 * BUS_BYTES)
        strobes = Signal(BUS_BYTES)
        lanes = Signal(BUS_BYTES + CHUNK_BYTES)
        enables = Signal(BUS_BYTES)
        crosses = Signal()
        follows = Signal()  # the chunk begins in the word that is there
        same = Signal()
        moves = Signal()
        turned = self._turned(chunk)
        offset = chunk.address[:_LANE_BITS]
        m.d.comb += [
            lanes.eq(Cat(chunk.count > byte for byte in range(CHUNK_BYTES)) << offset),
            crosses.eq(lanes[BUS_BYTES:].any()),
            enables.eq(Mux(second, lanes[BUS_BYTES:], lanes[:BUS_BYTES])),
            same.eq(~second & follows),
            moves.eq(waits & (~there | same | self.o.ready)),
            self.i.ready.eq(~waits | (moves & ~second & ~crosses)),
            self.o.valid.eq(there & Mux(waits, ~same, self.flush)),
            *(self.o.payload.address.eq(address), self.o.payload.data.eq(bytes_), self.o.payload.strobes.eq(strobes)),
            *(self.o.payload.first.eq(1), self.o.payload.last.eq(1)),
            self.busy.eq(there | waits),
        ]
        before = Mux(waits, chunk.address[_LANE_BITS:], address)  # of the word that will be there
        with m.If(self.i.ready):
            m.d.sync += [waits.eq(self.i.valid), chunk.eq(self.i.payload)]
            m.d.sync += follows.eq(self.i.payload.address[_LANE_BITS:] == before)
        with m.Elif(moves & second):
            m.d.sync += waits.eq(0)
        with m.If(moves):
            m.d.sync += [
                there.eq(1),
                second.eq(~second & crosses),
                address.eq(Mux(second, address + 1, chunk.address[_LANE_BITS:])),
                strobes.eq(Mux(there & same, strobes, 0) | enables),
            ]
            for lane, enable in enumerate(enables):
                with m.If(enable):
                    m.d.sync += bytes_.word_select(lane, 8).eq(turned.word_select(lane % CHUNK_BYTES, 8))
        with m.Elif(self.flush & self.o.ready):
            m.d.sync += there.eq(0)
        return m

    def _turned(self, chunk):
        """Each byte of a chunk where lanes have it."""
        parts = [chunk.data.word_select(byte, 8) for byte in range(CHUNK_BYTES)]
        place = chunk.address[: exact_log2(CHUNK_BYTES)]
        return Cat(
            select(place, [parts[(lane - first) % CHUNK_BYTES] for first in range(CHUNK_BYTES)])
            for lane in range(CHUNK_BYTES)
        )
