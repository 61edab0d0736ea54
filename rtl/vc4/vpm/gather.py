"""Words of the VPM to four elements of a vector."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.records.vpm import VpmSize

from .port import QUAD_WORDS
from .structs import Words
from .vectors import QuadForm

__all__ = ["Gather"]


class Gather(wiring.Component):
    """Combinational: the elements of a vector that lie in a quad of the VPM; narrow ones get zeros in front (QPU facts, 8.4).

    Interface attributes
    --------------------
    form : how they lie there
    words : the quad
    elements : zeros if the size is reserved
    """

    form: In(QuadForm)
    words: In(Words)
    elements: Out(Words)

    def elaborate(self, platform):
        m = Module()
        words, form = list(self.words), self.form
        byte, half = form.size == VpmSize.BYTE, form.size == VpmSize.HALF
        packed = ~form.laned
        # First the word that an element lies in, then its part of the word.
        quarter = select(form.quad, words)
        for number, element in enumerate(self.elements):
            pair = Mux(form.quad[0], words[2 + number // 2], words[number // 2])
            word = Signal(32, name=f"word_{number}")
            lane = Signal(2, name=f"lane_{number}")
            low_half = Signal(16, name=f"half_{number}")
            m.d.comb += [
                word.eq(Mux(packed & byte, quarter, Mux(packed & half, pair, words[number]))),
                lane.eq(Mux(byte, Mux(packed, number, form.part), Cat(C(0, 1), Mux(packed, number % 2, form.part[0])))),
                low_half.eq(Mux(lane[1] & (byte | half), word[16:], word[:16])),
            ]
            with m.Switch(form.size):
                with m.Case(VpmSize.BYTE):
                    m.d.comb += element.eq(low_half.word_select(lane[0], 8))
                with m.Case(VpmSize.HALF):
                    m.d.comb += element.eq(low_half)
                with m.Case(VpmSize.WORD):
                    m.d.comb += element.eq(word)
        assert len(self.elements) == QUAD_WORDS
        return m
