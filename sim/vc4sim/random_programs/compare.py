"""A run of random programs on the RTL, with the model beside it."""

from vc4.config import V3DConfig

from ..backends.base import Ending, Job, Run, Watcher, Waves
from ..lockstep import Lockstep
from ..problem import BadInput
from .job import random_job
from .team import random_team

__all__ = ["compare_programs", "random_run"]


def random_run(seed: int, length: int, config: V3DConfig, *, times: int = 1, **more) -> Job:
    """On one QPU programs one after the other or two threads, on several programs that wait for each other.

    times : that programs run, if there is one QPU; several run once, as they share semaphores and memory with their next time
    more : see `random_job` and `random_team`
    """
    if config.qpus == 1:
        return random_job(seed, length, config, times=times, **more)
    return random_team(seed, length, config, **more)


def compare_programs(job: Job, run: Run, watch: Watcher | None = None, waves: Waves | None = None) -> int:
    """Run random programs on both; returns the number of instructions.

    Raises `Difference`, what a check of the RTL does, and `BadInput` if the run does not end.
    """
    lockstep = Lockstep(job)
    outcome = lockstep.run(run, watch, waves)
    if outcome.ending is not Ending.DONE:
        raise BadInput(f"random program of seed {job.seed}: {outcome.why}")
    return lockstep.retired
