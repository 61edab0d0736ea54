"""The requests of a DMA block."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import MemoryPort
from vc4.common.queue import Queue

from .structs import DmaUnit

__all__ = ["PAGE_BITS", "DmaRequests"]

#: No request crosses 4 KiB.
PAGE_BITS = 12


class DmaRequests(wiring.Component):
    """Asks memory for the words of units, and hands the units on.

    Behaviour: a unit and its request are at their outputs one clock after the unit came, and one of each comes every
    clock; a unit that crosses 4 KiB is two requests and takes two clocks. Requests may be `depth` units ahead of the
    units at the output, and the other way round. A request has the words that hold a byte of the unit, and no other.

    Parameters
    ----------
    write : the requests are writes
    depth : units ahead
    word_bytes : width of the bus in bytes
    tag_bits : width of a tag

    Interface attributes
    --------------------
    i : stream of `DmaUnit`
    o : stream of `DmaUnit`, the same ones
    requests : stream of the requests of a `MemoryPort`, all with tag 0
    asked : strobe: a request was made, which is not yet taken
    finished : strobe: and it is the last one of its block
    """

    def __init__(self, *, write: bool, depth: int, word_bytes: int, tag_bits: int):
        self._write = write
        self._depth = depth
        self._lane_bits = exact_log2(word_bytes)
        request = MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits).request_layout
        super().__init__(
            {
                "i": In(stream.Signature(DmaUnit)),
                "o": Out(stream.Signature(DmaUnit)),
                "requests": Out(stream.Signature(request)),
                "asked": Out(1),
                "finished": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.units = units = Queue(DmaUnit, self._depth)
        m.submodules.requests = requests = Queue(self.requests.payload.shape(), self._depth)
        connect(m, units.o, flipped(self.o))
        connect(m, requests.o, flipped(self.requests))

        unit = self.i.payload
        last = Signal(PAGE_BITS + 1)  # byte of the unit, from the start of the page on
        crosses = Signal()
        second = Signal()  # the page after has its turn
        has_room = Signal()
        asks = Signal()
        word = unit.address[self._lane_bits : PAGE_BITS]
        m.d.comb += [
            last.eq(unit.address[:PAGE_BITS] + unit.length),
            crosses.eq(last[PAGE_BITS]),
            has_room.eq(requests.i.ready & (units.i.ready | second)),
            asks.eq(self.i.valid & has_room),
            self.i.ready.eq(has_room & (second | ~crosses)),
            self.asked.eq(asks),
            self.finished.eq(asks & unit.final & (second | ~crosses)),
            units.i.payload.eq(unit),
            units.i.valid.eq(asks & ~second),
            requests.i.valid.eq(asks),
            requests.i.payload.write.eq(self._write),
        ]
        with m.If(second):
            m.d.comb += [
                requests.i.payload.address.eq((unit.address[PAGE_BITS:] + 1) << PAGE_BITS),
                requests.i.payload.beats.eq(last[self._lane_bits : PAGE_BITS]),
            ]
        with m.Else():
            m.d.comb += [
                requests.i.payload.address.eq(unit.address[self._lane_bits :] << self._lane_bits),
                requests.i.payload.beats.eq(Mux(crosses, ~word, last[self._lane_bits : PAGE_BITS] - word)),
            ]
        with m.If(asks):
            m.d.sync += second.eq(crosses & ~second)
        return m
