"""The GPU put together."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.host.debug import Debug, RegisterPort
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import TracePort
from vc4.slice.slice import Slice
from vc4.vpm.port import VpmUnbuilt
from vc4.vpm.vpm import Vpm

__all__ = ["V3D"]


class V3D(wiring.Component):
    """The GPU: a slice, the VPM, and the hub that joins their ways to memory.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    start : user programs
    bus : memory
    registers : the host
    interrupt : a program raises the host interrupt
    irq : the host should look at the registers
    idle : no program runs and every store has reached memory
    vpm_unbuilt : why the VPM has stopped, if it has
    vpm_error : memory has answered a store with an error
    trace : of the QPU, if the configuration wants it
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        self.slice0 = Slice(config)
        self._hub = Hub(3, word_bytes=BUS_BYTES)
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)),
                "bus": Out(self._hub.bus.signature),
                "registers": In(RegisterPort()),
                "interrupt": Out(1),
                "irq": Out(1),
                "idle": Out(1),
                "vpm_unbuilt": Out(VpmUnbuilt),
                "vpm_error": Out(1),
                **({"trace": Out(TracePort())} if config.trace else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.slice0 = slice0 = self.slice0
        m.submodules.vpm = vpm = Vpm(self._config.vpm_rows, word_bytes=BUS_BYTES)
        m.submodules.hub = hub = self._hub
        connect(m, flipped(self.start), slice0.start)
        connect(m, slice0.vpm, vpm.qpu)
        for client, port in zip(hub.clients, (slice0.instruction_bus, slice0.uniform_bus, vpm.bus), strict=True):
            connect(m, port, client)
        connect(m, hub.bus, flipped(self.bus))
        m.submodules.debug = debug = Debug(1)
        connect(m, flipped(self.registers), debug.port)
        m.d.comb += [
            slice0.debug.eq(debug.commands[0]),
            debug.halted.eq(slice0.halted),
            debug.interrupts.eq(slice0.interrupt),
            self.irq.eq(debug.irq),
            self.interrupt.eq(slice0.interrupt),
            self.idle.eq(slice0.idle & ~vpm.qpu.store_busy & ~vpm.qpu.writes.valid),
            self.vpm_unbuilt.eq(vpm.unbuilt),
            self.vpm_error.eq(vpm.error),
        ]
        if self._config.trace:
            connect(m, slice0.trace, flipped(self.trace))
        return m
