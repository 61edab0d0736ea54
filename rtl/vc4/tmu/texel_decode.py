"""What memory holds of a texel as its channels."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select, select_by_keys, select_keys
from vc4.records.tmu import TextureType

__all__ = ["WIDE", "TexelChannels", "TexelDecode", "TexelWord", "limited"]

_BYTE = (0, 8)
#: Channels that no bits say.
_ZERO, _FULL = 0, 255
_RED_GREEN_BLUE = (_BYTE, (8, 8), (16, 8))
#: Lowest bit and width of each channel. A texel below a byte becomes a byte before.
_FIELDS = {
    TextureType.RGBA8888: (*_RED_GREEN_BLUE, (24, 8)),
    TextureType.RGBA32R: (*_RED_GREEN_BLUE, (24, 8)),
    TextureType.RGBX8888: (*_RED_GREEN_BLUE, _FULL),
    TextureType.RGBA4444: ((12, 4), (8, 4), (4, 4), (0, 4)),
    TextureType.RGBA5551: ((11, 5), (6, 5), (1, 5), (0, 1)),
    TextureType.RGB565: ((11, 5), (5, 6), (0, 5), _FULL),
    TextureType.LUMINANCE: (_BYTE, _BYTE, _BYTE, _FULL),
    TextureType.ALPHA: (_ZERO, _ZERO, _ZERO, _BYTE),
    TextureType.LUMALPHA: (_BYTE, _BYTE, _BYTE, (8, 8)),
    TextureType.S8: (_BYTE, _ZERO, _ZERO, _ZERO),
    TextureType.BW1: (_BYTE, _BYTE, _BYTE, _FULL),
    TextureType.A4: (_ZERO, _ZERO, _ZERO, _BYTE),
    TextureType.A1: (_ZERO, _ZERO, _ZERO, _BYTE),
    # The upper byte comes by itself.
    TextureType.S16F: (_BYTE, _ZERO, _ZERO, _ZERO),
    TextureType.S16: (_BYTE, _ZERO, _ZERO, _ZERO),
    TextureType.RGBA64: (_BYTE, _ZERO, _ZERO, _ZERO),
    # These are computed, and take the place of zeros.
    TextureType.ETC1: (_ZERO, _ZERO, _ZERO, _FULL),
    TextureType.YUYV422R: (_ZERO, _ZERO, _ZERO, _FULL),
}
#: Types of one channel, which is no byte.
WIDE = (TextureType.S16F, TextureType.S16, TextureType.RGBA64)
#: Small and large step of each table of ETC1.
_STEPS = ((2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183))


class TexelChannels(data.Struct):
    """Channels of 8 bits; the first one may have 16."""

    wide: unsigned(16)
    narrow: data.ArrayLayout(8, 3)

    @property
    def each(self):
        """The channels, red first."""
        return [self.wide, *self.narrow]


class TexelWord(data.Struct):
    """The word of the cache with a texel, and where it is in there."""

    word: unsigned(64)
    byte: unsigned(3)  # of a texel of 64 bits that of one of its channels
    bit: unsigned(3)
    x: unsigned(2)  # the texel in its block
    y: unsigned(2)


def _widened(value):
    """Bits of a channel, widened to 8 by repeating them from the top."""
    wide = value
    while len(wide) < 8:
        wide = Cat(value, wide)
    return wide[len(wide) - 8 :]


def limited(value):
    """A signed number limited to a byte."""
    return (value[:8] | (value > _FULL).replicate(8)) & (value >= 0).replicate(8)


class TexelDecode(wiring.Component):
    """Channels of a texel: four bytes, red first, a half float, or an integer (guide, table 18).

    Of a texel with two bytes or more, the lowest bit of its place counts for nothing, and of one with four the lowest two.
    Those of YUYV422R are somebody else's (`YuvDecode`): red, green and blue are 0 here.

    Behaviour: a texel a clock, `TexelDecode.LATENCY` clocks later.

    Interface attributes
    --------------------
    i : the texel
    type : of its texture, a clock later
    raw : four bytes from the texel on, a clock after it
    o : its channels
    """

    LATENCY = 3

    i: In(TexelWord)
    type: In(TextureType)
    raw: Out(32)
    o: Out(TexelChannels)

    def elaborate(self, platform):
        m = Module()
        kind, byte = self.type, self.i.byte
        raw = Signal(32)
        texel = Signal(TexelWord)
        bytes_ = [self.i.word.word_select(number, 8) for number in range(8)]
        m.d.sync += [
            raw[:8].eq(select(byte, bytes_)),
            raw[8:16].eq(select(byte[1:], bytes_[1::2])),
            raw[16:].eq(Mux(byte[2], self.i.word[48:], self.i.word[16:32])),
            texel.eq(self.i),
        ]
        m.d.comb += self.raw.eq(raw)
        plain = self._plain(m, kind, raw, texel.bit)
        block = self._etc1(m, kind, texel)
        for channel, bits, added in zip(self.o.each, plain, (*block, 0), strict=True):
            m.d.sync += channel.eq(Cat(bits[:8] | added, bits[8:]))
        return m

    def _plain(self, m, kind, raw, bit):
        """Channels of the types that need no arithmetic, a clock later."""
        bits = Signal(4)
        low = Signal(8)
        m.d.comb += bits.eq(raw[:8] >> bit)
        with m.Switch(kind):
            with m.Case(TextureType.BW1, TextureType.A1):
                m.d.comb += low.eq(_widened(bits[:1]))
            with m.Case(TextureType.A4):
                m.d.comb += low.eq(_widened(bits))
            with m.Default():
                m.d.comb += low.eq(raw[:8])
        channels = []
        for number, each in enumerate(zip(*_FIELDS.values(), strict=True)):
            fields = sorted({field for field in each if field not in (_ZERO, _FULL)}, key=str)
            sources = [low if field == _BYTE else _widened(raw[field[0] : sum(field)]) for field in fields]
            sources += [0] * (len(sources) % 2)
            keys = Signal(1 + len(sources) // 2, name=f"keys_{number}")
            with m.Switch(kind):
                for one, field in zip(_FIELDS, each, strict=True):
                    with m.Case(one):
                        m.d.comb += keys.eq(_keys(field, fields, len(sources)))
            channel = Signal(8 if number else 16, name=f"plain_{number}")
            m.d.sync += channel[:8].eq(select_by_keys(keys, sources))
            if number == 0:
                m.d.sync += channel[8:].eq(Mux(kind.as_value().matches(*WIDE), raw[8:16], 0))
            channels.append(channel)
        return channels

    def _etc1(self, m, kind, texel):
        """Red, green and blue of ETC1, otherwise 0; base colour, and the step of its half, come a clock later."""
        block = Cat(*(texel.word[8 * byte : 8 * byte + 8] for byte in reversed(range(8))))
        second = Mux(block[32], texel.y[1], texel.x[1])
        table = Mux(second, block[34:37], block[37:40])
        number = Cat(texel.y, texel.x)
        large, minus = (block[low : low + 16].bit_select(number, 1) for low in (0, 16))
        step = Signal(signed(9), name="etc1_step")
        here = Signal(name="etc1_here")
        m.d.sync += here.eq(kind == TextureType.ETC1)
        with m.Switch(Cat(large, minus, table)):
            for code, steps in enumerate(_STEPS):
                for size, value in enumerate((*steps, *(-one for one in steps))):
                    with m.Case(4 * code + size):
                        m.d.sync += step.eq(value)
        channels = []
        for place, low in enumerate((56, 48, 40)):
            four = Mux(second, block[low : low + 4], block[low + 4 : low + 8])
            five = Signal(5, name=f"etc1_five_{place}")
            colour = Signal(8, name=f"etc1_colour_{place}")
            m.d.comb += five.eq(block[low + 3 : low + 8] + Mux(second, block[low : low + 3].as_signed(), 0))
            m.d.sync += colour.eq(Mux(block[33], Cat(five[2:], five), Cat(four, four)))
            # With the type, whether it is too small or too large leaves a LUT a bit for the limit and for the other types.
            sum_ = Signal(signed(10), name=f"etc1_sum_{place}")
            small, large = Signal(name=f"etc1_small_{place}"), Signal(name=f"etc1_large_{place}")
            m.d.comb += [
                *(sum_.eq(colour + step), small.eq(~here | sum_[9]), large.eq(here & ~sum_[9] & sum_[8])),
            ]
            channels.append((sum_[:8] & ~small.replicate(8)) | large.replicate(8))
        return channels


def _keys(field, fields, count):
    """Keys of `select_by_keys` for a field of `fields`, which has `count` places, or for all zeros or ones."""
    pairs = count // 2
    if field in (_ZERO, _FULL):
        return Cat(Const(field == _FULL).replicate(2), Const(-1, pairs - 1))
    return select_keys(Const(fields.index(field), max(count - 1, 1).bit_length()), count)
