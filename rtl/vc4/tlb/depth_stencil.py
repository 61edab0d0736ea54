"""The tests of stencil and Z, and the memory of both."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS

from .compare import passes
from .quad_place import quarters_of, word_address
from .sample_walk import SampleWalk
from .stencil import stencil_holds, stencil_updated
from .structs import SAMPLES, WORDS, DepthAnswer, DepthCounts, DepthWord, DepthWrite, QuadPlace, TileForm, clear_of
from .tile_memory import TileMemory

__all__ = ["DepthStencil"]


class _Step(data.Struct):
    """A sample of the pixels of a quad, on its way.

    address : its word
    flags : pixels that are tested
    first, last : of the quad
    counted : the quad has some flag, of any sample, and is counted
    changes : something may be written
    """

    write: DepthWrite
    address: range(WORDS)
    sample: range(SAMPLES)
    flags: unsigned(QUAD_PIXELS)
    first: unsigned(1)
    last: unsigned(1)
    counted: unsigned(1)
    changes: unsigned(1)


class DepthStencil(wiring.Component):
    """Tests quads, and keeps Z and stencil of a tile (guide, section 5; docs/reference/rendering.md, fragment shaders).

    Behaviour: a quad has a step without multisampling, else one for each sample of which a pixel has a flag, and takes a step
    a clock, from the one after that in which it is taken on. Its answer follows four clocks after its last step. A step whose word is that of one of the three steps before
    waits until that one is written, up to three clocks, if it may be changed there: quads of a place have different fragments
    of different programs, so they seldom meet here, and a bypass would be 512 multiplexers. While `o` waits, everything does.

    A clear begins when all quads before it are written, and is taken at its end, after 73 clocks; 37 for one of two tile
    buffers. Quads after it wait for it.

    Interface attributes
    --------------------
    form : how the tile buffer is divided; stays while there are quads
    i : stream of `DepthWrite`
    o : stream of `DepthAnswer`
    counts : strobes, when the answer of a quad with a flag is taken that is `counted` (performance counters 4 to 6)
    clears : stream of `clear_of`
    place, zs, stb : strobe: of a step, what is in the memory from the next clock on
    """

    form: In(TileForm)
    i: In(stream.Signature(DepthWrite))
    o: Out(stream.Signature(DepthAnswer))
    counts: Out(DepthCounts)
    clears: In(stream.Signature(clear_of(DepthWord)))
    place: Out(QuadPlace)
    zs: Out(data.ArrayLayout(DEPTH_BITS, QUAD_PIXELS))
    stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = TileMemory(Shape.cast(DepthWord).width)
        moves = Signal()
        write = Signal(DepthWrite)  # the quad that is walked through
        held = Signal()  # there is one
        wanted = Signal(SAMPLES)  # of it: samples of which a pixel has a flag
        step = Signal(_Step)
        fetched = Signal(_Step)  # its word is read
        compared = Signal(_Step)  # it is there
        decided = Signal(_Step)  # both tests are known, and it is written
        stages = (fetched, compared, decided)
        here = Signal(len(stages))  # these are steps
        stored = Signal(data.ArrayLayout(DepthWord, QUAD_PIXELS))  # of the step that is compared
        old = Signal.like(stored)  # of the one that is decided
        holds = Signal(QUAD_PIXELS)  # what the tests of that one have found out
        nearer = Signal(QUAD_PIXELS)
        waits = Signal()
        begins = Signal()
        takes = Signal()
        m.d.comb += [
            moves.eq(~self.o.valid | self.o.ready),
            waits.eq((here & Cat(stage.changes & (step.address == stage.address) for stage in stages)).any()),
            takes.eq(held & moves & ~waits & ~memory.busy),
            self.i.ready.eq((~held | (takes & step.last)) & ~self.clears.valid),
            memory.read_address.eq(step.address),
            memory.read_enable.eq(takes),
            begins.eq(self.clears.valid & ~held & ~here.any() & ~memory.busy),
            memory.clears.eq(Mux(begins, quarters_of(self.form, self.clears.payload.buffer), 0)),
            memory.values[0].eq(self.clears.payload.values),
            self.clears.ready.eq(memory.ends),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [held.eq(1), write.eq(self.i.payload), wanted.eq(_any_of(self.i.payload.flags))]
        with m.Elif(takes & step.last):
            m.d.sync += held.eq(0)
        with m.If(moves):
            m.d.sync += [here.eq(Cat(takes, here)), fetched.eq(step), compared.eq(fetched), decided.eq(compared)]
            m.d.sync += [stored.eq(memory.read_data), old.eq(stored)]
            given = compared.write
            for number, (word, was) in enumerate(zip(given.words, stored, strict=True)):
                m.d.sync += [
                    nearer[number].eq(passes(given.test, word.z, was.z)),
                    holds[number].eq(stencil_holds(given.face, was.stencil)),
                ]
        self._walk(m, write, wanted, step, takes)
        self._update(m, memory, decided, old, holds, nearer, here[-1] & moves)
        self._count(m)
        return m

    def _walk(self, m, write, wanted, step, takes):
        """Samples of the quad that is here."""
        m.submodules.walk = walk = SampleWalk()
        flags = Cat(pixel.bit_select(walk.sample, 1) for pixel in write.flags)
        m.d.comb += [
            walk.wanted.eq(Mux(self.form.multisample, wanted, 1)),
            walk.steps.eq(takes),
            step.write.eq(write),
            step.sample.eq(walk.sample),
            step.address.eq(word_address(self.form, write.place, walk.sample)),
            step.flags.eq(flags),
            step.first.eq(walk.first),
            step.last.eq(walk.last),
            step.counted.eq(write.counted & wanted.any()),
            step.changes.eq(flags.any() & (write.updates | write.replaces | write.face.enable)),
        ]

    def _update(self, m, memory, step, words, holds, nearer, moves):
        """What is then in the memory, and the answer after the last sample."""
        write = step.write
        passed = Signal(QUAD_PIXELS)
        m.d.comb += [
            passed.eq(step.flags & holds & nearer),
            memory.write_address.eq(step.address),
            memory.write_enable.eq(Mux(moves & step.changes, step.flags, 0)),
            *(self.place.eq(write.place), self.stb.eq(moves & step.changes)),
        ]
        for number, (word, old) in enumerate(zip(write.words, words, strict=True)):
            new = DepthWord(memory.write_data[number])
            updated = stencil_updated(write.face, old.stencil, holds[number], nearer[number])
            m.d.comb += [
                new.z.eq(Mux(holds[number] & nearer[number] & write.updates, word.z, old.z)),
                new.stencil.eq(Mux(write.replaces, word.stencil, updated)),
                self.zs[number].eq(Mux(step.flags[number], new.z, old.z)),
            ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(moves):
            m.d.sync += [
                self.o.valid.eq(step.last),
                self.o.payload.words.eq(words),
                self.o.payload.counted.eq(step.counted),
                self.o.payload.held.eq((self.o.payload.held & ~step.first) | (holds & step.flags).any()),
            ]
            for pixel, through in zip(self.o.payload.flags, passed, strict=True):
                for sample, flag in enumerate(pixel):
                    here = ~self.form.multisample | (step.sample == sample)
                    m.d.sync += flag.eq((through & here) | (flag & ~step.first & ~here))

    def _count(self, m):
        """What has become of a quad, when its answer is taken."""
        answer = self.o.payload
        given = Signal()
        passed = Signal()
        m.d.comb += [
            given.eq(self.o.valid & self.o.ready & answer.counted),
            passed.eq(_any_of(answer.flags).any()),
            self.counts.stencil_failed.eq(given & ~answer.held),
            self.counts.z_failed.eq(given & ~passed),
            self.counts.z_passed.eq(given & passed),
        ]


def _any_of(flags):
    """Samples of which a pixel has the flag."""
    return Cat(Cat(pixel[sample] for pixel in flags).any() for sample in range(SAMPLES))
