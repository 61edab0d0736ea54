"""The GPU with a memory and a watch, as one piece of hardware that any simulator can run."""

from collections.abc import Iterable

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.qpu.stall import STALL_REASONS, UNBUILT
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import R4_SOURCES, TracePort
from vc4.regs.table import OFFSET_BITS
from vc4.v3d import V3D

from .gather import Gather, Retired, Vector
from .memory import BenchMemory
from .probe import PipelineProbe

__all__ = ["GRACE_CLOCKS", "HOPELESS_STALLS", "SHARED_STALLS", "GpuBench"]

#: Clocks that everything on its way gets before a program that waits for ever is given up.
GRACE_CLOCKS = 256


def _bits(names: Iterable[str]) -> int:
    return sum(1 << STALL_REASONS.index(name) for name in names)


#: Bits of `Stall` that never fall by themselves, and those that another QPU can end.
HOPELESS_STALLS = _bits(("fetch_fault", "uniform_fault", "no_vector", "no_slot", "no_result", *UNBUILT))
SHARED_STALLS = _bits(("mutex", "semaphore"))


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
    fragments, fragments_count : programs that may share a QPU, and how many have been taken
    s_axil, irq : the host
    launches : programs that the host has asked for, or will; 0 until it has set everything up
    trace : the trace port of each QPU
    event : changes with everything that follows, a clock after it happened
    started, started_count : the last program that a QPU has begun, and how many, of each QPU
    retired, retired_count : the last instruction that is done, and how many there were, of each QPU
    arrived, arrived_count : the last vector that has come for r4, and how many, of each QPU and each of `R4_SOURCES`
    written_address, written_data, written_strobes, written_count : the last word written to memory, and how many
    vpm_error : memory has refused a DMA store or load
    interrupts : host interrupts that were raised
    stalls : clocks lost for each of `STALL_REASONS`, of each QPU
    cycles : clocks since reset
    done : all programs have ended and all stores are in memory
    stuck : a program waits for something that never comes
    stop : `done`, `stuck` or too many clocks; from then on everything stands still for those who watch
    """

    def __init__(self, config: V3DConfig, *, max_cycles: int, waves: bool = False, **memory):
        self.max_cycles = max_cycles
        self.v3d = V3D(config)
        self.memory = BenchMemory(tag_bits=self.v3d.bus.signature.tag_bits, **memory)
        self._qpus = config.qpus
        words = {"address": 32, "data": 8 * BUS_BYTES, "strobes": BUS_BYTES, "count": 32}
        super().__init__(
            {
                "fragments": In(stream.Signature(ProgramStart)),
                "fragments_count": Out(32),
                "s_axil": In(AxiLitePort(address_bits=OFFSET_BITS)),
                "irq": Out(1),
                "launches": In(32),
                "trace": Out(TracePort()).array(config.qpus),
                "event": Out(1),
                "started": Out(ProgramStart).array(config.qpus),
                "started_count": Out(32).array(config.qpus),
                "retired": Out(Retired).array(config.qpus),
                "retired_count": Out(32).array(config.qpus),
                "arrived": Out(data.ArrayLayout(Vector, len(R4_SOURCES))).array(config.qpus),
                "arrived_count": Out(data.ArrayLayout(unsigned(32), len(R4_SOURCES))).array(config.qpus),
                **{f"written_{name}": Out(width) for name, width in words.items()},
                "vpm_error": Out(1),
                "interrupts": Out(32),
                "stalls": Out(data.ArrayLayout(unsigned(32), len(STALL_REASONS))).array(config.qpus),
                "cycles": Out(32),
                "done": Out(1),
                "stuck": Out(1),
                "stop": Out(1),
            }
        )
        self.probe = PipelineProbe(self.v3d.slices[0].qpus[0], self.trace[0]) if waves else None

    def elaborate(self, platform):
        m = Module()
        m.submodules.v3d = v3d = self.v3d
        m.submodules.memory = memory = self.memory
        connect(m, v3d.bus, memory.bus)
        connect(m, flipped(self.fragments), v3d.fragments)
        connect(m, flipped(self.s_axil), v3d.s_axil)
        m.d.comb += [self.irq.eq(v3d.irq), self.vpm_error.eq(v3d.vpm_error)]
        m.d.sync += [
            self.interrupts.eq(self.interrupts + sum(v3d.interrupts)),
            self.cycles.eq(self.cycles + 1),
        ]
        taken = self.fragments.valid & self.fragments.ready
        m.d.sync += self.fragments_count.eq(self.fragments_count + taken)
        events = [memory.written_stb, taken]
        for number in range(self._qpus):
            connect(m, v3d.trace[number], flipped(self.trace[number]))
            events += self._gather(m, number)
        with m.If(memory.written_stb):
            m.d.sync += [
                self.written_address.eq(memory.written_address),
                self.written_data.eq(memory.written_data),
                self.written_strobes.eq(memory.written_strobes),
                self.written_count.eq(self.written_count + 1),
            ]
        if self.probe is not None:
            m.submodules.probe = self.probe
        self._ending(m)
        stopped = Signal()
        m.d.sync += stopped.eq(self.stop)
        with m.If(Cat(events).any() | (self.stop & ~stopped)):
            m.d.sync += self.event.eq(~self.event)
        return m

    def _gather(self, m, number):
        """What a QPU does; returns the strobes of its events."""
        m.submodules[f"gather_{number}"] = gather = Gather()
        connect(m, self.v3d.trace[number], gather.trace)
        trace = self.trace[number]
        m.d.comb += self.stalls[number].eq(gather.stalls)
        for events, value, strobe, count in (
            (self.started, trace.start, trace.start_stb, self.started_count),
            (self.retired, gather.retired, gather.retired_stb, self.retired_count),
        ):
            with m.If(strobe):
                m.d.sync += [events[number].eq(value), count[number].eq(count[number] + 1)]
        strobes = [getattr(gather, f"{name}_stb") for name in R4_SOURCES]
        for source, (name, strobe) in enumerate(zip(R4_SOURCES, strobes, strict=True)):
            arrived, count = self.arrived[number][source], self.arrived_count[number][source]
            with m.If(strobe):
                m.d.sync += [arrived.eq(getattr(gather, name)), count.eq(count + 1)]
        return trace.start_stb, gather.retired_stb, *strobes

    def _ending(self, m):
        waiting = Signal(range(GRACE_CLOCKS + 1))
        reasons = [Mux(trace.sp_valid, trace.stall.as_value(), 0) for trace in self.trace]
        running = Cat(trace.running for trace in self.trace)
        # Whether a QPU waits for nothing but another QPU.
        shares = Cat((all_ & SHARED_STALLS).any() & ~(all_ & ~SHARED_STALLS).any() for all_ in reasons)
        hopeless = (
            Cat((all_ & HOPELESS_STALLS).any() for all_ in reasons).any()
            | (running.any() & ((running & shares) == running))
            | self.vpm_error
        )
        started = Signal(32)
        m.d.sync += started.eq(started + sum(trace.start_stb for trace in self.trace))
        m.d.sync += [
            waiting.eq(Mux(hopeless, waiting + (waiting != GRACE_CLOCKS), 0)),
            self.done.eq((self.launches != 0) & (started == self.launches) & self.v3d.idle & ~hopeless),
            self.stuck.eq(waiting == GRACE_CLOCKS),
        ]
        m.d.comb += self.stop.eq(self.done | self.stuck | (self.cycles >= self.max_cycles))
