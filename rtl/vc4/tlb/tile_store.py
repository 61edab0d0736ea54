"""The memories of the tile buffer."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .colour_buffer import ColourBuffer
from .depth_stencil import DepthStencil
from .depth_watch import DepthWatch
from .structs import COLOUR_BITS, MASK_BITS, DepthCounts, FarthestDepth, TileClear, TileForm
from .tile_port import TilePort

__all__ = ["TileStore"]


class TileStore(wiring.Component):
    """Colours, Z and stencil, and alpha mask of a tile (guide, section 5).

    Behaviour: that of its parts, see `DepthStencil` and `ColourBuffer`, which work beside each other. A clear is taken when it
    has ended in all parts that it concerns.

    Interface attributes
    --------------------
    form : how it is divided; stays while it is used
    tile : the way to it
    depth_counts : what has become of quads
    clears : stream of `TileClear`
    farthest, farthest_stb, watching : strobe: what a Z write has left; one is on its way
    """

    form: In(TileForm)
    tile: In(TilePort())
    depth_counts: Out(DepthCounts)
    clears: In(stream.Signature(TileClear))
    farthest: Out(FarthestDepth)
    farthest_stb: Out(1)
    watching: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.depth = depth = DepthStencil()
        m.submodules.colour = colour = ColourBuffer(COLOUR_BITS)
        m.submodules.mask = mask = ColourBuffer(MASK_BITS)
        tile = self.tile
        for ends, source in (
            (depth.i, tile.depth_writes),
            (colour.writes, tile.colour_writes),
            (colour.reads, tile.colour_reads),
            (mask.writes, tile.mask_writes),
            (mask.reads, tile.mask_reads),
        ):
            connect(m, flipped(source), ends)
        for part, answers in ((depth, tile.depth_answers), (colour, tile.colours), (mask, tile.masks)):
            connect(m, part.o, flipped(answers))
        m.d.comb += [part.form.eq(self.form) for part in (depth, colour, mask)]
        m.submodules.watch = watch = DepthWatch()
        m.d.comb += [
            *(watch.place.eq(depth.place), watch.zs.eq(depth.zs), watch.stb.eq(depth.stb)),
            *(self.farthest.eq(watch.o), self.farthest_stb.eq(watch.o_stb), self.watching.eq(watch.busy)),
            self.depth_counts.eq(depth.counts),
        ]
        self._clear(m, colour, depth, mask)
        return m

    def _clear(self, m, colour, depth, mask):
        """The parts that are named."""
        clear = self.clears.payload
        parts = ((clear.colour, colour), (clear.zs, depth), (clear.mask, mask))
        over = Signal(len(parts))
        done = Signal(len(parts))
        for number, (wanted, part) in enumerate(parts):
            m.d.comb += [
                part.clears.valid.eq(self.clears.valid & wanted & ~over[number]),
                part.clears.payload.buffer.eq(clear.buffer),
                done[number].eq(~wanted | over[number] | part.clears.ready),
            ]
        m.d.comb += [
            colour.clears.payload.values.eq(clear.colours),
            depth.clears.payload.values.eq(clear.zs_value),
            *(value.eq(clear.mask_value) for value in mask.clears.payload.values),
            self.clears.ready.eq(done.all()),
        ]
        with m.If(self.clears.valid):
            m.d.sync += over.eq(Mux(self.clears.ready, 0, done))
