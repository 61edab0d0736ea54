"""What memory holds of a texel as its channels."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import TextureType

__all__ = ["TexelChannels", "TexelDecode", "TexelWord"]

_OPAQUE = 255
#: Small and large step of each table of ETC1.
_STEPS = ((2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183))


class TexelChannels(data.Struct):
    """Channels of 8 bits; the first two may have 16."""

    wide: data.ArrayLayout(16, 2)
    narrow: data.ArrayLayout(8, 2)

    @property
    def each(self):
        """The channels, red first."""
        return [*self.wide, *self.narrow]


class TexelWord(data.Struct):
    """The word of the cache with a texel, and where it is in there."""

    word: unsigned(64)
    byte: unsigned(3)  # of a texel of two words that of the word
    bit: unsigned(3)
    x: unsigned(2)  # the texel in its block or pair
    y: unsigned(2)


def _widened(value):
    """Bits of a channel, widened to 8 by repeating them from the top."""
    wide = value
    while len(wide) < 8:
        wide = Cat(value, wide)
    return wide[len(wide) - 8 :]


def _limited(value):
    """A signed number limited to a byte."""
    return Mux(value < 0, 0, Mux(value > 255, 255, value))[:8]


class TexelDecode(wiring.Component):
    """Channels of a texel: four bytes, red first, one or two half floats, or an integer (guide, table 18).

    Behaviour: a texel a clock, `TexelDecode.LATENCY` clocks later.

    Interface attributes
    --------------------
    i : the texel
    type : of its texture, a clock later
    o : its channels
    """

    LATENCY = 3

    i: In(TexelWord)
    type: In(TextureType)
    o: Out(TexelChannels)

    def elaborate(self, platform):
        m = Module()
        word, kind = self.i.word, self.type
        raw = Signal(32)
        bits = Signal(4)
        texel = Signal(TexelWord)
        later = Signal(TextureType)
        m.d.sync += [
            raw.eq(word >> (self.i.byte << 3)),
            *(texel.eq(self.i), later.eq(kind)),
        ]
        low = raw[:8] >> texel.bit
        plain = Signal(TexelChannels)
        plain_later = Signal(TexelChannels)
        m.d.comb += bits.eq(low)
        with m.Switch(kind):
            for one, channels in self._plain(raw, bits).items():
                with m.Case(one):
                    m.d.comb += [channel.eq(value) for channel, value in zip(plain.each, channels, strict=False)]
        m.d.sync += plain_later.eq(plain)
        yuv, block = self._yuv(m, texel), self._etc1(m, texel)
        with m.Switch(later):
            with m.Case(TextureType.YUYV422R):
                m.d.sync += [channel.eq(value) for channel, value in zip(self.o.each, yuv, strict=True)]
            with m.Case(TextureType.ETC1):
                m.d.sync += [channel.eq(value) for channel, value in zip(self.o.each, block, strict=True)]
            with m.Default():
                m.d.sync += self.o.eq(plain_later)
        return m

    @staticmethod
    def _plain(raw, bits):
        """Channels of the types that need no arithmetic."""
        eight = [raw[8 * number : 8 * number + 8] for number in range(4)]
        grey = [eight[0]] * 3
        one = _widened(bits[:1])
        return {
            TextureType.RGBA8888: eight,
            TextureType.RGBA32R: eight,
            TextureType.RGBX8888: [*eight[:3], _OPAQUE],
            TextureType.RGBA4444: [_widened(raw[low : low + 4]) for low in (12, 8, 4, 0)],
            TextureType.RGBA5551: [*(_widened(raw[low : low + 5]) for low in (11, 6, 1)), _widened(raw[:1])],
            TextureType.RGB565: [_widened(raw[11:16]), _widened(raw[5:11]), _widened(raw[:5]), _OPAQUE],
            TextureType.LUMINANCE: [*grey, _OPAQUE],
            TextureType.ALPHA: [0, 0, 0, eight[0]],
            TextureType.LUMALPHA: [*grey, eight[1]],
            TextureType.S16F: [raw[:16]],
            TextureType.S8: [eight[0]],
            TextureType.S16: [raw[:16]],
            TextureType.BW1: [one, one, one, _OPAQUE],
            TextureType.A4: [0, 0, 0, _widened(bits)],
            TextureType.A1: [0, 0, 0, one],
            TextureType.RGBA64: [raw[:16], raw[16:32]],
        }

    @staticmethod
    def _yuv(m, texel):
        """BT.601 of the video range, coefficients in units of 1/256; the sums come a clock later."""
        pair = texel.word.word_select(texel.byte[2], 32)
        sums = [Signal(signed(20), name=f"yuv_{number}") for number in range(3)]
        y = Mux(texel.x[0], pair[16:24], pair[:8]) - 16
        u, v = pair[8:16] - 128, pair[24:32] - 128
        m.d.sync += [
            sums[0].eq(298 * y + 409 * v + 128),
            sums[1].eq(298 * y - 100 * u - 208 * v + 128),
            sums[2].eq(298 * y + 516 * u + 128),
        ]
        return [*(_limited(one >> 8) for one in sums), _OPAQUE]

    @staticmethod
    def _etc1(m, texel):
        """The base colour and the step of its half come a clock later."""
        block = Cat(*(texel.word[8 * byte : 8 * byte + 8] for byte in reversed(range(8))))
        second = Mux(block[32], texel.y[1], texel.x[1])
        table = Mux(second, block[34:37], block[37:40])
        number = Cat(texel.y, texel.x)
        large, minus = (block[low : low + 16].bit_select(number, 1) for low in (0, 16))
        step = Signal(8, name="etc1_step")
        minus_later = Signal(name="etc1_minus")
        chosen = Signal(8, name="etc1_chosen")
        with m.Switch(Cat(large, table)):
            for code, steps in enumerate(_STEPS):
                for size, value in enumerate(steps):
                    with m.Case(2 * code + size):
                        m.d.comb += chosen.eq(value)
        m.d.sync += [step.eq(chosen), minus_later.eq(minus)]
        channels = []
        for place, low in enumerate((56, 48, 40)):
            four = Mux(second, block[low : low + 4], block[low + 4 : low + 8])
            five = Signal(5, name=f"etc1_five_{place}")
            colour = Signal(8, name=f"etc1_colour_{place}")
            m.d.comb += five.eq(block[low + 3 : low + 8] + Mux(second, block[low : low + 3].as_signed(), 0))
            m.d.sync += colour.eq(Mux(block[33], Cat(five[2:], five), Cat(four, four)))
            channels.append(_limited(colour + Mux(minus_later, -step, step)))
        return [*channels, _OPAQUE]
