"""How much each of four texels counts."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["WEIGHT_BITS", "TexelWeights"]

_WEIGHT = 8
_ONE = 1 << _WEIGHT
#: The whole, 65536, is a weight.
WEIGHT_BITS = 2 * _WEIGHT + 1


class TexelWeights(wiring.Component):
    """The weights of four texels, in units of 1/65536; they are 1 together.

    Behaviour: four weights a clock, `TexelWeights.LATENCY` clocks later.

    Interface attributes
    --------------------
    across, up : how much the right and the upper texels count, in units of 1/256
    o : weights, (upper, right) from 0 on
    """

    LATENCY = 3

    across: In(_WEIGHT)
    up: In(_WEIGHT)
    o: Out(data.ArrayLayout(WEIGHT_BITS, 4))

    def elaborate(self, platform):
        m = Module()
        across = Signal(_WEIGHT)
        both = Signal(2 * _WEIGHT)
        both_later = Signal(2 * _WEIGHT)
        right = Signal(WEIGHT_BITS)
        ups = [Signal(_WEIGHT, name=f"up_{clock}") for clock in range(2)]
        lower = Signal(_WEIGHT + 1)
        m.d.sync += [
            *(both.eq(self.across * self.up), across.eq(self.across), ups[0].eq(self.up)),
            *(both_later.eq(both), right.eq((across << _WEIGHT) - both)),
            *(ups[1].eq(ups[0]), lower.eq(_ONE - ups[0])),
            *(self.o[0].eq((lower << _WEIGHT) - right), self.o[1].eq(right)),
            *(self.o[2].eq((ups[1] << _WEIGHT) - both_later), self.o[3].eq(both_later)),
        ]
        return m
