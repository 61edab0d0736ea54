"""The words that come back to a QPU."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import RESULT_SLOTS

__all__ = ["TmuResults"]

_WORD_BITS = 32


class TmuResults(wiring.Component):
    """Keeps up to eight words of sixteen elements for one QPU.

    Behaviour: a word has its place from the clock in which it is reserved until its last quad is loaded. A quad is there a
    clock after it is loaded.

    Interface attributes
    --------------------
    room, room_two : there is a place, and a second one
    reserve, reserved : as many are taken, 1 or 2, and which is the first
    place, quad, lanes, data : elements are written
    load, result : the next quad of the oldest word, and that quad a clock later
    """

    room: Out(1)
    room_two: Out(1)
    reserve: In(2)
    reserved: Out(range(RESULT_SLOTS))
    place: In(range(RESULT_SLOTS))
    quad: In(range(QUADS))
    lanes: In(LANES)
    data: In(LaneWords)
    load: In(1)
    result: Out(LaneWords)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = BlockRam(
            LANES * _WORD_BITS, RESULT_SLOTS * QUADS, granularity=_WORD_BITS, exclusive=True
        )
        used = Signal(range(RESULT_SLOTS + 1))
        tail = Signal(range(RESULT_SLOTS))
        loaded = Signal(range(RESULT_SLOTS * QUADS))
        leaves = Signal()
        m.d.comb += [
            words.write_enable.eq(self.lanes),
            words.write_address.eq(Cat(self.quad, self.place)),
            words.write_data.eq(self.data),
            words.read_enable.eq(self.load),
            words.read_address.eq(loaded),
            Value.cast(self.result).eq(words.read_data),
            leaves.eq(self.load & (loaded[: (QUADS - 1).bit_length()] == QUADS - 1)),
            self.reserved.eq(tail),
        ]
        m.d.sync += [
            used.eq(used + self.reserve - leaves),
            # Late by a clock when a place falls free, never when one is taken.
            self.room.eq(self._fits(used, 1)),
            self.room_two.eq(self._fits(used, 2)),
            tail.eq(tail + self.reserve),
            loaded.eq(loaded + self.load),
            Assert(used <= RESULT_SLOTS, "more results than there are places"),
        ]
        return m

    def _fits(self, used, count):
        """Whether so many places are left. What is reserved comes late, so it only chooses."""
        none, one, two = (used <= RESULT_SLOTS - count - reserved for reserved in range(3))
        return Mux(self.reserve[1], two, Mux(self.reserve[0], one, none))
