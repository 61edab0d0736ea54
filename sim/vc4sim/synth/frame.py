"""A frame of four pins around a component that has more ports than an FPGA has pins."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..hierarchy import without_checks

__all__ = ["Frame"]


class Frame(wiring.Component):
    """Feeds every input of a component from a shift register, and folds all of its outputs to one bit.

    Every path of the component begins and ends in a register that way, no input is constant and no output is left open,
    so that tools neither remove nor leave out anything. The outputs go through levels of registers, four bits to one,
    none of which is ever slower than what is measured. The checks of the component are left out.

    Parameters
    ----------
    part : the component

    Interface attributes
    --------------------
    scan_in : enters the shift register, one clock for each bit of the inputs of `part`
    scan_out : exclusive or of all bits of its outputs, `levels` + 1 clocks after them
    levels : levels of registers in which the outputs become one bit
    """

    scan_in: In(1)
    scan_out: Out(1)

    def __init__(self, part: wiring.Component):
        super().__init__()
        self._part = part
        ports = [(member.flow, value) for _, member, value in part.signature.flatten(part)]
        self._inputs = Cat(value for flow, value in ports if flow == In)
        self._outputs = Cat(value for flow, value in ports if flow == Out)
        self.levels = 0
        while 4**self.levels < len(self._outputs):
            self.levels += 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.part = without_checks(self._part)
        chain = Signal(len(self._inputs), reset_less=True)
        folded = Signal(len(self._outputs), name="outputs", reset_less=True)
        m.d.sync += [chain.eq(Cat(self.scan_in, chain)), folded.eq(self._outputs)]
        m.d.comb += self._inputs.eq(chain)
        for level in range(self.levels):
            before = folded
            folded = Signal(-(-len(before) // 4), name=f"folded_{level}", reset_less=True)
            m.d.sync += folded.eq(Cat(before[4 * bit : 4 * bit + 4].xor() for bit in range(len(folded))))
        m.d.comb += self.scan_out.eq(folded)
        return m
