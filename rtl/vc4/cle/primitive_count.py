"""How many primitives a list still has."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PrimitiveCount"]

_BITS = 32


class PrimitiveCount(wiring.Component):
    """Divides the vertices that are left by those of a primitive, for CTnPC.

    Behaviour: without end, a bit a clock, so what is shown is 32 to 64 clocks old.

    Interface attributes
    --------------------
    vertices : what is divided
    step : vertices of a primitive, less one
    primitives : the quotient
    """

    vertices: In(_BITS)
    step: In(2)
    primitives: Out(_BITS)

    def elaborate(self, platform):
        m = Module()
        clock = Signal(range(_BITS))
        work = Signal(_BITS)  # bits of the quotient come in below as those of the dividend leave above
        rest = Signal(2)
        brought = Signal(3)
        fits = Signal()
        m.d.comb += [brought.eq(Cat(work[-1], rest)), fits.eq(brought > self.step)]
        m.d.sync += [
            clock.eq(clock + 1),
            work.eq(Cat(fits, work)),
            rest.eq(Mux(fits, brought - self.step - 1, brought)),
        ]
        with m.If(clock == _BITS - 1):
            m.d.sync += [work.eq(self.vertices), rest.eq(0), self.primitives.eq(Cat(fits, work))]
        return m
