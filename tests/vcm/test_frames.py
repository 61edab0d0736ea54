"""From control lists to shaded vertices: both threads of captured frames at once, in lockstep with the model."""

import pytest

from vc4.config import V3DConfig
from vc4sim.clist import load_capture
from vc4sim.cxxrtl.build import find_compiler
from vc4sim.frames.captures import front_jobs
from vc4sim.frames.front import run_front
from vc4sim.frames.lockstep import FrontLockstep

from ..render.test_captures import NAMES

#: A small GPU: two QPUs, so that their batches overtake each other, and a texture unit.
CONFIG = V3DConfig(qpus_per_slice=2, tmus_per_slice=1, vpm_kib=8, lists=True, trace=True)
#: With many batches, with points of their own size, with many varyings.
DEMANDING = ["overflow", "points", "many_varyings", "multi_draw"]

pytestmark = pytest.mark.thorough


def check(folder, on, **memory):
    """All jobs of a frame on the RTL and on the model."""
    capture = load_capture(folder)
    for _, job in front_jobs(capture, CONFIG, **memory):
        lockstep = FrontLockstep(job)
        run = run_front(job, on, follow=lockstep)
        assert run.rests
        assert [front.error for front in lockstep.expected.fronts] == [None, None]
        lockstep.compare(run)
        assert lockstep.retired == run.instructions == lockstep.expected.gpu.instructions


@pytest.fixture(autouse=True)
def compiler():
    find_compiler()


@pytest.mark.parametrize("name", NAMES)
def test_captured_frames(recorded, name):
    check(recorded / "cases/gl" / name, "cxxrtl")


@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (100, 0.0), (20, 0.3)])
@pytest.mark.parametrize("name", DEMANDING)
def test_other_memories(recorded, name, latency, gap):
    """However long memory takes, and however often it and the pipelines pause."""
    check(recorded / "cases/gl" / name, "cxxrtl", latency=latency, gap=gap, pipeline_gap=gap)
