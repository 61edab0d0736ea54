"""Vectors of the VPM on their way to a QPU."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.block_queue import BlockQueue
from vc4.isa.timing import READ_AHEAD
from vc4.records.vpm import VpmReadSetup

from .port import QUAD_WORDS
from .structs import ROW_WORDS, RowRange, Words
from .vectors import Fetching, VectorRead, form, next_address, place, touches

__all__ = ["ReadPort"]

_QUADS = ROW_WORDS // QUAD_WORDS
#: Clocks from a request to its quad.
_LATENCY = 2
#: Most vectors of a set-up.
_MOST = 16


class ReadPort(wiring.Component):
    """Fetches the vectors that one QPU has set up, as far ahead of the program as there is room (guide, table 33; QPU facts,
    8.4).

    What is fetched when depends on nothing but the order of commands: with a set-up as many vectors as there is room for,
    later one with each that the program has read. Set-ups count as waiting until all of their vectors have been read; two
    may, and one more is ignored.

    Behaviour: asks for a quad every clock, and a quad is in the queue two clocks after it was asked for. It waits

    * for rows that a DMA load has yet to write, for whomever;
    * while others read the VPM.

    Interface attributes
    --------------------
    setup, setup_stb : a new set-up
    read_stb : the program has read a vector
    cancel : forget all set-ups and all vectors; to stay high until `cancelled`
    cancelled : that is done
    requests : stream of `VectorRead`; one that waits is withdrawn while a load comes to have its row, and by `cancel`
    words : what the request of two clocks ago asked for
    unwritten : rows that a DMA load has yet to write
    reads, readable, busy : for the QPU, see `VpmPort`
    fetching : vectors that have yet to be asked for
    """

    setup: In(VpmReadSetup)
    setup_stb: In(1)
    read_stb: In(1)
    cancel: In(1)
    cancelled: Out(1)
    requests: Out(stream.Signature(VectorRead))
    words: In(Words)
    unwritten: In(RowRange)
    reads: Out(stream.Signature(Words))
    readable: Out(1)
    busy: Out(1)
    fetching: Out(Fetching)

    def elaborate(self, platform):
        m = Module()
        self._active = Signal(VpmReadSetup, name="active")  # whose vectors are fetched; its address moves on
        self._left = Signal(range(_MOST + 1), name="left")  # vectors of it
        self._waiting = Signal(VpmReadSetup, name="waiting")
        self._waits = Signal(name="waits")  # there is a set-up in `waiting`
        self._ahead = Signal(range(READ_AHEAD + 1), name="ahead")  # vectors fetched that the program has not read
        self._quad = Signal(range(_QUADS), name="quad")
        moves, finishes = self._fetch(m)
        self._set_up(m, finishes)
        self._deliver(m, moves)
        with m.If(self.cancel):
            m.d.sync += [self._left.eq(0), self._waits.eq(0), self._ahead.eq(0), self._quad.eq(0)]
        return m

    def _fetch(self, m):
        """Asks for the next quad; returns whether it moves, and whether it is the last one of its vector."""
        active, left, ahead, fetching = self._active, self._left, self._ahead, self.fetching
        request = Signal(VectorRead)
        room = Signal()
        moves = Signal()
        finishes = Signal()
        m.d.comb += [
            *(getattr(request.address, name).eq(value) for name, value in place(active, self._quad).items()),
            *(getattr(request.form, name).eq(value) for name, value in form(active, self._quad).items()),
            self.requests.payload.eq(request),
            room.eq(ahead != READ_AHEAD),
            self.requests.valid.eq((left != 0) & room & ~touches(request.address, self.unwritten) & ~self.cancel),
            moves.eq(self.requests.valid & self.requests.ready),
            finishes.eq(moves & (self._quad == _QUADS - 1)),
            fetching.any.eq(room & ((left != 0) | self._waits)),
            # Nothing is known of the place of vectors of the set-up that waits.
            fetching.more.eq((left == 0) | ((ahead < READ_AHEAD - 1) & ((left != 1) | self._waits))),
            fetching.row.eq(request.address.row),
            fetching.vertical.eq(request.address.vertical),
        ]
        m.d.sync += [
            ahead.eq(ahead + finishes - self.read_stb),
            Assert(~self.read_stb | (ahead != 0), "a vector is read that was not fetched"),
        ]
        with m.If(moves):
            m.d.sync += self._quad.eq(self._quad + 1)
        with m.If(finishes):
            m.d.sync += [active.address.eq(next_address(active)), left.eq(left - 1)]
        return moves, finishes

    def _set_up(self, m, finishes):
        """Takes set-ups, unless two have vectors that were not read."""
        unread = [Signal(range(_MOST + 1), name=f"unread_{number}") for number in range(2)]  # of each set-up, in order
        count = Cat(self.setup.count, self.setup.count == 0)
        takes = Signal()
        free = Signal()
        m.d.comb += [takes.eq(self.setup_stb & (unread[1] == 0)), free.eq((self._left == 0) & ~self._waits)]
        with m.If(takes & free):
            m.d.sync += [self._active.eq(self.setup), self._left.eq(count)]
        with m.Elif(self._waits & ((self._left == 0) | (finishes & (self._left == 1)))):
            m.d.sync += [
                self._active.eq(self._waiting),
                self._left.eq(Cat(self._waiting.count, self._waiting.count == 0)),
                self._waits.eq(0),
            ]
        with m.If(takes & ~free):
            m.d.sync += [self._waiting.eq(self.setup), self._waits.eq(1)]
        with m.If(takes):
            m.d.sync += unread[1].eq(Mux(unread[0] == 0, 0, count))
            with m.If(unread[0] == 0):
                m.d.sync += unread[0].eq(count)
        with m.Elif(self.read_stb):
            m.d.sync += unread[0].eq(unread[0] - 1)
            with m.If(unread[0] == 1):
                m.d.sync += [unread[0].eq(unread[1]), unread[1].eq(0)]
        with m.If(self.cancel):
            m.d.sync += [one.eq(0) for one in unread]
        m.d.sync += [
            Assert(~(takes & self.read_stb), "a set-up comes in the clock of a read"),
            Assert(
                ~(takes & ~free & self._waits & (self._left != 0)), "three set-ups have vectors that were not fetched"
            ),
        ]

    def _deliver(self, m, moves):
        """The queue to the QPU, and how many vectors are in it as a whole."""
        m.submodules.fetched = queue = BlockQueue(Words, READ_AHEAD * _QUADS)
        coming = Signal(_LATENCY)
        whole = Signal(range(READ_AHEAD + 1))
        pushed, popped = (Signal(range(_QUADS), name=name) for name in ("pushed_quad", "popped_quad"))
        pushes = coming[-1]
        pops = Signal()
        m.d.comb += [
            queue.i.valid.eq(pushes),
            queue.i.payload.eq(self.words),
            self.reads.payload.eq(queue.o.payload),
            self.reads.valid.eq(queue.o.valid),
            queue.o.ready.eq(self.reads.ready | self.cancel),
            pops.eq(queue.o.valid & queue.o.ready),
            self.readable.eq(whole != 0),
            self.busy.eq(self.fetching.any | coming.any()),
            self.cancelled.eq(self.cancel & ~coming.any() & (queue.level == 0)),
        ]
        m.d.sync += [
            coming.eq(Cat(moves, coming)),
            pushed.eq(pushed + pushes),
            popped.eq(popped + pops),
            whole.eq(whole + (pushes & (pushed == _QUADS - 1)) - (pops & (popped == 0))),
            Assert(~pushes | queue.i.ready, "a vector is fetched for which there is no room"),
        ]
        with m.If(self.cancel):
            m.d.sync += [signal.eq(0) for signal in (pushed, popped, whole)]
