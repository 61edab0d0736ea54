"""A binner that is reset anywhere bins the next list as if nothing had been."""

import dataclasses
import random

import pytest

from vc4sim.damaged import compare_binning as compare
from vc4sim.frames.binned import binned
from vc4sim.frames.front import run_front

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
    for seed, job, done in flushed_jobs(seeds(60 // count)):
        rng = random.Random(seed)
        later, clock = [], 0
        for _ in range(count):
            clock += rng.randrange(20, 2000)
            later += [(clock, *write) for write in (*RESETS, *job.registers)]
        reset = dataclasses.replace(job, later=tuple(later))
        compare(reset, request.config.getoption("--engine"), waves, done, counts=False)


def test_registers_keep_what_they_hold(request):
    """A binner that waits for memory is reset; what there was is still there, and enough for the next list once the host adds to it."""
    job = dataclasses.replace(random_job(7, 60), overspill=())
    later = (("BPOA", 0x1230), ("BPOS", 0x0FF0), *RESETS[:1])
    late = dataclasses.replace(job, later=tuple((60_000 + number, *write) for number, write in enumerate(later)))
    runs = [run_front(one, request.config.getoption("--engine"), read=("BPCA", "BPCS", "BPOS")) for one in (job, late)]
    assert runs[1].read == runs[0].read | {"BPOS": 0x0FF0}
