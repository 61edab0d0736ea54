"""Workers of Dask: processes on this machine, or whoever is there at a scheduler."""

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from ..problem import BadInput
from .job import Job, Result
from .worker import run_job

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Cluster", "cores", "open_cluster"]

#: How often workers of this machine may die of a job until Dask gives it up, besides the first time; how often it is given to Dask.
_MOST_DEATHS, _MOST_TRIES = 1, 2
#: Seconds until somebody looks whether the scheduler is still there; and that one has to answer at first.
_PATIENCE, _ANSWER = 5, 10
_GONE = "the scheduler is gone: what is done is in the file, `vc4 campaign resume` goes on with it"
#: Seconds without a worker of this machine until that is said: one that has died is begun again sooner.
_ALONE = 60


def cores() -> int:
    """Of this machine, as many as this process may use."""
    return len(os.sched_getaffinity(0))


class Cluster:
    """Does jobs on all workers of a client of Dask, see `run.Workers`.

    run : what a worker does
    may_wait : without workers it waits for some; otherwise, that is an error
    """

    def __init__(self, client: "Client", run=run_job, *, may_wait: bool = True):
        self._client, self._run, self._may_wait = client, run, may_wait
        self._worked = time.monotonic()
        self._futures: dict[Future, Job] = {}
        self._tries: dict[int, int] = {}

    @property
    def workers(self) -> int:
        """How many there are at the moment. Raises `BadInput` if the scheduler is gone, as all below do."""
        with _answered():
            return len(self._client.nthreads())

    @property
    def room(self) -> int:
        """How many more jobs they want: one each, and one for who is ready first. Who had a second job would lose both when he dies."""
        return self.workers + 1 - len(self._futures)

    @property
    def working(self) -> bool:
        """Whether there is a job that is not done."""
        return bool(self._futures)

    def submit(self, job: Job) -> None:
        """One more job."""
        tries = self._tries.setdefault(job.number, 0)
        key = f"{job.settings.kind}-{id(self)}-{job.number}-{tries}"
        # Jobs with small numbers first: they decide what later ones have more of.
        with _answered():
            self._futures[self._client.submit(self._run, job, key=key, pure=False, priority=-job.number)] = job

    def results(self) -> Iterator[tuple[int, Result | None]]:
        """Jobs that are done, as soon as there is one."""
        from distributed import KilledWorker, wait

        with _answered(), contextlib.suppress(TimeoutError), self._client.as_current():
            wait(list(self._futures), timeout=_PATIENCE, return_when="FIRST_COMPLETED")
        if self.workers or self._may_wait:
            self._worked = time.monotonic()
        elif time.monotonic() - self._worked > _ALONE:
            raise BadInput("no worker of this machine runs any more: `vc4 campaign resume` tries it again")
        if self._client.status != "running" or any(future.cancelled() for future in self._futures):
            raise BadInput(_GONE)
        for future in [future for future in self._futures if future.done()]:
            job = self._futures.pop(future)
            if future.status == "finished":
                # The worker may have died since then: then the job is done again.
                try:
                    yield job.number, future.result(timeout=_ANSWER)
                    continue
                except (TimeoutError, OSError):
                    pass
            elif future.status == "error" and not isinstance(future.exception(), KilledWorker):
                raise future.exception()
            self._tries[job.number] += 1
            if self._tries[job.number] < _MOST_TRIES:
                self.submit(job)
            else:
                yield job.number, None


@contextlib.contextmanager
def _answered() -> Iterator[None]:
    """The scheduler is asked something. Raises `BadInput` if it is gone."""
    try:
        yield
    except (OSError, TimeoutError, CancelledError):
        raise BadInput(_GONE) from None


@contextlib.contextmanager
def open_cluster(workers: int, scheduler: str | None = None, run=run_job) -> Iterator[Cluster]:
    """So many processes on this machine, or those of a scheduler at an address like tcp://host:8786.

    Raises `BadInput` if Dask is not installed, or no scheduler answers.
    """
    try:
        import dask.config
        from distributed import Client, LocalCluster
    except ImportError:
        raise BadInput("campaigns need Dask: pip install 'vc4-rtl[campaign]'") from None
    with contextlib.ExitStack() as stack:
        if scheduler:
            _quiet()
            try:
                client = stack.enter_context(Client(scheduler, timeout=_ANSWER, set_as_default=False))
            except (OSError, ValueError, TimeoutError) as error:
                raise BadInput(f"no scheduler of Dask at {scheduler}: {error}") from None
        else:
            stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": _MOST_DEATHS}))
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                memory_limit=None,
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(local), set_as_default=False))
        yield Cluster(client, run, may_wait=scheduler is not None)


def _quiet() -> None:
    """What goes wrong with connections is said once, by this program."""
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
