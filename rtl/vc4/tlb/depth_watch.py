"""What Z writes leave in the tile buffer."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS

from .structs import FarthestDepth, QuadPlace

__all__ = ["DepthWatch"]


class DepthWatch(wiring.Component):
    """Finds the farthest Z of quads in the tile buffer, for early Z; only without multisampling it is that of all samples.

    Behaviour: `o` follows two clocks after `zs`.

    Interface attributes
    --------------------
    place, zs, stb : strobe: what is now in the tile buffer
    o, o_stb : strobe: the same quad
    busy : one is on its way
    """

    place: In(QuadPlace)
    zs: In(data.ArrayLayout(DEPTH_BITS, QUAD_PIXELS))
    stb: In(1)
    o: Out(FarthestDepth)
    o_stb: Out(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        place = Signal(QuadPlace)
        halves = [Signal(DEPTH_BITS, name=f"half_{number}") for number in range(QUAD_PIXELS // 2)]
        valid = Signal()
        m.d.sync += [
            *(valid.eq(self.stb), self.o_stb.eq(valid), place.eq(self.place), self.o.place.eq(place)),
            *(half.eq(_farther(self.zs[2 * number], self.zs[2 * number + 1])) for number, half in enumerate(halves)),
            self.o.z.eq(_farther(*halves)),
        ]
        m.d.comb += self.busy.eq(self.stb | valid | self.o_stb)
        return m


def _farther(one, other):
    return Mux(one > other, one, other)
