"""Random lists of both threads on the RTL and on the model: attributes and vertices of every kind, and mistakes."""

import random

import pytest

from vc4sim.bench.driver import ERROR_FIELDS
from vc4sim.frames.job import FrontJob
from vc4sim.frames.lockstep import FrontLockstep

from ..often import often
from .some_draws import some_draws
from .test_frames import CONFIG

#: What both sides tell in ERRSTAT: of vertices that are not to be had, of binner and renderer, and of batches that are too large.
FAILS = ("VCMBE", "VCMRE")
REFUSED = ("VPAERGS", "VPAEBRGL", "VPAERRGL")
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]


def errors_of(run):
    """Names of the bits of ERRSTAT, but for states."""
    word = run.read["ERRSTAT"]
    return {field.name for field in ERROR_FIELDS[0] if word >> field.low & 1}


def compare(front, seed, mistakes):
    """A frame of random draws; whether a thread of it ends with an error, whether rows were refused, and how many vertices were
    shaded.
    """
    rng = random.Random(seed)
    image, registers = some_draws(rng, mistakes)
    latency, gap = rng.choice(MEMORIES)
    job = FrontJob(
        image=image, registers=registers, config=CONFIG, latency=latency, gap=gap, pipeline_gap=gap, seed=seed
    )
    lockstep = FrontLockstep(job)
    errors = [one.error for one in lockstep.expected.fronts]
    if any(errors):
        # The RTL goes on with batches after the one that is wrong, and nobody gets them. So their rows are never given back,
        # and the other thread may wait for some.
        run = front(job, read=["ERRSTAT"])
        told = errors_of(run)
        for one, items, other, fails in zip(lockstep.expected.fronts, run.items, reversed(errors), FAILS, strict=True):
            waits = other and run.stalls["rows"] > 0
            assert items == (one.items[: len(items)] if waits else one.items)
            assert (fails in told) == (one.error is not None) or (waits and fails not in told)
        if not run.stalls["rows"]:
            assert told == lockstep.expected.gpu.errors
        refused = bool(told & {*REFUSED})
    else:
        refused = False
        run = front(job, follow=lockstep, read=["ERRSTAT"])
        assert errors_of(run) == lockstep.expected.gpu.errors == set()
        lockstep.compare(run)
    assert run.rests
    return any(errors), refused, sum(len(batch.indices) for one in lockstep.expected.fronts for batch in one.batches)


@pytest.mark.parametrize(
    "count", [pytest.param(60, marks=pytest.mark.thorough), pytest.param(2_000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("mistakes", [0.0, 0.03])
def test_random_draws(compiler, front, seeds, count, mistakes):
    found = [compare(front, seed, mistakes) for seed in seeds(count)]
    errors, refused, vertices = zip(*found, strict=True)
    assert often(sum(number > 20 for number in vertices), len(found), 1 / 2)
    if mistakes:
        assert often(sum(errors), len(found), 1 / 4)
        assert often(sum(refused), len(found), 1 / 10)
    else:
        assert not any(errors + refused)
