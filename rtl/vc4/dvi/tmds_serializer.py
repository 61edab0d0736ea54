"""Words of ten bits as bits on a pair of wires."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mode import BITS_OF_A_PIXEL

__all__ = ["TmdsSerializer"]


class TmdsSerializer(wiring.Component):
    """Sends a word, two bits a clock of the domain `shift`, the lowest first.

    Behaviour: `load` says when there is a word, every `SHIFT_CLOCKS` clocks; its first bits are out in the next clock.

    Interface attributes
    --------------------
    load, word : the next word; it stands still around the clock in which it is loaded
    bits : what is on the wires, the first bit in the first half of the clock
    """

    load: In(1)
    word: In(BITS_OF_A_PIXEL)
    bits: Out(2)

    def elaborate(self, platform):
        m = Module()
        left = Signal(BITS_OF_A_PIXEL)
        m.d.comb += self.bits.eq(left[:2])
        m.d.shift += left.eq(Mux(self.load, self.word, left >> 2))
        return m
