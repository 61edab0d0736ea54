"""Coordinates of four texels to their addresses."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import MOST_TEXELS

__all__ = ["LevelShape", "TexelFormat", "TexelPlaces"]

_TEXEL_BITS = (MOST_TEXELS - 1).bit_length()
#: Bytes of a row of the widest raster image.
_PITCH_BITS = (4 * MOST_TEXELS).bit_length()
#: A microtile is 64 bytes, a sub-tile sixteen of them, a tile four sub-tiles.
_MICROTILE, _SUBTILE, _TILE = 6, 10, 12
_TILE_SIDE, _SUBTILE_SIDE = 3, 2
#: Where the sub-tiles of a tile lie, (upper, right) from 0 on, in even and in odd rows of tiles.
_SUBTILES = ((0, 3, 1, 2), (2, 1, 3, 0))
#: A place is the number of a bit.
_PLACE_BITS = 32


class TexelFormat(data.Struct):
    """How large a texel is; sides and bits as powers of two."""

    width: range(6)  # of a microtile, in texels
    height: range(5)
    bits: range(7)  # of what memory holds as one
    block: range(3)  # texels of a block in each direction
    raster: unsigned(1)


class LevelShape(data.Struct):
    """How a level lies in memory."""

    pitch: _PITCH_BITS  # microtiles of a row, bytes of a row of a raster image
    tiled: unsigned(1)  # T-format


class TexelPlaces(wiring.Component):
    """Numbers of the first bits of texels from the first byte of their level on, or of the blocks that hold them.

    Behaviour: four texels a clock, `TexelPlaces.LATENCY` clocks later.

    Interface attributes
    --------------------
    format, level : of the texture
    x, y : columns and rows: of two of each
    o : places, (upper, right) from 0 on
    """

    LATENCY = 3

    format: In(TexelFormat)
    level: In(LevelShape)
    x: In(data.ArrayLayout(_TEXEL_BITS, 2))
    y: In(data.ArrayLayout(_TEXEL_BITS, 2))
    o: Out(data.ArrayLayout(_PLACE_BITS, 4))

    def elaborate(self, platform):
        m = Module()
        kind, level = self.format, self.level
        kinds = [Signal(TexelFormat, name=f"format_{clock}") for clock in range(2)]
        levels = [Signal(LevelShape, name=f"level_{clock}") for clock in range(2)]
        m.d.sync += [
            *(kinds[0].eq(kind), kinds[1].eq(kinds[0])),
            *(levels[0].eq(level), levels[1].eq(levels[0])),
        ]
        columns = [self._column(m, number, kinds) for number in range(2)]
        rows = [self._row(m, number, kinds, levels) for number in range(2)]
        for upper, row in enumerate(rows):
            for right, column in enumerate(columns):
                self._place(m, 2 * upper + right, column, row, kinds[1], levels[1])
        return m

    def _split(self, m, name, texel, side, block):
        """Number of the microtile, and of the block in it; a clock later."""
        tile = Signal(_TEXEL_BITS, name=f"{name}_tile")
        inner = Signal(5, name=f"{name}_inner")
        m.d.sync += [tile.eq(texel >> side), inner.eq((texel[:5] & ((1 << side) - 1)[:5]) >> block)]
        return tile, inner

    def _column(self, m, number, kinds):
        """Of a column, two clocks later: its microtile, the bits in front of it in a row of the microtile or image."""
        kind = self.format
        tile, inner = self._split(m, f"x{number}", self.x[number], kind.width, kind.block)
        x = Signal(_TEXEL_BITS, name=f"x{number}_texel")
        tiles = Signal(_TEXEL_BITS, name=f"x{number}_column")
        bits = Signal(_TEXEL_BITS + 6, name=f"x{number}_bits")
        m.d.sync += [
            x.eq(self.x[number]),
            tiles.eq(tile),
            bits.eq(Mux(kinds[0].raster, x, inner) << kinds[0].bits),
        ]
        return tiles, bits

    def _row(self, m, number, kinds, levels):
        """Of a row, two clocks later: its microtile, the microtiles or bytes in front of it, and the bits in the microtile."""
        kind = self.format
        tile, inner = self._split(m, f"y{number}", self.y[number], kind.height, kind.block)
        y = Signal(_TEXEL_BITS, name=f"y{number}_texel")
        rows = Signal(_TEXEL_BITS, name=f"y{number}_row")
        before = Signal(_TEXEL_BITS + _PITCH_BITS, name=f"y{number}_before")
        bits = Signal(10, name=f"y{number}_bits")
        tiled, pitch = levels[0].tiled, levels[0].pitch
        count = Mux(kinds[0].raster, y, Mux(tiled, tile >> _TILE_SIDE, tile))
        each = Mux(tiled, pitch >> _TILE_SIDE, pitch)
        across = kinds[0].width - kinds[0].block
        m.d.sync += [
            y.eq(self.y[number]),
            rows.eq(tile),
            before.eq(count * each),
            bits.eq(inner << (across + kinds[0].bits)[:4]),
        ]
        return rows, before, bits

    def _place(self, m, number, column, row, kind, level):
        """The place of one texel, a clock later."""
        tile_x, bits_x = column
        tile_y, before, bits_y = row
        odd = tile_y[_TILE_SIDE]
        column_tile = (tile_x >> _TILE_SIDE)[: _TEXEL_BITS - _TILE_SIDE]
        tile = before + Mux(odd, (level.pitch >> _TILE_SIDE) - 1 - column_tile, column_tile)
        quarter = Cat(tile_x[_SUBTILE_SIDE], tile_y[_SUBTILE_SIDE])
        subtile = Signal(2, name=f"subtile_{number}")
        with m.Switch(Cat(quarter, odd)):
            for parity, order in enumerate(_SUBTILES):
                for place, number_of in enumerate(order):
                    with m.Case(4 * parity + place):
                        m.d.comb += subtile.eq(number_of)
        tiles = Signal(_PLACE_BITS - _TILE - 3, name=f"tile_{number}")
        lines = Signal(_PLACE_BITS - _MICROTILE - 3, name=f"microtile_{number}")
        m.d.comb += [tiles.eq(tile), lines.eq(before + tile_x)]
        inner = Cat(tile_x[:_SUBTILE_SIDE], tile_y[:_SUBTILE_SIDE])
        bits = bits_x[:9] + bits_y
        with m.If(kind.raster):
            m.d.sync += self.o[number].eq((before << 3) + bits_x)
        with m.Elif(level.tiled):
            m.d.sync += self.o[number].eq(Cat(bits[: _MICROTILE + 3], inner, subtile, tiles))
        with m.Else():
            m.d.sync += self.o[number].eq(Cat(bits[: _MICROTILE + 3], lines))
