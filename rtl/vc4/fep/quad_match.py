"""Quads on their way to vectors."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.slack import Slack

from .debug_structs import PARTS
from .structs import DepthQuad
from .vector_structs import OPEN_QUADS, PLACE_BITS

__all__ = ["QuadMatch"]


class QuadMatch(wiring.Component):
    """Holds a quad, and knows which quads of the open vector are in the same place.

    Behaviour: as `Slack`. Below the full rate the places are compared while the quad comes: none of them changes until it has
    gone.

    Parameters
    ----------
    full_rate : a quad can pass every clock

    Interface attributes
    --------------------
    i, o : streams of `DepthQuad`
    places : of the quads of the open vector; one changes with a quad that goes
    same : those that are the place of the quad on offer
    hides, hidden : early Z of the quad that comes, and of the one on offer
    voids : strobe: what early Z has said of quads counts no more
    debug : see `DebugStatus`
    """

    def __init__(self, *, full_rate: bool):
        self._full_rate = full_rate
        super().__init__(
            {
                "i": In(stream.Signature(DepthQuad)),
                "o": Out(stream.Signature(DepthQuad)),
                "places": In(data.ArrayLayout(PLACE_BITS, OPEN_QUADS)),
                "same": Out(OPEN_QUADS),
                "hides": In(1),
                "voids": In(1),
                "hidden": Out(1),
                "debug": Out(PARTS["quad_match"]),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.slack = slack = Slack(DepthQuad, full_rate=self._full_rate)
        connect(m, flipped(self.i), slack.i)
        connect(m, slack.o, flipped(self.o))
        hidden = Signal()  # the quad that is held
        m.d.comb += self.hidden.eq(hidden)
        m.d.comb += [
            self.debug.QXYF_FIFO_READY.eq(self.i.ready),
            self.debug.QXYF_FIFO_OP1_VALID.eq(self.i.valid),
            self.debug.QXYF_FIFO_OP1_LAST.eq(self.i.valid & self.i.payload.ends),
            self.debug.QXYF_FIFO_OP1_DUMMY.eq(self.i.valid & self.i.payload.is_empty),
            self.debug.QXYF_FIFO_OP_READY.eq(self.o.ready),
            self.debug.QXYF_FIFO_OP_VALID.eq(self.o.valid),
            self.debug.QXYF_FIFO_OP_LAST.eq(self.o.valid & self.o.payload.ends),
        ]
        if self._full_rate:
            m.d.comb += self.hidden.eq(Mux(self.i.ready, self.hides, hidden))
        with m.If(self.i.ready):
            m.d.sync += hidden.eq(self.hides & ~self.voids)
        with m.Elif(self.voids):
            m.d.sync += hidden.eq(0)
        stream = self.o if self._full_rate else self.i
        place = Cat(stream.payload.x, stream.payload.y)
        same = Cat(place == one for one in self.places)
        if self._full_rate:
            m.d.comb += self.same.eq(same)
        else:
            with m.If(self.i.ready):
                m.d.sync += self.same.eq(same)
        return m
