"""Where the levels of images lie."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.bits import below
from vc4.common.ram import BlockRam
from vc4.errata import Erratum
from vc4.records.tmu import LEVELS, MOST_TEXELS

from .texel_places import LevelShape, TexelFormat
from .texture import CONTEXTS

__all__ = ["LevelEntry", "LevelNumber", "Levels"]

_SIZE_BITS = MOST_TEXELS.bit_length()
_TILE_SIDE, _SUBTILE_SIDE = 3, 2
#: The longest side of a microtile, as a power of two.
_MOST_SIDE = 5
_MICROTILE_BYTES = 6
#: Bytes that a row of a raster image is a multiple of.
_ROW = 4


class LevelEntry(data.Struct):
    """A level: how it lies, and its first byte from the base address on."""

    form: LevelShape
    offset: unsigned(32)


class LevelNumber(data.Struct):
    """A level of the image of a lookup."""

    level: range(LEVELS)
    context: range(CONTEXTS)


class _Level(data.Struct):
    """A level on its way to its place."""

    valid: unsigned(1)
    number: LevelNumber
    raster: unsigned(1)
    form: LevelShape


class Levels(wiring.Component):
    """A table of the levels of images, each right below the larger one (pipeline facts, 6.4).

    Behaviour: the levels of an image enter in the clocks after `start`, one a clock, and are in the table four clocks
    later; another image may start in the clock of the last one. Levels after the first are stored as if width and height
    were the next powers of two.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    ready, start : an image may start, and does
    context, format, width, height, last : of the image; the number of the last level that is wanted
    read, number, level : a level that is in the table is read, and is there a clock later
    """

    ready: Out(1)
    start: In(1)
    context: In(range(CONTEXTS))
    format: In(TexelFormat)
    width: In(_SIZE_BITS)
    height: In(_SIZE_BITS)
    last: In(range(LEVELS))
    read: In(1)
    number: In(LevelNumber)
    level: Out(LevelEntry)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.entries = entries = BlockRam(Shape.cast(LevelEntry).width, LEVELS * CONTEXTS, exclusive=True)
        kind = Signal(TexelFormat)
        last = Signal(range(LEVELS))
        # A level in each of the clocks: its size is known, its shape, its bytes.
        sized, shaped, measured = stages = [Signal(_Level, name=name) for name in ("sized", "shaped", "measured")]
        ends = sized.number.level == last
        with m.If(self.start):
            m.d.sync += [
                *(kind.eq(self.format), last.eq(self.last), sized.raster.eq(self.format.raster)),
                *(sized.valid.eq(1), sized.number.context.eq(self.context), sized.number.level.eq(0)),
            ]
        with m.Elif(sized.valid):
            m.d.sync += [sized.number.level.eq(sized.number.level + 1), sized.valid.eq(~ends)]
        for before, after in zip(stages, stages[1:], strict=False):
            m.d.sync += after.eq(before)
        (width, container), (height, _) = (self._shrink(m, name, getattr(self, name)) for name in ("width", "height"))
        row = container if Erratum.HW_2898 in self._errata else width
        rows = Signal(range(_SIZE_BITS))
        product = Signal(32, reset_less=True)
        offset = Signal(32, reset_less=True)  # of the level before
        entry = Signal(LevelEntry)
        self._store(m, kind, width, height, row, shaped.form, rows)
        # Levels after the first are powers of two in both directions, and nobody asks how large the first is.
        m.d.sync += product.eq(shaped.form.pitch << rows)
        size = Mux(measured.raster, product, product << _MICROTILE_BYTES)
        m.d.comb += [
            self.ready.eq(~sized.valid | ends),
            entry.form.eq(measured.form),
            entry.offset.eq(offset - size),
            entries.write_enable.eq(measured.valid),
            entries.write_address.eq(measured.number),
            entries.write_data.eq(entry),
            entries.read_enable.eq(self.read),
            entries.read_address.eq(self.number),
            Value.cast(self.level).eq(entries.read_data),
        ]
        with m.If(measured.valid):
            m.d.sync += offset.eq(entry.offset)
        with m.If(shaped.number.level == 0):
            m.d.sync += [product.eq(0), offset.eq(0)]
        for stage in stages:
            behind = (stage.number.context == self.number.context) & (stage.number.level <= self.number.level)
            m.d.sync += Assert(~(self.read & stage.valid & behind), "a level is read that is not in the table")
        return m

    def _shrink(self, m, name, whole):
        """Texels of the level, and the power of two that holds them; the next one is half of that."""
        extent = Signal(_SIZE_BITS, name=name)
        smaller = Signal(_SIZE_BITS, name=f"smaller_{name}")
        container = Signal(_SIZE_BITS, name=f"container_{name}")
        held = Signal(_SIZE_BITS, name=f"held_{name}")
        for bit in range(_SIZE_BITS - 1):
            with m.If((whole - 1)[bit]):
                m.d.comb += container.eq(2 << bit)
        with m.If(whole == 1):
            m.d.comb += container.eq(1)
        with m.If(self.start):
            m.d.sync += [extent.eq(whole), held.eq(container), smaller.eq(container >> 1)]
        with m.Else():
            least = Mux(smaller == 0, 1, smaller)
            m.d.sync += [extent.eq(least), held.eq(least), smaller.eq(smaller >> 1)]
        return extent, held

    def _store(self, m, kind, width, height, row, shape, rows):
        """How a level is stored that has this size, and `row` texels in a row of a raster image, a clock later: its shape, and
        the logarithm of rows of microtiles or texels, if they are a power of two.
        """
        rounded = [Signal(_SIZE_BITS + 1, name=f"rounded_{name}") for name in ("width", "height")]
        across = Signal(_SIZE_BITS)
        up = Signal(_SIZE_BITS)
        bytes_ = Signal(len(shape.pitch))
        tiled = Signal()
        m.d.comb += [
            *(rounded[0].eq(width + below(kind.width)[:_MOST_SIDE]), across.eq(rounded[0] >> kind.width)),
            *(rounded[1].eq(height + below(kind.height)[:_MOST_SIDE]), up.eq(rounded[1] >> kind.height)),
            bytes_.eq((row << kind.bits) >> 3),
            tiled.eq(~kind.raster & (across > 1 << _SUBTILE_SIDE) & (up > 1 << _SUBTILE_SIDE)),
        ]
        count = Signal(_SIZE_BITS)
        m.d.comb += count.eq(Mux(kind.raster, height, up))
        m.d.sync += [
            shape.tiled.eq(tiled),
            *(
                bit.eq(Cat(count[power] for power in range(_SIZE_BITS) if power >> number & 1).any())
                for number, bit in enumerate(rows)
            ),
        ]
        with m.If(kind.raster):
            m.d.sync += shape.pitch.eq((bytes_ + (1 << _ROW) - 1) >> _ROW << _ROW)
        with m.Elif(tiled):
            m.d.sync += shape.pitch.eq((across + (1 << _TILE_SIDE) - 1) >> _TILE_SIDE << _TILE_SIDE)
        with m.Else():
            m.d.sync += shape.pitch.eq(across)
