"""Words of the bus become requests to memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.block_queue import BlockQueue
from vc4.common.queue import Queue

from .transfer_structs import WORD_ADDRESS_BITS, BusWord

__all__ = ["BusBursts"]

#: Words of a request at the most, and words that wait for memory.
_MOST_WORDS, _DEPTH = 32, 64
_REQUESTS = 4
_PAGE_BITS = 12
#: Of a count of requests that memory has not answered; short ones may be as many as words.
_ANSWER_BITS = 8


class BusBursts(wiring.Component):
    """Asks memory to read or write words, those that follow each other at once.

    Behaviour: takes a word a clock. A request is made when all of its words are there: when the next one does not follow, is in
    another page of 4 KiB, or is the 33rd.

    Interface attributes
    --------------------
    i : stream of `BusWord`
    loads : they are read
    requests, writes : of a `MemoryPort`
    answered : strobe: memory has answered a request
    done : the final word was taken, and all requests are answered; until `clear`
    clear : strobe
    """

    i: In(stream.Signature(BusWord))
    loads: In(1)
    requests: Out(stream.Signature(MemoryPort(word_bytes=BUS_BYTES).request_layout))
    writes: Out(stream.Signature(MemoryPort(word_bytes=BUS_BYTES).write_layout))
    answered: In(1)
    done: Out(1)
    clear: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Queue(self.requests.payload.shape(), _REQUESTS)
        m.submodules.writes = writes = BlockQueue(self.writes.payload.shape(), _DEPTH)
        connect(m, requests.o, flipped(self.requests))
        connect(m, writes.o, flipped(self.writes))
        word = self.i.payload
        kept = Signal(BusWord)
        there = Signal()
        first = Signal(WORD_ADDRESS_BITS)  # of the request
        beats = Signal(range(_MOST_WORDS))
        following = Signal(WORD_ADDRESS_BITS)
        follows = Signal()
        room = Signal()
        takes = Signal()
        leaves = Signal()
        asks = Signal()
        unanswered = Signal(_ANSWER_BITS)
        over = Signal()
        in_page = _PAGE_BITS - (32 - WORD_ADDRESS_BITS)
        m.d.comb += [
            follows.eq(~word.final & (word.address == following) & following[:in_page].any() & ~beats.all()),
            room.eq(requests.i.ready & (writes.i.ready | self.loads) & ~unanswered[-1]),
            self.i.ready.eq(room),
            takes.eq(self.i.valid & room),
            leaves.eq(takes & there),
            asks.eq(leaves & ~follows),
            writes.i.valid.eq(leaves & ~self.loads),
            writes.i.payload.data.eq(kept.data),
            writes.i.payload.strobes.eq(kept.strobes),
            writes.i.payload.last.eq(~follows),
            requests.i.valid.eq(asks),
            requests.i.payload.address.eq(first << (32 - WORD_ADDRESS_BITS)),
            requests.i.payload.write.eq(~self.loads),
            requests.i.payload.beats.eq(beats),
            self.done.eq(over & (unanswered == 0)),
        ]
        m.d.sync += [
            unanswered.eq(unanswered + asks - self.answered),
            over.eq((over | (takes & word.final)) & ~self.clear),
        ]
        with m.If(takes):
            m.d.sync += [there.eq(~word.final), kept.eq(word), following.eq(word.address + 1)]
            m.d.sync += beats.eq(Mux(there & follows, beats + 1, 0))
            with m.If(~(there & follows)):
                m.d.sync += first.eq(word.address)
        return m
