"""All sources of performance counters, as a host counts them while frames are drawn."""

import dataclasses
from collections import Counter

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode
from vc4.records.state import DepthTest
from vc4.regs.counters import PERFORMANCE_COUNTERS, SOURCES
from vc4sim.clist import load_capture
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.frames.host import DrawHost
from vc4sim.render import Host

from ..model.drawing import LIST, SIZE, WITH_Z, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
NAMES = tuple(source.name for source in SOURCES)
#: As many as there are counters at a time.
TURNS = [NAMES[first : first + PERFORMANCE_COUNTERS] for first in range(0, len(NAMES), PERFORMANCE_COUNTERS)]
#: What stays 0 in each captured frame, besides what it has nothing of: coverage, clipping by Z, and stores of DMA.
SILENT = {
    "flat_clip": {
        *("FEP_PRIMITIVES_EMPTY", "PTB_PRIMITIVES_OUTSIDE", "PSE_PRIMITIVES_REVERSED", "TLB_QUADS_STENCIL_FAILED"),
        *("TLB_QUADS_Z_FAILED", "TLB_QUADS_Z_PASSED", "QPU_STALLS_TMU", "QPU_STALLS_SCOREBOARD", "TMU_QUADS"),
        *("TMU_MISSES", "L2C_HITS"),
    },
    "overflow": {
        *("PTB_PRIMITIVES_CLIPPED", "PSE_PRIMITIVES_REVERSED", "TLB_QUADS_STENCIL_FAILED", "QPU_STALLS_TMU"),
        *("TMU_QUADS", "TMU_MISSES", "L2C_HITS"),
    },
    "polyoffset_cull": {
        *("FEP_PRIMITIVES_EMPTY", "PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED", "TLB_QUADS_STENCIL_FAILED"),
        *("QPU_STALLS_TMU", "QPU_STALLS_SCOREBOARD", "TMU_QUADS", "TMU_MISSES", "L2C_HITS"),
    },
    "stencil": {
        *("FEP_PRIMITIVES_EMPTY", "PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED", "PSE_PRIMITIVES_REVERSED"),
        *("QPU_STALLS_TMU", "QPU_STALLS_SCOREBOARD", "QPU_STALLS_VARYINGS", "TMU_QUADS", "TMU_MISSES", "L2C_HITS"),
    },
    "tex_mip": {
        *("FEP_PRIMITIVES_EMPTY", "PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED", "PSE_PRIMITIVES_REVERSED"),
        *("TLB_QUADS_STENCIL_FAILED", "TLB_QUADS_Z_FAILED", "TLB_QUADS_Z_PASSED"),
    },
}
ALWAYS_SILENT = {"FEP_QUADS_CLIPPED", "TLB_QUADS_COVERED", "TLB_QUADS_UNCOVERED", "VPM_STALLS_VDW"}
#: What the model counts as well, with or without early Z.
ALIKE = (
    *("FEP_PRIMITIVES_EMPTY", "FEP_PRIMITIVES", "FEP_QUADS", "TLB_QUADS_COVERED", "TLB_QUADS_UNCOVERED"),
    *("TLB_QUADS_WRITTEN", "PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED", "PSE_PRIMITIVES_REVERSED", "TMU_QUADS"),
)

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def silent(counts):
    return {name for name in NAMES if not counts[name]}


@pytest.mark.parametrize("name", SILENT)
def test_captured_frames(recorded, name):
    capture, counts = load_capture(recorded / "cases/gl" / name), Counter()
    alone = Host(capture, CONFIG)
    for job in capture.jobs:
        for _ in alone.run(job):
            pass
    for turn in TURNS:
        host = DrawHost(capture, CONFIG, counted=turn)
        for job in capture.jobs:
            run, _ = host.run(job)
            counts.update(run.counts)
    assert silent(counts) == SILENT[name] | ALWAYS_SILENT
    assert {one: counts[one] for one in ALIKE} == {one: alone.gpu.events[one] for one in ALIKE}
    assert counts["QPU_CLOCKS_IDLE"] + counts["QPU_CLOCKS_FRAGMENT"] + counts["QPU_CLOCKS_VERTEX"] > run.cycles


def test_what_captured_frames_lack():
    """Coverage of a triangle, read by a rectangle; points in front of the near plane, and beside the window."""
    drawing = Drawing()
    drawing.clear(0, z=0)
    drawing.covered(8, 16)
    drawing.configure(depth=DepthTest.ALWAYS, z=True)
    drawing.state(Code.Z_CLIPPING_PLANES, minimum_zw=0.125, maximum_zw=0.875)
    places = (40, 8, 0.0), (90, 8, 0.5), (40, 40, 0.5)
    drawing.shader(WITH_Z, [(*place, 1.0, 8.0, 5.0) for place in places], point_size=1)
    drawing.draw(len(places), PrimitiveMode.POINTS)
    assert drawing.finish()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    image, counts = drawing.memory.read(0, SIZE), Counter()
    for turn in TURNS:
        run = run_draw(DrawJob(image=image, registers=registers, config=CONFIG, counted=turn, max_cycles=100_000))
        assert run.drawn
        counts.update(run.counts)
    drawing.run()
    assert {one: counts[one] for one in ALIKE} == {one: drawing.frame.events[one] for one in ALIKE}
    assert counts["FEP_QUADS_CLIPPED"] == drawing.frame.events["FEP_QUADS_CLIPPED"] > 0
    # So every source has counted, but one that never does: the VDW has a read port of its own.
    assert silent(counts) & ALWAYS_SILENT == {"VPM_STALLS_VDW"}
    assert set.intersection(*SILENT.values()) == set()
