"""Says whether a run still fails in the same way."""

from collections.abc import Callable
from dataclasses import replace

from vc4.isa.word import WORD_BYTES

from ..backends import model
from ..backends.base import Job, Outcome, Run
from ..events import Event, Retirement
from ..lockstep import Difference, Lockstep
from .again import error_of, kind_of

__all__ = ["Trial", "failure", "on_model"]


def failure(run: Run, job: Job) -> Difference | AssertionError | None:
    """What goes wrong in `job`, with the model beside it."""
    return error_of(lambda: Lockstep(job).run(run))


def on_model(job: Job) -> tuple[Outcome, set[int]]:
    """What the model makes of `job`, and the indices of the words of memory that it executes."""
    executed: set[int] = set()

    def watch(event: Event) -> None:
        if isinstance(event, Retirement):
            executed.add((event.pc - job.base) // WORD_BYTES)

    return model.run(job, watch), executed


class Trial:
    """Tries smaller runs than `job`, which fails.

    A smaller run counts only if the model ends it as it ends the first one, so what never ends is not taken for a failure,
    and if it executes no words but those between the first and the last of the first run, so data does not become code.

    code : indices of these words of memory
    error : of the last run that failed
    used : runs on the RTL until now; after `most` of them nothing fails any more
    """

    def __init__(self, run: Run, job: Job, most: int, told: Callable[[], object] = lambda: None):
        self.used = 0
        self._run = run
        self._most = most
        self._told = told
        first, executed = on_model(job)
        self.code = range(min(executed), max(executed) + 1)
        self._ending = first.ending
        self._instructions = 2 * first.instructions + 100
        self.error = failure(run, job)
        self._kind = kind_of(self.error) if self.error else ""

    def fails(self, job: Job) -> bool:
        """Whether `job` fails as the first one does."""
        if not self.error or self.used >= self._most:
            return False
        ended, executed = on_model(replace(job, max_cycles=4 * self._instructions))
        if ended.ending is not self._ending or not executed <= set(self.code):
            return False
        self.used += 1
        self._told()
        # What waits for memory all the time takes as long as its latency, and a little, for every instruction.
        clocks = int((ended.instructions + 50) * (job.latency + 50) / (1 - job.gap))
        error = failure(self._run, replace(job, max_cycles=min(job.max_cycles, clocks)))
        if not error or kind_of(error) != self._kind:
            return False
        self.error = error
        return True
