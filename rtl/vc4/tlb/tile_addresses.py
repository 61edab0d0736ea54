"""Addresses of the pixels of a tile in memory."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.records.tile_buffer import MemoryFormat

from .structs import COLUMNS
from .transfer_structs import PlacedStep, TileArea, TileStep, TileTransfer

__all__ = ["TileAddresses"]

_ADDRESS_BITS = 32
#: A row of a raster image is a multiple of 16 bytes; a microtile has 64, a tile of T-format 4096, in eight by eight of them.
_ALIGNMENT, _MICROTILE, _TILE, _TILE_SIDE = 4, 6, 12, 3
#: Where the sub-tiles of a tile lie, (upper, right) from 0 on, in even and in odd rows of tiles.
_SUBTILES = ((0, 3, 1, 2), (2, 1, 3, 0))
#: log2 of columns and rows of microtiles of pixels of 1, 2, 4 and 8 bytes.
_MICROTILE_SIDES = ((3, 3), (3, 2), (2, 2), (1, 2))
_DEPTH = 2


class TileAddresses(wiring.Component):
    """Finds the addresses of steps: in a raster image, in T-format or LT-format, or one after the other in a dump (pipeline
    facts, 5.4, 5.5 and 6.3).

    Behaviour: a step a clock, five clocks later. The image must be known three clocks before.

    Interface attributes
    --------------------
    transfer, area : what is moved
    starts : strobe: a transfer begins
    i : stream of `TileStep`
    o : stream of `PlacedStep`
    """

    transfer: In(TileTransfer)
    area: In(TileArea)
    starts: In(1)
    i: In(stream.Signature(TileStep))
    o: Out(stream.Signature(PlacedStep))

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = Queue(PlacedStep, _DEPTH)
        connect(m, queue.o, flipped(self.o))
        transfer, area = self.transfer, self.area
        steps = [Signal(TileStep, name=f"step_{clock}") for clock in range(4)]
        here = Signal(len(steps))
        moves = Signal()
        x = Signal.like(area.x)  # in the frame
        y = Signal.like(area.y)
        behind = Signal(_ADDRESS_BITS)  # of a dump
        inside = [Signal(COLUMNS, name=f"inside_{clock}") for clock in range(3)]
        offset = Signal(_ADDRESS_BITS)
        address = Signal(_ADDRESS_BITS)
        m.d.comb += [
            moves.eq(~here[-1] | queue.i.ready),
            self.i.ready.eq(moves),
            queue.i.valid.eq(here[-1]),
            queue.i.payload.step.eq(steps[-1]),
            queue.i.payload.address.eq(address),
            queue.i.payload.inside.eq(inside[-1]),
        ]
        before, across = self._parts(m, moves, x, y, steps[0])
        linear = Signal(_ADDRESS_BITS)
        scaled = Signal(_ADDRESS_BITS)
        with m.Switch(transfer.layout):
            for format_, shift in (
                (MemoryFormat.RASTER, _ALIGNMENT),
                (MemoryFormat.T_FORMAT, _TILE),
                (MemoryFormat.LT_FORMAT, _MICROTILE),
            ):
                with m.Case(format_):
                    m.d.comb += scaled.eq(before << shift)
        with m.If(moves):
            m.d.sync += [
                here.eq(Cat(self.i.valid, here)),
                *(new.eq(old) for new, old in zip(steps, [self.i.payload, *steps], strict=False)),
                x.eq(area.x | self.i.payload.x),
                y.eq(area.y | self.i.payload.y),
                inside[0].eq(Cat(x < area.width, (x | 1) < area.width) & (y < area.height).replicate(COLUMNS)),
                inside[1].eq(inside[0] | transfer.dump.replicate(COLUMNS)),
                inside[2].eq(inside[1]),
                linear.eq(behind),
                offset.eq(Mux(transfer.dump, linear, scaled + across)),
                address.eq(transfer.address + offset),
            ]
        with m.If(self.starts):
            m.d.sync += behind.eq(0)
        with m.Elif(moves & here[0]):
            m.d.sync += behind.eq(behind + (1 << Mux(transfer.wide, 2, transfer.size + 1)[:2]))
        return m

    def _pitch(self, m):
        """What is between rows: sixteen bytes of a raster image, microtiles, or tiles."""
        transfer, width = self.transfer, self.area.width
        bytes_ = Signal(20)
        microtiles = Signal(16)
        pitch = Signal(16)
        m.d.sync += bytes_.eq((width << transfer.size) + (1 << _ALIGNMENT) - 1)
        with m.Switch(transfer.size):
            for size, (side, _) in enumerate(_MICROTILE_SIDES):
                with m.Case(size):
                    m.d.sync += microtiles.eq((width + (1 << side) - 1) >> side)
        with m.Switch(transfer.layout):
            with m.Case(MemoryFormat.RASTER):
                m.d.sync += pitch.eq(bytes_ >> _ALIGNMENT)
            with m.Case(MemoryFormat.T_FORMAT):
                m.d.sync += pitch.eq((microtiles + (1 << _TILE_SIDE) - 1) >> _TILE_SIDE)
            with m.Default():
                m.d.sync += pitch.eq(microtiles)
        return pitch

    def _parts(self, m, moves, x, y, step):
        """A clock later: what is in front of a row, in units of its format, and bytes in front of the pixel in it."""
        transfer = self.transfer
        pitch = self._pitch(m)
        inner = Signal(_MICROTILE)
        column = Signal(len(x))  # microtiles
        row = Signal(len(y))
        with m.Switch(transfer.size):
            for size, (across, up) in enumerate(_MICROTILE_SIDES):
                with m.Case(size):
                    low = [Const(0, size)] if size < 3 else [Const(0, 2), step.word]
                    m.d.comb += [
                        inner.eq(Cat(*low, x[:across], y[:up])),
                        column.eq(x >> across),
                        row.eq(y >> up),
                    ]
        units = Signal(len(y))
        odd = row[_TILE_SIDE]
        subtile = Signal(2)
        with m.Switch(Cat(column[2], row[2], odd)):
            for parity, order in enumerate(_SUBTILES):
                for place, number in enumerate(order):
                    with m.Case(4 * parity + place):
                        m.d.comb += subtile.eq(number)
        tile_x = column >> _TILE_SIDE
        tile = Signal(range(1 << len(x)))
        bytes_ = Signal(_ADDRESS_BITS)
        m.d.comb += tile.eq(Mux(odd, pitch - 1 - tile_x, tile_x))
        with m.Switch(transfer.layout):
            with m.Case(MemoryFormat.RASTER):
                m.d.comb += [units.eq(y), bytes_.eq((x << transfer.size) | (step.word << 2))]
            with m.Case(MemoryFormat.T_FORMAT):
                m.d.comb += [units.eq(row >> _TILE_SIDE), bytes_.eq(Cat(inner, column[:2], row[:2], subtile, tile))]
            with m.Default():
                m.d.comb += [units.eq(row), bytes_.eq(Cat(inner, column))]
        before = Signal(len(units) + len(pitch))
        across = Signal(_ADDRESS_BITS)
        with m.If(moves):
            m.d.sync += [before.eq(units * pitch), across.eq(bytes_)]
        return before, across
