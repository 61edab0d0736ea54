"""Four elements of a vector to the words of the VPM."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.vpm import VpmSize

from .structs import QuadWrite
from .vectors import VectorWrite

__all__ = ["Scatter"]


class Scatter(wiring.Component):
    """Combinational: the quad of the VPM that a quarter of a vector is written to (QPU facts, 8.4).

    Narrow elements are the low bits of theirs; the rest of a word stays as it is.

    Interface attributes
    --------------------
    vector : the elements
    quad : words and enables; none if the size is reserved
    """

    vector: In(VectorWrite)
    quad: Out(QuadWrite)

    def elaborate(self, platform):
        m = Module()
        elements, form = self.vector.data, self.vector.form
        bytes_, halves = [element[:8] for element in elements], [element[:16] for element in elements]
        words = Signal.like(self.quad.data)
        enable = Signal.like(self.quad.enable)
        m.d.comb += [
            self.quad.address.eq(self.vector.address),
            self.quad.data.eq(words),
            self.quad.enable.eq(enable),
            self.quad.zeros.eq(self.vector.zeros),
        ]
        with m.Switch(Cat(form.laned, form.size)):
            with m.Case(_mode(VpmSize.BYTE, laned=0)):  # all in one word
                m.d.comb += enable.eq(Cat(bit.replicate(4) for bit in 1 << form.quad))
                m.d.comb += [word.eq(Cat(bytes_)) for word in words]
            with m.Case(_mode(VpmSize.BYTE, laned=1)):
                m.d.comb += enable.eq((1 << form.part).replicate(4))
                m.d.comb += [word.eq(byte.replicate(4)) for word, byte in zip(words, bytes_, strict=True)]
            with m.Case(_mode(VpmSize.HALF, laned=0)):  # in two words
                m.d.comb += enable.eq(Mux(form.quad[0], 0xFF00, 0x00FF))
                m.d.comb += [word.eq(Cat(halves[number % 2 * 2 :][:2])) for number, word in enumerate(words)]
            with m.Case(_mode(VpmSize.HALF, laned=1)):
                m.d.comb += enable.eq(Mux(form.part[0], 0xCCCC, 0x3333))
                m.d.comb += [word.eq(half.replicate(2)) for word, half in zip(words, halves, strict=True)]
            with m.Default():
                m.d.comb += [words.eq(elements), enable.eq(Mux(form.size == VpmSize.WORD, ~0, 0))]
        return m


def _mode(size, *, laned):
    return size.value << 1 | laned
