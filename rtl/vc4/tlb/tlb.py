"""The tile buffer."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.records.quads import QUAD_PIXELS

from .colour_buffer import ColourBuffer
from .depth_stencil import DepthStencil
from .scoreboard import Scoreboard
from .stencil_set_ups import StencilSetUps
from .structs import (
    COLOUR_BITS,
    MASK_BITS,
    ColourRead,
    DepthAnswer,
    DepthCounts,
    DepthWrite,
    StencilFace,
    TileClear,
    TileForm,
    colour_write,
    fragment_quad,
    stencil_write,
)

__all__ = ["Tlb"]


class Tlb(wiring.Component):
    """Colours, Z and stencil, and alpha mask of a tile, and who may touch them (guide, section 5).

    Behaviour: that of its parts, see `DepthStencil`, `ColourBuffer`, `Scoreboard` and `StencilSetUps`, which work beside each
    other. A clear is taken when it has ended in all parts that it concerns.

    Parameters
    ----------
    threads : of all QPUs

    Interface attributes
    --------------------
    form : how it is divided; stays while there are quads
    depth_writes, depth_answers, depth_counts : Z of quads, and what has become of them
    colour_writes, colour_reads, colours : of quads
    mask_writes, mask_reads, masks : as colours, of sample 0
    clears : stream of `TileClear`
    quads, waits, lets_go, there : of the scoreboard
    stencil_starts, stencil_writes, stencil_thread, stencil_back, stencil_face : of the stencil set-ups
    """

    def __init__(self, threads: int):
        self._threads = threads
        super().__init__(
            {
                "form": In(TileForm),
                "depth_writes": In(stream.Signature(DepthWrite)),
                "depth_answers": Out(stream.Signature(DepthAnswer)),
                "depth_counts": Out(DepthCounts),
                "colour_writes": In(stream.Signature(colour_write(COLOUR_BITS))),
                "colour_reads": In(stream.Signature(ColourRead)),
                "colours": Out(stream.Signature(data.ArrayLayout(COLOUR_BITS, QUAD_PIXELS))),
                "mask_writes": In(stream.Signature(colour_write(MASK_BITS))),
                "mask_reads": In(stream.Signature(ColourRead)),
                "masks": Out(stream.Signature(data.ArrayLayout(MASK_BITS, QUAD_PIXELS))),
                "clears": In(stream.Signature(TileClear)),
                "quads": In(stream.Signature(fragment_quad(threads))),
                "waits": Out(threads),
                "lets_go": In(threads),
                "there": Out(threads),
                "stencil_starts": In(threads),
                "stencil_writes": In(stream.Signature(stencil_write(threads))),
                "stencil_thread": In(range(threads)),
                "stencil_back": In(1),
                "stencil_face": Out(StencilFace),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.depth = depth = DepthStencil()
        m.submodules.colour = colour = ColourBuffer(COLOUR_BITS)
        m.submodules.mask = mask = ColourBuffer(MASK_BITS)
        m.submodules.scoreboard = scoreboard = Scoreboard(self._threads)
        m.submodules.set_ups = set_ups = StencilSetUps(self._threads)
        connect(m, flipped(self.stencil_writes), set_ups.i)
        connect(m, flipped(self.quads), scoreboard.i)
        connect(m, flipped(self.depth_writes), depth.i)
        connect(m, depth.o, flipped(self.depth_answers))
        connect(m, flipped(self.colour_writes), colour.writes)
        connect(m, flipped(self.colour_reads), colour.reads)
        connect(m, colour.o, flipped(self.colours))
        connect(m, flipped(self.mask_writes), mask.writes)
        connect(m, flipped(self.mask_reads), mask.reads)
        connect(m, mask.o, flipped(self.masks))
        m.d.comb += [
            depth.form.eq(self.form),
            colour.form.eq(self.form),
            mask.form.eq(self.form),
            self.depth_counts.eq(depth.counts),
            set_ups.starts.eq(self.stencil_starts),
            set_ups.thread.eq(self.stencil_thread),
            set_ups.back.eq(self.stencil_back),
            self.stencil_face.eq(set_ups.face),
            scoreboard.lets_go.eq(self.lets_go),
            self.waits.eq(scoreboard.waits),
            self.there.eq(scoreboard.there),
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
