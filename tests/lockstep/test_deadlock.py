"""QPUs that wait for each other for ever: model and RTL notice it, and say the same."""

import pytest

from vc4.config import V3DConfig, preset
from vc4sim.asm import assemble
from vc4sim.backends import model, native, pysim
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.lockstep import Lockstep

BASE, UNIFORMS = 0x1_0000, 0x1_1000
END = "\nthrend\nnop\nnop"
#: Takes the mutex, and then waits for a semaphore; the others wait for the mutex.
MUTEX = "nop\nread mutex\nnop\nsacq -, 5" + END
#: Counts a semaphore up once too often.
FULL = "nop\n.rep i, 16\nsrel -, 9\n.endr" + END
#: The QPU of number 0 waits for a semaphore that the others release only after one of their own.
CROSSED = "mov.setf -, qpu_num\nbrr.allz -, r:zero\nnop\nnop\nnop\nsacq -, 1\nsrel -, 2" + END
CROSSED += "\n:zero\nsacq -, 2\nsrel -, 1" + END


def make_job(source, qpus, config):
    image = assemble(source).code.ljust(UNIFORMS - BASE + 64, b"\0")
    return Job(image=image, base=BASE, launches=(Launch(BASE, UNIFORMS),) * qpus, config=config, latency=4)


def waiting(places):
    """The text for the place and the reason of each QPU."""
    return "; ".join(
        f"QPU {qpu} at {BASE + 8 * index:#010x} waits for {what}" for qpu, (index, what) in enumerate(places)
    )


def check(job, run, why):
    """The run gets stuck for this reason, with the model beside it and without."""
    outcome = Lockstep(job).run(run)
    assert (outcome.ending, outcome.why) == (Ending.STUCK, why)


@pytest.mark.thorough
def test_all_wait_for_a_semaphore_on_amaranth():
    job = make_job("sacq -, 3" + END, 2, V3DConfig(qpus_per_slice=2))
    why = waiting([(0, "semaphore 3, which is 0")] * 2)
    assert model.run(job).why == why
    check(job, pysim.run, why)


@pytest.mark.slow
@pytest.mark.parametrize("qpus", [2, 4])
def test_a_slice_on_amaranth(qpus):
    job = make_job(MUTEX, qpus, preset("slice"))
    check(job, pysim.run, model.run(job).why)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("config", ["slice", pytest.param("bcm2835", marks=pytest.mark.slow)])
@pytest.mark.parametrize("qpus", [2, 4])
@pytest.mark.parametrize(
    ("source", "first", "others"),
    [
        (MUTEX, (3, "semaphore 5, which is 0"), (1, "the mutex")),
        (CROSSED, (10, "semaphore 2, which is 0"), (5, "semaphore 1, which is 0")),
    ],
    ids=["mutex", "crossed"],
)
def test_each_says_what_it_waits_for(source, first, others, qpus, config):
    job = make_job(source, qpus, preset(config))
    why = waiting([first, *[others] * (qpus - 1)])
    assert (model.run(job).ending, model.run(job).why) == (Ending.STUCK, why)
    check(job, native.run, why)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_a_full_semaphore():
    job = make_job(FULL, 1, preset("slice"))
    why = waiting([(16, "semaphore 9, which is full")])
    assert model.run(job).why == why
    check(job, native.run, why)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_programs_that_wait_for_one_that_cannot_begin():
    """Of four programs that meet at a semaphore two run, and they wait for the others."""
    meet = "srel -, 0\n" + "sacq -, 1\n" + END
    job = make_job(meet, 4, V3DConfig(qpus_per_slice=4, tmus_per_slice=1, vpm_kib=8))
    few = Job(image=job.image, base=BASE, launches=job.launches, config=job.config, qpus=2, latency=4)
    why = waiting([(1, "semaphore 1, which is 0")] * 2)
    assert model.run(few).why == why
    check(few, native.run, why)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("run", [model.run, pytest.param(native.run, marks=pytest.mark.thorough)])
def test_who_waits_for_one_that_runs_on_is_named(run):
    """That is no deadlock, so it only ends when the run is given up."""
    source = (
        "mov.setf -, qpu_num\nbrr.allz -, r:wait\nnop\nnop\nnop\n:on\nbrr -, r:on\nnop\nnop\nnop\n:wait\nsacq -, 7"
        + END
    )
    job = make_job(source, 2, preset("slice"))
    outcome = run(Job(image=job.image, base=BASE, launches=job.launches, config=job.config, max_cycles=2000))
    assert outcome.ending is Ending.TOO_LONG
    assert "QPU 0 at 0x00010048 waits for semaphore 7, which is 0, QPU 1 at 0x000100" in outcome.why
