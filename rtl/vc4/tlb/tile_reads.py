"""Stores: from the tile buffer to pieces for the bus."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.common.slack import Slack
from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest

from .stored_pixels import StoredPixels
from .structs import COLOUR_BITS, MASK_BITS, ColourRead, DepthAnswer, DepthWrite, QuadPlace
from .transfer_structs import BusChunk, PlacedStep, TilePart, TileTransfer

__all__ = ["TileReads"]

#: Quads that are read, until they are at the output: as many as hide the clocks of both.
_DEPTH = 16


class TileReads(wiring.Component):
    """Reads the quads of steps, and makes chunks of them.

    Behaviour: reads a quad a clock. One is read when there is room for what becomes of it, so nothing waits after the
    memories.

    Interface attributes
    --------------------
    transfer : what is moved
    i : stream of `PlacedStep`
    depth_writes, depth_answers, colour_reads, colours, mask_reads, masks : of the memories
    o : stream of `BusChunk`
    """

    transfer: In(TileTransfer)
    i: In(stream.Signature(PlacedStep))
    depth_writes: Out(stream.Signature(DepthWrite))
    depth_answers: In(stream.Signature(DepthAnswer))
    colour_reads: Out(stream.Signature(ColourRead))
    colours: In(stream.Signature(data.ArrayLayout(COLOUR_BITS, QUAD_PIXELS)))
    mask_reads: Out(stream.Signature(ColourRead))
    masks: In(stream.Signature(data.ArrayLayout(MASK_BITS, QUAD_PIXELS)))
    o: Out(stream.Signature(BusChunk))

    def elaborate(self, platform):
        m = Module()
        m.submodules.known = known = Queue(PlacedStep, _DEPTH)
        # Whether a memory takes its read, the place of the next one need not know.
        m.submodules.steps = steps = Slack(PlacedStep, full_rate=True)
        connect(m, flipped(self.i), steps.i)
        m.submodules.pixels = pixels = StoredPixels()
        m.submodules.chunks = chunks = Queue(BusChunk, _DEPTH)
        connect(m, chunks.o, flipped(self.o))
        transfer, placed = self.transfer, steps.o.payload
        step = placed.step
        reserved = Signal(range(_DEPTH + 1))
        full = Signal()
        room = Signal()
        ready = Signal()
        takes = Signal()
        frees = Signal()
        next_reserved = Signal.like(reserved)
        place = Signal(QuadPlace)
        m.d.comb += [
            place.x.eq(Mux(transfer.block, step.x, step.x >> 1)),
            place.y.eq(Mux(transfer.block, step.y, step.y >> 1)),
            place.buffer.eq(transfer.buffer),
            room.eq(known.i.ready & ~full),
            steps.o.ready.eq(room & ready),
            takes.eq(steps.o.valid & room & ready),
            known.i.valid.eq(takes),
            known.i.payload.eq(placed),
            frees.eq(self.o.valid & self.o.ready),
            next_reserved.eq(reserved + (takes & step.ends) - frees),
            pixels.transfer.eq(transfer),
            pixels.placed.eq(known.o.payload),
            known.o.ready.eq(pixels.valid),
            chunks.i.valid.eq(pixels.o_valid),
            chunks.i.payload.eq(pixels.o),
        ]
        m.d.sync += [reserved.eq(next_reserved), full.eq(next_reserved == _DEPTH)]
        for part, reads, answers in (
            (TilePart.COLOUR, self.colour_reads, self.colours),
            (TilePart.ZS, self.depth_writes, self.depth_answers),
            (TilePart.MASK, self.mask_reads, self.masks),
        ):
            m.d.comb += reads.payload.place.eq(place)
            words = answers.payload.words if part is TilePart.ZS else answers.payload
            with m.If(transfer.part == part):
                m.d.comb += [
                    reads.valid.eq(steps.o.valid & room),
                    ready.eq(reads.ready),
                    pixels.valid.eq(known.o.valid & answers.valid),
                    answers.ready.eq(known.o.valid),
                    *(to.eq(word) for to, word in zip(pixels.words, words, strict=True)),
                ]
        sampled = transfer.sums | (transfer.dump & transfer.samples)
        m.d.comb += [
            self.colour_reads.payload.sample.eq(step.sample),
            self.colour_reads.payload.word.eq(step.word),
            self.depth_writes.payload.test.eq(DepthTest.NEVER),
            *(flags.eq(Mux(sampled, 1 << step.sample, 0)) for flags in self.depth_writes.payload.flags),
        ]
        return m
