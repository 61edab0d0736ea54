"""The addresses of texels."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import BASE_SHIFT, TextureType, Wrap

from .axis import Axis
from .fixed_point import FixedPoint
from .formats import format_of
from .levels import LevelEntry
from .texel_places import TexelFormat, TexelPlaces
from .texture import Pass, Sample, Texture

__all__ = ["Points"]

_FRACTION, _BITS = 24, 26
_ONE = 1 << _FRACTION
_SIZE_BITS = 12
_FIXED = FixedPoint.LATENCY
_AXES = _FIXED + Axis.LATENCY
#: A clock for the window, and one for images whose rows are turned round.
_TEXELS = _AXES + 2
_PLACES = _TEXELS + TexelPlaces.LATENCY


class Points(wiring.Component):
    """Coordinates of an element to the addresses of its four texels in a level.

    Behaviour: a pass a clock, `Points.LATENCY` clocks later.

    Interface attributes
    --------------------
    texture : the same for all that is under way
    now, valid : a pass
    s, t : its coordinates, floats, on its face if it is of a cube
    number, level : its level in the table
    addresses, wanted, sample, stb : of its texels, (upper, right) from 0 on, and what is to be done with them
    """

    LATENCY = _PLACES + 1

    texture: In(Texture)
    now: In(Pass)
    valid: In(1)
    s: In(32)
    t: In(32)
    number: Out(4)
    level: In(LevelEntry)
    addresses: Out(data.ArrayLayout(32, 4))
    wanted: Out(4)
    sample: Out(Sample)
    stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        texture = self.texture
        stages = [self.now]
        valid = self.valid
        for clock in range(self.LATENCY):
            stage = Signal(Pass, name=f"pass_{clock}")
            follows = Signal(name=f"valid_{clock}")
            m.d.sync += [stage.eq(stages[-1]), follows.eq(valid)]
            stages.append(stage)
            valid = follows
        m.d.comb += self.stb.eq(valid)
        axes = [
            self._axis(m, name, stages, getattr(self, name), *args)
            for name, args in (
                ("s", (texture.wrap_s, texture.width, texture.size.width, texture.offset.x)),
                ("t", (texture.wrap_t, texture.height, texture.size.height, texture.offset.y)),
            )
        ]
        self._places(m, stages, axes)
        return m

    def _delayed(self, m, name, value, count):
        for clock in range(count):
            before, value = value, Signal.like(Value.cast(value), name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
        return value

    def _axis(self, m, name, stages, value, wrap, extent, window, corner):
        """Texels of an axis, `_TEXELS` clocks later; and whether they are inside, and the weight, `_AXES` clocks later."""
        texture = self.texture
        m.submodules[f"fixed_{name}"] = fixed = FixedPoint(_FRACTION, _BITS)
        m.submodules[f"axis_{name}"] = axis = Axis()
        m.d.comb += [
            fixed.value.eq(value),
            fixed.modulo.eq(~texture.cube & ((wrap == Wrap.REPEAT) | (wrap == Wrap.MIRROR))),
        ]
        window = Mux(window == 0, 1 << 11, window)
        shrunk = Signal(_SIZE_BITS, name=f"size_{name}")
        m.d.sync += shrunk.eq(Mux(texture.child, window, extent) >> stages[_FIXED - 1].level)
        m.d.comb += [
            axis.coordinate.eq(Mux(texture.cube, (fixed.o + _ONE) >> 1, fixed.o)),
            axis.wrap.eq(wrap),
            axis.size.eq(Mux(shrunk == 0, 1, shrunk)),
            axis.linear.eq(stages[_FIXED].linear),
        ]
        # The last texel of the level, and the corner of the window there.
        last = Signal(_SIZE_BITS, name=f"last_{name}")
        first = Signal(11, name=f"first_{name}")
        whole = extent >> stages[_AXES - 1].level
        m.d.sync += [
            last.eq(Mux(whole == 0, 0, whole - 1)),
            first.eq(Mux(texture.child, corner >> stages[_AXES - 1].level, 0)),
        ]
        texels, turned = [], []
        last_later = self._delayed(m, f"last_{name}", last, 1)
        flips = texture.flip if name == "t" else C(0, 1)
        for number in range(2):
            moved = Signal(13, name=f"moved_{name}_{number}")
            texel = Signal(11, name=f"limited_{name}_{number}")
            end = Signal(11, name=f"texel_{name}_{number}")
            m.d.comb += moved.eq(axis.o.texels[number] + first)
            m.d.sync += [
                texel.eq(Mux(moved > last, last, moved)),
                end.eq(Mux(flips, last_later - texel, texel)),
            ]
            texels.append(texel)
            turned.append(end)
        return axis.o, turned

    def _places(self, m, stages, axes):
        """Texels of the level to addresses."""
        texture = self.texture
        (across, columns), (up, rows) = axes
        m.submodules.places = places = TexelPlaces()
        format_ = Signal(TexelFormat)
        format_of(m, texture.type, format_)
        later = Signal(LevelEntry)
        m.d.sync += later.eq(self.level)
        offset = self._delayed(m, "offset", later.offset, TexelPlaces.LATENCY - 1)
        first = Signal(32)
        face = stages[_PLACES - 1].face
        m.d.sync += first.eq(
            offset
            + ((texture.base + Mux(face[0], texture.stride, 0) + Mux(face[1], texture.stride << 1, 0)
               + Mux(face[2], texture.stride << 2, 0)) << BASE_SHIFT)
        )  # fmt: skip
        m.d.comb += [
            self.number.eq(stages[_TEXELS - 1].level),
            places.format.eq(format_),
            places.level.eq(later.form),
            *(places.x[number].eq(columns[number]) for number in range(2)),
            *(places.y[number].eq(rows[number]) for number in range(2)),
        ]
        sample = self.sample
        for place in range(4):
            address = first + (places.o[place] >> 3)
            m.d.sync += [self.addresses[place].eq(address), sample.bits[place].eq(places.o[place][:3])]
        after = self.LATENCY - _TEXELS
        for number in range(2):
            turns = (texture.type == TextureType.ETC1) & ~texture.flip_blocks
            m.d.comb += [
                sample.x[number].eq(self._delayed(m, f"x_{number}", columns[number][:2], after)),
                sample.y[number].eq(self._delayed(m, f"y_{number}", rows[number][:2] ^ turns.replicate(2), after)),
            ]
        inside = Cat(across.inside[right] & up.inside[upper] for upper in range(2) for right in range(2))
        after = self.LATENCY - _AXES
        inside = self._delayed(m, "inside", inside, after)
        m.d.comb += [
            sample.inside.eq(inside),
            sample.across.eq(self._delayed(m, "across", across.weight, after)),
            sample.up.eq(self._delayed(m, "up", up.weight, after)),
            sample.now.eq(stages[-1]),
            self.wanted.eq(inside & Mux(stages[-1].linear, 15, 1)),
        ]
