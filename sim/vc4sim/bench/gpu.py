"""The GPU with a memory and a watch, as one piece of hardware that any simulator can run."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.host.debug import RegisterPort
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import TracePort
from vc4.v3d import V3D
from vc4.vpm.port import VpmUnbuilt

from .gather import Gather, Retired
from .memory import BenchMemory
from .probe import PipelineProbe

__all__ = ["GRACE_CLOCKS", "GpuBench"]

#: Clocks that everything on its way gets before a program that waits for ever is given up.
GRACE_CLOCKS = 256


class GpuBench(wiring.Component):
    """`V3D` with its memory.

    Parameters
    ----------
    config : of the GPU, with `trace`
    max_cycles : clocks after which the run is given up
    waves : add signals that only waves need, see `PipelineProbe`
    memory : options of `BenchMemory`

    Interface attributes
    --------------------
    start : programs
    registers, irq : the host
    trace : the trace port of the QPU
    event : changes with everything that follows, a clock after it happened
    started : programs taken
    retired, retired_count : the last instruction that is done, and how many there were
    written_address, written_data, written_strobes, written_count : the last word written to memory, and how many
    vpm_unbuilt, vpm_error : why the VPM has stopped, and whether memory has refused a store
    interrupts : clocks in which the host interrupt was raised
    stalls : clocks lost for each of `STALL_REASONS`
    cycles : clocks since reset
    done : all programs have ended and all stores are in memory
    stuck : the program waits for something that never comes
    stop : `done`, `stuck` or too many clocks; from then on everything stands still for those who watch
    """

    def __init__(self, config: V3DConfig, *, max_cycles: int, waves: bool = False, **memory):
        self.max_cycles = max_cycles
        self.v3d = V3D(config)
        self.memory = BenchMemory(tag_bits=self.v3d.bus.signature.tag_bits, **memory)
        words = {"address": 32, "data": 8 * BUS_BYTES, "strobes": BUS_BYTES, "count": 32}
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)),
                "registers": In(RegisterPort()),
                "irq": Out(1),
                "trace": Out(TracePort()),
                "event": Out(1),
                "started": Out(32),
                "retired": Out(Retired),
                "retired_count": Out(32),
                **{f"written_{name}": Out(width) for name, width in words.items()},
                "vpm_unbuilt": Out(VpmUnbuilt),
                "vpm_error": Out(1),
                "interrupts": Out(32),
                "stalls": Out(data.ArrayLayout(unsigned(32), len(STALL_REASONS))),
                "cycles": Out(32),
                "done": Out(1),
                "stuck": Out(1),
                "stop": Out(1),
            }
        )
        self.probe = PipelineProbe(self.v3d.slice0.qpu0.pipeline, self.trace) if waves else None

    def elaborate(self, platform):
        m = Module()
        m.submodules.v3d = v3d = self.v3d
        m.submodules.memory = memory = self.memory
        connect(m, v3d.bus, memory.bus)
        connect(m, flipped(self.start), v3d.start)
        connect(m, v3d.trace, flipped(self.trace))
        connect(m, flipped(self.registers), v3d.registers)
        m.d.comb += [self.irq.eq(v3d.irq), self.vpm_unbuilt.eq(v3d.vpm_unbuilt), self.vpm_error.eq(v3d.vpm_error)]
        m.d.sync += self.interrupts.eq(self.interrupts + v3d.interrupt)
        starts = self.start.valid & self.start.ready
        m.submodules.gather = gather = Gather()
        connect(m, v3d.trace, gather.trace)
        m.d.comb += self.stalls.eq(gather.stalls)
        with m.If(gather.retired_stb):
            m.d.sync += [self.retired.eq(gather.retired), self.retired_count.eq(self.retired_count + 1)]
        with m.If(memory.written_stb):
            m.d.sync += [
                self.written_address.eq(memory.written_address),
                self.written_data.eq(memory.written_data),
                self.written_strobes.eq(memory.written_strobes),
                self.written_count.eq(self.written_count + 1),
            ]
        m.d.sync += [self.cycles.eq(self.cycles + 1), self.started.eq(self.started + starts)]
        if self.probe is not None:
            m.submodules.probe = self.probe
        self._ending(m)
        stopped = Signal()
        m.d.sync += stopped.eq(self.stop)
        with m.If(gather.retired_stb | memory.written_stb | starts | (self.stop & ~stopped)):
            m.d.sync += self.event.eq(~self.event)
        return m

    def _ending(self, m):
        waiting = Signal(range(GRACE_CLOCKS + 1))
        stall = self.trace.stall
        hopeless = (
            (self.trace.sp_valid & (stall.unbuilt.as_value().any() | stall.fetch_fault | stall.uniform_fault))
            | (self.vpm_unbuilt != VpmUnbuilt.NONE)
            | self.vpm_error
        )
        m.d.sync += [
            waiting.eq(Mux(hopeless, waiting + (waiting != GRACE_CLOCKS), 0)),
            self.done.eq((self.started != 0) & ~self.start.valid & self.v3d.idle & ~hopeless),
            self.stuck.eq(waiting == GRACE_CLOCKS),
        ]
        m.d.comb += self.stop.eq(self.done | self.stuck | (self.cycles >= self.max_cycles))
