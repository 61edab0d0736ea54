"""A memory of the tile buffer, which is cleared without writing all of it."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam

from .structs import COLUMNS, PIXELS, WORDS

__all__ = ["CLEAR_CLOCKS", "TileMemory"]

#: A block of 1024 words has 18 bits, so those beside 16 of a lane cost nothing.
_TAG_BITS = 4
#: Tag 0 is that of no clear.
_TAGS = (1 << _TAG_BITS) - 1
#: Words that lose their tags in each clear, so that all have lost them before a tag comes again.
CLEAR_CLOCKS = -(-WORDS // _TAGS)


class TileMemory(wiring.Component):
    """1024 words of four lanes, one for each pixel of a quad.

    A lane has a tag: the number of the clear before it was written. One with another tag has not been written since, and
    reads as the value of clears. There are 15 numbers, so each clear takes the tags of the next fifteenth of all words away.

    Behaviour: `read_data` follows one clock behind `read_enable`, and stays. No word is read in the clock that writes it. A
    clear takes the clock of its strobe, in which nothing is written, and 69 more, in which nobody reads or writes. A reset
    forgets neither words nor clears.

    Parameters
    ----------
    bits : of a lane

    Interface attributes
    --------------------
    read_address, read_enable, read_data : the read port
    cleared : what lanes of even and odd columns read as after a clear, beside `read_data`
    write_address, write_data, write_enable : the write port, an enable for each lane
    clears : strobe
    busy : a clear goes on
    """

    def __init__(self, bits: int):
        self._bits = bits
        super().__init__(
            {
                "read_address": In(range(WORDS)),
                "read_enable": In(1),
                "read_data": Out(data.ArrayLayout(bits, PIXELS)),
                "cleared": In(data.ArrayLayout(bits, COLUMNS)),
                "write_address": In(range(WORDS)),
                "write_data": In(data.ArrayLayout(bits, PIXELS)),
                "write_enable": In(PIXELS),
                "clears": In(1),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lane_bits = self._bits + _TAG_BITS
        m.submodules.words = words = BlockRam(lane_bits * PIXELS, WORDS, granularity=lane_bits, exclusive=True)
        # What the memory holds survives a reset, so what its tags mean does, too.
        tag = Signal(_TAG_BITS, init=1, reset_less=True)
        left = Signal(range(CLEAR_CLOCKS + 1), reset_less=True)  # words that still lose their tags
        place = Signal(range(WORDS), reset_less=True)  # of the next one
        m.d.comb += [
            self.busy.eq(left != 0),
            words.read_address.eq(self.read_address),
            words.read_enable.eq(self.read_enable),
            words.write_address.eq(Mux(self.busy, place, self.write_address)),
            words.write_enable.eq(self.write_enable | self.busy.replicate(PIXELS)),
            words.write_data.eq(Cat(Cat(lane, Mux(self.busy, 0, tag)) for lane in self.write_data)),
        ]
        for number, lane in enumerate(self.read_data):
            stored = words.read_data.word_select(number, lane_bits)
            m.d.comb += lane.eq(Mux(stored[self._bits :] == tag, stored, self.cleared[number % COLUMNS]))
        with m.If(self.busy):
            m.d.sync += [left.eq(left - 1), place.eq(place + 1)]
        with m.If(self.clears):
            m.d.sync += [left.eq(CLEAR_CLOCKS), tag.eq(Mux(tag == _TAGS, 1, tag + 1))]
        uses = self.read_enable | self.write_enable.any() | self.clears
        m.d.sync += [
            Assert(~(self.busy & uses), "the tile buffer is used while it is cleared"),
            Assert(~(self.clears & self.write_enable.any()), "the tile buffer is written in the clock that clears it"),
        ]
        return m
