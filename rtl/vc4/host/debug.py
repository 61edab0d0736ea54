"""Halt, run and step of QPUs, and the interrupts that programs raise."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.qpu.structs import DebugCommands

__all__ = ["Debug"]


class Debug(wiring.Component):
    """The debug registers of the addendum, section 10, and those of the guide's tables 73 and 74.

    A QPU interrupt is kept if it is enabled, until the host clears it; none arrives while debugging is off (pipeline facts:
    pipeline, section 9).

    Parameters
    ----------
    qpus : their number

    Interface attributes
    --------------------
    enable : debugging is on
    run, halt, step : what the host asks of each QPU now
    interrupt_enables : QPUs whose interrupts are kept
    interrupt_clear : interrupts that the host clears now
    commands : for each QPU
    interrupts : programs that raise the host interrupt now
    flags : interrupts that are kept
    irq : one is kept
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        each = ("run", "halt", "step", "interrupt_enables", "interrupt_clear", "interrupts")
        super().__init__(
            {
                "enable": In(1),
                **{name: In(qpus) for name in each},
                "commands": Out(data.ArrayLayout(DebugCommands, qpus)),
                "flags": Out(qpus),
                "irq": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        for number in range(self._qpus):
            commands = self.commands[number]
            m.d.comb += [
                commands.enable.eq(self.enable),
                commands.run.eq(self.run[number]),
                commands.halt.eq(self.halt[number]),
                commands.step.eq(self.step[number]),
            ]
        arrives = self.interrupts & self.interrupt_enables & self.enable.replicate(self._qpus)
        m.d.sync += self.flags.eq((self.flags & ~self.interrupt_clear) | arrives)
        m.d.comb += self.irq.eq(self.flags.any())
        return m
