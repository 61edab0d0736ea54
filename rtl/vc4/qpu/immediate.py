"""The value that a load immediate or a branch moves."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import ELEMENTS

from .pipeline import StageState
from .structs import LANES

__all__ = ["Immediate", "LaneBits"]


class LaneBits(data.Struct):
    """What an immediate of two bits an element is in one lane."""

    low: unsigned(1)
    high: unsigned(1)
    sign: unsigned(1)  # bits 31:2


class Immediate(wiring.Component):
    """All lanes of the quad in RU (guide, figure 2: LDI and link; QPU facts, 4.3).

    The value of a lane is the part that they share, or-ed with the bits of the lane; one of them is zero, and of an instruction that
    moves nothing both.

    Interface attributes
    --------------------
    ra2, ra2_link : the instruction in RA2, and the address after the delay slots of a branch there
    ru_shared, ru_bits : its value, one clock later
    """

    ra2: In(StageState)
    ra2_link: In(32)
    ru_shared: Out(32)
    ru_bits: Out(data.ArrayLayout(LaneBits, LANES))

    def elaborate(self, platform):
        m = Module()
        control = self.ra2.issued.control
        with m.If(~control.moves | control.per_element):
            m.d.sync += self.ru_shared.eq(0)
        with m.Else():
            m.d.sync += self.ru_shared.eq(Mux(control.links, self.ra2_link, control.immediate))

        low, high = (control.immediate.word_select(half, ELEMENTS) for half in range(2))
        for lane in range(LANES):
            element, bits = Cat(C(lane, 2), self.ra2.quad), self.ru_bits[lane]
            here = high.bit_select(element, 1) & control.per_element
            m.d.sync += [
                bits.low.eq(low.bit_select(element, 1) & control.per_element),
                bits.high.eq(here),
                bits.sign.eq(here & ~control.per_element_unsigned),
            ]
        return m
