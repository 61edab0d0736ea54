"""Runs a campaign: gives jobs to whoever works, and writes down what becomes of them."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Protocol

from .job import Failure, Job, Result
from .store import Store

__all__ = ["LOST", "Told", "Workers", "run_campaign"]

#: What a job has become whose workers have died again and again.
LOST = Failure(0, "LOST", "whoever runs the job dies")
#: Told of each job that is done, with what has become of it.
Told = Callable[[int, Result], object]


class Workers(Protocol):
    """Who does jobs: any number at a time, in any order; each at least once, or it is lost."""

    @property
    def room(self) -> int:
        """How many more jobs they want."""
        ...

    @property
    def working(self) -> bool:
        """Whether there is a job of which nobody has been told yet."""
        ...

    def submit(self, job: Job) -> None:
        """One more job."""
        ...

    def results(self) -> Iterator[tuple[int, Result | None]]:
        """The numbers of jobs that are done, and what has become of them; `None`: the job is lost. Waits for the next one."""
        ...


def run_campaign(
    store: Store, workers: Workers, told: Told = lambda number, result: None, most_failures: int = 100
) -> bool:
    """All jobs that are not done; returns whether all are done in the end. When there are so many failures, none begins any more."""
    known = {kept.job for kept in store.failures()}
    failures = len(known)
    pending = iter(store.pending)
    while True:
        while workers.room > 0 and failures < most_failures:
            number = next(pending, None)
            if number is None:
                break
            job = store.job(number)
            if job is None:
                # What rounds before it have covered decides what it has more of.
                pending = chain([number], pending)
                break
            workers.submit(job)
        if not workers.working:
            return not store.pending
        for number, result in workers.results():
            done = result or Result(
                0, 0, 0, 0.0, 0.0, store.nothing, (LOST._replace(seed=store.settings.job(number).seed),), "", ""
            )
            if store.record(number, done):
                failures += bool(done.failures)
                told(number, done)
