"""The colours of a tile."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import QUAD_PIXELS

from .quad_place import quarters_of, word_address, word_of
from .sample_walk import SampleWalk
from .structs import COLUMNS, SAMPLES, ColourRead, TileForm, clear_of, colour_write
from .tile_memory import TileMemory

__all__ = ["ColourBuffer"]


class ColourBuffer(wiring.Component):
    """Keeps a number of each sample of a tile: its colour (guide, section 5; docs/reference/rendering.md, fragment shaders).

    The alpha mask is another one, of 8 bits, of which only sample 0 is used, and one word.

    Behaviour: takes a quad of one sample a clock; of all samples, one clock for each of which a pixel has a flag. Reads a
    sample of a quad a clock; the answer follows two clocks later. A read waits while a write is offered, so whoever offers
    the write first reads what it has written: nobody offers both, so their places are not compared.

    A clear begins when everything before it is done, and is taken at its end, after 73 clocks; 37 for one of two tile
    buffers. What comes after it waits for it.

    Parameters
    ----------
    bits : of a number

    Interface attributes
    --------------------
    form : how the tile buffer is divided; stays while there are quads
    writes : stream of `colour_write`
    reads : stream of `ColourRead`
    o : stream of answers: a number for each pixel
    clears : stream of `clear_of`, values of even and odd columns, or both words of a wide colour
    """

    def __init__(self, bits: int = 32):
        self._bits = bits
        super().__init__(
            {
                "form": In(TileForm),
                "writes": In(stream.Signature(colour_write(bits))),
                "reads": In(stream.Signature(ColourRead)),
                "o": Out(stream.Signature(data.ArrayLayout(bits, QUAD_PIXELS))),
                "clears": In(stream.Signature(clear_of(data.ArrayLayout(bits, COLUMNS)))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = TileMemory(self._bits, COLUMNS)
        m.submodules.walk = walk = SampleWalk()
        reading = Signal()  # what was read is at the memory
        may_begin = Signal()
        begins_clear = Signal()
        clear = self.clears.payload
        m.d.comb += [
            may_begin.eq(~self.clears.valid & ~memory.busy),
            begins_clear.eq(self.clears.valid & walk.first & ~reading & ~memory.busy),
            memory.clears.eq(Mux(begins_clear, quarters_of(self.form, clear.buffer), 0)),
            self.clears.ready.eq(memory.ends),
            *(
                value.eq(clear.values[Mux(self.form.wide, word_of(self.form, memory.quarter), number)])
                for number, value in enumerate(memory.values)
            ),
        ]
        self._write(m, memory, walk, may_begin)
        self._read(m, memory, reading, may_begin)
        return m

    def _write(self, m, memory, walk, may_begin):
        """A sample of a quad."""
        write = self.writes.payload
        some = Signal(SAMPLES)  # samples of which a pixel has a flag
        takes = Signal()
        flags = Cat(pixel.bit_select(walk.sample, 1) for pixel in write.flags)
        with m.If(~self.form.multisample):
            m.d.comb += walk.wanted.eq(1)
        with m.Elif(write.all):
            m.d.comb += walk.wanted.eq(some)
        with m.Else():
            m.d.comb += walk.wanted.bit_select(write.sample, 1).eq(1)
        m.d.comb += [
            some.eq(Cat(Cat(pixel[sample] for pixel in write.flags).any() for sample in range(SAMPLES))),
            takes.eq(self.writes.valid & (may_begin | ~walk.first)),
            walk.steps.eq(takes),
            self.writes.ready.eq(takes & walk.last),
            memory.write_address.eq(word_address(self.form, write.place, walk.sample, write.word)),
            memory.write_data.eq(write.data),
            memory.write_enable.eq(Mux(takes, flags, 0)),
        ]

    def _read(self, m, memory, reading, may_begin):
        """A sample of a quad, from the memory to the output."""
        read = self.reads.payload
        moves = Signal()
        takes = Signal()
        m.d.comb += [
            moves.eq(~self.o.valid | self.o.ready),
            takes.eq(self.reads.valid & may_begin & ~self.writes.valid & (moves | ~reading)),
            self.reads.ready.eq(takes),
            memory.read_address.eq(word_address(self.form, read.place, read.sample, read.word)),
            memory.read_enable.eq(takes),
        ]
        with m.If(moves):
            m.d.sync += [self.o.valid.eq(reading), self.o.payload.eq(memory.read_data), reading.eq(0)]
        with m.If(takes):
            m.d.sync += reading.eq(1)
