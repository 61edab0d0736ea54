"""What is outside of images."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.records.tmu import TextureType

from .texel_decode import WIDE, TexelChannels
from .texture import CONTEXTS

__all__ = ["BorderColours"]

_OPAQUE = 255
_GREY = (TextureType.LUMINANCE, TextureType.LUMALPHA, TextureType.BW1)
_SOLID = (TextureType.RGBX8888, TextureType.RGB565, TextureType.LUMINANCE, TextureType.ETC1, TextureType.BW1,
          TextureType.YUYV422R)  # fmt: skip
_ALPHA = (TextureType.ALPHA, TextureType.A4, TextureType.A1)


class BorderColours(wiring.Component):
    """Border colours of the lookups under way, as channels of a texel; those that a type does not have are what they always are.

    Behaviour: a colour a clock, two clocks later.

    Interface attributes
    --------------------
    colour, colour_context, colour_stb : the colour of a lookup, as its program wrote it
    context, type : the lookup that is asked for, and its type
    upper : the upper half float is wanted
    o : its channels
    """

    colour: In(32)
    colour_context: In(range(CONTEXTS))
    colour_stb: In(1)
    context: In(range(CONTEXTS))
    type: In(TextureType)
    upper: In(1)
    o: Out(TexelChannels)

    def elaborate(self, platform):
        m = Module()
        m.submodules.places = places = LutRam(32, CONTEXTS)
        colour = Signal(32)
        kind = Signal(TextureType)
        upper = Signal()
        m.d.comb += [
            places.write_enable.eq(self.colour_stb),
            places.write_address.eq(self.colour_context),
            places.write_data.eq(self.colour),
            places.read_address.eq(self.context),
        ]
        m.d.sync += [colour.eq(places.read_data), kind.eq(self.type), upper.eq(self.upper)]
        code = kind.as_value()
        bytes_ = [colour.word_select(number, 8) for number in range(4)]
        with m.If(code.matches(*WIDE)):
            m.d.sync += self.o.wide.eq(Mux(upper, colour[16:], colour[:16]))
        with m.Else():
            m.d.sync += [channel.eq(byte) for channel, byte in zip(self.o.each, bytes_, strict=True)]
            with m.If(code.matches(*_GREY)):
                m.d.sync += [channel.eq(bytes_[0]) for channel in self.o.each[1:3]]
            with m.If(code.matches(*_SOLID)):
                m.d.sync += self.o.each[3].eq(_OPAQUE)
            with m.If(code.matches(*_ALPHA)):
                m.d.sync += [channel.eq(0) for channel in self.o.each[:3]]
        return m
