"""Addresses of four texels."""

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
#: What a column adds to an address: microtiles, or bytes of a raster image, are fewer.
_SUM_BITS = _TILE + _TEXEL_BITS - _TILE_SIDE


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
    """Addresses of texels, or of the blocks that hold them, and the first bit there. A pair of YUYV422R is a block.

    An address is the sum of what follows from the row and what follows from the column. Only T-format takes both together: the
    order of sub-tiles, and of tiles, which goes back in odd rows.

    Behaviour: four texels a clock, `TexelPlaces.LATENCY` clocks later.

    Interface attributes
    --------------------
    format, level : of the texture
    x, y : columns and rows: of two of each
    first : address of the level, `TexelPlaces.FIRST` clocks later
    o, bits : addresses, (upper, right) from 0 on, and of each column the first bit
    """

    LATENCY, FIRST = 4, 2

    format: In(TexelFormat)
    level: In(LevelShape)
    x: In(data.ArrayLayout(_TEXEL_BITS, 2))
    y: In(data.ArrayLayout(_TEXEL_BITS, 2))
    first: In(32)
    o: Out(data.ArrayLayout(32, 4))
    bits: Out(data.ArrayLayout(3, 2))

    def elaborate(self, platform):
        m = Module()
        kind, level = self.format, self.level
        kinds = [Signal(TexelFormat, name=f"format_{clock}") for clock in range(2)]
        levels = [Signal(LevelShape, name=f"level_{clock}") for clock in range(2)]
        m.d.sync += [
            *(kinds[0].eq(kind), kinds[1].eq(kinds[0])),
            *(levels[0].eq(level), levels[1].eq(levels[0])),
        ]
        tiled = levels[1].tiled & ~kinds[1].raster
        columns = [self._column(m, number, kinds, tiled) for number in range(2)]
        rows = [self._row(m, number, kinds, levels, tiled) for number in range(2)]
        for upper, row in enumerate(rows):
            for right, column in enumerate(columns):
                self._place(m, 2 * upper + right, column, row, tiled)
        return m

    def _split(self, m, name, texel, side, block):
        """Number of the microtile, and of the block in it; a clock later."""
        tile = Signal(_TEXEL_BITS, name=f"{name}_tile")
        inner = Signal(5, name=f"{name}_inner")
        m.d.sync += [tile.eq(texel >> side), inner.eq((texel[:5] & ((1 << side) - 1)[:5]) >> block)]
        return tile, inner

    def _column(self, m, number, kinds, tiled):
        """Of a column: whether its tile has sub-tiles on the right of it, two clocks later; what it adds to an address, three
        clocks later.
        """
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
        # A raster image has texels of 32 bits, or pairs of that size.
        pair = kinds[1].raster & ~kinds[1].bits[0]
        low = Cat(bits[3], bits[4] & ~pair, bits[5 : _MICROTILE + 3])
        added = Signal(_SUM_BITS, name=f"x{number}_added")
        first_bit, first_later = (Signal(3, name=f"x{number}_bit_{clock}") for clock in range(2))
        m.d.sync += [first_bit.eq(bits[:3]), first_later.eq(first_bit)]
        m.d.comb += self.bits[number].eq(first_later)
        with m.If(kinds[1].raster):
            m.d.sync += added.eq(Cat(low, bits[_MICROTILE + 3 :]))
        with m.Elif(tiled):
            # Below are the rows, and the sub-tile.
            m.d.sync += added.eq(
                Cat(low, tiles[:_SUBTILE_SIDE], C(0, _TILE - _MICROTILE - _SUBTILE_SIDE), tiles[_TILE_SIDE:])
            )
        with m.Else():
            m.d.sync += added.eq(Cat(low, tiles))
        return tiles[_SUBTILE_SIDE], added

    def _row(self, m, number, kinds, levels, tiled):
        """Of a row: whether its tile has sub-tiles below it, and is in an odd row of them, two clocks later; and the address of its
        first texel, three clocks later.
        """
        kind = self.format
        tile, inner = self._split(m, f"y{number}", self.y[number], kind.height, kind.block)
        y = Signal(_TEXEL_BITS, name=f"y{number}_texel")
        rows = Signal(_TILE_SIDE + 1, name=f"y{number}_row")
        before = Signal(_TEXEL_BITS + _PITCH_BITS, name=f"y{number}_before")
        bits = Signal(9, name=f"y{number}_bits")
        tall, pitch = levels[0].tiled, levels[0].pitch
        # An odd row of tiles goes back from its end, where the next one begins.
        ends = tile[_TILE_SIDE:] + tile[_TILE_SIDE]
        count = Mux(kinds[0].raster, y, Mux(tall, ends, tile))
        each = Mux(tall & ~kinds[0].raster, pitch >> _TILE_SIDE, pitch)
        across = kinds[0].width - kinds[0].block
        m.d.sync += [
            y.eq(self.y[number]),
            rows.eq(tile),
            before.eq(count * each),
            bits.eq(inner << (across + kinds[0].bits)[:4]),
        ]
        added = Signal(32, name=f"y{number}_added")
        first = Signal(32, name=f"y{number}_first")
        with m.If(kinds[1].raster):
            m.d.comb += added.eq(before)
        with m.Elif(tiled):
            inside = Cat(bits[3:], C(0, _SUBTILE_SIDE), rows[:_SUBTILE_SIDE])
            m.d.comb += added.eq(Cat(inside, C(0, _TILE - len(inside)), before))
        with m.Else():
            m.d.comb += added.eq(Cat(bits[3:], before))
        m.d.sync += first.eq(self.first + added)
        return rows[_SUBTILE_SIDE], rows[_TILE_SIDE], first

    def _place(self, m, number, column, row, tiled):
        """The address of one texel: two clocks from what is known of its column and its row."""
        (right, across), (lower, odd, first) = column, row
        chosen = Signal(2, name=f"order_{number}")
        subtile = Signal(2, name=f"subtile_{number}")
        back = Signal(name=f"back_{number}")
        with m.Switch(Cat(right, lower, odd)):
            for parity, order in enumerate(_SUBTILES):
                for place, number_of in enumerate(order):
                    with m.Case(4 * parity + place):
                        m.d.comb += chosen.eq(number_of)
        m.d.sync += [subtile.eq(Mux(tiled, chosen, 0)), back.eq(tiled & odd)]
        # The complement of a number of tiles is one less than none of them.
        tiles = Cat(across[_TILE:], C(0, 32 - _SUM_BITS)) ^ back.replicate(32 - _TILE)
        m.d.sync += self.o[number].eq(first + Cat(across[:_SUBTILE], across[_SUBTILE:_TILE] | subtile, tiles))
