"""The addresses of texels."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import BASE_SHIFT, LEVELS, TextureType

from .axis import Axis
from .formats import format_of
from .levels import LevelEntry, LevelNumber
from .structs import TURN_BITS
from .texel_places import TexelFormat, TexelPlaces
from .texture import COORDINATE_FRACTION, LookupNote, Pass, Sample
from .texture_fields import TextureFields

__all__ = ["Points"]

_BITS = COORDINATE_FRACTION + 2
_SIZE_BITS, _TEXEL_BITS = 12, 11
#: A clock for the fields of the texture, and one for the size of the level.
_SIZES = 2
_AXES = _SIZES + Axis.LATENCY
#: A clock for the window, and one for images whose rows are turned round.
_TEXELS = _AXES + 2


class Points(wiring.Component):
    """Coordinates of an element to the addresses of its four texels in a level.

    Behaviour: a pass a clock, `Points.LATENCY` clocks later.

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    now, face, level, s, t, valid : a pass, and where it samples
    read, number, entry : its level in the table
    addresses, wanted, sample, stb : of its texels, (upper, right) from 0 on, and what is to be done with them
    turns : clocks that this takes after the first one: one for the second half float of a word, one for each further texel that
        YUYV422R blends
    """

    LATENCY = _TEXELS + TexelPlaces.LATENCY

    note: In(LookupNote)
    note_stb: In(1)
    now: In(Pass)
    face: In(range(6))
    level: In(range(LEVELS))
    s: In(signed(_BITS))
    t: In(signed(_BITS))
    valid: In(1)
    read: Out(1)
    number: Out(LevelNumber)
    entry: In(LevelEntry)
    addresses: Out(data.ArrayLayout(32, 4))
    wanted: Out(4)
    turns: Out(TURN_BITS)
    sample: Out(Sample)
    stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        stages = [self.now]
        valids = [self.valid]
        for clock in range(self.LATENCY):
            stage = Signal(Pass, name=f"pass_{clock}")
            valid = Signal(name=f"valid_{clock}")
            m.d.sync += [stage.eq(stages[-1]), valid.eq(valids[-1])]
            stages.append(stage)
            valids.append(valid)
        self._stages = stages
        levels = [self.level]
        for clock in range(_TEXELS - 1):
            level = Signal(range(LEVELS), name=f"level_{clock}")
            m.d.sync += level.eq(levels[-1])
            levels.append(level)
        m.d.comb += [
            self.stb.eq(valids[-1]),
            self.read.eq(valids[_TEXELS - 1]),
            self.number.level.eq(levels[-1]),
            self.number.context.eq(stages[_TEXELS - 1].context),
        ]
        sizes = self._fields(m, "sizes", 0, "wrap_s", "wrap_t", "window")
        image = self._fields(m, "image", _AXES - 2, "width", "height", "window", "flip")
        window = sizes.window
        axes = [
            self._axis(m, "s", levels, sizes.wrap_s, window.width, image.width, image.window.x, C(0, 1)),
            self._axis(m, "t", levels, sizes.wrap_t, window.height, image.height, image.window.y, image.flip),
        ]
        self._places(m, axes)
        return m

    def _fields(self, m, name, clock, *names):
        """Fields of the lookup whose pass is in this stage; they are there for the next one."""
        m.submodules[name] = fields = TextureFields(*names)
        m.d.comb += [
            *(fields.note.eq(self.note), fields.note_stb.eq(self.note_stb)),
            fields.context.eq(self._stages[clock].context),
        ]
        return fields.o

    def _delayed(self, m, name, value, count):
        for clock in range(count):
            before, value = value, Signal.like(Value.cast(value), name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
        return value

    def _axis(self, m, name, levels, wrap, window, extent, corner, flips):
        """Texels of an axis, `_TEXELS` clocks later; and whether they are inside, and the weight, `_AXES` clocks later."""
        m.submodules[f"axis_{name}"] = axis = Axis()
        shrunk = Signal(_SIZE_BITS, name=f"size_{name}")
        wrap_later = Signal.like(wrap, name=f"wrap_{name}")
        m.d.sync += [shrunk.eq(window >> levels[_SIZES - 1]), wrap_later.eq(wrap)]
        m.d.comb += [
            axis.coordinate.eq(self._delayed(m, f"coordinate_{name}", getattr(self, name), _SIZES)),
            axis.wrap.eq(wrap_later),
            axis.size.eq(Mux(shrunk == 0, 1, shrunk)),
            axis.linear.eq(self._stages[_SIZES].linear),
        ]
        # The last texel of the level, and the corner of the window there.
        last = Signal(_SIZE_BITS, name=f"last_{name}")
        first = Signal(_TEXEL_BITS, name=f"first_{name}")
        whole = extent >> levels[_AXES - 1]
        m.d.sync += [last.eq(Mux(whole == 0, 0, whole - 1)), first.eq(corner >> levels[_AXES - 1])]
        texels, turned = [], []
        last_later = self._delayed(m, f"last_{name}", last, 1)
        flips = self._delayed(m, f"flips_{name}", flips, 2)
        for number in range(2):
            moved = Signal(13, name=f"moved_{name}_{number}")
            texel = Signal(_TEXEL_BITS, name=f"limited_{name}_{number}")
            end = Signal(_TEXEL_BITS, name=f"texel_{name}_{number}")
            m.d.comb += moved.eq(axis.o.texels[number] + first)
            m.d.sync += [
                texel.eq(Mux(moved > last, last, moved)),
                end.eq(Mux(flips, last_later - texel, texel)),
            ]
            texels.append(texel)
            turned.append(end)
        return axis.o, turned

    def _places(self, m, axes):
        """Texels of the level to addresses."""
        (across, columns), (up, rows) = axes
        m.submodules.places = places = TexelPlaces()
        texels = self._fields(m, "texels", _TEXELS - 1, "type", "flip_blocks")
        format_ = Signal(TexelFormat)
        format_of(m, texels.type, format_)
        m.d.comb += [
            places.format.eq(format_),
            places.level.eq(self.entry.form),
            places.first.eq(self._first(m)),
            *(places.x[number].eq(columns[number]) for number in range(2)),
            *(places.y[number].eq(rows[number]) for number in range(2)),
        ]
        sample = self.sample
        pairs = texels.type == TextureType.YUYV422R
        turns = Mux(texels.type == TextureType.RGBA64, 1, Mux(pairs & self._stages[_TEXELS].linear, 3, 0))
        m.d.comb += self.turns.eq(self._delayed(m, "turns", turns, self.LATENCY - _TEXELS))
        for place in range(4):
            m.d.comb += [self.addresses[place].eq(places.o[place]), sample.bits[place].eq(places.bits[place % 2])]
        after = self.LATENCY - _TEXELS
        for number in range(2):
            turns = (texels.type == TextureType.ETC1) & ~texels.flip_blocks
            m.d.comb += [
                sample.x[number].eq(self._delayed(m, f"x_{number}", columns[number][:2], after)),
                sample.y[number].eq(self._delayed(m, f"y_{number}", rows[number][:2] ^ turns.replicate(2), after)),
            ]
        now = self._stages[-1]
        inside = Cat(across.inside[right] & up.inside[upper] for upper in range(2) for right in range(2))
        inside = self._delayed(m, "inside", inside, self.LATENCY - _AXES)
        m.d.comb += [
            sample.inside.eq(inside),
            sample.across.eq(self._delayed(m, "across", across.weight, self.LATENCY - _AXES)),
            sample.up.eq(self._delayed(m, "up", up.weight, self.LATENCY - _AXES)),
            sample.now.eq(now),
            self.wanted.eq(inside & Mux(now.linear, 15, 1)),
        ]

    def _first(self, m):
        """The address of the level on its face of a cube."""
        clock = _TEXELS + TexelPlaces.FIRST
        image = self._fields(m, "bases", clock - 4, "base", "stride")
        face = self._delayed(m, "face", self.face, clock - 3)
        faces = Signal(len(image.stride) + 3)
        base, begins = Signal.like(image.base, name="base"), Signal.like(image.base, name="begins")
        first = Signal(32)
        # Faces are 0 to 5.
        two_or_four = Mux(face[2], image.stride << 2, Mux(face[1], image.stride << 1, 0))
        m.d.sync += [
            *(faces.eq(two_or_four + Mux(face[0], image.stride, 0)), base.eq(image.base)),
            begins.eq(base + faces),
            first.eq(self._delayed(m, "offset", self.entry.offset, TexelPlaces.FIRST - 1) + (begins << BASE_SHIFT)),
        ]
        return first
