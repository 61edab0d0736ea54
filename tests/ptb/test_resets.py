"""A binner that is reset anywhere bins the next list as if nothing had been."""

import dataclasses
import random

import pytest

from vc4sim.frames.binned import binned

from .binning import compare
from .test_binning import random_job

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]

#: BMRST and CTRSTA; all interrupts are forgotten.
RESETS = (("PCS", 1 << 4), ("CT0CS", 1 << 15), ("INTCTL", 0xF))


def flushed_jobs(seeds):
    """Lists that need no overspill, which a host would give but once."""
    for seed in seeds:
        job = dataclasses.replace(random_job(seed, 60), overspill=())
        done = binned(job)
        if done.gpu.read("BFC"):
            yield seed, job, done


@pytest.mark.parametrize("count", [1, 20])
def test_a_list_after_resets(count, seeds, request, waves):
    for seed, job, done in flushed_jobs(seeds(100 // count)):
        rng = random.Random(seed)
        later, clock = [], 0
        for _ in range(count):
            clock += rng.randrange(20, 2000)
            later += [(clock, *write) for write in (*RESETS, *job.registers)]
        reset = dataclasses.replace(job, later=tuple(later))
        compare(reset, request.config.getoption("--engine"), waves, done, counts=False)
