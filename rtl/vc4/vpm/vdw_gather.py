"""Elements of a DMA store that do not lie side by side."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .port import QUAD_WORDS
from .structs import VdwQuad

__all__ = ["VdwGather"]


class VdwGather(wiring.Component):
    """Packs halves or bytes, one of each word, into quads; quads of elements that do lie side by side pass.

    Element number n of a row or column goes to place n of as many as a quad holds, so a quad comes out after two quads
    of halves or four of bytes, counted in the row or column, or earlier at the end of the unit.

    Behaviour: a quad is at the output one clock after the last one that it is made from; one comes in every clock.

    Interface attributes
    --------------------
    i : stream of `VdwQuad`
    spread : log2 of the words that become one; steady while a block is stored
    part : the byte of each word where its element begins; steady as well
    o : stream of `VdwQuad`; `index` means nothing
    """

    i: In(stream.Signature(VdwQuad))
    spread: In(range(3))
    part: In(2)
    o: Out(stream.Signature(VdwQuad))

    def elaborate(self, platform):
        m = Module()
        quad = self.i.payload
        step = Signal()
        complete = Signal()
        bytes_ = Signal(8 * QUAD_WORDS)
        halves = Signal(16 * QUAD_WORDS)
        m.d.comb += [
            bytes_.eq(Cat(word.word_select(self.part, 8) for word in quad.words)),
            halves.eq(Cat(word.word_select(self.part[1], 16) for word in quad.words)),
            step.eq(self.o.ready | ~self.o.valid),
            self.i.ready.eq(step),
        ]
        with m.Switch(self.spread):
            with m.Case(0):
                m.d.comb += complete.eq(1)
            with m.Case(1):
                m.d.comb += complete.eq(quad.index[0] | quad.last)
            with m.Case(2):
                m.d.comb += complete.eq(quad.index.all() | quad.last)
        with m.If(step):
            m.d.sync += self.o.valid.eq(self.i.valid & complete)
        with m.If(step & self.i.valid):
            m.d.sync += self.o.payload.last.eq(quad.last)
            for number, word in enumerate(self.o.payload.words):
                with m.Switch(self.spread):
                    with m.Case(0):
                        m.d.sync += word.eq(quad.words[number])
                    with m.Case(1), m.If(quad.index[0] == number >> 1):
                        m.d.sync += word.eq(halves.word_select(number & 1, 32))
                    with m.Case(2), m.If(quad.index == number):
                        m.d.sync += word.eq(bytes_)
        return m
