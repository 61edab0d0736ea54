"""What an element reads: which levels, and how."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import LEVELS, MagnificationFilter, MinificationFilter, TextureType

from .texture import Texture

__all__ = ["Choice"]

_DETAIL = 8


class Choice(wiring.Component):
    """Levels and filter for a level of detail; 0 and less magnify, from level 0. One clock.

    Interface attributes
    --------------------
    texture : what is sampled
    detail : 8 bits behind the point
    linear : texels are blended
    level, weight : the larger of two levels, and how much the smaller counts, in units of 1/256
    """

    texture: In(Texture)
    detail: In(signed(17))
    linear: Out(1)
    level: Out(range(LEVELS))
    weight: Out(_DETAIL)

    def elaborate(self, platform):
        m = Module()
        texture, detail = self.texture, self.detail
        code = texture.minification.as_value()
        magnifies = detail <= 0
        limited = Signal(12)
        m.d.comb += limited.eq(
            Mux(magnifies, 0, Mux(detail > texture.last << _DETAIL, texture.last << _DETAIL, detail))
        )
        nearest = (limited + (1 << _DETAIL - 1) - 1) >> _DETAIL
        mipmaps = code >= MinificationFilter.NEAR_MIP_NEAR.value
        linear = Mux(
            magnifies,
            texture.magnification == MagnificationFilter.LINEAR,
            (code == MinificationFilter.LINEAR.value) | code[2],
        )
        m.d.sync += [
            self.linear.eq(linear & (texture.type != TextureType.S16)),
            self.level.eq(Mux(mipmaps, Mux(code[0], limited >> _DETAIL, nearest), 0)),
            self.weight.eq(Mux(mipmaps & code[0], limited[:_DETAIL], 0)),
        ]
        return m
