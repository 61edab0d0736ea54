"""Target and decision of branches."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.timing import LINK_BYTES
from vc4.isa.word import ALIGNED_BITS

__all__ = ["Branch"]


class Branch(wiring.Component):
    """Adds up the target while a branch goes down the pipeline and decides in the first clock of A2 (guide, table 10).

    The target is the immediate, plus the link address if the branch is relative, plus element 15 of a register of file A
    if it names one (addendum: element 15, not 0).

    Interface attributes
    --------------------
    ra_pc : the address of the instruction in RA
    ra2_link : that after its delay slots, if it is a branch, a clock later
    ra2_first : first clock of a branch in RA2
    ra2_offset, ra2_relative, ra2_register : its immediate, and its two switches
    ra2_last, ra2_element : last clock of the branch in RA2, and element 15 of the register there
    a2_first, holds : first clock of the branch in A2, and whether its condition holds
    resolved_stb, taken, target : one clock after A2 began; the last two hold until the next branch
    """

    ra_pc: In(32)
    ra2_link: Out(32)
    ra2_first: In(1)
    ra2_offset: In(32)
    ra2_relative: In(1)
    ra2_register: In(1)
    ra2_last: In(1)
    ra2_element: In(32)
    a2_first: In(1)
    holds: In(1)
    resolved_stb: Out(1)
    taken: Out(1)
    target: Out(32)

    def elaborate(self, platform):
        m = Module()
        base = Signal(32)
        register = Signal(32, reset_less=True)  # what resets it is a branch without one
        m.d.sync += self.ra2_link.eq(self.ra_pc + LINK_BYTES)
        with m.If(self.ra2_first):
            m.d.sync += base.eq(self.ra2_offset + Mux(self.ra2_relative, self.ra2_link, 0))
        with m.If(self.ra2_last):
            m.d.sync += register.eq(Mux(self.ra2_register, self.ra2_element, 0))
        m.d.sync += self.resolved_stb.eq(self.a2_first)
        with m.If(self.a2_first):
            m.d.sync += [
                self.taken.eq(self.holds),
                self.target.eq(Cat(C(0, ALIGNED_BITS), (base + register)[ALIGNED_BITS:32])),
            ]
        return m
