"""Loads: from words of the bus to the tile buffer."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.block_queue import BlockQueue
from vc4.common.slack import Slack
from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest

from .structs import COLOUR_BITS, COLUMNS, MASK_BITS, SAMPLES, DepthWrite, colour_write
from .transfer_structs import BusChunk, PlacedStep, TilePart, TileStep, TileTransfer, chunk_of

__all__ = ["TileLoads"]

#: Steps whose word is asked for, or will be: more than those of the longest request.
_DEPTH = 256
_ANSWER_BITS = 4


class _LoadStep(data.Struct):
    """A step whose word comes.

    lane : where it begins in its word
    fresh : it is the first one that needs its word
    """

    step: TileStep
    inside: unsigned(COLUMNS)
    lane: range(BUS_BYTES)
    fresh: unsigned(1)


#: What is written of a step.
_PIXELS = data.StructLayout(
    {"step": TileStep, "flags": SAMPLES * QUAD_PIXELS, "lanes": data.ArrayLayout(COLOUR_BITS, COLUMNS)}
)


class TileLoads(wiring.Component):
    """Asks for the words of steps, and writes what comes into the tile buffer: an image to all samples of a pixel.

    Behaviour: writes up to two pixels a clock. Answers of memory wait only for the tile buffer.

    Interface attributes
    --------------------
    transfer : what is moved
    i : stream of `PlacedStep`
    chunks : stream of `BusChunk`, without data
    fresh : the chunk begins a word of the bus
    responses : of a `MemoryPort`
    depth_writes, colour_writes, mask_writes : to the memories
    answered : strobe: an answer of `DepthStencil` has come
    busy : something is under way
    """

    transfer: In(TileTransfer)
    i: In(stream.Signature(PlacedStep))
    chunks: Out(stream.Signature(BusChunk))
    fresh: In(1)
    responses: In(stream.Signature(MemoryPort(word_bytes=BUS_BYTES).response_layout))
    depth_writes: Out(stream.Signature(DepthWrite))
    colour_writes: Out(stream.Signature(colour_write(COLOUR_BITS)))
    mask_writes: Out(stream.Signature(colour_write(MASK_BITS)))
    answered: In(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.known = known = BlockQueue(_LoadStep, _DEPTH)
        step, chunk = known.o.payload, self.chunks.payload
        chunk_of(m, chunk, self.transfer, self.i.payload)
        taken = Signal(_LoadStep)  # its word is there
        word = Signal(8 * BUS_BYTES)
        there = Signal()
        written = Signal(_LoadStep)  # its pixels are
        lanes = Signal(data.ArrayLayout(COLOUR_BITS, COLUMNS))
        flags = Signal(SAMPLES * QUAD_PIXELS)
        m.submodules.pixels = pixels = Slack(_PIXELS, full_rate=True)
        writes = Signal()
        ready = Signal()
        moves = Signal()
        room = Signal()
        comes = Signal()
        unanswered = Signal(_ANSWER_BITS)
        m.d.comb += [
            self.chunks.valid.eq(self.i.valid & known.i.ready),
            self.i.ready.eq(self.chunks.ready & known.i.ready),
            known.i.valid.eq(self.chunks.valid & self.chunks.ready & chunk.half.any()),
            known.i.payload.step.eq(self.i.payload.step),
            known.i.payload.inside.eq(self.i.payload.inside),
            known.i.payload.lane.eq(self.i.payload.address),
            known.i.payload.fresh.eq(self.fresh),
            *(pixels.i.valid.eq(writes), pixels.i.payload.step.eq(written.step), pixels.i.payload.lanes.eq(lanes)),
            pixels.i.payload.flags.eq(flags),
            pixels.o.ready.eq(ready),
            moves.eq(~writes | pixels.i.ready),
            room.eq(~there | moves),
            comes.eq(self.responses.valid | ~step.fresh),
            known.o.ready.eq(room & comes),
            self.responses.ready.eq(room & known.o.valid & step.fresh),
            self.busy.eq((known.level != 0) | there | pixels.o.valid | (unanswered != 0)),
        ]
        with m.If(moves):
            m.d.sync += [writes.eq(there), written.eq(taken), flags.eq(self._flags(taken))]
            self._decode(m, taken, word, lanes)
        with m.If(room):
            m.d.sync += there.eq(known.o.valid & comes)
        with m.If(known.o.valid & known.o.ready):
            m.d.sync += taken.eq(step)
            with m.If(step.fresh):
                m.d.sync += word.eq(self.responses.payload.data)
        asked = self.depth_writes.valid & self.depth_writes.ready
        m.d.sync += unanswered.eq(unanswered + asked - self.answered)
        self._write(m, pixels.o.payload, pixels.o.valid & ~unanswered[-1], ready)
        return m

    def _decode(self, m, taken, word, lanes):
        """Two pixels, or a word of a wide one."""
        transfer = self.transfer
        short = word.word_select(taken.lane[2], 32)
        pair = word.word_select(taken.lane[1:], 16)
        with m.If(transfer.part == TilePart.MASK):
            m.d.sync += [lane.eq(pair.word_select(number, MASK_BITS)) for number, lane in enumerate(lanes)]
        with m.Elif(transfer.wide):
            m.d.sync += [lane.eq(short) for lane in lanes]
        with m.Elif(transfer.size == 1):
            m.d.sync += [lane.eq(_spread(short.word_select(number, 16))) for number, lane in enumerate(lanes)]
        with m.Else():
            m.d.sync += lanes.eq(word)

    def _flags(self, written):
        """Samples of a quad that are written."""
        transfer, step = self.transfer, written.step
        samples = Mux(transfer.dump & transfer.samples, 1 << step.sample, 0xF)
        flags = []
        for pixel in range(QUAD_PIXELS):
            column, row = pixel % COLUMNS, pixel // COLUMNS
            here = Mux(transfer.wide, written.inside[0] & (step.x[0] == column), written.inside[column])
            flags.append(Mux(here & (step.y[0] == row), samples, 0)[:SAMPLES])
        return Cat(flags)

    def _write(self, m, pixels, valid, ready):
        """Of a part of the tile buffer."""
        transfer, step = self.transfer, pixels.step
        for part, writes in (
            (TilePart.COLOUR, self.colour_writes),
            (TilePart.ZS, self.depth_writes),
            (TilePart.MASK, self.mask_writes),
        ):
            write = writes.payload
            words = write.words if part is TilePart.ZS else write.data
            m.d.comb += [
                write.place.x.eq(step.x >> 1),
                write.place.y.eq(step.y >> 1),
                write.place.buffer.eq(transfer.buffer),
                write.flags.as_value().eq(pixels.flags),
                *(Value.cast(word).eq(pixels.lanes[pixel % COLUMNS]) for pixel, word in enumerate(words)),
            ]
            with m.If(transfer.part == part):
                m.d.comb += [writes.valid.eq(valid), ready.eq(writes.ready & valid)]
        colour, depth = self.colour_writes.payload, self.depth_writes.payload
        m.d.comb += [
            colour.all.eq(1),
            colour.word.eq(step.word),
            depth.test.eq(DepthTest.ALWAYS),
            depth.updates.eq(1),
            depth.replaces.eq(1),
        ]


def _spread(value):
    """A colour of 16 bits: channels repeat their bits from the top, alpha is 255."""
    blue, green, red = value[:5], value[5:11], value[11:16]
    return Cat(red[2:], red, green[4:], green, blue[2:], blue, Const(0xFF, 8))
