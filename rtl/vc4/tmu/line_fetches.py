"""Lines on their way into the cache of a texture unit."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue
from vc4.common.ram import LutRam
from vc4.common.select import select
from vc4.records.tmu import LINE_BYTES

from .structs import CachePlace, LineFetch, LineWord

__all__ = ["LINE_BUS", "LineFetches"]

#: Lines on their way: as many as the L2C takes.
_LINES = 8
_WORDS = LINE_BYTES // BUS_BYTES
#: The port to memory, reads of whole lines.
LINE_BUS = MemoryPort(word_bytes=BUS_BYTES, tag_bits=exact_log2(_LINES))


class LineFetches(wiring.Component):
    """Fetches lines, up to eight at a time.

    Behaviour: the request is at the bus in the clock after the fetch. Words go to their places as they come; a line is said
    to be complete in a clock after its last word, when all before it are. A word that memory does not have is 0, and an error.

    Interface attributes
    --------------------
    fetches : lines
    word, word_stb : a word and its place, to be taken at once
    line_stb : the oldest line is complete
    error : memory does not have a word that comes now
    bus : the port to memory
    """

    fetches: In(stream.Signature(LineFetch))
    word: Out(LineWord)
    word_stb: Out(1)
    line_stb: Out(1)
    error: Out(1)
    bus: Out(LINE_BUS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.bus.signature.request_layout, _LINES)
        m.submodules.places = places = LutRam(Shape.cast(CachePlace).width, _LINES)
        connect(m, requests.o, flipped(self.bus.requests))
        fetch, response = self.fetches.payload, self.bus.responses
        tail = Signal(range(_LINES))
        head = Signal(range(_LINES))
        under_way = Signal(range(_LINES + 1))
        room = Signal(init=1)
        begins = Signal()
        # Words that have come of each line, and whether it is complete; then none of the next have.
        arrived = [Signal(range(_WORDS), name=f"arrived_{number}") for number in range(_LINES)]
        complete = [Signal(name=f"complete_{number}") for number in range(_LINES)]
        word = self.word
        m.d.comb += [
            self.fetches.ready.eq(room),
            begins.eq(self.fetches.valid & room),
            places.write_enable.eq(begins),
            places.write_address.eq(tail),
            places.write_data.eq(fetch.place),
            places.read_address.eq(response.payload.tag),
            requests.i.valid.eq(begins),
            requests.i.payload.address.eq(Cat(C(0, exact_log2(LINE_BYTES)), fetch.place.set, fetch.tag)),
            requests.i.payload.beats.eq(_WORDS - 1),
            requests.i.payload.tag.eq(tail),
            response.ready.eq(1),
            *(Value.cast(word.place).eq(places.read_data), self.word_stb.eq(response.valid)),
            word.data.eq(Mux(response.payload.error, 0, response.payload.data)),
            self.error.eq(response.valid & response.payload.error),
            self.line_stb.eq(select(head, complete)),
            word.word.eq(select(response.payload.tag, arrived)),
        ]
        m.d.sync += [
            *(tail.eq(tail + begins), head.eq(head + self.line_stb)),
            under_way.eq(under_way + begins - self.line_stb),
            room.eq(under_way + begins - self.line_stb < _LINES),
            Assert(~begins | requests.i.ready, "a line has no place among the requests"),
        ]
        for number, (count, whole) in enumerate(zip(arrived, complete, strict=True)):
            with m.If(self.line_stb & (head == number)):
                m.d.sync += whole.eq(0)
            with m.If(response.valid & (response.payload.tag == number)):
                m.d.sync += [
                    *(count.eq(word.word + 1), whole.eq(word.word == _WORDS - 1)),
                    Assert(~whole, "a line has too many words"),
                ]
        return m
