"""The tests of stencil and Z, and the memory of both."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .compare import passes
from .quad_place import word_address
from .sample_walk import SampleWalk
from .stencil import stencil_holds, stencil_updated
from .structs import PIXELS, SAMPLES, WORDS, DepthAnswer, DepthCounts, DepthWord, DepthWrite, TileForm
from .tile_memory import TileMemory

__all__ = ["DepthStencil"]


class _Step(data.Struct):
    """A sample of the pixels of a quad, on its way.

    address : its word
    flags : pixels that are tested
    first, last : of the quad
    counted : the quad has some flag, of any sample, and is counted
    """

    write: DepthWrite
    address: range(WORDS)
    sample: range(SAMPLES)
    flags: unsigned(PIXELS)
    first: unsigned(1)
    last: unsigned(1)
    counted: unsigned(1)


class DepthStencil(wiring.Component):
    """Tests quads, and keeps Z and stencil of a tile (guide, section 5; docs/reference/rendering.md, fragment shaders).

    Behaviour: a quad has a step without multisampling, else one for each sample of which a pixel has a flag, and takes a step
    a clock. Its answer follows three clocks behind its last step. A step whose word is that of one of the two steps before
    waits until that one is written, one or two clocks: quads of a place have different fragments of different programs, so
    they seldom meet here, and a bypass would be 384 multiplexers. While `o` waits, everything does.

    A clear happens when all quads before it are written; those behind it wait for it, 71 clocks.

    Interface attributes
    --------------------
    form : how the tile buffer is divided; stays while there are quads
    i : stream of `DepthWrite`
    o : stream of `DepthAnswer`
    counts : strobes, when the answer of a quad with a flag is taken that is `counted` (performance counters 4 to 6)
    clears : stream of values
    """

    form: In(TileForm)
    i: In(stream.Signature(DepthWrite))
    o: Out(stream.Signature(DepthAnswer))
    counts: Out(DepthCounts)
    clears: In(stream.Signature(DepthWord))

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = TileMemory(Shape.cast(DepthWord).width)
        moves = Signal()
        step = Signal(_Step)
        fetched, tested = Signal(_Step), Signal(_Step)  # its word is read; it is there
        reads, tests = Signal(), Signal()  # these are steps
        stored = Signal(data.ArrayLayout(DepthWord, PIXELS))
        cleared = Signal(DepthWord)
        waits = Signal()
        takes = Signal()
        m.d.comb += [
            moves.eq(~self.o.valid | self.o.ready),
            waits.eq((reads & (step.address == fetched.address)) | (tests & (step.address == tested.address))),
            takes.eq(self.i.valid & moves & ~waits & ~memory.busy & ~(self.clears.valid & step.first)),
            self.i.ready.eq(takes & step.last),
            memory.read_address.eq(step.address),
            memory.read_enable.eq(takes),
            *(one.eq(cleared) for one in memory.cleared),
            self.clears.ready.eq(step.first & ~reads & ~tests & ~memory.busy),
            memory.clears.eq(self.clears.valid & self.clears.ready),
        ]
        with m.If(memory.clears):
            m.d.sync += cleared.eq(self.clears.payload)
        with m.If(moves):
            m.d.sync += [reads.eq(takes), tests.eq(reads), fetched.eq(step), tested.eq(fetched)]
            m.d.sync += stored.eq(memory.read_data)
        self._walk(m, step, takes)
        self._test(m, memory, tested, stored, tests & moves)
        return m

    def _walk(self, m, step, takes):
        """Samples of the quad that is offered."""
        m.submodules.walk = walk = SampleWalk()
        write = self.i.payload
        wanted = Signal(SAMPLES)
        m.d.comb += [
            wanted.eq(_any_of(write.flags)),
            walk.wanted.eq(Mux(self.form.multisample, wanted, 1)),
            walk.steps.eq(takes),
            step.write.eq(write),
            step.sample.eq(walk.sample),
            step.address.eq(word_address(self.form, write.place, walk.sample)),
            step.flags.eq(Cat(pixel.bit_select(walk.sample, 1) for pixel in write.flags)),
            step.first.eq(walk.first),
            step.last.eq(walk.last),
            step.counted.eq(write.counted & wanted.any()),
        ]

    def _test(self, m, memory, step, stored, moves):
        """Both tests of four samples, what is then in the memory, and the answer behind the last ones."""
        write, face = step.write, step.write.face
        holds, through = Signal(PIXELS), Signal(PIXELS)
        held = Signal()  # a sample of the quad has passed the stencil test
        counted = Signal()
        for number, (word, old) in enumerate(zip(write.words, stored, strict=True)):
            nearer = Signal(name=f"nearer_{number}")
            updated = Signal(8, name=f"updated_{number}")
            new = DepthWord(memory.write_data[number])
            m.d.comb += [
                nearer.eq(passes(write.test, word.z, old.z)),
                holds[number].eq(stencil_holds(face, old.stencil)),
                through[number].eq(step.flags[number] & holds[number] & nearer),
                new.z.eq(Mux(holds[number] & nearer & write.updates, word.z, old.z)),
                updated.eq(stencil_updated(face, old.stencil, holds[number], nearer)),
                new.stencil.eq(Mux(write.replaces, word.stencil, updated)),
            ]
        m.d.comb += [memory.write_address.eq(step.address), memory.write_enable.eq(Mux(moves, step.flags, 0))]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(moves):
            m.d.sync += [
                self.o.valid.eq(step.last),
                held.eq((held & ~step.first) | (holds & step.flags).any()),
                counted.eq(step.counted),
                self.o.payload.words.eq(stored),
            ]
            for pixel, passed in zip(self.o.payload.flags, through, strict=True):
                for sample, flag in enumerate(pixel):
                    here = ~self.form.multisample | (step.sample == sample)
                    m.d.sync += flag.eq((passed & here) | (flag & ~step.first & ~here))
        given = Signal()
        passed = Signal()
        m.d.comb += [
            given.eq(self.o.valid & self.o.ready & counted),
            passed.eq(_any_of(self.o.payload.flags).any()),
            self.counts.stencil_failed.eq(given & ~held),
            self.counts.z_failed.eq(given & ~passed),
            self.counts.z_passed.eq(given & passed),
        ]


def _any_of(flags):
    """Samples of which a pixel has the flag."""
    return Cat(Cat(pixel[sample] for pixel in flags).any() for sample in range(SAMPLES))
