"""Where the levels of an image lie."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.records.tmu import LEVELS, MOST_TEXELS

from .texel_places import LevelShape, TexelFormat

__all__ = ["LevelEntry", "Levels"]

_SIZE_BITS = MOST_TEXELS.bit_length()
_TILE_SIDE, _SUBTILE_SIDE = 3, 2
_MICROTILE_BYTES = 6
#: Bytes that a row of a raster image is a multiple of.
_ROW = 4


class LevelEntry(data.Struct):
    """A level: how it lies, and its first byte from the base address on."""

    form: LevelShape
    offset: unsigned(32)


class Levels(wiring.Component):
    """A table of the levels of an image, each right below the larger one (fact sheet of the pipeline, 6.4).

    Behaviour: it is made in four clocks a level; levels behind the first are stored as if width and height
    were the next powers of two.

    Interface attributes
    --------------------
    start : make the table; everything else stays as it is until that is done
    format, width, height, last : of the image; the number of the last level that is wanted
    busy : it is being made
    number, level : a level, in the same clock
    """

    start: In(1)
    format: In(TexelFormat)
    width: In(_SIZE_BITS)
    height: In(_SIZE_BITS)
    last: In(range(LEVELS))
    busy: Out(1)
    number: In(range(LEVELS))
    level: Out(LevelEntry)

    def elaborate(self, platform):
        m = Module()
        kind = self.format
        m.submodules.entries = entries = LutRam(Shape.cast(LevelEntry).width, LEVELS)
        number = Signal(range(LEVELS))
        step = Signal(2)
        busy = Signal()
        width = Signal(_SIZE_BITS)
        height = Signal(_SIZE_BITS)
        shape = Signal(LevelShape)
        rows = Signal(_SIZE_BITS)
        product = Signal(32)
        entry = Signal(LevelEntry)
        offset = Signal(32)
        m.d.comb += [
            self.busy.eq(busy),
            entries.read_address.eq(self.number),
            Value.cast(self.level).eq(entries.read_data),
            entries.write_address.eq(number),
            entries.write_data.eq(entry),
            entries.write_enable.eq(busy & (step == 3)),
        ]
        for extent, whole in (width, self.width), (height, self.height):
            shrunk = self._container(m, extent.name, whole) >> number
            with m.If(step == 0):
                m.d.sync += extent.eq(Mux(number == 0, whole, Mux(shrunk == 0, 1, shrunk)))
        with m.If(step == 1):
            self._store(m, width, height, shape, rows)
        with m.If(step == 2):
            m.d.sync += product.eq(shape.pitch * rows)
        size = Mux(kind.raster, product, product << _MICROTILE_BYTES)
        m.d.comb += [
            entry.form.eq(shape),
            entry.offset.eq(Mux(number == 0, 0, offset - size)),
        ]
        with m.If(self.start):
            m.d.sync += [busy.eq(1), number.eq(0), step.eq(0)]
        with m.Elif(busy):
            m.d.sync += step.eq(step + 1)
            with m.If(step == 3):
                m.d.sync += [offset.eq(entry.offset), number.eq(number + 1), busy.eq(number != self.last)]
        return m

    @staticmethod
    def _container(m, name, whole):
        """The next power of two."""
        container = Signal(_SIZE_BITS, name=f"container_{name}")
        for bit in range(_SIZE_BITS - 1):
            with m.If((whole - 1)[bit]):
                m.d.comb += container.eq(2 << bit)
        with m.If(whole == 1):
            m.d.comb += container.eq(1)
        return container

    def _store(self, m, width, height, shape, rows):
        """How a level is stored that has this size, a clock later: its shape, and rows of microtiles or texels."""
        kind = self.format
        rounded = [Signal(_SIZE_BITS + 1, name=f"rounded_{name}") for name in ("width", "height")]
        across = Signal(_SIZE_BITS)
        up = Signal(_SIZE_BITS)
        bytes_ = Signal(len(shape.pitch))
        tiled = Signal()
        m.d.comb += [
            *(rounded[0].eq(width + (1 << kind.width) - 1), across.eq(rounded[0] >> kind.width)),
            *(rounded[1].eq(height + (1 << kind.height) - 1), up.eq(rounded[1] >> kind.height)),
            bytes_.eq((width << kind.bits) >> 3),
            tiled.eq(
                ~kind.raster
                & (width > (1 << _SUBTILE_SIDE << kind.width))
                & (height > (1 << _SUBTILE_SIDE << kind.height))
            ),
        ]
        m.d.sync += shape.tiled.eq(tiled)
        with m.If(kind.raster):
            m.d.sync += [shape.pitch.eq((bytes_ + (1 << _ROW) - 1) >> _ROW << _ROW), rows.eq(height)]
        with m.Elif(tiled):
            m.d.sync += [
                shape.pitch.eq((across + (1 << _TILE_SIDE) - 1) >> _TILE_SIDE << _TILE_SIDE),
                rows.eq((up + (1 << _TILE_SIDE) - 1) >> _TILE_SIDE << _TILE_SIDE),
            ]
        with m.Else():
            m.d.sync += [shape.pitch.eq(across), rows.eq(up)]
