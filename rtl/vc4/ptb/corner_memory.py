"""Where the clipper has all its numbers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam

from .clip_steps import CORNER_BITS, WORD_BITS, NumberWord, SpareCorner

__all__ = ["CORNER_ADDRESS_BITS", "CornerMemory"]

#: A half, a corner in it, and a word of that.
CORNER_ADDRESS_BITS = 1 + CORNER_BITS + WORD_BITS
_FLOAT_BITS = 32
_CONSTANTS = {
    NumberWord.ONE: 0x3F80_0000,
    NumberWord.REACH: 0x46FF_FE00,  # 2^15 - 1
    NumberWord.SHIFT: 0x4B00_0000,
}


class CornerMemory(wiring.Component):
    """Two halves, in each of which is a polygon, and beside the first one constants and what is under way.

    Behaviour: a word is there in the clock after its address. It must not be read in the clock that writes it.

    Interface attributes
    --------------------
    write_address, write_data, write_stb : strobe: a word is written
    reads, a_address, b_address : strobe: two words are read
    a, b : they, which stay
    """

    write_address: In(CORNER_ADDRESS_BITS)
    write_data: In(_FLOAT_BITS)
    write_stb: In(1)
    reads: In(1)
    a_address: In(CORNER_ADDRESS_BITS)
    b_address: In(CORNER_ADDRESS_BITS)
    a: Out(_FLOAT_BITS)
    b: Out(_FLOAT_BITS)

    def elaborate(self, platform):
        m = Module()
        first = SpareCorner.NUMBERS << WORD_BITS
        init = [0] * first + [_CONSTANTS.get(word, 0) for word in NumberWord]
        for name, address, data in (("a", self.a_address, self.a), ("b", self.b_address, self.b)):
            m.submodules[f"copy_{name}"] = copy = BlockRam(
                _FLOAT_BITS, 1 << CORNER_ADDRESS_BITS, init=init, exclusive=True
            )
            m.d.comb += [
                copy.write_address.eq(self.write_address),
                copy.write_data.eq(self.write_data),
                copy.write_enable.eq(self.write_stb),
                *(copy.read_address.eq(address), copy.read_enable.eq(self.reads), data.eq(copy.read_data)),
            ]
        return m
