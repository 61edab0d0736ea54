"""The pixels of a tile, in an order that is good for memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tile_buffer import MemoryFormat

from .transfer_structs import COORDINATE_BITS, TileArea, TileStep, TileTransfer

__all__ = ["TileWalk"]

#: Microtiles of pixels of 1, 2, 4 and 8 bytes: columns and rows, less 1.
_MICROTILES = ((7, 7), (7, 3), (3, 3), (1, 3))


class TileWalk(wiring.Component):
    """Walks through the pixels of a tile: a raster image row by row, others microtile by microtile, each of them row by row; a
    dump quad by quad, of each one sample after the other. Of an image it ends after the last pixel, or microtile, that the frame
    has.

    Behaviour: the first step is there a clock after the start, and one follows each clock.

    Interface attributes
    --------------------
    transfer, area : what is moved; stays from three clocks before the start on
    starts : strobe
    o : stream of `TileStep`
    """

    transfer: In(TileTransfer)
    area: In(TileArea)
    starts: In(1)
    o: Out(stream.Signature(TileStep))

    def elaborate(self, platform):
        m = Module()
        transfer, step = self.transfer, self.o.payload
        within_x = Signal(COORDINATE_BITS)  # bits of a place in a microtile
        within_y = Signal(COORDINATE_BITS)
        pair = Signal()
        sampled = Signal()
        m.d.comb += [
            pair.eq(~transfer.block & ~transfer.wide),
            sampled.eq(~(transfer.sums | (transfer.dump & transfer.samples)) | step.sample.all()),
        ]
        is_raster = Signal()
        m.d.comb += is_raster.eq(~transfer.dump & (transfer.layout == MemoryFormat.RASTER))
        with m.If(transfer.dump):
            m.d.comb += [within_x.eq(1), within_y.eq(1)]
        with m.Elif(~is_raster), m.Switch(transfer.size):
            for size, (columns, rows) in enumerate(_MICROTILES):
                with m.Case(size):
                    m.d.comb += [within_x.eq(columns), within_y.eq(rows)]
        x, y = step.x | pair, step.y
        last_x = self._last(m, self.area.width, self.area.x, transfer.columns, within_x | pair, "x")
        last_y = self._last(m, self.area.height, self.area.y, transfer.rows, within_y, "y")
        row_ends = Mux(is_raster, x == last_x, (x | ~within_x).all())
        microtile_ends = (y | ~within_y).all()
        # What is over with this step, each with those before it.
        word = ~transfer.wide | step.word
        total = word & (transfer.dump | sampled)
        row = total & row_ends
        microtile = row & microtile_ends
        quad = microtile & (~transfer.dump | sampled)
        across = quad & (x == last_x)
        moves = Signal()
        m.d.comb += [
            moves.eq(self.o.valid & self.o.ready),
            step.opens.eq(~transfer.sums | (step.sample == 0)),
            step.ends.eq(~transfer.sums | sampled),
            step.final.eq(across & (y == last_y)),
        ]
        with m.If(self.starts):
            m.d.sync += [step.x.eq(0), step.y.eq(0), step.word.eq(0), step.sample.eq(0), self.o.valid.eq(1)]
        with m.Elif(moves):
            m.d.sync += [step.word.eq(transfer.wide & ~step.word), self.o.valid.eq(~step.final)]
            with m.If(Mux(transfer.dump, microtile & transfer.samples, word & transfer.sums)):
                m.d.sync += step.sample.eq(step.sample + 1)
            with m.If(across):
                m.d.sync += step.x.eq(0)
            with m.Elif((total & ~row_ends) | quad):
                m.d.sync += step.x.eq(x + 1)
            with m.Elif(row):
                m.d.sync += step.x.eq(step.x & ~within_x)
            with m.If(across | (row & ~microtile_ends)):
                m.d.sync += step.y.eq(y + 1)
            with m.Elif(microtile):
                m.d.sync += step.y.eq(y & ~within_y)
        return m

    def _last(self, m, size, first, most, within, name):
        """The last column or row, of its microtile, in which the frame has something; of a tile outside of it that of the first."""
        left = Signal(signed(len(size) + 1), name=f"left_{name}")
        last = Signal(COORDINATE_BITS, name=f"last_{name}")
        low = left[:COORDINATE_BITS]
        beyond = left[COORDINATE_BITS:].any() | (low & ~most).any()  # the tile has no more than the frame
        m.d.sync += left.eq(size - 1 - first)
        with m.If(self.transfer.dump | (beyond & ~left[-1])):
            m.d.sync += last.eq(most | within)
        with m.Elif(left[-1]):
            m.d.sync += last.eq(within)
        with m.Else():
            m.d.sync += last.eq(low | within)
        return last
