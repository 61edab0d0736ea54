"""Bytes of a colour as ten bits each."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mode import BITS_OF_A_PIXEL

__all__ = ["CONTROL_WORDS", "TmdsEncoder"]

#: By the two control bits (DVI 1.0, section 3.2.2).
CONTROL_WORDS = (0b1101010100, 0b0010101011, 0b0101010100, 0b1010101011)


class TmdsEncoder(wiring.Component):
    """Encodes a byte, or two control bits, a clock for one pair of wires (DVI 1.0, section 3.2).

    Behaviour: the first step makes few changes from bit to bit, the second one keeps ones and zeros that were sent in balance.
    The word of what comes in one clock is there two clocks later.

    Interface attributes
    --------------------
    shown : there is a byte, else control bits
    byte, control : these
    word : the ten bits, the first one on the wire lowest
    disparity : ones that were sent since the last control bits, less the zeros
    """

    shown: In(1)
    byte: In(8)
    control: In(2)
    word: Out(BITS_OF_A_PIXEL)
    disparity: Out(signed(5))

    def elaborate(self, platform):
        m = Module()
        few = Signal(9)  # the byte with few changes; the highest bit says how
        shown = Signal()
        control = Signal(2)
        m.d.pixel += [few.eq(self._few_changes(m)), shown.eq(self.shown), control.eq(self.control)]
        excess = Signal(signed(5))  # ones of the lower eight bits less zeros
        inverts = Signal()
        m.d.comb += excess.eq(2 * sum(few[:8]) - 8)
        with m.If((self.disparity == 0) | (excess == 0)):
            m.d.comb += inverts.eq(~few[8])
        with m.Else():
            m.d.comb += inverts.eq((self.disparity > 0) == (excess > 0))
        sent = Signal(signed(5))  # the same for all ten bits
        m.d.comb += sent.eq(Mux(inverts, -excess, excess) + Mux(few[8], 1, -1) + Mux(inverts, 1, -1))
        with m.If(shown):
            m.d.pixel += [
                self.word.eq(Cat(few[:8] ^ inverts.replicate(8), few[8], inverts)),
                self.disparity.eq(self.disparity + sent),
            ]
        with m.Else():
            m.d.pixel += [self.word.eq(Array(CONTROL_WORDS)[control]), self.disparity.eq(0)]
        return m

    def _few_changes(self, m):
        """Each bit is that of the byte or its change, whichever makes less of them."""
        ones = Signal(4)
        same = Signal()
        m.d.comb += [ones.eq(sum(self.byte)), same.eq((ones > 4) | ((ones == 4) & ~self.byte[0]))]
        bits = [self.byte[0]]
        for bit in self.byte[1:]:
            bits.append(bits[-1] ^ bit ^ same)
        return Cat(*bits, ~same)
