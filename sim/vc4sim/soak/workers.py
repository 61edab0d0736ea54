"""Episodes one after the other, or several at a time."""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, TypeVar

from vc4.config import V3DConfig

from ..lockstep import Difference
from .compare import Compared
from .episode import Episode
from .job import SoakJob, episode_job

__all__ = ["Finding", "compared", "side_by_side"]

Result = TypeVar("Result")


class Finding(NamedTuple):
    """An episode that fails: its seed, the kind of failure, and all about it."""

    seed: int
    what: str
    text: str


def compared(
    seed: int,
    *,
    config: V3DConfig,
    compare: Callable[[SoakJob], Compared],
    keep: frozenset[int] | None = None,
    **memory,
) -> Compared | Finding:
    """The episode of a seed, or of some of its parts. `memory`: see `episode_job`"""
    episode = Episode(seed, config)
    kept = None if keep is None else [part for number, part in enumerate(episode.parts) if number in keep]
    try:
        return compare(episode_job(episode, kept, **memory))
    except (Difference, AssertionError) as error:
        return Finding(seed, "DIFFERENCE" if isinstance(error, Difference) else "FAILED CHECK", str(error))


@contextmanager
def side_by_side(work: Callable[[int], Result], seeds: Iterable[int], jobs: int) -> Iterator[Iterator[Result]]:
    """What becomes of each seed, as soon as that is known: of so many at a time, each in a process of its own; one is in this one."""
    if jobs == 1:
        yield map(work, seeds)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        yield _results(pool, work, iter(seeds), jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _results(
    pool: ProcessPoolExecutor, work: Callable[[int], Result], seeds: Iterator[int], jobs: int
) -> Iterator[Result]:
    running: set[Future[Result]] = set()
    while True:
        running |= {pool.submit(work, seed) for seed in islice(seeds, jobs - len(running))}
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for one in done:
            yield one.result()
