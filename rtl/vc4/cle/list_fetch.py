"""The bytes of a control list."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.queue import Queue

__all__ = ["LINE_BYTES", "WINDOW_BYTES", "ListFetch"]

#: Bytes that are asked for at a time, and that end at a multiple of as many.
LINE_BYTES = 64
#: Bytes that are seen at a time.
WINDOW_BYTES = BUS_BYTES
_LINE_WORDS = LINE_BYTES // BUS_BYTES
#: Words that are kept, or on their way: two lines.
_DEPTH = 2 * _LINE_WORDS
_WORD_BITS = BUS_BYTES.bit_length() - 1
_LINE_BITS = LINE_BYTES.bit_length() - 1
_WORD = data.StructLayout({"bytes": 8 * BUS_BYTES, "error": 1})


class ListFetch(wiring.Component):
    """Shows the bytes of a list from an address on, as many as come in a word, and moves on as they are taken.

    Behaviour: asks memory for the rest of a line as long as there is room for a whole one, so it is ahead of the bytes that
    are taken by two lines at the most. While `limited`, once the line of the byte before `end` has been asked for, one after
    it is asked for only when there is nothing else to come and somebody needs it. A restart takes effect in the next clock: nothing is available then, and words that are still on their
    way are dropped as they come. A request follows in the clock after that; a word is available two clocks after it
    came, and from then on as many bytes a clock as memory answers.

    Interface attributes
    --------------------
    restart, address : what comes next is the byte at `address`; nothing is taken in that clock
    limited, end : see above; what has been reached since a restart stays that
    starves : more bytes are needed than are available
    enough : nothing is asked for in this clock
    ahead : words that are not shown yet, here or on their way
    window : the next bytes, the first one lowest
    available : how many of these are there, 0 to `WINDOW_BYTES`
    error : the byte after these is not in memory, so no more become available
    take : how many are taken in this clock, `available` at the most
    port : the way into memory, which is only read
    """

    restart: In(1)
    address: In(32)
    limited: In(1)
    end: In(32)
    starves: In(1)
    enough: In(1)
    ahead: Out(range(_DEPTH + 1))
    window: Out(8 * WINDOW_BYTES)
    available: Out(range(WINDOW_BYTES + 1))
    error: Out(1)
    take: In(range(WINDOW_BYTES + 1))
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = Queue(_WORD, _DEPTH)
        m.d.sync += Assert(self.restart | (self.take <= self.available), "more is taken than there is")
        stale = self._requests(m, words)
        self._show(m, words, stale)
        return m

    def _requests(self, m, words):
        """Asks for lines. Returns whether the words in the queue and on their way are of the time before a restart."""
        asked, answer = self.port.requests, self.port.responses
        line_end = Signal(32 - _WORD_BITS)  # of the next request, as a word
        following = Signal(32 - _WORD_BITS)  # where that begins
        coming = Signal(range(_DEPTH + 1))  # words on their way
        dropped = Signal(range(_DEPTH + 1))  # of these, from before a restart
        reached = Signal()  # the line of the byte before the end has been asked for
        last = Signal(32)
        length = Signal(range(_LINE_WORDS + 1))
        comes = Signal()
        begins = Signal()
        m.d.comb += [
            answer.ready.eq(1),
            comes.eq(answer.valid),
            words.i.payload.bytes.eq(answer.payload.data),
            words.i.payload.error.eq(answer.payload.error),
            words.i.valid.eq(comes & ~dropped.any() & ~self.restart),
            line_end.eq(following[_LINE_BITS - _WORD_BITS :] + 1 << _LINE_BITS - _WORD_BITS),
            length.eq(_LINE_WORDS - following[: _LINE_BITS - _WORD_BITS]),
            last.eq(self.end - 1),
        ]
        started = Signal()
        line_of_last = last[_LINE_BITS:]
        asked_line = Signal(32 - _LINE_BITS)
        has_asked = Signal()  # for a line since the restart
        has_reached, dry = Signal(), Signal()
        m.d.comb += [
            reached.eq(has_reached | (has_asked & (asked_line == line_of_last))),
            self.ahead.eq(words.level + coming),
            dry.eq(self.starves & ~self.ahead.any()),
            begins.eq(
                started
                & ~(self.restart | asked.valid | self.enough)
                & (~(self.limited & reached) | dry)
                & (self.ahead <= _DEPTH - _LINE_WORDS)
            ),
        ]
        m.d.sync += has_reached.eq(reached & ~self.restart)
        m.d.sync += Assert(~words.i.valid | words.i.ready, "a word comes that there is no room for")
        with m.If(asked.valid & asked.ready):
            m.d.sync += asked.valid.eq(0)
        with m.If(begins):
            m.d.sync += [
                asked.valid.eq(1),
                asked.payload.address.eq(following << _WORD_BITS),
                asked.payload.beats.eq(length - 1),
                asked_line.eq(following[_LINE_BITS - _WORD_BITS :]),
                has_asked.eq(1),
                following.eq(line_end),
            ]
        left = Signal.like(coming)
        m.d.comb += left.eq(coming - comes)
        m.d.sync += coming.eq(left + Mux(begins, length, 0))
        with m.If(self.restart):
            m.d.sync += [started.eq(1), has_asked.eq(0), following.eq(self.address[_WORD_BITS:]), dropped.eq(left)]
        with m.Elif(comes & dropped.any()):
            m.d.sync += dropped.eq(dropped - 1)
        return self._stale(m, words)

    def _stale(self, m, words):
        """Words in the queue from before a restart, which leave it one a clock."""
        stale = Signal(range(_DEPTH + 1))
        with m.If(self.restart):
            m.d.sync += stale.eq(words.level - (words.o.valid & words.o.ready))
        with m.Elif(stale.any()):
            m.d.sync += stale.eq(stale - 1)
        return stale.any()

    def _show(self, m, words, stale):
        """The window lies over two words."""
        offset = Signal(_WORD_BITS)
        first, second = Signal(_WORD), Signal(_WORD)
        has_first, has_second = Signal(), Signal()
        sees_second = Signal()
        moved = Signal(_WORD_BITS + 1)
        crosses = Signal()
        fills_first, fills_second = Signal(), Signal()
        m.d.comb += [
            self.window.eq(Cat(first.bytes, second.bytes) >> (offset << 3)),
            self.error.eq(has_first & (first.error | (has_second & second.error))),
            sees_second.eq(has_second & ~second.error),
            moved.eq(offset + self.take),
            crosses.eq(moved[_WORD_BITS]),
        ]
        with m.If(has_first & ~first.error):
            m.d.comb += self.available.eq(Mux(sees_second, WINDOW_BYTES, WINDOW_BYTES - offset))
        new = words.o.valid & ~stale
        m.d.comb += [
            fills_first.eq(~has_first | (crosses & ~has_second)),
            fills_second.eq(has_first & (~has_second | crosses) & ~(crosses & ~has_second)),
            words.o.ready.eq(stale | fills_first | fills_second),
        ]
        m.d.sync += offset.eq(moved)
        with m.If(crosses):
            m.d.sync += [first.eq(second), has_first.eq(has_second), has_second.eq(0)]
        with m.If(new & fills_first):
            m.d.sync += [first.eq(words.o.payload), has_first.eq(1)]
        with m.If(new & fills_second):
            m.d.sync += [second.eq(words.o.payload), has_second.eq(1)]
        with m.If(self.restart):
            m.d.sync += [offset.eq(self.address[:_WORD_BITS]), has_first.eq(0), has_second.eq(0)]
