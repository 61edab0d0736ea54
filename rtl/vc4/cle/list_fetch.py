"""The bytes of a control list."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.ram import LutRam

__all__ = ["LINE_BYTES", "WINDOW_BYTES", "ByteWindow", "ListFetch", "has_bytes", "show_to"]

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


class ByteWindow(wiring.Signature):
    """The bytes that come next, on the side that shows them.

    Interface attributes
    --------------------
    bytes : the first one lowest
    available : which of these are there, a bit each, the first ones
    error : no more become available, what comes after them is not in memory
    take : how many are taken in this clock, of those that are there
    """

    def __init__(self):
        super().__init__(
            {
                "bytes": Out(_BYTE * WINDOW_BYTES),
                "available": Out(WINDOW_BYTES),
                "error": Out(1),
                "take": In(range(WINDOW_BYTES + 1)),
            }
        )


def has_bytes(window, count):
    """Whether so many are there."""
    return Cat(1, window.available).bit_select(count, 1)


def show_to(m, window, *takers):
    """Shows a `ByteWindow` to several, of which one at a time takes bytes."""
    for taker in takers:
        m.d.comb += [getattr(taker, name).eq(getattr(window, name)) for name in ("bytes", "available", "error")]
    m.d.comb += window.take.eq(reduce(or_, (taker.take for taker in takers)))


class ListFetch(wiring.Component):
    """Shows the bytes of a list from an address on, as many as come in a word, and moves on as they are taken.

    Behaviour: asks memory for the rest of a line as long as there is room for a whole one, so it is ahead of the bytes that
    are taken by two lines at the most. While `limited`, once the line of the byte before `end` has been asked for, one after
    it is asked for only when there is nothing else to come and somebody needs it. In the clock of a restart nothing is
    available, and words that are still on their way are dropped as they come. A request follows two clocks after it. A word
    is available in the clock after it came, the first one of a list that begins within it a clock later; from then on as
    many bytes a clock as memory answers.

    Interface attributes
    --------------------
    restart, address : what comes next is the byte at `address`
    limited, end : see above; what has been reached since a restart stays that
    starves : more bytes are needed than are available
    enough : nothing is asked for in this clock
    ahead : words that are here or on their way, none of which has been taken as a whole
    window : the next bytes
    port : the way into memory, which is only read
    """

    restart: In(1)
    address: In(32)
    limited: In(1)
    end: In(32)
    starves: In(1)
    enough: In(1)
    ahead: Out(range(_DEPTH + 1))
    window: Out(ByteWindow())
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        level = Signal(range(_DEPTH + 1))  # words that are here
        failed = Signal()  # memory has answered with an error
        loads = Signal()  # nothing is shown, although words are here
        m.d.sync += Assert(self.window.take <= sum(self.window.available), "more is taken than there is")
        comes = self._requests(m, level, failed, loads)
        pops = self._show(m, level, failed, loads, comes)
        m.d.sync += level.eq(level + comes - pops)
        with m.If(self.restart):
            m.d.sync += [level.eq(0), failed.eq(0)]
        return m

    def _requests(self, m, level, failed, loads):
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
                & (~(self.limited & reached) | (self.starves & ~(coming.any() | loads)))
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

    def _show(self, m, level, failed, loads, comes):
        """The first byte is in a register, as how many bytes are taken is seen from that one; those after it lie in two
        words. Returns whether the first of the words is left.
        """
        window = self.window
        first = Signal(_BYTE)
        there = Signal()  # it is
        head = Signal(range(_DEPTH))
        tail = Signal(range(_DEPTH))
        second = Signal.like(head)
        offset = Signal(_WORD_BITS)
        kept = Signal(BUS_BYTES)  # the bytes after the first one that are there
        steps = Signal(range(WINDOW_BYTES + 1))
        moved = Signal(_WORD_BITS + 1)
        pops = moved[_WORD_BITS]
        lacking = Signal.like(steps)  # with so many steps there is nothing that could become the first byte
        waits = Signal()  # the next one is the first byte of a word that is not there
        m.d.comb += [
            kept.eq(Cat((level > 1) | (level.any() & (offset < BUS_BYTES - number)) for number in range(BUS_BYTES))),
            loads.eq(~there & level.any()),
            steps.eq(window.take | loads),
            second.eq(head + 1),
            moved.eq(offset + steps),
            lacking.eq(Mux(level > 1, BUS_BYTES + 1, Mux(level.any(), BUS_BYTES + 1 - offset, there | offset.any()))),
            waits.eq(steps == lacking),
        ]
        behind = self._words(m, head, second, tail, offset, comes)
        m.d.comb += [
            window.bytes.eq(Cat(first, behind)),
            window.available.eq(Mux(there & ~self.restart, Cat(1, kept), 0)),
            window.error.eq(failed & ~self.restart),
        ]
        m.d.sync += [offset.eq(moved), head.eq(head + pops), tail.eq(tail + comes)]
        with m.If(waits):
            m.d.sync += [there.eq(comes), first.eq(self.port.responses.payload.data[:_BYTE])]
            m.d.sync += offset[0].eq(comes)  # the other bits are zero
        with m.Elif(steps.any()):
            following = behind.rotate_left(_BYTE).word_select(steps[:_WORD_BITS], _BYTE)
            m.d.sync += [there.eq(1), first.eq(following)]
        with m.If(self.restart):
            m.d.sync += [there.eq(0), offset.eq(self.address[:_WORD_BITS]), head.eq(tail)]
        return pops

    def _words(self, m, head, second, tail, offset, comes):
        """Keeps the words. Returns as many bytes as one has, from an offset in the first of two words on."""
        shown = []
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
        return Cat(shown)
