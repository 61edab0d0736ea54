"""A GPU whose binner and renderer are reset anywhere in a frame draws the next one as if nothing had been."""

import dataclasses
import random

import pytest

from vc4.config import preset
from vc4sim.clist import load_capture
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.model.memory import Memory

CONFIG = preset("gpu")
#: BMRST and RMRST, CTRSTA.
RESETS = (("PCS", 0b11 << 4), ("CT0CS", 1 << 15), ("CT1CS", 1 << 15))
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]

pytestmark = pytest.mark.thorough


@pytest.fixture(params=["tri_flat", "lines", "tri_clip", "stencil", "load_tile"])
def job(recorded, compiler, request):
    """A frame that is to be binned and rendered."""
    capture = load_capture(recorded / "cases/gl" / request.param)
    first, memory = capture.jobs[0], Memory(capture.memory_size)
    first.load(memory)
    return DrawJob(
        image=memory.read(0, capture.memory_size),
        registers=first.starts,
        config=CONFIG,
        max_cycles=3_000_000,
    )


@pytest.mark.parametrize("count", [1, 20])
def test_a_frame_after_resets(job, count, seeds, request):
    """Each of them comes before the frame is drawn."""
    on = request.config.getoption("--engine")
    wanted = {}
    for seed in seeds(6 // count + 1):
        rng = random.Random(seed)
        latency, gap = rng.choice(MEMORIES)
        slow = dataclasses.replace(job, latency=latency, gap=gap, seed=seed)
        if (latency, gap) not in wanted:
            wanted[latency, gap] = run_draw(slow, on)
            assert wanted[latency, gap].drawn
        found = wanted[latency, gap]
        later, clock = [], 0
        for _ in range(count):
            clock += rng.randrange(20, found.cycles * 9 // 10)
            later += [(clock, *write) for write in (*RESETS, *job.registers)]
        run = run_draw(dataclasses.replace(slow, later=tuple(later)), on)
        assert run.drawn
        assert run.cycles > clock, "the frame was drawn before it was reset"
        assert run.memory == found.memory
