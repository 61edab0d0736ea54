"""W of quads."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.plane_sum import PlaneSum
from vc4.arith.reciprocal import Reciprocal
from vc4.isa.ops import AddOp
from vc4.pse.structs import PlaneCoefficients
from vc4.records.quads import QUAD_PIXELS
from vc4.records.samples import PIXEL
from vc4.tlb.structs import QuadPlace

from .vector_structs import DISTANCE_BITS

__all__ = ["QuadPerspective"]

_ADD_LATENCY = 3


class QuadPerspective(wiring.Component):
    """Finds W of the pixels of quads: 1/W is C + (A dx + B dy), W its reciprocal (guide, section 6; docs/reference/rendering.md, W).

    Behaviour: a quad a clock, or with one lane every four clocks; its words come `QuadPerspective.LATENCY` clocks later, with
    one lane in this and the next three clocks.

    Parameters
    ----------
    lanes : pixels a clock: 1 or 4

    Interface attributes
    --------------------
    plane : of 1/W, for the quads that come; it stays while `uses_plane`
    dx, dy : from the reference vertex to the centre of the tile's first pixel; they stay as well
    i : stream of `QuadPlace`
    words, stb : strobe: the next pixels' W
    pixel : the first one of these
    """

    #: From the clock in which a quad is taken to its first words.
    LATENCY = 3 + PlaneSum.LATENCY + _ADD_LATENCY + Reciprocal.LATENCY

    def __init__(self, lanes: int = QUAD_PIXELS):
        if lanes not in (1, QUAD_PIXELS):
            raise ValueError(f"one lane or {QUAD_PIXELS}, not {lanes!r}")
        self._lanes = lanes
        super().__init__(
            {
                "plane": In(PlaneCoefficients),
                "dx": In(DISTANCE_BITS),
                "dy": In(DISTANCE_BITS),
                "uses_plane": Out(1),
                "i": In(stream.Signature(QuadPlace)),
                "words": Out(data.ArrayLayout(32, lanes)),
                "stb": Out(1),
                "pixel": Out(range(QUAD_PIXELS)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        walks = Signal()
        place = Signal(QuadPlace)
        pixel = Signal(range(QUAD_PIXELS))  # of lane 0
        valid = Signal(self.LATENCY - 1)  # of each step after
        is_last = pixel == QUAD_PIXELS - self._lanes
        used = Signal()  # the plane, by a pixel that walks no more
        m.d.comb += [
            self.i.ready.eq(~walks | is_last),
            self.stb.eq(valid[-1]),
            self.uses_plane.eq(walks | used),
        ]
        m.d.sync += [
            *(walks.eq(self.i.valid | (walks & ~is_last)), valid.eq(Cat(walks, valid))),
            used.eq(walks | valid[: PlaneSum.LATENCY + 1].any()),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += place.eq(self.i.payload)
        if self._lanes == 1:
            m.d.sync += [pixel.eq(pixel + walks), self.pixel.eq(self.pixel + self.stb)]
        for lane in range(self._lanes):
            number = pixel if self._lanes == 1 else Const(lane, 2)
            self._lane(m, lane, number, place)
        return m

    def _lane(self, m, lane, number, place):
        """A pixel a clock."""
        m.submodules[f"gain_{lane}"] = gain = PlaneSum()
        m.submodules[f"sum_{lane}"] = total = AddAlu()
        m.submodules[f"reciprocal_{lane}"] = reciprocal = Reciprocal()
        gained = Signal(32, name=f"gained_{lane}", reset_less=True)
        m.d.sync += gained.eq(gain.result)
        shift = Const(0, PIXEL.bit_length() - 1)
        for target, name, start, bit, quads in (
            (gain.dx, "dx", self.dx, number[0], place.x),
            (gain.dy, "dy", self.dy, number[1], place.y),
        ):
            distance = Signal(signed(DISTANCE_BITS), name=f"{name}_{lane}", reset_less=True)
            m.d.sync += distance.eq(start + Cat(shift, bit, quads))
            m.d.comb += target.eq(distance)
        m.d.comb += [
            *(gain.a.eq(self.plane.a), gain.b.eq(self.plane.b)),
            *(total.rr_op.eq(AddOp.FADD), total.rr_a.eq(self.plane.c), total.rr_b.eq(gained)),
            *(reciprocal.word.eq(total.a2_result), self.words[lane].eq(reciprocal.result)),
        ]
