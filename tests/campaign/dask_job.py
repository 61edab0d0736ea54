"""What workers of Dask do in tests. They import it, and so nothing of pytest."""

import time
from pathlib import Path

__all__ = ["faulty_job", "recorded_job"]


def recorded_job(folder, seconds, job):
    """A job that takes a while, and writes down that it begins and ends: whoever dies meanwhile has begun only."""
    import os
    import random
    import uuid

    from vc4sim.campaign.job import Result
    from vc4sim.campaign.kinds import KINDS
    from vc4sim.coverage.count import Cells

    mark = Path(folder) / f"{job.number}-{uuid.uuid4()}"
    mark.write_text(f"begun {os.getpid()}")
    rng = random.Random(job.seed)
    time.sleep(seconds * rng.random())
    covered = Cells(KINDS[job.settings.kind].groups(job.settings))
    for cell in range(3 + len(job.cells)):
        hits = covered.hits[cell % len(covered.hits)]
        hits.flat[int(hits.size * rng.random() ** 3)] += 1
    mark.write_text("ended")
    return Result(job.units, 1, job.units, 1.0, 0.5, covered.packed(), (), f"worker {os.getpid()}", "sources")


def faulty_job(folder, job):
    """A job on RTL with a fault: the condition cs is cc. Its native code is not for others, so it is kept in a folder of its own."""
    import os

    from amaranth import Mux, Value

    from vc4.isa.ops import Condition
    from vc4.qpu import flags
    from vc4sim.backends import native
    from vc4sim.campaign.worker import run_job

    passing = flags.passing

    def faulty(condition, some):
        right = passing(condition, some)
        return Mux(Value.cast(condition) == Condition.CS.value, ~right, right)

    os.environ["VC4_NATIVE_FLAGS"] = "-Og"
    native.cache_folder = lambda: Path(folder)
    flags.passing = faulty
    return run_job(job)
