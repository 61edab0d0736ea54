"""The reads of a DMA store."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue

from .port import QUAD_WORDS
from .structs import QuadAddress, RunWords, VdwRun, Words

__all__ = ["VdwReader"]

#: A quad that is read in one clock comes in the next and leaves the queue in the one after: three places let one be
#: read every clock, the fourth keeps the count a power of two.
_DEPTH = 4


class VdwReader(wiring.Component):
    """Reads the quads of each run from the store.

    Behaviour: a quad is at the output three clocks after its run came. Reads one quad a clock, also from run to run,
    while the queue at the output has room.

    Interface attributes
    --------------------
    i : stream of `VdwRun`
    o : stream of `RunWords`, a quad each
    read, read_enable : to the store
    read_data : from the store, one clock later
    finished : strobe: the last quad of the last run of a store is being read
    """

    i: In(stream.Signature(VdwRun))
    o: Out(stream.Signature(RunWords(QUAD_WORDS)))
    read: Out(QuadAddress)
    read_enable: Out(1)
    read_data: In(Words)
    finished: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.quads = quads = Queue(self.o.payload.shape(), _DEPTH)
        active = Signal()
        place = Signal(9)  # of the quad in the VPM: row and quad of the row
        left = Signal(6)  # quads - 1, from this one on
        first_word = Signal(2)  # of the run, in its first quad
        last_word = Signal(2)  # of the run, in its last quad
        first = Signal()
        final = Signal()
        shift = Signal(2)

        run = self.i.payload
        last = Signal()
        end = Signal(8)  # of the run, in words from the start of its first quad
        fetched = Signal.like(self.o.payload)  # what goes with the words that come
        fetched_valid = Signal()
        from_first = Signal(QUAD_WORDS)
        to_last = Signal(QUAD_WORDS)
        m.d.comb += [
            from_first.eq(Const(-1, QUAD_WORDS) << first_word),
            to_last.eq(~(Const(-2, QUAD_WORDS) << last_word)),
            last.eq(left == 0),
            self.read_enable.eq(active & (quads.level + fetched_valid < _DEPTH)),
            self.read.row.eq(place[2:]),
            self.read.column.eq(place[:2] << 2),
            self.finished.eq(self.read_enable & last & final),
            self.i.ready.eq(~active | (self.read_enable & last)),
            end.eq(run.column[:2] + run.length),
        ]
        with m.If(self.read_enable):
            m.d.sync += [place.eq(place + 1), left.eq(left - 1), first.eq(0)]
        with m.If(self.i.ready):
            m.d.sync += [
                active.eq(self.i.valid),
                place.eq(Cat(run.column[2:], run.row)),
                left.eq(end >> 2),
                first_word.eq(run.column),
                last_word.eq(end),
                first.eq(1),
                final.eq(run.final),
                shift.eq(run.lane - run.column),
            ]

        m.d.sync += [
            fetched_valid.eq(self.read_enable),
            fetched.mask.eq(Mux(first, from_first, ~0) & Mux(last, to_last, ~0)),
            fetched.shift.eq(shift),
            fetched.last.eq(last),
        ]
        m.d.comb += [
            quads.i.valid.eq(fetched_valid),
            quads.i.payload.eq(fetched),
            quads.i.payload.words.eq(self.read_data),
        ]
        connect(m, quads.o, flipped(self.o))
        return m
