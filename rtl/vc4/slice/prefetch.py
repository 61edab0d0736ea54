"""Reads ahead in memory: for the instruction stream, and for the uniform stream."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue
from vc4.qpu.structs import FetchedWord, Redirect

__all__ = ["LINE_BYTES", "Prefetch"]

#: A request never crosses a line.
LINE_BYTES = 64
_LINE_WORDS = LINE_BYTES // BUS_BYTES
#: Requests on the way at the most; two lines fill the queue, two more let branches ask before the old ones are answered.
_REQUESTS = 4


class Prefetch(wiring.Component):
    """Streams the words of consecutive addresses, each with its address, and goes on elsewhere when told.

    Asks for lines, one word of the bus a beat, as long as the queue has room for everything that is on the way. A jump
    takes effect behind the word before its boundary, or at once if that has been asked for already; the reader drops what
    came too much. A restart empties everything first.

    Parameters
    ----------
    depth : words in the queue; two lines, so that one is on its way while the other is used

    Interface attributes
    --------------------
    redirect, redirect_stb : where the stream goes on
    o : the words
    bus : the port to memory, reads only
    """

    redirect: In(Redirect)
    redirect_stb: In(1)
    o: Out(stream.Signature(FetchedWord))
    bus: Out(MemoryPort(word_bytes=BUS_BYTES))

    def __init__(self, depth: int = 2 * _LINE_WORDS):
        self._depth = depth
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = Queue(FetchedWord, self._depth)
        m.submodules.runs = runs = Queue(unsigned(32), _REQUESTS)
        restarting = Signal(init=1)  # nothing is asked for, what is there or on the way is dropped
        response = self.bus.responses
        arrives = response.valid & response.ready
        offset = Signal(range(_LINE_WORDS))
        m.d.comb += [
            words.i.payload.pc.eq(runs.o.payload + (offset << 3)),
            words.i.payload.word.eq(response.payload.data),
            words.i.payload.error.eq(response.payload.error),
            words.i.valid.eq(response.valid & ~restarting),
            response.ready.eq(words.i.ready | restarting),
            runs.o.ready.eq(arrives & response.payload.last),
            self.o.payload.eq(words.o.payload),
            self.o.valid.eq(words.o.valid & ~restarting),
            words.o.ready.eq(self.o.ready | restarting),
        ]
        with m.If(arrives):
            m.d.sync += offset.eq(Mux(response.payload.last, 0, offset + 1))
        self._requests(m, words, runs, restarting)
        return m

    def _requests(self, m, words, runs, restarting):
        """Which words are asked for, and when."""
        request = self.bus.requests
        address = Signal(32)
        jumps = Signal()  # a jump waits for its boundary
        boundary = Signal(32)
        target = Signal(32)
        room = Signal(range(self._depth + 1))  # places in the queue that nothing is on the way to
        started = Signal()

        to_boundary = (boundary - address)[3:]
        to_line_end = _LINE_WORDS - address[3:6]
        count = Signal(range(_LINE_WORDS + 1))
        last = Signal()  # the request reaches the boundary
        m.d.comb += [
            last.eq(jumps & (to_boundary <= to_line_end)),
            count.eq(Mux(last, to_boundary, to_line_end)),
        ]
        ask = Signal()
        m.d.comb += [
            ask.eq(
                ~restarting & ~self.redirect_stb & (~request.valid | request.ready) & runs.i.ready & (count <= room)
            ),
            runs.i.valid.eq(ask),
            runs.i.payload.eq(address),
        ]
        with m.If(request.ready):
            m.d.sync += request.valid.eq(0)
        with m.If(ask):
            m.d.sync += [
                request.valid.eq(1),
                request.payload.address.eq(address),
                request.payload.beats.eq(count - 1),
                address.eq(Mux(last, target, address + (count << 3))),
                jumps.eq(jumps & ~last),
            ]
        m.d.sync += room.eq(room - Mux(ask, count, 0) + (self.o.valid & self.o.ready))

        redirect = self.redirect
        passed = (redirect.boundary - address).as_signed() <= 0
        with m.If(self.redirect_stb):
            m.d.sync += [target.eq(redirect.target), boundary.eq(redirect.boundary)]
            with m.If(redirect.restart | passed):
                m.d.sync += [address.eq(redirect.target), jumps.eq(0)]
            with m.Else():
                m.d.sync += jumps.eq(1)
        with m.If(self.redirect_stb & redirect.restart):
            m.d.sync += [restarting.eq(1), started.eq(1)]
        with m.Elif(restarting & started & (words.level == 0) & (runs.level == 0) & ~request.valid):
            m.d.sync += [restarting.eq(0), room.eq(self._depth)]
