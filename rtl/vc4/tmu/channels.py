"""Texels to the words of a result."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.errata import Erratum
from vc4.records.tmu import TextureType

from .blend import Blend
from .border_colours import BorderColours
from .fixed_to_half import FixedToHalf
from .four_halves import HALF_FIXED_BITS, FourHalves
from .level_blend import LevelBlend
from .texel_decode import WIDE, TexelDecode
from .texel_weights import TexelWeights
from .texture import CONTEXTS, LookupNote, Pass, Sample
from .texture_fields import TextureFields
from .yuv_decode import YuvDecode

__all__ = ["Channels"]

#: Stages: texels are decoded, bytes of two are blended, those of four, levels.
_DECODED = TexelDecode.LATENCY
_BLENDED = _DECODED + 1
_COLUMNS = _BLENDED + Blend.LATENCY
_LEVELS = _COLUMNS + Blend.LATENCY + 1
_HALVES = _LEVELS + LevelBlend.LATENCY
_WORDS = _HALVES + FixedToHalf.LATENCY
#: Bits of a weight; a byte as a signed number, and two of them blended.
_FRACTION = 8
_BYTE_BITS = 9
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
    yuv: unsigned(1)


class Channels(wiring.Component):
    """Decodes four texels, blends them, and two levels, and makes a word of what comes out.

    A word has four bytes or two half floats. There is one blend for half floats and one decoder of YUYV422R: of RGBA64 the upper
    half of a word comes in the clock before the lower one, and texels of YUYV422R come from the last one on.

    Behaviour: a pass a clock, or if it has several turns one a turn, `Channels.LATENCY` clocks after the last one; the first of
    two levels gives no word.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    border, border_context, border_stb : its border colour
    sample, words, bytes, stb : a pass, the words of its texels, and where they are there; in its last turn
    turns, turn : turns of the pass that follow its first one, and this one
    raws : four bytes from each texel on, a clock later
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
    turns: In(2)
    turn: In(2)
    raws: Out(data.ArrayLayout(32, 4))
    next: Out(range(CONTEXTS))
    now: Out(Pass)
    word: Out(32)
    word_stb: Out(1)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        self._stages = self._delayed(m, "sample", self.sample, self.LATENCY)
        self._strobes = self._delayed(m, "stb", self.stb, self.LATENCY)
        #: The upper half of a word is there.
        self._uppers = self._delayed(m, "upper", self.turn[0] & ~self.turns[1], _WORDS)
        m.submodules.types = types = TextureFields("type")
        m.d.comb += [
            *(types.note.eq(self.note), types.note_stb.eq(self.note_stb)),
            types.context.eq(self.sample.now.context),
        ]
        self._type = types.o.type  # of the second stage
        self._kinds = self._follow(m)
        halves, bytes_ = self._levels(m, *self._texels(m, self._border(m)))
        self._end(m, halves, bytes_)
        m.d.comb += [
            self.next.eq(self._stages[-2].now.context),
            self.now.eq(self._stages[-1].now),
            self.word_stb.eq(self._strobes[-1] & ~self._stages[-1].now.first),
        ]
        return m

    def _delayed(self, m, name, value, count):
        """The value, and what it is in each stage after that."""
        values = [value]
        for clock in range(count):
            later = Signal.like(value, name=f"{name}_{clock}")
            m.d.sync += later.eq(values[-1])
            values.append(later)
        return values

    def _follow(self, m):
        """The kind of each stage, from the third on."""
        first = Signal(_Kind, name="kind")
        m.d.sync += [
            first.halves.eq(_is(self._type, (TextureType.S16F, TextureType.RGBA64))),
            first.wide.eq(_is(self._type, WIDE)),
            first.pairs.eq(self._type == TextureType.RGBA64),
            first.single.eq(self._type == TextureType.S8),
            first.yuv.eq(self._type == TextureType.YUYV422R),
        ]
        return [None, None, *self._delayed(m, "kind", first, _WORDS - 2)]

    def _border(self, m):
        """Channels of the border colour, for decoded texels."""
        m.submodules.borders = borders = BorderColours()
        m.d.comb += [
            *(borders.colour.eq(self.border), borders.colour_context.eq(self.border_context)),
            *(borders.colour_stb.eq(self.border_stb), borders.context.eq(self._stages[1].now.context)),
            *(borders.type.eq(self._type), borders.upper.eq(self._uppers[1])),
        ]
        return borders.o

    def _texels(self, m, border):
        """Channels of the four texels, decoded: of each channel a list."""
        sample, raws, decoded = self.sample, [], []
        for number in range(4):
            m.submodules[f"decode_{number}"] = decode = TexelDecode()
            m.d.comb += [
                decode.type.eq(self._type),
                decode.i.word.eq(self.words[number]),
                # Of a texel that has two words the cache brings both.
                decode.i.byte.eq(self.bytes[number] | (sample.now.word << 2) | (self._uppers[0] << 1)),
                decode.i.bit.eq(sample.bits[number]),
                decode.i.x.eq(sample.x[number % 2]),
                decode.i.y.eq(sample.y[number // 2]),
            ]
            raws.append(decode.raw)
            m.d.comb += self.raws[number].eq(decode.raw)
            decoded.append(decode.o.each)
        channels = [[] for _ in range(4)]
        for number, (texel, colours) in enumerate(zip(decoded, self._yuv(m, raws), strict=True)):
            inside = self._stages[_DECODED].inside[number]
            for channel, (one, colour, outside) in enumerate(zip(texel, (*colours, 0), border.each, strict=True)):
                bits = Signal(len(one), name=f"bits_{number}_{channel}")
                m.d.comb += bits.eq(Mux(inside, one | colour, outside))
                channels[channel].append(bits)
        return channels

    def _yuv(self, m, raws):
        """Red, green and blue of YUYV422R for each texel: each keeps its own until the next pass."""
        m.submodules.yuv = yuv = YuvDecode()
        turns = self._delayed(m, "turn", self.turn, 2)
        m.d.comb += [
            yuv.pair.eq(select(turns[1], raws)),
            yuv.odd.eq(Mux(turns[1][0], self._stages[1].x[1][0], self._stages[1].x[0][0])),
        ]
        colours = [Signal(data.ArrayLayout(8, 3), name=f"yuv_{number}", reset_less=True) for number in range(4)]
        here = self._kinds[2].yuv
        for number, colour in enumerate(colours):
            with m.If(~here | (turns[2] == number)):
                m.d.sync += Value.cast(colour).eq(Mux(here, yuv.o, 0))
        return colours

    def _levels(self, m, first, *others):
        """The blends of four texels, and of levels: returns a half float and four bytes, as they are for words.

        Only the first channel may be half floats. Bytes are rounded after four texels, too.
        """
        m.submodules.weights = weights = TexelWeights()
        m.submodules.four_halves = four = FourHalves()
        m.submodules.levels = levels = LevelBlend()
        early = self._stages[_DECODED + FourHalves.WEIGHTS - TexelWeights.LATENCY]
        before = self._stages[_LEVELS - 1].now
        wide = Signal(signed(HALF_FIXED_BITS))
        m.d.comb += [
            *(weights.across.eq(early.across), weights.up.eq(early.up), four.weights.eq(weights.o)),
            *(four.texels[number].eq(bits) for number, bits in enumerate(first)),
            *(levels.wide.eq(wide), levels.halves.eq(self._kinds[_LEVELS - 1].halves)),
            *(getattr(levels, name).eq(getattr(before, name)) for name in ("first", "second", "weight")),
            *(levels.stb.eq(self._strobes[_LEVELS - 1]), levels.other_stb.eq(self._uppers[_LEVELS - 1])),
        ]
        rounded = (four.o + (1 << _FRACTION - 1)) >> _FRACTION
        m.d.sync += wide.eq(Mux(self._kinds[_LEVELS - 1].halves, four.o >> 2 * _FRACTION, rounded[: 2 * _FRACTION]))
        for number, texels in enumerate(others):
            m.d.comb += levels.bytes[number].eq(self._column(m, number + 1, texels))
        m.submodules.half = half = FixedToHalf()
        m.d.comb += half.i.eq(levels.o >> _FRACTION)
        bytes_ = self._delayed(m, "bytes", Value.cast(levels.bytes_o), _WORDS - _LEVELS - LevelBlend.BYTES)[-1]
        return self._half(m, self._signed(m, half.o, wide), self._first(m, first[0])), bytes_

    def _column(self, m, channel, texels):
        """Four bytes, blended and rounded to units of 1/256."""
        bytes_ = [Signal(_BYTE_BITS - 1, name=f"byte_{number}_{channel}") for number in range(4)]
        m.d.sync += [byte.eq(bits) for byte, bits in zip(bytes_, texels, strict=True)]
        rows = []
        for upper in range(2):
            m.submodules[f"row_{channel}_{upper}"] = row = Blend(_BYTE_BITS)
            m.d.comb += [
                *(row.first.eq(bytes_[2 * upper]), row.second.eq(bytes_[2 * upper + 1])),
                row.weight.eq(self._stages[_BLENDED].across),
            ]
            rows.append(row.o)
        m.submodules[f"column_{channel}"] = column = Blend(_BYTE_BITS + _FRACTION)
        four = Signal(2 * _FRACTION, name=f"four_{channel}")
        m.d.comb += [
            *(column.first.eq(rows[0]), column.second.eq(rows[1])),
            column.weight.eq(self._stages[_COLUMNS].up),
        ]
        m.d.sync += four.eq((column.o + (1 << _FRACTION - 1)) >> _FRACTION)
        return four

    def _signed(self, m, half, level):
        """A half float of a blend of levels."""
        if Erratum.HW_2645 not in self._errata:
            return half
        now, negative = self._stages[_LEVELS].now, level[-1]
        held = [Signal(name=f"minus_held_{row}") for row in range(2)]
        upper = self._uppers[_LEVELS]
        for row, there in zip(held, (self._strobes[_LEVELS], upper), strict=True):
            with m.If(there & now.first):
                m.d.sync += row.eq(negative)
        # Of a single level both are the same.
        minus = now.second & Mux(upper, held[1], held[0]) & ~negative & level[_INFINITY:-1].any()
        minus = self._delayed(m, "minus", minus, _WORDS - _LEVELS)[-1]
        return Cat(half[:-1], half[-1] | minus)

    def _first(self, m, bits):
        """The bits of the first texel of the larger level."""
        bits = self._delayed(m, "bits", bits, _LEVELS - _DECODED)[-1]
        held = [Signal(16, name=f"held_bits_{row}") for row in range(2)]
        now, upper = self._stages[_LEVELS].now, self._uppers[_LEVELS]
        for row, there in zip(held, (self._strobes[_LEVELS], upper), strict=True):
            with m.If(there & now.first):
                m.d.sync += row.eq(bits)
        first = Mux(now.second, Mux(upper, held[1], held[0]), bits)
        return self._delayed(m, "first", first, _WORDS - _LEVELS)[-1]

    def _half(self, m, blended, passed):
        """A half float, or what is not blended."""
        kind, now = self._kinds[_WORDS], self._stages[_WORDS].now
        if Erratum.HW_2619 in self._errata:
            mantissa, exponent = passed[:_MANTISSA], passed[_MANTISSA:-1]
            is_power = (mantissa == 0) & exponent.any() & ~exponent.all()
            passed = Cat(passed[:-1], passed[-1] & ~(kind.halves & is_power))
        chosen = Signal(16)
        m.d.comb += chosen.eq(Mux(kind.halves & (now.linear | (now.weight != 0)), blended, passed))
        return chosen

    def _end(self, m, half, bytes_):
        """The word of what was blended."""
        kind = self._kinds[_WORDS]
        upper = Signal(16)
        m.d.sync += upper.eq(half)
        with m.If(kind.pairs):
            m.d.sync += self.word.eq(Cat(half, upper))
        with m.Elif(kind.wide):
            m.d.sync += self.word.eq(half)
        with m.Elif(kind.single):
            m.d.sync += self.word.eq(bytes_[:8])
        with m.Else():
            m.d.sync += self.word.eq(bytes_)
