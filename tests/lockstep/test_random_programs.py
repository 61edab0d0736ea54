"""Random programs on the RTL and the model: every effect of every instruction is the same."""

import pytest

from vc4.config import V3DConfig
from vc4sim.backends import pysim
from vc4sim.backends.base import Ending
from vc4sim.events import Retirement
from vc4sim.lockstep import Difference, Lockstep
from vc4sim.random_programs import random_job

#: Seed, latency and gaps of the memory. Together they run more than 20,000 instructions.
RUNS = [(1, 4, 0.0), (2, 20, 0.0), (3, 70, 0.1), (4, 5, 0.5)]
LENGTH = 5000


@pytest.mark.parametrize(("seed", "latency", "gap"), RUNS)
def test_random_programs(seed, latency, gap):
    job = random_job(seed, LENGTH, V3DConfig(), latency=latency, gap=gap)
    watch = Lockstep(job)
    outcome = pysim.run(job, watch)
    watch.conclude(outcome)
    assert outcome.ending is Ending.DONE
    assert watch.retired >= LENGTH
