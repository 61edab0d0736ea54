"""What an element reads: which levels, and how."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import LEVELS, MagnificationFilter, MinificationFilter

__all__ = ["Choice"]

_DETAIL = 8


class Choice(wiring.Component):
    """Levels and filter for a level of detail; 0 and less magnify, from level 0. Combinational.

    Interface attributes
    --------------------
    magnification, minification, last : of what is sampled; the number of its last level
    detail : 8 bits after the point
    linear : texels are blended
    level, weight : the larger of two levels, and how much the smaller counts, in units of 1/256
    """

    magnification: In(MagnificationFilter)
    minification: In(MinificationFilter)
    last: In(range(LEVELS))
    detail: In(signed(17))
    linear: Out(1)
    level: Out(range(LEVELS))
    weight: Out(_DETAIL)

    def elaborate(self, platform):
        m = Module()
        detail, last = self.detail, self.last << _DETAIL
        code = self.minification.as_value()
        magnifies = detail <= 0
        limited = Signal(12)
        m.d.comb += limited.eq(Mux(magnifies, 0, Mux(detail > last, last, detail)))
        nearest = (limited + (1 << _DETAIL - 1) - 1) >> _DETAIL
        mipmaps = code >= MinificationFilter.NEAR_MIP_NEAR.value
        m.d.comb += [
            self.linear.eq(
                Mux(
                    magnifies,
                    self.magnification == MagnificationFilter.LINEAR,
                    (code == MinificationFilter.LINEAR.value) | code[2],
                )
            ),
            self.level.eq(Mux(mipmaps, Mux(code[0], limited >> _DETAIL, nearest), 0)),
            self.weight.eq(Mux(mipmaps & code[0], limited[:_DETAIL], 0)),
        ]
        return m
