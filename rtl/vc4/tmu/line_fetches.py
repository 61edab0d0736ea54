"""Lines on their way into the cache of a texture unit."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue
from vc4.common.ram import BlockRam

from .structs import LINE_BYTES, CachePlace, LineFetch, LineWord

__all__ = ["LINE_BUS", "LineFetches"]

#: Lines on their way: as many as the L2C takes.
_LINES = 8
_WORDS = LINE_BYTES // BUS_BYTES
#: The port to memory, reads of whole lines.
LINE_BUS = MemoryPort(word_bytes=BUS_BYTES, tag_bits=exact_log2(_LINES))


class LineFetches(wiring.Component):
    """Fetches lines, up to eight at a time, and gives their words in the order of the fetches.

    Behaviour: the request is at the bus in the clock after the fetch. Words are taken as they come and kept; each one is
    offered two clocks after it came if all before it have left, and one a clock follows. A word that memory does not have
    is 0.

    Interface attributes
    --------------------
    fetches : lines
    o : their words
    bus : the port to memory
    """

    fetches: In(stream.Signature(LineFetch))
    o: Out(stream.Signature(LineWord))
    bus: Out(LINE_BUS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.bus.signature.request_layout, _LINES)
        m.submodules.lines = lines = Queue(CachePlace, _LINES)
        m.submodules.words = words = BlockRam(8 * BUS_BYTES, _LINES * _WORDS, exclusive=True)
        connect(m, requests.o, flipped(self.bus.requests))
        fetch, response = self.fetches.payload, self.bus.responses
        tail = Signal(range(_LINES))
        head = Signal(range(_LINES))
        arrived = [Signal(range(_WORDS + 1), name=f"arrived_{number}") for number in range(_LINES)]
        m.d.comb += [
            self.fetches.ready.eq(lines.i.ready),
            lines.i.valid.eq(self.fetches.valid),
            lines.i.payload.eq(fetch.place),
            requests.i.valid.eq(self.fetches.valid & lines.i.ready),
            requests.i.payload.address.eq(Cat(C(0, exact_log2(LINE_BYTES)), fetch.place.set, fetch.tag)),
            requests.i.payload.beats.eq(_WORDS - 1),
            requests.i.payload.tag.eq(tail),
            response.ready.eq(1),
            words.write_enable.eq(response.valid),
            words.write_data.eq(Mux(response.payload.error, 0, response.payload.data)),
        ]
        with m.If(requests.i.valid):
            m.d.sync += tail.eq(tail + 1)
        for number, count in enumerate(arrived):
            with m.If(requests.i.valid & (tail == number)):
                m.d.sync += count.eq(0)
            with m.If(response.payload.tag == number):
                m.d.comb += words.write_address.eq(Cat(count[:-1], C(number, len(head))))
                with m.If(response.valid):
                    m.d.sync += [count.eq(count + 1), Assert(count != _WORDS, "a line has too many words")]
        m.d.sync += Assert(~requests.i.valid | requests.i.ready, "a line has no place among the requests")
        self._give(m, lines, words, head, arrived)
        return m

    def _give(self, m, lines, words, head, arrived):
        """The words of the oldest line leave."""
        word = Signal(range(_WORDS))
        there = Signal()
        reads = Signal()
        m.d.comb += [
            there.eq(lines.o.valid & (Array(arrived)[head] > word)),
            reads.eq(there & (~self.o.valid | self.o.ready)),
            words.read_enable.eq(reads),
            words.read_address.eq(Cat(word, head)),
            self.o.payload.data.eq(words.read_data),
            lines.o.ready.eq(reads & (word == _WORDS - 1)),
        ]
        m.d.sync += self.o.valid.eq(reads | (self.o.valid & ~self.o.ready))
        with m.If(reads):
            m.d.sync += [
                word.eq(word + 1),
                self.o.payload.place.eq(lines.o.payload),
                self.o.payload.word.eq(word),
                self.o.payload.last.eq(word == _WORDS - 1),
            ]
        with m.If(lines.o.ready):
            m.d.sync += head.eq(head + 1)
