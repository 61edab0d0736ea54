"""The words of the cache of a texture unit."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.block_queue import BlockQueue
from vc4.common.ram import BlockRam
from vc4.records.tmu import LINE_BYTES

from .structs import READS, SETS, SIDES, TURN_BITS, WAYS, CacheRead, CacheWords, LineWord

__all__ = ["CacheReads"]

#: Requests that wait, while memory answers the first of them: hits after misses go on until it is full.
_DEPTH = 64
_WORDS = LINE_BYTES // 8


class CacheReads(wiring.Component):
    """Reads four words a clock, and writes lines that come.

    Behaviour: requests are answered in their order, one a clock, four clocks after they came, or later if not all lines are
    there that were fetched for them. An answer with turns stays for as many clocks more, and is one in the last of them. Words are
    written as they come: nobody reads yet what is in their place.

    Each of the four reads has a copy of the words: whatever the addresses, none waits for another.

    Parameters
    ----------
    note : shape of what a request carries along

    Interface attributes
    --------------------
    i : requests
    word, word_stb : words of lines, to be taken at once
    line_stb : the oldest line that is still fetched is complete, in the order in which they were fetched
    o, o_stb : answers, to be taken at once
    answered : lines that were fetched for what is answered, a clock before the answer
    """

    def __init__(self, note):
        self._read = CacheRead(note)
        super().__init__(
            {
                "i": In(stream.Signature(self._read)),
                "word": In(LineWord),
                "word_stb": In(1),
                "line_stb": In(1),
                "o": Out(CacheWords(note)),
                "o_stb": Out(1),
                "answered": Out(range(READS + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = BlockQueue(self._read, _DEPTH)
        connect(m, flipped(self.i), queue.i)
        request = Signal(self._read)
        valid = Signal()
        lines = Signal(range(SETS * WAYS + 1))  # those that are complete, and whose requests have not been answered
        reads = Signal()
        turn = Signal(TURN_BITS)
        stays = Signal()
        answers = Signal()
        m.d.comb += [
            stays.eq(turn != 0),
            reads.eq(valid & ~stays & (request.lines <= lines)),
            queue.o.ready.eq(~valid | reads),
            self.answered.eq(Mux(reads, request.lines, 0)),
        ]
        with m.If(queue.o.ready):
            m.d.sync += [request.eq(queue.o.payload), valid.eq(queue.o.valid)]
        m.d.sync += lines.eq(lines + self.line_stb - self.answered)
        for number in range(READS):
            m.submodules[f"copy_{number}"] = copy = BlockRam(64, SIDES * SETS * WAYS * _WORDS, exclusive=True)
            m.d.comb += [
                copy.write_enable.eq(self.word_stb),
                copy.write_address.eq(Cat(self.word.word, self.word.place)),
                copy.write_data.eq(self.word.data),
                copy.read_enable.eq(reads),
                copy.read_address.eq(Cat(request.bytes[number][3:], request.places[number])),
                self.o.words[number].eq(copy.read_data),
            ]
            with m.If(reads):
                m.d.sync += self.o.bytes[number].eq(request.bytes[number][:3])
        with m.If(reads):
            m.d.sync += [self.o.note.eq(request.note), self.o.turns.eq(request.turns), turn.eq(request.turns)]
        with m.Elif(stays):
            m.d.sync += turn.eq(turn - 1)
        m.d.sync += answers.eq(reads | stays)
        m.d.comb += [self.o.turn.eq(turn), self.o_stb.eq(answers & ~stays)]
        return m
