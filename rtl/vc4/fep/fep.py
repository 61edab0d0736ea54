"""The front end."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.slack import Slack
from vc4.pse.structs import SetUpPrimitive
from vc4.records.quads import QUAD_PIXELS

from .debug_structs import PARTS, QUAD_DEPTH_DEBUG
from .quad_depth import QuadDepth
from .rasteriser import Rasteriser
from .structs import ClippedWindow, CoveredQuad, DepthLimits, DepthQuad
from .tile_entry import TileEntry

__all__ = ["Fep"]


class Fep(wiring.Component):
    """Makes quads of primitives: which samples of a tile they cover, and Z (guide, sections 1 and 6; pipeline facts, 4.2 to 4.6).

    Behaviour: without oversampling a quad comes every clock, or every four with one lane. A primitive enters the tile and its
    first row is looked for while quads of the one before come.

    Parameters
    ----------
    lanes : pixels of which Z is found in a clock: 1 or 4

    Interface attributes
    --------------------
    window, limits : of the primitive that comes
    i : stream of `SetUpPrimitive`; offered until it is taken
    outside : see `TileEntry`
    o : stream of `DepthQuad`, in rows from the lowest up, each from the left
    clipped, between : see `QuadDepth`
    debug : see `DebugStatus`
    """

    def __init__(self, lanes: int = QUAD_PIXELS):
        self._lanes = lanes
        super().__init__(
            {
                "window": In(ClippedWindow),
                "limits": In(DepthLimits),
                "i": In(stream.Signature(SetUpPrimitive)),
                "outside": Out(1),
                "o": Out(stream.Signature(DepthQuad)),
                "clipped": Out(1),
                "between": Out(1),
                "debug": Out(PARTS["fep"]),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tile_entry = entry = TileEntry()
        m.submodules.rasteriser = rasteriser = Rasteriser()
        m.submodules.quads = quads = Slack(CoveredQuad, full_rate=True)
        m.submodules.quad_depth = depth = QuadDepth(self._lanes)
        connect(m, flipped(self.i), entry.i)
        connect(m, entry.o, rasteriser.i)
        connect(m, entry.planes, depth.planes)
        connect(m, rasteriser.o, quads.i)
        connect(m, quads.o, depth.i)
        connect(m, depth.o, flipped(self.o))
        m.d.comb += [
            entry.window.eq(self.window),
            entry.limits.eq(self.limits),
            self.outside.eq(entry.outside),
            self.clipped.eq(depth.clipped),
            self.between.eq(depth.between),
            *(self.debug[name].eq(depth.debug[name]) for name in QUAD_DEPTH_DEBUG.members),
            self.debug.ZCOEFF_FIFO_READY.eq(~entry.planes.valid),
            self.debug.ZCOEFF_FIFO_FULL.eq(entry.planes.valid),
            self.debug.RAST_BUSY.eq(rasteriser.busy),
            self.debug.RAST_READY.eq(rasteriser.i.ready),
            self.debug.RAST_LAST.eq(rasteriser.o.valid & rasteriser.o.payload.ends),
            self.debug.XYRELZ_FIFO_READY.eq(quads.i.ready),
            self.debug.XYRELZ_FIFO_FULL.eq(~quads.i.ready),
            self.debug.XYRELZ_FIFO_LAST.eq(quads.o.valid & quads.o.payload.ends),
            self.debug.XYRELZ_FIFO_IP_STALL.eq(quads.i.valid & ~quads.i.ready),
            self.debug.DEPTHO_FIFO_READY.eq(self.o.ready),
            self.debug.DEPTHO_FIFO_IP_STALL.eq(depth.o.valid & ~self.o.ready),
        ]
        return m
