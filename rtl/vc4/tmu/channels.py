"""Texels to the words of a result."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.errata import Erratum
from vc4.records.tmu import TextureType

from .blend import Blend
from .fixed_to_half import FixedToHalf
from .half_to_fixed import HALF_FIXED_BITS, HalfToFixed
from .texel_decode import TexelChannels, TexelDecode
from .texture import CONTEXTS, LookupNote, Pass, Sample
from .texture_fields import TextureFields

__all__ = ["Channels"]

_OPAQUE = 255
_BLENDED = TexelDecode.LATENCY + 1
_COLUMNS = _BLENDED + Blend.LATENCY
_LEVELS = _COLUMNS + Blend.LATENCY + 1
_HALVES = _LEVELS + Blend.LATENCY
_WORDS = _HALVES + FixedToHalf.LATENCY
_GREY = (TextureType.LUMINANCE, TextureType.LUMALPHA, TextureType.BW1)
_SOLID = (TextureType.RGBX8888, TextureType.RGB565, TextureType.LUMINANCE, TextureType.ETC1, TextureType.BW1,
          TextureType.YUYV422R)  # fmt: skip
_ALPHA = (TextureType.ALPHA, TextureType.A4, TextureType.A1)
_WIDE = (TextureType.S16F, TextureType.S16, TextureType.RGBA64)
#: Channels that may be half floats.
_WIDE_CHANNELS = 2
#: A byte as a signed number, and bits of a weight.
_BYTE_BITS, _FRACTION = 9, 8
#: Of a half float; above are the exponent and the sign.
_MANTISSA = 10
#: From this bit on a number in units of 2^-24 is too large for a half float.
_INFINITY = 16 + 24


def _is(kind, members):
    return Cat(kind == member for member in members).any()


class _Kind(data.Struct):
    """What is made of the channels of a type."""

    halves: unsigned(1)  # they are half floats
    wide: unsigned(1)  # a word is no four bytes
    pairs: unsigned(1)  # it is two channels
    single: unsigned(1)  # it is one byte


class Channels(wiring.Component):
    """Decodes four texels, blends them, and two levels, and makes a word of what comes out.

    A word has four bytes or two half floats: two of the four channels are as wide as half floats need it.

    Behaviour: a pass a clock, `Channels.LATENCY` clocks later; the first of two levels gives no word.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    border, border_context, border_stb : its border colour
    sample, words, bytes, stb : a pass, the words of its texels, and where they are there
    next : the context of what comes in the next clock
    now, word, word_stb : a word of the result, and the pass that it is of
    """

    LATENCY = _WORDS + 1

    note: In(LookupNote)
    note_stb: In(1)
    border: In(32)
    border_context: In(range(CONTEXTS))
    border_stb: In(1)
    sample: In(Sample)
    words: In(data.ArrayLayout(64, 4))
    bytes: In(data.ArrayLayout(3, 4))
    stb: In(1)
    next: Out(range(CONTEXTS))
    now: Out(Pass)
    word: Out(32)
    word_stb: Out(1)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        self._stages = [self.sample]
        strobes = [self.stb]
        for clock in range(self.LATENCY):
            stage = Signal(Sample, name=f"sample_{clock}")
            strobe = Signal(name=f"stb_{clock}")
            m.d.sync += [stage.eq(self._stages[-1]), strobe.eq(strobes[-1])]
            self._stages.append(stage)
            strobes.append(strobe)
        m.submodules.types = types = TextureFields("type")
        m.d.comb += [
            *(types.note.eq(self.note), types.note_stb.eq(self.note_stb)),
            types.context.eq(self.sample.now.context),
        ]
        self._type = types.o.type  # of the second stage
        self._kinds = self._follow(m)
        self._halves, self._firsts = [], []  # of wide channels
        border = self._border(m)
        texels = [self._texel(m, number, border) for number in range(4)]
        numbers = [self._blend(m, channel, [texel[channel] for texel in texels], strobes) for channel in range(4)]
        self._end(m, numbers)
        m.d.comb += [
            self.next.eq(self._stages[-2].now.context),
            self.now.eq(self._stages[-1].now),
            self.word_stb.eq(strobes[-1] & ~self._stages[-1].now.first),
        ]
        return m

    def _follow(self, m):
        """The kind of each stage, from the third on."""
        first = Signal(_Kind, name="kind_2")
        m.d.sync += [
            first.halves.eq(_is(self._type, (TextureType.S16F, TextureType.RGBA64))),
            first.wide.eq(_is(self._type, _WIDE)),
            first.pairs.eq(self._type == TextureType.RGBA64),
            first.single.eq(self._type == TextureType.S8),
        ]
        kinds = {2: first}
        for clock in range(3, _WORDS + 1):
            kinds[clock] = kind = Signal(_Kind, name=f"kind_{clock}")
            m.d.sync += kind.eq(kinds[clock - 1])
        return kinds

    def _end(self, m, numbers):
        """The word of what was blended."""
        kind, now = self._kinds[_WORDS], self._stages[_WORDS].now
        wide = []
        for channel in range(_WIDE_CHANNELS):
            chosen = Signal(16, name=f"channel_{channel}")
            blended = kind.halves & (now.linear | (now.weight != 0))
            passed = self._passed(self._firsts[channel], kind)
            m.d.comb += chosen.eq(Mux(blended, self._halves[channel], passed))
            wide.append(chosen)
        with m.If(kind.pairs):
            m.d.sync += self.word.eq(Cat(wide))
        with m.Elif(kind.wide):
            m.d.sync += self.word.eq(wide[0])
        with m.Elif(kind.single):
            m.d.sync += self.word.eq(numbers[0])
        with m.Else():
            m.d.sync += self.word.eq(Cat(numbers))

    def _passed(self, bits, kind):
        """What is not blended."""
        if Erratum.HW_2619 not in self._errata:
            return bits
        mantissa, exponent = bits[:_MANTISSA], bits[_MANTISSA:-1]
        is_power = (mantissa == 0) & exponent.any() & ~exponent.all()
        return Cat(bits[:-1], bits[-1] & ~(kind.halves & is_power))

    def _border(self, m):
        """Channels of the border colour, for decoded texels; those that a type does not have are what they always are."""
        m.submodules.borders = borders = LutRam(32, CONTEXTS)
        colour = Signal(32)
        kind = Signal(TextureType)
        m.d.comb += [
            borders.write_enable.eq(self.border_stb),
            borders.write_address.eq(self.border_context),
            borders.write_data.eq(self.border),
            borders.read_address.eq(self._stages[1].now.context),
        ]
        m.d.sync += [colour.eq(borders.read_data), kind.eq(self._type)]
        border = Signal(TexelChannels)
        bytes_ = [colour.word_select(number, 8) for number in range(4)]
        halves = [colour[:16], colour[16:]]
        with m.If(self._kinds[2].wide):
            m.d.sync += [channel.eq(half) for channel, half in zip(border.wide, halves, strict=True)]
        with m.Else():
            m.d.sync += [channel.eq(byte) for channel, byte in zip(border.each, bytes_, strict=True)]
            with m.If(_is(kind, _GREY)):
                m.d.sync += [channel.eq(bytes_[0]) for channel in border.each[1:3]]
            with m.If(_is(kind, _SOLID)):
                m.d.sync += border.each[3].eq(_OPAQUE)
            with m.If(_is(kind, _ALPHA)):
                m.d.sync += [channel.eq(0) for channel in border.each[:3]]
        return border

    def _texel(self, m, number, border):
        """Channels of a texel as numbers, each of one width, and as they are."""
        m.submodules[f"decode_{number}"] = decode = TexelDecode()
        sample = self.sample
        m.d.comb += [
            decode.type.eq(self._type),
            decode.i.word.eq(self.words[number]),
            # Of a texel that has two words the cache brings both.
            decode.i.byte.eq(self.bytes[number] | (sample.now.word << 2)),
            decode.i.bit.eq(sample.bits[number]),
            decode.i.x.eq(sample.x[number % 2]),
            decode.i.y.eq(sample.y[number // 2]),
        ]
        inside = self._stages[TexelDecode.LATENCY].inside[number]
        channels = []
        for channel, (decoded, outside) in enumerate(zip(decode.o.each, border.each, strict=True)):
            bits = Signal(len(decoded), name=f"bits_{number}_{channel}")
            m.d.comb += bits.eq(Mux(inside, decoded, outside))
            if channel < _WIDE_CHANNELS:
                m.submodules[f"fixed_{number}_{channel}"] = fixed = HalfToFixed()
                m.d.comb += [fixed.i.eq(bits), fixed.half.eq(self._kinds[TexelDecode.LATENCY].halves)]
                channels.append((fixed.o, bits))
            else:
                byte = Signal(signed(_BYTE_BITS), name=f"byte_{number}_{channel}")
                m.d.sync += byte.eq(bits)
                channels.append((byte, bits))
        return channels

    def _blend(self, m, channel, texels, strobes):
        """The blends of a channel: returns a byte. Of a wide one half floats are made, too."""
        rows = []
        for upper in range(2):
            m.submodules[f"row_{channel}_{upper}"] = row = Blend(len(texels[0][0]))
            m.d.comb += [
                row.first.eq(texels[2 * upper][0]),
                row.second.eq(texels[2 * upper + 1][0]),
                row.weight.eq(self._stages[_BLENDED].across),
            ]
            rows.append(row.o)
        m.submodules[f"column_{channel}"] = column = Blend(len(rows[0]))
        is_wide = channel < _WIDE_CHANNELS
        four = Signal(signed(HALF_FIXED_BITS if is_wide else len(column.o) - _FRACTION), name=f"four_{channel}")
        m.submodules[f"levels_{channel}"] = levels = Blend(len(four))
        held = Signal.like(four, name=f"held_{channel}")
        now = self._stages[_LEVELS].now
        rounded = (column.o + (1 << _FRACTION - 1)) >> _FRACTION
        m.d.comb += [
            column.first.eq(rows[0]),
            column.second.eq(rows[1]),
            column.weight.eq(self._stages[_COLUMNS].up),
            levels.first.eq(Mux(now.second, held, four)),
            levels.second.eq(four),
            levels.weight.eq(Mux(now.second, now.weight, 0)),
        ]
        m.d.sync += four.eq(
            Mux(self._kinds[_LEVELS - 1].halves, column.o >> 2 * _FRACTION, rounded) if is_wide else rounded
        )
        with m.If(strobes[_LEVELS] & now.first):
            m.d.sync += held.eq(four)
        if is_wide:
            m.submodules[f"half_{channel}"] = half = FixedToHalf()
            m.d.comb += half.i.eq(levels.o >> _FRACTION)
            self._halves.append(self._signed(m, channel, half.o, levels))
            self._firsts.append(self._first(m, channel, texels[0][1], strobes))
        number = (levels.o + (1 << 2 * _FRACTION - 1)) >> 2 * _FRACTION
        for clock in range(_HALVES, _WORDS):
            before, number = number, Signal(8, name=f"number_{channel}_{clock}")
            m.d.sync += number.eq(before)
        return number

    def _signed(self, m, channel, half, levels):
        """A half float of a blend of levels."""
        if Erratum.HW_2645 not in self._errata:
            return half
        # Of a single level both are the same.
        minus = levels.first[-1] & ~levels.second[-1] & levels.second[_INFINITY:-1].any()
        for clock in range(_LEVELS, _WORDS):
            before, minus = minus, Signal(name=f"minus_{channel}_{clock}")
            m.d.sync += minus.eq(before)
        return Cat(half[:-1], half[-1] | minus)

    def _first(self, m, channel, bits, strobes):
        """The bits of the first texel of the larger level."""
        for clock in range(TexelDecode.LATENCY, _LEVELS):
            before, bits = bits, Signal(16, name=f"bits_{channel}_{clock}")
            m.d.sync += bits.eq(before)
        held = Signal(16, name=f"held_bits_{channel}")
        now = self._stages[_LEVELS].now
        with m.If(strobes[_LEVELS] & now.first):
            m.d.sync += held.eq(bits)
        first = Mux(now.second, held, bits)
        for clock in range(_LEVELS, _WORDS):
            before, first = first, Signal(16, name=f"first_{channel}_{clock}")
            m.d.sync += first.eq(before)
        return first
