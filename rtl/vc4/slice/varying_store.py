"""Varyings that a QPU has not taken yet."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.records.quads import QUAD_PIXELS

from .varying_port import VaryingQuad
from .varying_structs import VaryingPlace

__all__ = ["VaryingStore"]

_WORD_BITS = 32


class VaryingStore(wiring.Component):
    """Holds quads of varyings for the threads of a QPU.

    Behaviour: what is written can be read from the next clock on; a quad that is read is at the output in the clock after that.

    Parameters
    ----------
    lanes : pixels that are written together

    Interface attributes
    --------------------
    place, step, values, stb : strobe: partial results of pixels `step` times `lanes` on of a quad
    c_place, c, c_stb : strobe: C of a quad
    read, zero, shows : the quad that is read; there is none, but zeros; ports that want partial results, and not zeros
    o : it
    """

    def __init__(self, lanes: int):
        self._lanes = lanes
        super().__init__(
            {
                "place": In(VaryingPlace),
                "step": In(range(QUAD_PIXELS // lanes)),
                "values": In(data.ArrayLayout(_WORD_BITS, lanes)),
                "stb": In(1),
                "c_place": In(VaryingPlace),
                "c": In(_WORD_BITS),
                "c_stb": In(1),
                "read": In(VaryingPlace),
                "zero": In(1),
                "shows": In(2),
                "o": Out(VaryingQuad),
            }
        )

    def elaborate(self, platform):
        m = Module()
        places, steps = 1 << Shape.cast(VaryingPlace).width, QUAD_PIXELS // self._lanes
        m.submodules.partials = partials = LutRam(
            QUAD_PIXELS * _WORD_BITS, places, granularity=self._lanes * _WORD_BITS
        )
        m.submodules.constants = constants = LutRam(_WORD_BITS, places)
        m.d.comb += [
            *(partials.write_address.eq(self.place), partials.write_data.eq(self.values.as_value().replicate(steps))),
            partials.write_enable.eq(Mux(self.stb, 1 << self.step, 0)),
            *(constants.write_address.eq(self.c_place), constants.write_data.eq(self.c)),
            constants.write_enable.eq(self.c_stb),
            *(partials.read_address.eq(self.read), constants.read_address.eq(self.read)),
        ]
        for shown, shows in zip(self.o.partials, self.shows, strict=True):
            m.d.sync += Value.cast(shown).eq(Mux(shows & ~self.zero, partials.read_data, 0))
        m.d.sync += self.o.c.eq(Mux(self.zero, 0, constants.read_data))
        return m
