"""Samples of a tile become what memory holds."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.records.quads import QUAD_PIXELS
from vc4.records.tile_buffer import PixelColorFormat

from .structs import COLUMNS
from .transfer_structs import BusChunk, PlacedStep, TilePart, TileTransfer, chunk_of

__all__ = ["StoredPixels"]

_CHANNELS, _BITS = 4, 8
#: Of the sums of up to 16.
_SUM_BITS = _BITS + 4
_Sums = data.ArrayLayout(data.ArrayLayout(_SUM_BITS, _CHANNELS), COLUMNS)
_Words = data.ArrayLayout(data.ArrayLayout(_BITS, _CHANNELS), QUAD_PIXELS)
#: Thresholds of a dither by four by four pixels, row after row.
_DITHER = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)


class StoredPixels(wiring.Component):
    """Takes means of samples, drops bits with or without a dither, and puts two pixels side by side
    (docs/reference/rendering.md, tile buffer in memory).

    Behaviour: takes a quad each clock; its chunk is there four clocks later, or that of the last sample of a sum. Nothing waits.

    Interface attributes
    --------------------
    transfer : what is moved
    valid, placed, words : a quad: its step, and a sample of all of its pixels
    o_valid, o : strobe, and a chunk
    """

    transfer: In(TileTransfer)
    valid: In(1)
    placed: In(PlacedStep)
    words: In(_Words)
    o_valid: Out(1)
    o: Out(BusChunk)

    def elaborate(self, platform):
        m = Module()
        transfer = self.transfer
        steps = [Signal(PlacedStep, name=f"placed_{clock}") for clock in range(3)]
        here = Signal(len(steps))
        added = Signal(_Sums)
        sums = Signal(_Sums)
        means = Signal(data.ArrayLayout(data.ArrayLayout(_BITS, _CHANNELS), COLUMNS))
        m.d.sync += [
            *(new.eq(old) for new, old in zip(steps, [self.placed, *steps], strict=False)),
            here.eq(Cat(self.valid, here[0] & steps[0].step.ends, here[1])),
            self.o_valid.eq(here[2]),
        ]
        self._choose(m, added)
        half = Signal(4)  # of the number that a sum is divided by
        with m.If(transfer.block & transfer.sums):
            m.d.comb += half.eq(8)
        with m.Elif(transfer.block | transfer.sums):
            m.d.comb += half.eq(2)
        channels = [
            (sums[lane][channel], added[lane][channel], means[lane][channel])
            for lane in range(COLUMNS)
            for channel in range(_CHANNELS)
        ]
        for total, more, mean in channels:
            with m.If(here[0]):
                m.d.sync += total.eq(Mux(steps[0].step.opens, half, total) + more)
            with m.If(half[3]):
                m.d.sync += mean.eq(total >> 4)
            with m.Elif(half[1]):
                m.d.sync += mean.eq(total >> 2)
            with m.Else():
                m.d.sync += mean.eq(total)
        self._encode(m, steps[2], means)
        return m

    def _choose(self, m, added):
        """The pixels of a row of the quad, one of them, or the sum of all."""
        step, words = self.placed.step, self.words
        for channel in range(_CHANNELS):
            pixels = [word[channel] for word in words]
            with m.If(self.transfer.block):
                m.d.sync += added[0][channel].eq((pixels[0] + pixels[1]) + (pixels[2] + pixels[3]))
            with m.Else():
                m.d.sync += added[0][channel].eq(select(Cat(step.x[0], step.y[0]), pixels))
            m.d.sync += added[1][channel].eq(Mux(step.y[0], pixels[3], pixels[1]))

    def _encode(self, m, placed, means):
        """As memory has it."""
        transfer, step = self.transfer, placed.step
        chunk = Signal(BusChunk)
        chunk_of(m, chunk, transfer, placed)
        m.d.comb += chunk.data.eq(means)
        short = Signal(data.ArrayLayout(16, COLUMNS))
        for lane, (value, (red, green, blue, _)) in enumerate(zip(short, means, strict=True)):
            threshold = Signal(4, name=f"threshold_{lane}")
            with m.If(transfer.pixels == PixelColorFormat.BGR565_DITHERED):
                place = Cat(step.x[0] | lane, step.x[1], step.y[:2])
                m.d.comb += threshold.eq(select(place, [Const(one, 4) for one in _DITHER]))
            m.d.comb += value.eq(
                Cat(
                    _raised(blue, threshold >> 1)[3:],
                    _raised(green, threshold >> 2)[2:],
                    _raised(red, threshold >> 1)[3:],
                )
            )
        with m.If(transfer.part == TilePart.MASK):
            m.d.comb += chunk.data.eq(Cat(lane[0] for lane in means))
        with m.Elif(transfer.z_only):
            m.d.comb += chunk.data.eq(Cat(Cat(Const(0, _BITS), *list(lane)[1:]) for lane in means))
        with m.Elif((transfer.part == TilePart.COLOUR) & (transfer.size == 1)):
            m.d.comb += chunk.data.eq(short)
        m.d.sync += self.o.eq(chunk)


def _raised(channel, by):
    """Up to the largest value."""
    total = (channel + by)[: _BITS + 1]
    return (total[:_BITS] | total[_BITS].replicate(_BITS)).as_unsigned()
