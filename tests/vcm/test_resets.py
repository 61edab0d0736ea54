"""Pipelines that are reset anywhere in a frame draw the next one as if nothing had been, and give all rows back."""

import dataclasses
import random

import pytest

from vc4sim.clist import load_capture
from vc4sim.frames.captures import front_jobs
from vc4sim.frames.front import run_front

from .test_frames import CONFIG

#: BMRST and RMRST, CTRSTA.
RESETS = (("PCS", 0b11 << 4), ("CT0CS", 1 << 15), ("CT1CS", 1 << 15))
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]

pytestmark = pytest.mark.thorough


@pytest.fixture
def job(recorded, compiler):
    """A frame with several batches and varyings, that takes some thousand clocks."""
    (found,) = front_jobs(load_capture(recorded / "cases/gl/lines"), CONFIG)
    return found[1]


def after_resets(front, job, seed, count):
    """The items of a frame after so many that were reset."""
    rng = random.Random(seed)
    latency, gap = rng.choice(MEMORIES)
    later, clock = [], 0
    for _ in range(count):
        clock += rng.randrange(20, 1500)
        later += [(clock, *write) for write in (*RESETS, *job.registers)]
    return front(dataclasses.replace(job, later=tuple(later), latency=latency, gap=gap, pipeline_gap=gap, seed=seed))


@pytest.mark.parametrize("count", [1, 40])
def test_a_frame_after_resets(job, front, seeds, count):
    """Forty are more than the VPM has rows for, if each lost some."""
    wanted = run_front(job).items
    for seed in seeds(60 // count + 5):
        run = after_resets(front, job, seed, count)
        assert run.rests
        assert [found[-len(items) :] for found, items in zip(run.items, wanted, strict=True)] == list(wanted)
