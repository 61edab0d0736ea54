"""The way of a QPU to the tile buffer and back."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.block_queue import BlockQueue
from vc4.common.ram import LutRam
from vc4.isa.registers import QUADS
from vc4.tlb.port import TlbCommand, TlbPort
from vc4.tlb.structs import SAMPLES, QuadFlags

from .fragment_flags import FlagsWrite
from .fragment_quads import FragmentWork, QuadNumber
from .structs import LANES, THREADS, LaneWords
from .tile_beat import TileBeat, TileWork

__all__ = ["TileQueue"]

#: It is full for SP when there is just room for what may still be said: by the instruction that goes, by the two in front of it
#: in the pipeline, and by the end of a program.
_BEATS = 32
_FULL = _BEATS - 3 * QUADS - 1


class _Turns(data.Struct):
    """What a thread writes and loads next: words of colours, one after the other."""

    colours: unsigned(1)
    samples: unsigned(3)
    loads: unsigned(3)


class TileQueue(wiring.Component):
    """Passes on what instructions say to the tile buffer, in their order, with the flags that their quads have by then.

    Behaviour: a beat leaves in a clock, but one that needs flags waits until those that the tests have left are there. The
    queue never overflows, as instructions that use it enter the pipeline only while it is not `full`.

    Interface attributes
    --------------------
    i : stream of beats, which are taken at once
    full, empty : for SP; nothing is in it, and nothing is under way that changes flags
    starts : strobes: a thread gets a new vector
    of, work, flags, back : of the quad of the beat that leaves, see `FragmentQuads` and `FragmentFlags`
    write, write_stb, write_ready : new flags
    reverses, reverse : a side for all quads of the thread of `of`
    tlb : the tile buffer
    loaded_quad, loaded : a quad of what was loaded last, in the same clock
    came : strobe: all of it is there
    """

    i: In(stream.Signature(TileBeat))
    full: Out(1)
    empty: Out(1)
    starts: In(THREADS)
    of: Out(QuadNumber)
    work: In(FragmentWork)
    flags: In(QuadFlags)
    back: In(1)
    write: Out(FlagsWrite)
    write_stb: Out(1)
    write_ready: In(1)
    reverses: Out(1)
    reverse: Out(1)
    tlb: Out(TlbPort())
    loaded_quad: In(range(QUADS))
    loaded: Out(LaneWords)
    came: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.beats = queue = BlockQueue(TileBeat, _BEATS)
        said = queue.o.payload
        tests = Signal(range(QUADS + 1))  # whose flags are to come
        loads = Signal(range(QUADS + 1))  # whose words are to come
        moves = Signal()
        asks = Signal()
        allowed = Signal()
        is_test = Signal()
        is_load = Signal()
        answered = Signal()
        m.d.comb += [
            queue.i.valid.eq(self.i.valid),
            queue.i.payload.eq(self.i.payload),
            self.i.ready.eq(1),
            self.full.eq(queue.level >= _FULL),
            self.empty.eq((queue.level == 0) & (tests == 0)),
            self.of.thread.eq(said.thread),
            self.of.quad.eq(said.quad),
            is_test.eq(said.command == TlbCommand.DEPTH),
            is_load.eq(
                Cat(
                    said.command == read
                    for read in (TlbCommand.READ_COLOUR, TlbCommand.READ_MASK, TlbCommand.READ_COVERAGE)
                ).any()
            ),
            asks.eq(said.work == TileWork.REQUEST),
            # Answers come in their order, so tests and loads are not under way together; nor are the tests of two writes.
            allowed.eq(Mux(asks & is_test & (said.quad != 0), 1, tests == 0) & ~(asks & is_test & (loads != 0))),
            self.tlb.requests.valid.eq(queue.o.valid & asks & allowed),
            moves.eq(queue.o.valid & allowed & Mux(asks, self.tlb.requests.ready, self.write_ready)),
            queue.o.ready.eq(allowed & Mux(asks, self.tlb.requests.ready, self.write_ready)),
            answered.eq(self.tlb.answers.valid & self.tlb.answers.ready),
        ]
        m.d.sync += [
            tests.eq(tests + (moves & asks & is_test) - (answered & (tests != 0))),
            loads.eq(loads + (moves & asks & is_load) - (answered & (tests == 0))),
            Assert(~self.i.valid | queue.i.ready, "the queue to the tile buffer has no room for a beat"),
            Assert(~answered | (tests != 0) | (loads != 0), "the tile buffer answers what was not asked"),
        ]
        self._request(m, said, moves)
        self._answers(m, said, moves, asks & is_test, tests != 0, answered)
        # A program that has never waited for the turn of its fragments may end before they have it.
        ended = Signal(THREADS)
        ends = Signal(THREADS)
        m.d.comb += [
            ends.eq(Mux(moves & (said.work == TileWork.END), 1 << said.thread, 0) | ended),
            self.tlb.done.eq(ends & ~self.tlb.waits),
        ]
        m.d.sync += ended.eq(ends & self.tlb.waits)
        return m

    def _request(self, m, said, moves):
        """What the beat asks for, and whose turn it is: samples of a pixel, words of a sample."""
        request, form = self.tlb.requests.payload, self.tlb.form
        turns = Signal(data.ArrayLayout(_Turns, THREADS))
        own = turns[said.thread]
        one = Signal(3)
        reads = said.command == TlbCommand.READ_COLOUR
        writes = said.command == TlbCommand.COLOUR
        # The quads of a load come from the last one on.
        last = moves & (said.work == TileWork.REQUEST) & (said.quad == Mux(reads, 0, QUADS - 1))
        m.d.comb += [
            one.eq(Mux(reads, own.loads, own.samples)),
            request.command.eq(said.command),
            request.thread.eq(said.thread),
            request.place.eq(self.work.place),
            *(
                new.eq(old & said.mask[number].replicate(SAMPLES))
                for number, (new, old) in enumerate(zip(request.flags, self.flags, strict=True))
            ),
            request.back.eq(self.back),
            request.all.eq(said.all),
            request.sample.eq(Mux(form.multisample, Mux(form.wide, one[1:], one), 0)),
            request.word.eq(form.wide & Mux(said.all & writes, own.colours, one[0])),
            request.test.eq(self.work.modes.test),
            request.updates.eq(self.work.modes.updates),
            request.clears.eq(self.work.modes.clears),
            request.as_mask.eq(self.work.modes.as_mask),
            request.data.eq(said.data),
        ]
        for number, turn in enumerate(turns):
            with m.If(self.starts[number]):
                m.d.sync += turn.eq(0)
            with m.Elif(last & (said.thread == number)):
                m.d.sync += [
                    turn.colours.eq(turn.colours + (writes & said.all)),
                    turn.samples.eq(turn.samples + (writes & ~said.all)),
                    turn.loads.eq(turn.loads + reads),
                ]

    def _answers(self, m, said, moves, tests, tested, answered):
        """Flags that the tests have left, words that were loaded, and the flags that programs write."""
        answer = self.tlb.answers
        quad = Signal(range(QUADS))
        thread = Signal(range(THREADS))  # whose flags come
        masks = Signal(data.ArrayLayout(LANES, QUADS))
        m.submodules.words = words = LutRam(len(Value.cast(self.loaded)), QUADS)
        m.d.comb += [
            answer.ready.eq(~tested | self.write_ready),
            words.write_address.eq(~quad),
            words.write_data.eq(answer.payload.data),
            words.write_enable.eq(answered & ~tested),
            words.read_address.eq(self.loaded_quad),
            Value.cast(self.loaded).eq(words.read_data),
            self.came.eq(answered & ~tested & (quad == QUADS - 1)),
            self.reverse.eq(said.reverse),
            self.reverses.eq(moves & (said.work == TileWork.FLAGS) & said.sets_reverse),
        ]
        with m.If(answered):
            m.d.sync += quad.eq(quad + 1)
        with m.If(moves & tests):
            m.d.sync += [thread.eq(said.thread), masks[said.quad].eq(said.mask)]
        with m.If(tested):
            m.d.comb += [
                self.write.of.thread.eq(thread),
                self.write.of.quad.eq(quad),
                self.write.mask.eq(masks[quad]),
                self.write.flags.eq(answer.payload.flags),
                self.write_stb.eq(answered),
            ]
        with m.Else():
            m.d.comb += [
                self.write.of.eq(self.of),
                self.write.mask.eq(said.mask & self.work.real.replicate(LANES)),
                *(flags.eq(word[:SAMPLES]) for flags, word in zip(self.write.flags, said.data, strict=True)),
                self.write_stb.eq(moves & (said.work == TileWork.FLAGS)),
            ]
