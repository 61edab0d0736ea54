"""The way of tile lists and states of tiles into memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue

from .list_structs import WORD_ADDRESS_BITS, ListWord

__all__ = ["ListPort"]

#: Requests and words that wait for memory.
_REQUESTS, _WORDS = 4, 16
#: Of a count of writes that memory has not answered.
_ANSWER_BITS = 6


class ListPort(wiring.Component):
    """Makes requests of words, and counts what memory owes.

    Behaviour: takes a word a clock. Answers to writes and to reads have tags of their own, so that the ones need not wait for
    the others.

    Interface attributes
    --------------------
    i : stream of `ListWord`
    words : stream of what was read
    port : the way into memory
    settled : no state of a tile is on its way to memory
    idle : nothing is
    failed : memory has answered with an error; stays
    """

    i: In(stream.Signature(ListWord))
    words: Out(stream.Signature(unsigned(8 * BUS_BYTES)))
    port: Out(MemoryPort(word_bytes=BUS_BYTES))
    settled: Out(1)
    idle: Out(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.port.requests.payload.shape(), _REQUESTS)
        m.submodules.writes = writes = Queue(self.port.writes.payload.shape(), _WORDS)
        connect(m, requests.o, flipped(self.port.requests))
        connect(m, writes.o, flipped(self.port.writes))
        word, request, response = self.i.payload, requests.i.payload, self.port.responses.payload
        unanswered = Signal(_ANSWER_BITS)
        now = Signal(_ANSWER_BITS)
        states = Signal(_ANSWER_BITS)  # of these, up to the last one that is the state of a tile
        owed = Signal(4)  # words that are read
        takes = Signal()
        asks = Signal()  # for a write
        answered = Signal()
        comes = Signal()
        m.d.comb += [
            self.i.ready.eq(requests.i.ready & writes.i.ready & ~unanswered[-1]),
            takes.eq(self.i.valid & self.i.ready),
            asks.eq(takes & word.first & ~word.reads),
            requests.i.valid.eq(takes & word.first),
            request.address.eq(word.address << (32 - WORD_ADDRESS_BITS)),
            request.write.eq(~word.reads),
            request.tag.eq(word.reads),
            request.beats.eq(word.beats),
            writes.i.valid.eq(takes & ~word.reads),
            writes.i.payload.data.eq(word.data),
            writes.i.payload.strobes.eq(word.strobes),
            writes.i.payload.last.eq(word.last),
            self.words.valid.eq(self.port.responses.valid & response.tag),
            self.words.payload.eq(response.data),
            self.port.responses.ready.eq(~response.tag | self.words.ready),
            answered.eq(self.port.responses.valid & ~response.tag),
            comes.eq(self.words.valid & self.words.ready),
            now.eq(unanswered + asks - answered),
            self.settled.eq(states == 0),
        ]
        m.d.sync += [
            unanswered.eq(now),
            owed.eq(owed + Mux(takes & word.reads, word.beats + 1, 0) - comes),
            self.idle.eq((now == 0) & (owed == 0) & ~(takes & word.reads)),
        ]
        with m.If(asks & word.state):
            m.d.sync += states.eq(now)
        with m.Elif(answered & (states != 0)):
            m.d.sync += states.eq(states - 1)
        with m.If(self.port.responses.valid & self.port.responses.ready & response.error):
            m.d.sync += self.failed.eq(1)
        return m
