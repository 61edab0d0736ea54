"""The places of the words that come back."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.isa.registers import QUADS
from vc4.records.tmu import RESULT_SLOTS

__all__ = ["TmuResults"]


class TmuResults(wiring.Component):
    """Gives places to up to eight words for one QPU by one name, and knows which one is next (`TmuResultWords` keeps them).

    Behaviour: a word has its place from the clock in which it is reserved until its last quad is loaded.

    Interface attributes
    --------------------
    room, room_two : there is a place, and a second one
    reserve, reserved : as many are taken, 1 or 2, and which is the first
    comes, place, texture : something of a word is there, and whether it is one of a texture
    load : the next quad of the oldest word is taken
    quad, of_texture : which one it is, and whether it is one of a texture
    """

    room: Out(1)
    room_two: Out(1)
    reserve: In(2)
    reserved: Out(range(RESULT_SLOTS))
    comes: In(1)
    place: In(range(RESULT_SLOTS))
    texture: In(1)
    load: In(1)
    quad: Out(range(RESULT_SLOTS * QUADS))
    of_texture: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.kinds = kinds = LutRam(1, RESULT_SLOTS)
        used = Signal(range(RESULT_SLOTS + 1))
        tail = Signal(range(RESULT_SLOTS))
        leaves = Signal()
        quad_bits = (QUADS - 1).bit_length()
        m.d.comb += [
            *(kinds.write_enable.eq(self.comes), kinds.write_address.eq(self.place), kinds.write_data.eq(self.texture)),
            *(kinds.read_address.eq(self.quad[quad_bits:]), self.of_texture.eq(kinds.read_data)),
            leaves.eq(self.load & (self.quad[:quad_bits] == QUADS - 1)),
            self.reserved.eq(tail),
        ]
        m.d.sync += [
            used.eq(used + self.reserve - leaves),
            # Late by a clock when a place falls free, never when one is taken.
            self.room.eq(self._fits(used, 1)),
            self.room_two.eq(self._fits(used, 2)),
            tail.eq(tail + self.reserve),
            self.quad.eq(self.quad + self.load),
            Assert(used <= RESULT_SLOTS, "more results than there are places"),
        ]
        return m

    def _fits(self, used, count):
        """Whether so many places are left. What is reserved comes late, so it only chooses."""
        none, one, two = (used <= RESULT_SLOTS - count - reserved for reserved in range(3))
        return Mux(self.reserve[1], two, Mux(self.reserve[0], one, none))
