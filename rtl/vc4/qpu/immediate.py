"""The value that a load immediate or a branch moves."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import ELEMENTS
from vc4.isa.timing import LINK_BYTES

from .pipeline import StageState
from .structs import LANES, LaneWords

__all__ = ["Immediate"]


class Immediate(wiring.Component):
    """All lanes of the quad in RU (guide, figure 2: LDI and link; fact sheet, 4.3).

    Interface attributes
    --------------------
    ra2 : the instruction in RA2
    ru_value : its value, one clock later
    """

    ra2: In(StageState)
    ru_value: Out(LaneWords)

    def elaborate(self, platform):
        m = Module()
        control = self.ra2.issued.control
        link = self.ra2.issued.pc + LINK_BYTES
        low, high = (control.immediate.word_select(half, ELEMENTS) for half in range(2))
        for lane in range(LANES):
            element = Cat(C(lane, 2), self.ra2.quad)
            sign = high.bit_select(element, 1)
            pair = Cat(low.bit_select(element, 1), sign, (sign & ~control.per_element_unsigned).replicate(30))
            m.d.sync += self.ru_value[lane].eq(
                Mux(control.links, link[:32], Mux(control.per_element, pair, control.immediate))
            )
        return m
