"""A memory of the tile buffer, which is cleared without writing all of it."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam, LutRam
from vc4.common.select import select
from vc4.records.quads import QUAD_PIXELS

from .structs import QUARTERS, WORDS

__all__ = ["TileMemory"]

#: A block of 1024 words has 18 bits, so those beside 16 of a lane cost nothing.
_TAG_BITS = 4
#: Tag 0 is that of no clear.
_TAGS = (1 << _TAG_BITS) - 1
_QUARTER = WORDS // QUARTERS


class TileMemory(wiring.Component):
    """1024 words of four lanes, one for each pixel of a quad.

    A quarter of them, by the highest bits of the address, is cleared alone: that is what one word of wide colours has of one
    of two tile buffers.

    A lane has a tag: the number of the clear before it was written. One with another tag has not been written since, and
    reads as the value of the clear. There are 15 numbers, so each clear takes the tags of another fifteenth of the words away.

    Behaviour: `read_data` follows one clock after `read_enable`, and stays. No word is read in the clock that writes it. A
    clear takes a clock, in which nothing is written, and 18 for each quarter, in which nobody reads or writes. A reset
    forgets neither words nor clears.

    Parameters
    ----------
    bits : of a lane
    columns : columns of a quad that are cleared to values of their own, 1 or 2

    Interface attributes
    --------------------
    read_address, read_enable, read_data : the read port
    write_address, write_data, write_enable : the write port, an enable for each lane
    clears : strobes, one for each quarter, while there is no clear
    busy, ends : a clear goes on; this is its last clock
    quarter : which one is cleared
    values : to what, lanes of even and odd columns
    """

    def __init__(self, bits: int, columns: int = 1):
        self._bits = bits
        self._columns = columns
        super().__init__(
            {
                "read_address": In(range(WORDS)),
                "read_enable": In(1),
                "read_data": Out(data.ArrayLayout(bits, QUAD_PIXELS)),
                "write_address": In(range(WORDS)),
                "write_data": In(data.ArrayLayout(bits, QUAD_PIXELS)),
                "write_enable": In(QUAD_PIXELS),
                "clears": In(QUARTERS),
                "busy": Out(1),
                "ends": Out(1),
                "quarter": Out(range(QUARTERS)),
                "values": In(data.ArrayLayout(bits, columns)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lane_bits = self._bits + _TAG_BITS
        m.submodules.words = words = BlockRam(lane_bits * QUAD_PIXELS, WORDS, granularity=lane_bits, exclusive=True)
        m.submodules.cleared = cleared = LutRam(self._bits * self._columns, QUARTERS)
        # What the memory holds survives a reset, so what its tags mean does, too.
        tags = [Signal(_TAG_BITS, name=f"tag_{number}", init=1, reset_less=True) for number in range(QUARTERS)]
        read_quarter = Signal(range(QUARTERS))
        place = Signal(range(_QUARTER))  # in the quarter that is cleared
        m.d.comb += [
            words.read_address.eq(self.read_address),
            words.read_enable.eq(self.read_enable),
            words.write_address.eq(Mux(self.busy, Cat(place, self.quarter), self.write_address)),
            words.write_enable.eq(self.write_enable | self.busy.replicate(QUAD_PIXELS)),
            cleared.read_address.eq(read_quarter),
            cleared.write_address.eq(self.quarter),
            cleared.write_data.eq(self.values),
            cleared.write_enable.eq(self.busy),
        ]
        with m.If(self.read_enable):
            m.d.sync += read_quarter.eq(self.read_address[-2:])
        written = Signal(_TAG_BITS)
        expected = Signal(_TAG_BITS)
        m.d.comb += [
            written.eq(Mux(self.busy, 0, select(self.write_address[-2:], tags))),
            words.write_data.eq(Cat(Cat(lane, written) for lane in self.write_data)),
            expected.eq(select(read_quarter, tags)),
        ]
        for number, lane in enumerate(self.read_data):
            stored = words.read_data.word_select(number, lane_bits)
            value = cleared.read_data.word_select(number % self._columns, self._bits)
            m.d.comb += lane.eq(Mux(stored[self._bits :] == expected, stored, value))
        self._clear(m, tags, place)
        uses = self.read_enable | self.write_enable.any() | self.clears.any()
        m.d.sync += [
            Assert(~(self.busy & uses), "the tile buffer is used while it is cleared"),
            Assert(
                ~(self.clears.any() & self.write_enable.any()), "the tile buffer is written in the clock of a clear"
            ),
        ]
        return m

    def _clear(self, m, tags, place):
        """Quarter after quarter: every fifteenth word, from one on that the number of the clear says."""
        left = Signal(QUARTERS, reset_less=True)
        steps = Signal(range(_QUARTER // _TAGS + 1), reset_less=True)
        others = Signal(QUARTERS)
        tag = Signal(_TAG_BITS)  # that goes
        over = Signal()
        m.d.comb += [
            others.eq(left & (left - 1)[:QUARTERS]),
            self.busy.eq(left.any()),
            self.quarter.eq(Cat(~left[0] & (left[1] | ~left[2]), ~left[0] & ~left[1])),
            tag.eq(select(self.quarter, tags)),
            place.eq((steps << _TAG_BITS) - steps + (_TAGS - tag)),
            over.eq(steps == _QUARTER // _TAGS),
            self.ends.eq(over & self.busy & ~others.any()),
        ]
        m.d.sync += left.eq(Mux(self.busy, Mux(over, others, left), self.clears))
        with m.If(self.busy):
            m.d.sync += steps.eq(Mux(over, 0, steps + 1))
        for number, one in enumerate(tags):
            with m.If(over & (self.quarter == number)):
                m.d.sync += one.eq(Mux(one == _TAGS, 1, one + 1))
