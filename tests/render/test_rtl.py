"""Frames that a driver asked for, drawn by the RTL: all memory as the model leaves it, every instruction in lockstep."""

import dataclasses

import numpy as np
import pytest

from vc4.config import preset
from vc4sim.clist import load_capture
from vc4sim.frames.host import DrawHost
from vc4sim.problem import BadInput
from vc4sim.render import Host, picture_of

from .captures import frozen
from .test_captures import NAMES

#: Two QPUs and one pixel a clock in the front end; twelve and four.
CONFIGS = {
    "gpu": preset("gpu"),
    "bcm2835": dataclasses.replace(preset("bcm2835"), lists=True, pixels=True, lanes=4),
}
#: Latency, and the chance of a pause.
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Which together have every kind of primitive, state, sample mode, load and store of the captured frames, and two threads.
DEMANDING = ["clear_565", "flat_clip", "lines", "load_tile", "msaa4_pbuf", "points", "stencil", "tex_mip"]

pytestmark = pytest.mark.usefixtures("compiler")


def check(folder, on="native", config="gpu", **memory):
    """Each job twice: by the model for itself, whose order of fragments is that of the list, and by the RTL, which the model follows."""
    capture = load_capture(folder)
    alone = Host(capture, preset("bcm2835"))
    host = DrawHost(capture, CONFIGS[config], on, **memory)
    found = []
    for job in capture.jobs:
        for _ in alone.run(job):
            pass
        drawn = host.run(job, lockstep=True)
        if drawn is not None:
            run, lockstep = drawn
            assert lockstep is not None
            assert lockstep.retired == run.instructions
            found.append(run)
        assert host.memory.read(0, capture.memory_size) == alone.memory.read(0, capture.memory_size), job.name
    assert np.array_equal(picture_of(capture, host.memory), frozen(capture.name))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", DEMANDING)
def test_captured_frames(recorded, name):
    check(recorded / "cases/gl" / name)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("name", NAMES)
def test_all_captured_frames(recorded, name, latency, gap, config):
    check(recorded / "cases/gl" / name, config=config, latency=latency, gap=gap)


def test_another_engine_says_so(recorded):
    with pytest.raises(BadInput, match="cxxrtl does not draw: add --on native"):
        check(recorded / "cases/gl/tri_color", "cxxrtl")
