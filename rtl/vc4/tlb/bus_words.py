"""Pieces of a tile become words of the bus."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES

from .transfer_structs import BusChunk, BusWord

__all__ = ["BusWords"]

_LANE_BITS = (BUS_BYTES - 1).bit_length()


class BusWords(wiring.Component):
    """Puts chunks of bytes that follow each other and lie in the same word into one.

    Behaviour: takes a chunk a clock, and the word before it leaves in the clock in which a chunk of another one comes. Chunks
    without bytes vanish. After the last one come its word, and a `final` one without bytes.

    Interface attributes
    --------------------
    i : stream of `BusChunk`
    fresh : the chunk begins a word
    o : stream of `BusWord`
    """

    i: In(stream.Signature(BusChunk))
    fresh: Out(1)
    o: Out(stream.Signature(BusWord))

    def elaborate(self, platform):
        m = Module()
        chunk = self.i.payload
        word = Signal(BusWord)
        there = Signal()  # a word
        ends = Signal()  # nothing follows it
        same = Signal()
        some = Signal()
        lanes = Signal(BUS_BYTES)
        bytes_ = Signal(8 * BUS_BYTES)
        m.d.comb += [
            some.eq(chunk.half.any()),
            same.eq(there & (word.address == chunk.address >> _LANE_BITS)),
            self.fresh.eq(some & ~same),
            self.i.ready.eq(~ends & (self.o.ready | ~there | same | ~some)),
            self.o.valid.eq(Mux(ends, 1, there & self.i.valid & self.fresh)),
            self.o.payload.eq(word),
            self.o.payload.final.eq(ends & ~there),
        ]
        with m.Switch(chunk.size):
            for size in range(_LANE_BITS + 1):
                with m.Case(size):
                    width = 1 << size
                    half = max(width // 2, 1)
                    mask = Cat(chunk.half[0].replicate(half), chunk.half[1].replicate(half))[:width]
                    place = chunk.address[size:_LANE_BITS]
                    m.d.comb += [
                        bytes_.eq(chunk.data[: 8 * width].replicate(BUS_BYTES // width)),
                        lanes.eq(mask << (place << size) if size < _LANE_BITS else mask),
                    ]
        with m.If(ends):
            with m.If(self.o.ready):
                m.d.sync += [there.eq(0), ends.eq(there)]
        with m.Elif(self.i.valid & self.i.ready):
            m.d.sync += ends.eq(chunk.final)
            with m.If(some):
                m.d.sync += [there.eq(1), word.address.eq(chunk.address >> _LANE_BITS)]
                m.d.sync += word.strobes.eq(Mux(same, word.strobes, 0) | lanes)
                for lane, enable in enumerate(lanes):
                    with m.If(enable):
                        m.d.sync += word.data.word_select(lane, 8).eq(bytes_.word_select(lane, 8))
        return m
