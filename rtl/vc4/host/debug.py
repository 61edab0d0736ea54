"""The debug registers: halt, run and step of QPUs, and the interrupts that programs raise."""

from enum import IntEnum

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.qpu.structs import DebugCommands

__all__ = ["Debug", "DebugRegister", "RegisterPort"]


class DebugRegister(IntEnum):
    """Offsets (addendum, section 10; guide, tables 73 and 74)."""

    DBCFG = 0xE00
    DBQRUN = 0xE20
    DBQHLT = 0xE24
    DBQSTP = 0xE28
    DBQITE = 0xE2C
    DBQITC = 0xE30


#: Bits of an offset: the registers of the GPU fill 4 KiB.
_OFFSET_BITS = 12


class RegisterPort(wiring.Signature):
    """How the host reaches registers: a write takes effect with the next clock, `read_data` follows `address` at once.

    Interface attributes
    --------------------
    address : offset of a register; others read 0, and writes to them do nothing
    write_stb, write_data : a write
    read_data : what the register holds
    """

    def __init__(self):
        super().__init__(
            {"address": Out(_OFFSET_BITS), "write_stb": Out(1), "write_data": Out(32), "read_data": In(32)}
        )


class Debug(wiring.Component):
    """One bit a QPU in each register, the lowest for QPU 0; but bit 0 of DBCFG switches debugging on for all.

    DBQRUN reads 1 for QPUs that are not halted, and a 1 lets them run; DBQHLT reads 1 for those that are halted, and a 1
    halts them; a 1 in DBQSTP lets a halted one issue an instruction. DBQITC keeps the interrupts that are enabled in DBQITE,
    until a 1 is written; none arrives while debugging is off (fact sheet: pipeline, section 9).

    Parameters
    ----------
    qpus : their number

    Interface attributes
    --------------------
    port : the host
    commands, halted : for each QPU
    interrupts : programs that raise the host interrupt now
    irq : an interrupt is kept in DBQITC
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        super().__init__(
            {
                "port": In(RegisterPort()),
                "commands": Out(data.ArrayLayout(DebugCommands, qpus)),
                "halted": In(qpus),
                "interrupts": In(qpus),
                "irq": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        enable = Signal()
        enabled = Signal(self._qpus)
        latched = Signal(self._qpus)
        port = self.port
        held = {
            DebugRegister.DBCFG: enable,
            DebugRegister.DBQRUN: ~self.halted,
            DebugRegister.DBQHLT: self.halted,
            DebugRegister.DBQITE: enabled,
            DebugRegister.DBQITC: latched,
        }
        with m.Switch(port.address):
            for register, value in held.items():
                with m.Case(register):
                    m.d.comb += port.read_data.eq(value)

        def written(register):
            return Mux(port.write_stb & (port.address == register), port.write_data[: self._qpus], 0)

        for number in range(self._qpus):
            commands = self.commands[number]
            m.d.comb += [
                commands.enable.eq(enable),
                commands.run.eq(written(DebugRegister.DBQRUN)[number]),
                commands.halt.eq(written(DebugRegister.DBQHLT)[number]),
                commands.step.eq(written(DebugRegister.DBQSTP)[number]),
            ]
        with m.If(port.write_stb & (port.address == DebugRegister.DBCFG)):
            m.d.sync += enable.eq(port.write_data[0])
        with m.If(port.write_stb & (port.address == DebugRegister.DBQITE)):
            m.d.sync += enabled.eq(port.write_data)
        arrives = self.interrupts & enabled & enable.replicate(self._qpus)
        m.d.sync += latched.eq((latched & ~written(DebugRegister.DBQITC)) | arrives)
        m.d.comb += self.irq.eq(latched.any())
        return m
