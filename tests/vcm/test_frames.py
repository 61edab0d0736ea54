"""From control lists to shaded vertices: both threads of captured frames at once, in lockstep with the model."""

import dataclasses

import pytest

from vc4.config import preset
from vc4sim.clist import load_capture
from vc4sim.cxxrtl.build import find_compiler
from vc4sim.frames.captures import front_jobs
from vc4sim.frames.front import run_front
from vc4sim.frames.lockstep import FrontLockstep
from vc4sim.lockstep import Difference

from ..render.test_captures import NAMES

#: Two QPUs, so that batches overtake each other, and a texture unit; and twelve.
CONFIG = dataclasses.replace(preset("gpu"), trace=True)
LARGE = dataclasses.replace(preset("bcm2835"), trace=True)
#: With many batches, with points of their own size, with many varyings.
DEMANDING = ["overflow", "points", "many_varyings", "multi_draw"]
MEMORIES = [(1, 0.0), (100, 0.0), (20, 0.3)]


def check(folder, on="native", config=CONFIG, **memory):
    """All jobs of a frame on the RTL and on the model."""
    capture = load_capture(folder)
    for _, job in front_jobs(capture, config, **memory):
        lockstep = FrontLockstep(job)
        run = run_front(job, on, follow=lockstep)
        assert run.rests
        assert [front.error for front in lockstep.expected.fronts] == [None, None]
        lockstep.compare(run)
        assert lockstep.retired == run.instructions == lockstep.expected.gpu.instructions


@pytest.fixture(autouse=True)
def compiler():
    find_compiler()


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_captured_frames(recorded, name):
    check(recorded / "cases/gl" / name)


@pytest.mark.thorough
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("name", DEMANDING)
def test_other_memories(recorded, name, latency, gap):
    """However long memory takes, and however often it and the pipelines pause."""
    check(recorded / "cases/gl" / name, latency=latency, gap=gap, pipeline_gap=gap)


@pytest.mark.slow
@pytest.mark.parametrize("config", [CONFIG, LARGE], ids=["gpu", "bcm2835"])
@pytest.mark.parametrize(("latency", "gap"), [(20, 0.0), *MEMORIES])
@pytest.mark.parametrize("name", NAMES)
def test_all_memories(recorded, name, latency, gap, config):
    check(recorded / "cases/gl" / name, config=config, latency=latency, gap=gap, pipeline_gap=gap)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["points", "many_varyings"])
def test_the_other_simulator(recorded, name):
    check(recorded / "cases/gl" / name, "cxxrtl")


@pytest.mark.thorough
def test_lockstep_notices_an_attribute(recorded):
    """The RTL finds another number in memory than the model."""
    ((_, job),) = front_jobs(load_capture(recorded / "cases/gl/tri_color"), CONFIG)
    lockstep = FrontLockstep(job)
    (batch, *_) = lockstep.expected.fronts[0].batches
    image = bytearray(job.image)
    image[batch.shader.attributes[0].fields.base_memory_address] ^= 1
    with pytest.raises(Difference, match="instruction"):
        run_front(dataclasses.replace(job, image=bytes(image)), follow=lockstep)
