"""A slice: QPUs and what they share."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.config import V3DConfig
from vc4.qpu.qpu import Qpu
from vc4.qpu.structs import DebugCommands, ProgramStart
from vc4.qpu.trace import TracePort
from vc4.vpm.port import VpmPort

from .prefetch import Prefetch
from .uniforms import Uniforms

__all__ = ["Slice"]


class Slice(wiring.Component):
    """One QPU with its instruction and uniform streams.

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    start : programs to run
    vpm : commands and vectors for the VPM
    instruction_bus, uniform_bus : ports to memory, reads only
    interrupt : a program raises the host interrupt
    debug, halted : what the host asks of the QPU, and whether it stands still
    idle : no program runs
    trace : of the QPU, if the configuration wants it
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        self.qpu0 = Qpu(config, 0)
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)),
                "vpm": Out(VpmPort()),
                "instruction_bus": Out(MemoryPort(word_bytes=BUS_BYTES)),
                "uniform_bus": Out(MemoryPort(word_bytes=BUS_BYTES)),
                "interrupt": Out(1),
                "debug": In(DebugCommands),
                "halted": Out(1),
                "idle": Out(1),
                **({"trace": Out(TracePort())} if config.trace else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.qpu0 = qpu = self.qpu0
        m.submodules.instructions = instructions = Prefetch()
        m.submodules.uniforms = uniforms = Uniforms()
        connect(m, instructions.o, qpu.instructions)
        connect(m, uniforms.o, qpu.uniforms)
        connect(m, instructions.bus, flipped(self.instruction_bus))
        connect(m, uniforms.bus, flipped(self.uniform_bus))
        connect(m, qpu.vpm, flipped(self.vpm))
        connect(m, flipped(self.start), qpu.start)
        moves = ("start", "start_stb", "enter", "enter_stb", "move", "move_stb")
        m.d.comb += [
            *(getattr(uniforms, name).eq(getattr(qpu, f"uniform_{name}")) for name in moves),
            instructions.redirect.eq(qpu.redirect),
            instructions.redirect_stb.eq(qpu.redirect_stb),
            qpu.debug.eq(self.debug),
            self.halted.eq(qpu.halted),
            self.interrupt.eq(qpu.interrupt),
            self.idle.eq(qpu.idle),
        ]
        if self._config.trace:
            connect(m, qpu.trace, flipped(self.trace))
        return m
