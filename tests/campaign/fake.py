"""Jobs that cost nothing, and workers that do them badly."""

import random

from vc4sim.campaign.job import Failure, Result, Settings
from vc4sim.campaign.kinds import KINDS
from vc4sim.coverage.count import Cells

#: A kind with few cells.
KIND = "lists"


def settings_of(count=300, size=10, round_=4, **more):
    return Settings(kind=KIND, count=count, seed=5, config="gpu", size=size, round=round_, **more)


def result_of(job):
    """What becomes of a job: seed and cells decide all of it; of ten jobs one fails."""
    rng = random.Random(job.seed)
    covered = Cells(KINDS[KIND].groups(job.settings))
    for hits in covered.hits:
        for _ in range(3):
            hits.flat[int(hits.size * rng.random() ** 3)] += 1
    for cell in job.cells[:2]:
        group = next(number for number, group in enumerate(covered.groups) if group.name == cell.group)
        covered.hits[group].flat[cell.cell] += 1
    failures = (Failure(job.seed, "DIFFERENCE", "it differs", "1 thing", {"a": b"b"}),) if job.number % 10 == 3 else ()
    return Result(job.units, 1, 7 * job.units, 1.0, 0.5, covered.packed(), failures, "worker", "sources")


class Crash(Exception):
    """Whoever gives the jobs away is gone."""


class Chaos:
    """Does jobs in any order, some of them twice or more often, and loses some; after `most` answers everything breaks."""

    def __init__(self, seed, most=None, run=result_of):
        self.done = []
        self._rng = random.Random(seed)
        self._jobs, self._told, self._most, self._run = [], [], most, run

    @property
    def room(self):
        return 5 - len(self._jobs)

    @property
    def working(self):
        return bool(self._jobs)

    def submit(self, job):
        self._jobs.append(job)

    def results(self):
        for _ in range(self._rng.randrange(3)):
            job = self._rng.choice(self._jobs)
            self.done.append(job.number)
            result = self._run(job)
            if self._rng.random() < 0.2:
                continue  # The worker has died before anybody was told: the job is still there.
            if self._most is not None:
                self._most -= 1
                if self._most < 0:
                    raise Crash
            if self._rng.random() < 0.8:
                self._jobs.remove(job)
            self._told.append((job.number, result))
            yield job.number, result
            if self._rng.random() < 0.2:
                yield self._rng.choice(self._told)
            if not self._jobs:
                return


def contents(store):
    """All of a campaign that the same settings must give again."""
    jobs = store.rows("number, units, items, instructions, seconds, worker, sources", "job")
    failures = [(kept.job, kept.failure) for kept in store.failures()]
    return jobs, store.rows("*", "round"), sorted(failures), [hits.tolist() for hits in store.covered.hits]
