"""The bytes of a control list."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.ram import LutRam

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
_BYTE = 8


class ListFetch(wiring.Component):
    """Shows the bytes of a list from an address on, as many as come in a word, and moves on as they are taken.

    Behaviour: asks memory for the rest of a line as long as there is room for a whole one, so it is ahead of the bytes that
    are taken by two lines at the most. While `limited`, once the line of the byte before `end` has been asked for, one after
    it is asked for only when there is nothing else to come and somebody needs it. A restart takes effect in the next clock:
    nothing is available then, and words that are still on their way are dropped as they come. A request follows in the
    clock after that; a word is available in the clock after it came, and from then on as many bytes a clock as memory
    answers.

    Interface attributes
    --------------------
    restart, address : what comes next is the byte at `address`; nothing is taken in that clock
    limited, end : see above; what has been reached since a restart stays that
    starves : more bytes are needed than are available
    enough : nothing is asked for in this clock
    ahead : words that are here or on their way
    window : the next bytes, the first one lowest
    available : how many of these are there, 0 to `WINDOW_BYTES`
    error : no more become available, what comes after them is not in memory
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
        level = Signal(range(_DEPTH + 1))  # words that are here
        failed = Signal()  # memory has answered with an error
        m.d.comb += self.error.eq(failed)
        m.d.sync += Assert(self.restart | (self.take <= self.available), "more is taken than there is")
        comes = self._requests(m, level, failed)
        pops = self._show(m, level, comes)
        m.d.sync += level.eq(level + comes - pops)
        with m.If(self.restart):
            m.d.sync += [level.eq(0), failed.eq(0)]
        return m

    def _requests(self, m, level, failed):
        """Asks for lines. Returns whether a word comes, and not one that was asked for before a restart."""
        asked, answer = self.port.requests, self.port.responses
        following = Signal(32 - _WORD_BITS)  # where the next request begins, as a word
        next_line, end_line = following[_LINE_BITS - _WORD_BITS :], self.end[_LINE_BITS:]
        length = Signal(range(_LINE_WORDS + 1))
        coming = Signal(range(_DEPTH + 1))  # words on their way
        left = Signal.like(coming)
        dropped = Signal.like(coming)  # of these, from before a restart
        started = Signal()  # there was a restart
        has_asked = Signal()  # since that
        reached = Signal()  # the line of the byte before the end has been asked for
        was_reached = Signal()  # before
        comes = Signal()
        begins = Signal()
        m.d.comb += [
            answer.ready.eq(1),
            comes.eq(answer.valid & ~(answer.payload.error | dropped.any() | failed | self.restart)),
            left.eq(coming - answer.valid),
            self.ahead.eq(level + coming),
            length.eq(_LINE_WORDS - following[: _LINE_BITS - _WORD_BITS]),
            reached.eq(
                was_reached
                | (has_asked & (asked.payload.address[_LINE_BITS:] == end_line))
                | (has_asked & (next_line == end_line) & ~self.end[:_LINE_BITS].any())
            ),
            begins.eq(
                started
                & ~(self.restart | asked.valid | failed | self.enough)
                & (~(self.limited & reached) | (self.starves & ~coming.any()))
                & (self.ahead <= _DEPTH - _LINE_WORDS)
            ),
        ]
        m.d.sync += [coming.eq(left + Mux(begins, length, 0)), was_reached.eq(reached)]
        with m.If(asked.ready):
            m.d.sync += asked.valid.eq(0)
        with m.If(begins):
            m.d.sync += [
                asked.valid.eq(1),
                asked.payload.address.eq(following << _WORD_BITS),
                asked.payload.beats.eq(length - 1),
                has_asked.eq(1),
                following.eq(next_line + 1 << _LINE_BITS - _WORD_BITS),
            ]
        with m.If(answer.valid & dropped.any()):
            m.d.sync += dropped.eq(dropped - 1)
        with m.Elif(answer.valid & answer.payload.error):
            m.d.sync += failed.eq(1)
        with m.If(self.restart):
            m.d.sync += [started.eq(1), has_asked.eq(0), was_reached.eq(0), dropped.eq(left)]
            m.d.sync += following.eq(self.address[_WORD_BITS:])
        return comes

    def _show(self, m, level, comes):
        """The window lies over two words. Returns whether the first of them has been taken."""
        head = Signal(range(_DEPTH))
        tail = Signal(range(_DEPTH))
        second = Signal.like(head)
        offset = Signal(_WORD_BITS)
        moved = Signal(_WORD_BITS + 1)
        pops = moved[_WORD_BITS]
        shown = []
        m.d.comb += [second.eq(head + 1), moved.eq(offset + self.take)]
        for number in range(BUS_BYTES):
            m.submodules[f"bytes_{number}"] = lane = LutRam(_BYTE, _DEPTH)
            m.d.comb += [
                lane.write_address.eq(tail),
                lane.write_data.eq(self.port.responses.payload.data.word_select(number, _BYTE)),
                lane.write_enable.eq(comes),
                lane.read_address.eq(Mux(number < offset, second, head)),
            ]
            shown.append(lane.read_data)
        for bit in reversed(range(_WORD_BITS)):
            shown = [
                Mux(offset[bit], shown[(number + (1 << bit)) % BUS_BYTES], shown[number]) for number in range(BUS_BYTES)
            ]
        m.d.comb += self.window.eq(Cat(shown))
        with m.If(level > 1):
            m.d.comb += self.available.eq(WINDOW_BYTES)
        with m.Elif(level == 1):
            m.d.comb += self.available.eq(WINDOW_BYTES - offset)
        m.d.sync += [offset.eq(moved), head.eq(head + pops), tail.eq(tail + comes)]
        with m.If(self.restart):
            m.d.sync += [offset.eq(self.address[:_WORD_BITS]), head.eq(tail)]
        return pops
