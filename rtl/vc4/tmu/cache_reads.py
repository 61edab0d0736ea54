"""The words of the cache of a texture unit."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.block_queue import BlockQueue
from vc4.common.ram import BlockRam

from .structs import LINE_BYTES, READS, SETS, WAYS, CacheRead, CacheWords, LineWord

__all__ = ["CacheReads"]

#: Requests that wait, while memory answers the first of them: hits behind misses go on until it is full.
_DEPTH = 64
_WORDS = LINE_BYTES // 8


class CacheReads(wiring.Component):
    """Reads four words a clock, and writes lines that come.

    Behaviour: requests are answered in their order, one a clock, four clocks after they came or later. The lines that were
    fetched for a request are written when all requests before it have been answered, as one of those may read what was in
    their place; nothing is answered meanwhile.

    Each of the four reads has a copy of the words: whatever the addresses, none waits for another.

    Parameters
    ----------
    note : shape of what a request carries along

    Interface attributes
    --------------------
    i : requests
    lines : words of lines, in the order in which they were fetched
    o, o_stb : answers, to be taken at once
    """

    def __init__(self, note):
        self._read = CacheRead(note)
        super().__init__(
            {
                "i": In(stream.Signature(self._read)),
                "lines": In(stream.Signature(LineWord)),
                "o": Out(CacheWords(note)),
                "o_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = BlockQueue(self._read, _DEPTH)
        connect(m, flipped(self.i), queue.i)
        line = self.lines.payload
        request = Signal(self._read)
        valid = Signal()
        complete = Signal()  # all of its lines have been written
        reads = Signal()
        writes = Signal()
        m.d.comb += [
            complete.eq(request.lines == 0),
            reads.eq(valid & complete),
            queue.o.ready.eq(~valid | complete),
            self.lines.ready.eq(valid & ~complete),
            writes.eq(self.lines.valid & self.lines.ready),
        ]
        with m.If(queue.o.ready):
            m.d.sync += [request.eq(queue.o.payload), valid.eq(queue.o.valid)]
        with m.Elif(writes & line.last):
            m.d.sync += request.lines.eq(request.lines - 1)
        for number in range(READS):
            m.submodules[f"copy_{number}"] = copy = BlockRam(64, SETS * WAYS * _WORDS, exclusive=True)
            m.d.comb += [
                copy.write_enable.eq(writes),
                copy.write_address.eq(Cat(line.word, line.place)),
                copy.write_data.eq(line.data),
                copy.read_enable.eq(reads),
                copy.read_address.eq(Cat(request.bytes[number][3:], request.places[number])),
                self.o.words[number].eq(copy.read_data),
            ]
            m.d.sync += self.o.bytes[number].eq(request.bytes[number][:3])
        m.d.sync += [self.o.note.eq(request.note), self.o_stb.eq(reads)]
        return m
