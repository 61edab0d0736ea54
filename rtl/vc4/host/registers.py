"""The registers of the GPU, and what the host controls with them."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.config import V3DConfig
from vc4.qpu.structs import DebugCommands
from vc4.regs.counters import COUNTERS, PERFORMANCE_COUNTERS
from vc4.regs.debug import DEBUG
from vc4.regs.extension import BUS_ERROR_CAUSES, BUS_ERRORS
from vc4.regs.identity import INTERRUPTS
from vc4.regs.register import each_qpu
from vc4.regs.table import register, registers_of

from .bus_errors import BusErrors
from .counter import Counter
from .debug import Debug
from .interrupts import Interrupts
from .port import RegisterPort
from .register_file import RegisterFile
from .structs import events_layout, fields_layout, live_signature, values_signature, written_signature

__all__ = ["Registers"]

#: Registers whose other side is in here.
_OWN = {*INTERRUPTS, *COUNTERS, *DEBUG, *BUS_ERRORS}


class Registers(wiring.Component):
    """All registers, with interrupts, performance counters, debugging and bus errors behind them; the other registers are for
    the blocks, by name (guide, section 10).

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    port : the host, see `RegisterPort` for the timing
    values, written, live : registers of the blocks, see `RegisterFile`
    raised : interrupts of the pipeline that arrive now, by the names of the fields of INTCTL
    events : what performance counters count in this clock, by the names of `SOURCES`
    commands, halted, interrupts : debugging of each QPU, and programs that raise the host interrupt now
    response_error_stb, response_error_address : memory has answered with an error
    window_error_stb, window_error_address : an access was outside of the memory windows
    lookup_error_stb : a lookup was one of these
    irq : the host should look at INTCTL, DBQITC or XBUSERR; stays until the host has cleared what is enabled
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        qpus = each_qpu(config)
        others = [one for one in registers_of(config) if one not in _OWN]
        super().__init__(
            {
                "port": In(RegisterPort()),
                "values": Out(values_signature(others, config)),
                "written": Out(written_signature(others, config)),
                "live": In(live_signature(others, config)),
                "raised": In(fields_layout(register("INTCTL"), config)),
                "events": In(events_layout(config)),
                "commands": Out(data.ArrayLayout(DebugCommands, qpus)),
                "halted": In(qpus),
                "interrupts": In(qpus),
                "response_error_stb": In(1),
                "response_error_address": In(32),
                "window_error_stb": In(1),
                "window_error_address": In(32),
                "lookup_error_stb": In(1),
                "irq": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.register_file = file = RegisterFile(self._config)
        connect(m, flipped(self.port), file.port)
        for name in self.values.signature.members:
            m.d.comb += getattr(self.values, name).eq(getattr(file.values, name))
        for name in self.written.signature.members:
            m.d.comb += getattr(self.written, name).eq(getattr(file.written, name))
        for name in self.live.signature.members:
            m.d.comb += getattr(file.live, name).eq(getattr(self.live, name))
        for number in range(PERFORMANCE_COUNTERS):
            self._counter(m, file, number)
        irqs = (self._interrupts(m, file), self._debug(m, file), self._bus_errors(m, file))
        m.d.comb += self.irq.eq(Cat(*irqs).any())
        return m

    def _counter(self, m, file, number):
        m.submodules[f"counter_{number}"] = counter = Counter(self._config)
        count = f"PCTR{number}"
        m.d.comb += [
            counter.events.eq(self.events),
            counter.source.eq(getattr(file.values, f"PCTRS{number}").PCTRS),
            counter.enable.eq(file.values.PCTRE.EN & file.values.PCTRE.CTEN[number]),
            counter.clear.eq(file.written.PCTRC.CTCLR[number]),
            counter.write_stb.eq(getattr(file.written, count).stb),
            counter.write_data.eq(getattr(file.written, count).PCTR),
            getattr(file.live, count).PCTR.eq(counter.count),
        ]

    def _interrupts(self, m, file):
        """Of the three registers each has all causes in the same order."""
        m.submodules.interrupts = interrupts = Interrupts(len(register("INTCTL").fields))
        m.d.comb += interrupts.raised.eq(self.raised)
        inputs = {"INTCTL": interrupts.clear, "INTENA": interrupts.enable, "INTDIS": interrupts.disable}
        reads = {"INTCTL": interrupts.flags, "INTENA": interrupts.enables, "INTDIS": interrupts.enables}
        for name, told in inputs.items():
            for bit, field in enumerate(register(name).fields):
                m.d.comb += [
                    told[bit].eq(getattr(file.written, name)[field.name]),
                    getattr(file.live, name)[field.name].eq(reads[name][bit]),
                ]
        return interrupts.irq

    def _debug(self, m, file):
        m.submodules.debug = debug = Debug(len(self.halted))
        m.d.comb += [
            debug.enable.eq(file.values.DBCFG.ENABLE),
            debug.run.eq(file.written.DBQRUN.RUN_QPU),
            debug.halt.eq(file.written.DBQHLT.HLT_QPU),
            debug.step.eq(file.written.DBQSTP.STP_QPU),
            debug.interrupt_enables.eq(file.values.DBQITE.IE_QPU),
            debug.interrupt_clear.eq(file.written.DBQITC.IC_QPU),
            debug.interrupts.eq(self.interrupts),
            self.commands.eq(debug.commands),
            file.live.DBQRUN.RUN_QPU.eq(~self.halted),
            file.live.DBQHLT.HLT_QPU.eq(self.halted),
            file.live.DBQITC.IC_QPU.eq(debug.flags),
        ]
        return debug.irq

    def _bus_errors(self, m, file):
        m.submodules.bus_errors = errors = BusErrors()
        m.d.comb += [
            errors.response_stb.eq(self.response_error_stb),
            errors.response_address.eq(self.response_error_address),
            errors.window_stb.eq(self.window_error_stb),
            errors.window_address.eq(self.window_error_address),
            errors.lookup_stb.eq(self.lookup_error_stb),
            file.live.XBUSADR.ADDRESS.eq(errors.address),
        ]
        for cause, _ in BUS_ERROR_CAUSES:
            m.d.comb += [
                errors.clear[cause].eq(file.written.XBUSERR[f"ERR_{cause}"]),
                errors.enables[cause].eq(file.values.XBUSENA[f"EI_{cause}"]),
                file.live.XBUSERR[f"ERR_{cause}"].eq(errors.flags[cause]),
            ]
        return errors.irq
