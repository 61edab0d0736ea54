"""Texels to the words of a result."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import TextureType

from .blend import Blend
from .fixed_to_half import FixedToHalf
from .half_to_fixed import HALF_FIXED_BITS, HalfToFixed
from .texel_decode import TexelChannels, TexelDecode
from .texture import Pass, Sample, Texture

__all__ = ["Channels"]

_OPAQUE = 255
_BLENDED = TexelDecode.LATENCY + 1
_COLUMNS = _BLENDED + Blend.LATENCY
_LEVELS = _COLUMNS + Blend.LATENCY + 1
_HALVES = _LEVELS + Blend.LATENCY
_WORDS = _HALVES + FixedToHalf.LATENCY
#: Which byte of the border colour each channel is, where it is not its own.
_REVERSED = {TextureType.RGBA4444: (3, 2, 1, 0), TextureType.RGBA5551: (3, 2, 1, 0), TextureType.RGB565: (2, 1, 0, 3)}
_GREY = (TextureType.LUMINANCE, TextureType.LUMALPHA, TextureType.BW1)
_SOLID = (TextureType.RGBX8888, TextureType.RGB565, TextureType.LUMINANCE, TextureType.ETC1, TextureType.BW1,
          TextureType.YUYV422R)  # fmt: skip
_ALPHA = (TextureType.ALPHA, TextureType.A4, TextureType.A1)
_WIDE = (TextureType.S16F, TextureType.S16, TextureType.RGBA64)


def _is(kind, members):
    return Cat(kind == member for member in members).any()


class Channels(wiring.Component):
    """Decodes four texels, blends them, and two levels, and makes a word of what comes out.

    Behaviour: a pass a clock, `Channels.LATENCY` clocks later; the first of two levels gives no word.

    Interface attributes
    --------------------
    texture, border : the same for all that is under way
    sample, words, bytes, stb : a pass, the words of its texels, and where they are there
    now, word, word_stb : a word of the result, and the pass that it is of
    """

    LATENCY = _WORDS + 1

    texture: In(Texture)
    border: In(32)
    sample: In(Sample)
    words: In(data.ArrayLayout(64, 4))
    bytes: In(data.ArrayLayout(3, 4))
    stb: In(1)
    now: Out(Pass)
    word: Out(32)
    word_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        kind = self.texture.type
        self._stages = [self.sample]
        strobes = [self.stb]
        for clock in range(self.LATENCY):
            stage = Signal(Sample, name=f"sample_{clock}")
            strobe = Signal(name=f"stb_{clock}")
            m.d.sync += [stage.eq(self._stages[-1]), strobe.eq(strobes[-1])]
            self._stages.append(stage)
            strobes.append(strobe)
        self._halves = Signal(name="halves")
        self._wide = Signal(name="wide")
        m.d.comb += [
            self._halves.eq((kind == TextureType.S16F) | (kind == TextureType.RGBA64)),
            self._wide.eq(_is(kind, _WIDE)),
        ]
        border = self._border(m, kind)
        texels = [self._texel(m, number, border) for number in range(4)]
        blends = [self._blend(m, channel, [texel[channel] for texel in texels], strobes) for channel in range(4)]
        end = self._stages[_WORDS]
        ends = []
        for channel, (number, half, first) in enumerate(blends):
            chosen = Signal(16, name=f"channel_{channel}")
            with m.If(~self._wide):
                m.d.comb += chosen.eq(number)
            with m.Elif(self._halves & (end.now.linear | (end.now.weight != 0))):
                m.d.comb += chosen.eq(half)
            with m.Else():
                m.d.comb += chosen.eq(first)
            ends.append(chosen)
        bytes_, sixteen = Cat(one[:8] for one in ends), Mux(end.now.word, Cat(*ends[2:]), Cat(*ends[:2]))
        with m.If(kind == TextureType.RGBA64):
            m.d.sync += self.word.eq(sixteen)
        with m.Elif(self._wide):
            m.d.sync += self.word.eq(ends[0])
        with m.Elif(kind == TextureType.S8):
            m.d.sync += self.word.eq(ends[0][:8])
        with m.Else():
            m.d.sync += self.word.eq(bytes_)
        m.d.comb += [
            self.now.eq(self._stages[-1].now),
            self.word_stb.eq(strobes[-1] & ~self._stages[-1].now.first),
        ]
        return m

    def _border(self, m, kind):
        """Channels of the border colour; those that a type does not have are what they always are."""
        border = Signal(TexelChannels)
        bytes_ = [self.border.word_select(number, 8) for number in range(4)]
        halves = [self.border[:16], self.border[16:]] * 2
        orders = {**_REVERSED, **dict.fromkeys(_GREY, (0, 0, 0, 3))}
        with m.If(self._wide):
            m.d.comb += [channel.eq(half) for channel, half in zip(border, halves, strict=True)]
        with m.Else():
            m.d.comb += [channel.eq(byte) for channel, byte in zip(border, bytes_, strict=True)]
            for order in set(orders.values()):
                with m.If(_is(kind, [one for one, its in orders.items() if its == order])):
                    m.d.comb += [border[channel].eq(bytes_[byte]) for channel, byte in enumerate(order)]
            with m.If(_is(kind, _SOLID)):
                m.d.comb += border[3].eq(_OPAQUE)
            with m.If(_is(kind, _ALPHA)):
                m.d.comb += [border[channel].eq(0) for channel in range(3)]
        return border

    def _texel(self, m, number, border):
        """Channels of a texel as numbers of one width, and as they are."""
        m.submodules[f"decode_{number}"] = decode = TexelDecode()
        sample = self.sample
        m.d.comb += [
            decode.type.eq(self.texture.type),
            decode.i.word.eq(self.words[number]),
            decode.i.byte.eq(self.bytes[number]),
            decode.i.bit.eq(sample.bits[number]),
            decode.i.x.eq(sample.x[number % 2]),
            decode.i.y.eq(sample.y[number // 2]),
        ]
        inside = self._stages[TexelDecode.LATENCY].inside[number]
        channels = []
        for channel in range(4):
            m.submodules[f"fixed_{number}_{channel}"] = fixed = HalfToFixed()
            bits = Signal(16, name=f"bits_{number}_{channel}")
            m.d.comb += [
                bits.eq(Mux(inside, decode.o[channel], border[channel])),
                fixed.i.eq(bits),
                fixed.half.eq(self._halves),
            ]
            channels.append((fixed.o, bits))
        return channels

    def _blend(self, m, channel, texels, strobes):
        """The blends of a channel: a byte, a half float, and the bits of the first texel of the larger level."""
        rows = []
        for upper in range(2):
            m.submodules[f"row_{channel}_{upper}"] = row = Blend(HALF_FIXED_BITS)
            m.d.comb += [
                row.first.eq(texels[2 * upper][0]),
                row.second.eq(texels[2 * upper + 1][0]),
                row.weight.eq(self._stages[_BLENDED].across),
            ]
            rows.append(row.o)
        m.submodules[f"column_{channel}"] = column = Blend(len(rows[0]))
        m.submodules[f"levels_{channel}"] = levels = Blend(HALF_FIXED_BITS)
        m.submodules[f"half_{channel}"] = half = FixedToHalf()
        four = Signal(signed(HALF_FIXED_BITS), name=f"four_{channel}")
        bits = texels[0][1]
        for clock in range(TexelDecode.LATENCY, _LEVELS):
            before, bits = bits, Signal(16, name=f"bits_{channel}_{clock}")
            m.d.sync += bits.eq(before)
        held = Signal.like(four, name=f"held_{channel}")
        held_bits = Signal(16, name=f"held_bits_{channel}")
        now = self._stages[_LEVELS].now
        m.d.comb += [
            column.first.eq(rows[0]),
            column.second.eq(rows[1]),
            column.weight.eq(self._stages[_COLUMNS].up),
            levels.first.eq(Mux(now.second, held, four)),
            levels.second.eq(four),
            levels.weight.eq(Mux(now.second, now.weight, 0)),
        ]
        m.d.sync += four.eq(Mux(self._halves, column.o >> 16, (column.o + 128) >> 8))
        with m.If(strobes[_LEVELS] & now.first):
            m.d.sync += [held.eq(four), held_bits.eq(bits)]
        first = Mux(now.second, held_bits, bits)
        for clock in range(_LEVELS, _WORDS):
            before, first = first, Signal(16, name=f"first_{channel}_{clock}")
            m.d.sync += first.eq(before)
        m.d.comb += half.i.eq(levels.o >> 8)
        number = (levels.o + (1 << 15)) >> 16
        for clock in range(_HALVES, _WORDS):
            before, number = number, Signal(8, name=f"number_{channel}_{clock}")
            m.d.sync += number.eq(before)
        return number, half.o, first
