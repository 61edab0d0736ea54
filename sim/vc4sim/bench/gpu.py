"""The GPU with a memory and a watch for programs, as one piece of hardware that any simulator can run."""

from collections.abc import Iterable

from amaranth import *
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.config import V3DConfig
from vc4.qpu.stall import STALL_REASONS, UNBUILT
from vc4.qpu.structs import ProgramStart
from vc4.regs.table import OFFSET_BITS

from .traced import TracedGpu

__all__ = ["GRACE_CLOCKS", "HOPELESS_STALLS", "SHARED_STALLS", "GpuBench"]

#: Clocks that everything on its way gets before a program that waits for ever is given up.
GRACE_CLOCKS = 256


def _bits(names: Iterable[str]) -> int:
    return sum(1 << STALL_REASONS.index(name) for name in names)


#: Bits of `Stall` that never fall by themselves, and those that another QPU can end.
HOPELESS_STALLS = _bits(("fetch_fault", "uniform_fault", "no_vector", "no_slot", "no_result", *UNBUILT))
SHARED_STALLS = _bits(("mutex", "semaphore"))


class GpuBench(TracedGpu):
    """`TracedGpu` for programs.

    Parameters
    ----------
    config : of the GPU, with `trace`
    max_cycles : clocks after which the run is given up
    options : of `TracedGpu`

    Interface attributes
    --------------------
    fragments, fragments_count : programs that may share a QPU, and how many have been taken; an event, too
    s_axil, irq : the host
    launches : programs that the host has asked for, or will; 0 until it has set everything up
    vpm_error : memory has refused a DMA store or load
    interrupts : host interrupts that were raised
    done : all programs have ended and all stores are in memory
    stuck : a program waits for something that never comes
    stop : `done`, `stuck` or too many clocks
    """

    def __init__(self, config: V3DConfig, *, max_cycles: int, **options):
        self.max_cycles = max_cycles
        ports = {
            "fragments": In(stream.Signature(ProgramStart)),
            "fragments_count": Out(32),
            "s_axil": In(AxiLitePort(address_bits=OFFSET_BITS)),
            "irq": Out(1),
            "launches": In(32),
            "vpm_error": Out(1),
            "interrupts": Out(32),
            "done": Out(1),
            "stuck": Out(1),
        }
        super().__init__(config, ports, **options)

    def begin_and_end(self, m):
        """See `TracedGpu`."""
        v3d = self.v3d
        connect(m, flipped(self.fragments), v3d.fragments)
        connect(m, flipped(self.s_axil), v3d.s_axil)
        m.d.comb += [self.irq.eq(v3d.irq), self.vpm_error.eq(v3d.vpm_error)]
        m.d.sync += self.interrupts.eq(self.interrupts + sum(v3d.interrupts))
        taken = self.fragments.valid & self.fragments.ready
        m.d.sync += self.fragments_count.eq(self.fragments_count + taken)
        self._watch(m)
        return self.done | self.stuck | (self.cycles >= self.max_cycles), [taken]

    def _watch(self, m):
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
