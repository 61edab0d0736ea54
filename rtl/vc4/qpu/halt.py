"""Halting of a QPU: by breakpoints and by the host, and single steps."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .structs import DebugCommands

__all__ = ["Halt"]


class Halt(wiring.Component):
    """Whether the QPU is halted (addendum, sections 3 and 10: breakpoint, halt, run, step).

    A breakpoint halts after the instruction that has it. Whatever happens to programs, a halted QPU stays halted. Without
    debugging nothing halts.

    Interface attributes
    --------------------
    commands : of the host
    issues, sp_breakpoint : the instruction in SP goes on its way, and whether it is a breakpoint
    halted : the QPU is halted
    waits : the instruction in SP must not go
    """

    commands: In(DebugCommands)
    issues: In(1)
    sp_breakpoint: In(1)
    halted: Out(1)
    waits: Out(1)

    def elaborate(self, platform):
        m = Module()
        halt = Signal()
        stepping = Signal()
        m.d.comb += [
            self.halted.eq(self.commands.enable & halt),
            self.waits.eq(self.halted & ~stepping),
        ]
        with m.If(self.commands.step):
            m.d.sync += stepping.eq(self.halted)
        with m.Elif(self.issues | ~self.halted):
            m.d.sync += stepping.eq(0)
        with m.If(~self.commands.enable | self.commands.run):
            m.d.sync += halt.eq(0)
        with m.Elif(self.commands.halt | (self.issues & self.sp_breakpoint)):
            m.d.sync += halt.eq(1)
        return m
