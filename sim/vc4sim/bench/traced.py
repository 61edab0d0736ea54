"""The GPU with a memory, and what happens in it, so that a testbench need not look at every clock."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from amaranth import *
from amaranth.hdl import Fragment
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out, connect, flipped

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import R4_SOURCES, TracePort
from vc4.v3d import V3D

from ..queues import signals_of
from ..retired import R4_ARRIVED, RETIRED, STARTED, WRITTEN
from .gather import Gather, Retired, Vector
from .memory import BenchMemory
from .probe import PipelineProbe

__all__ = ["TracedGpu"]


class TracedGpu(wiring.Component):
    """`V3D` with its memory. A bench around it says in `begin_and_end` how a run begins and ends.

    `levels` are registers of its queues, see `queues.levels_of`, once `find_levels` has looked for them.

    Parameters
    ----------
    config : of the GPU, with `trace`
    ports : of the bench
    waves : add signals that only waves need, see `PipelineProbe`
    memory : options of `BenchMemory`

    Interface attributes
    --------------------
    trace : the trace port of each QPU
    event : changes with everything that follows, a clock after it happened
    started, started_count : the last program that a QPU has begun, and how many, of each QPU
    retired, retired_count : the last instruction that is done, and how many there were, of each QPU
    arrived, arrived_count : the last vector that has come for r4, and how many, of each QPU and each of `R4_SOURCES`
    written_address, written_data, written_strobes, written_count : the last word written to memory, and how many
    stalls : clocks lost for each of `STALL_REASONS`, of each QPU
    cycles : clocks since reset
    stop : the run is over, with the clock before
    """

    def __init__(self, config: V3DConfig, ports: Mapping, *, waves: bool = False, **memory):
        self.v3d = V3D(config)
        self.memory = BenchMemory(tag_bits=self.v3d.bus.signature.tag_bits, **memory)
        self._config, self._qpus = config, config.qpus
        self.levels: Sequence[Signal] = ()
        words = {"address": 32, "data": 8 * BUS_BYTES, "strobes": BUS_BYTES, "count": 32}
        super().__init__(
            {
                **ports,
                "trace": Out(TracePort()).array(config.qpus),
                "event": Out(1),
                "started": Out(ProgramStart).array(config.qpus),
                "started_count": Out(32).array(config.qpus),
                "retired": Out(Retired).array(config.qpus),
                "retired_count": Out(32).array(config.qpus),
                "arrived": Out(data.ArrayLayout(Vector, len(R4_SOURCES))).array(config.qpus),
                "arrived_count": Out(data.ArrayLayout(unsigned(32), len(R4_SOURCES))).array(config.qpus),
                **{f"written_{name}": Out(width) for name, width in words.items()},
                "stalls": Out(data.ArrayLayout(unsigned(32), len(STALL_REASONS))).array(config.qpus),
                "cycles": Out(32),
                "stop": Out(1),
            }
        )
        self.probe = PipelineProbe(self.v3d.slices[0].qpus[0], self.trace[0]) if waves else None

    def find_levels(self, design: Fragment) -> None:
        """Look for them in what it has been elaborated to."""
        self.levels = signals_of(design, self._config, "v3d")

    @property
    def told(self) -> list[tuple[int, int, Signal, tuple]]:
        """Of each thing that a record tells: its kind, its QPU, the count of how often it has happened, and its content."""
        found = []
        for number in range(self._qpus):
            found.append((STARTED, number, self.started_count[number], (self.started[number],)))
            found.append((RETIRED, number, self.retired_count[number], (self.retired[number],)))
            for source in range(len(R4_SOURCES)):
                arrived = self.arrived[number][source]
                found.append((R4_ARRIVED + source, number, self.arrived_count[number][source], (arrived,)))
        word = self.written_address, self.written_strobes, self.written_data
        return [*found, (WRITTEN, 0, self.written_count, word)]

    @abstractmethod
    def begin_and_end(self, m: Module) -> tuple[Value, Sequence[Value]]:
        """Drives the other ports of `v3d`. Returns whether the run is over with this clock, and strobes of more events."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.v3d = v3d = self.v3d
        m.submodules.memory = memory = self.memory
        connect(m, v3d.bus, memory.bus)
        m.d.sync += self.cycles.eq(self.cycles + 1)
        events = [memory.written_stb]
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
        stops, more = self.begin_and_end(m)
        with m.If(stops):
            m.d.sync += self.stop.eq(1)
        with m.If(Cat(events, more).any() | (stops & ~self.stop)):
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
