"""The wires between what happens and performance counters."""

from amaranth import *
from amaranth.lib import data

__all__ = ["connect_events"]

_FEP_EVENTS = ("primitives", "primitives_empty", "quads", "quads_clipped")


def connect_events(m, v3d, events, scheduler):
    """What performance counters count, by the names of `vc4.regs.counters`."""
    m.d.comb += [
        events.QPU_CLOCKS_IDLE.eq(sum(Cat(one.idle for one in v3d.slices))),
        events.QPU_CLOCKS_EXECUTING.eq(sum(Cat(one.executing for one in v3d.slices))),
        events.QPU_CLOCKS_FRAGMENT.eq(sum(scheduler.fragment)),
        events.QPU_STALLS_TMU.eq(sum(Cat(one.waits_tmu for one in v3d.slices))),
        events.TMU_QUADS.eq(sum(Cat(one.events.tmu_quads for one in v3d.slices))),
        events.TMU_MISSES.eq(sum(Cat(one.events.tmu_miss for one in v3d.slices))),
        events.L2C_HITS.eq(v3d.l2c.hit),
        events.L2C_MISSES.eq(v3d.l2c.miss),
        events.VPM_STALLS_VDW.eq(v3d.vpm.store_stalled),
        events.VPM_STALLS_VCD.eq(v3d.vpm.load_stalled | (v3d.vertex_pipe.stalls.loads if v3d.vertex_pipe else 0)),
    ]
    for name, event in (
        ("QPU_INSTRUCTION_HITS", "instruction_hit"),
        ("QPU_INSTRUCTION_MISSES", "instruction_miss"),
        ("QPU_UNIFORMS_HITS", "uniform_hit"),
        ("QPU_UNIFORMS_MISSES", "uniform_miss"),
    ):
        m.d.comb += events[name].eq(sum(getattr(one.events, event) for one in v3d.slices))
    if v3d.ptb is not None:
        m.d.comb += [
            events.PTB_PRIMITIVES_OUTSIDE.eq(v3d.ptb.outside),
            events.PTB_PRIMITIVES_CLIPPED.eq(v3d.ptb.clipped),
        ]
    if v3d.pixel_pipe is not None:
        pipe = v3d.pixel_pipe
        found = {"PSE_PRIMITIVES_REVERSED": pipe.dropped}
        found |= {name: getattr(pipe.tlb_events, name) for name in data.Layout.cast(pipe.tlb_events.shape()).members}
        found |= {f"FEP_{name.upper()}": getattr(pipe.fep_events, name) for name in _FEP_EVENTS}
        found["QPU_STALLS_SCOREBOARD"] = sum(Cat(one.waits_scoreboard for one in v3d.slices))
        found["QPU_STALLS_VARYINGS"] = sum(Cat(one.waits_varyings for one in v3d.slices))
        m.d.comb += [events[name].eq(value) for name, value in found.items()]
