"""Random textures and coordinates, looked up by a program on the GPU, in lockstep with the model: bit for bit."""

import pytest

from vc4.config import preset
from vc4sim.backends.base import Ending
from vc4sim.lockstep import Lockstep
from vc4sim.random_programs.texture_job import texture_job


def job_of(seed, count, **memory):
    return texture_job(seed, count, preset("slice"), **memory)


def check(simulator, job):
    outcome = Lockstep(job).run(simulator)
    assert outcome.ending is Ending.DONE, outcome.why
    return outcome


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "latency", "gap"), [(1, 4, 0.0), (2, 30, 0.3), (3, 100, 0.0)])
def test_random_textures(simulator, seed, latency, gap):
    check(simulator, job_of(seed, 120, latency=latency, gap=gap))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_two_thousand_textures(simulator, seed):
    check(simulator, job_of(seed, 200, latency=1 + seed % 3 * 20))
