"""The profile of a run."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..backends.base import Job, Outcome, Run
from ..timeline import Names
from .counts import Counts
from .hot import by_instruction, by_label, by_line
from .limits import Limit, limits_of
from .report import clock_lines, label_lines, limit_lines, source_lines

__all__ = ["Profile", "profile"]


@dataclass(frozen=True)
class Profile:
    """What the clocks of a run went to.

    outcome : of the run
    counts : of each instruction
    limits : what each unit did, and what it can do
    names : of instructions
    qpus : that may run programs
    """

    outcome: Outcome
    counts: Counts
    limits: list[Limit]
    names: Names
    qpus: int

    def lines(self, *, by_clocks: bool = True, each: bool = False, top: int = 0) -> Iterator[str]:
        """All of it as text, for a terminal of a hundred columns.

        by_clocks : what takes most clocks comes first, else in the order of the source
        each : each instruction for itself, else those of a line together
        top : so many of them only; 0: all
        """
        running = self.counts.running
        yield from clock_lines(self.counts, self.outcome.cycles, self.qpus)
        yield ""
        yield from limit_lines(self.limits)
        labels = sorted(by_label(self.counts, self.names), key=lambda part: -part.clocks)
        if len(labels) > 1:
            yield ""
            yield from label_lines(labels, running)
        yield ""
        parts = (by_instruction if each else by_line)(self.counts, self.names)
        parts = sorted(parts, key=lambda part: -part.clocks) if by_clocks else parts
        yield from source_lines(parts[: top or None], running, with_labels=not by_clocks)
        if top and len(parts) > top:
            yield f"  and {len(parts) - top} more"


def profile(job: Job, run: Run, names: Names) -> Profile:
    """The profile of `job` on a simulator of the RTL, see `base.Run`."""
    counts = Counts()
    outcome = run(counts.of(job, effects=False), None, None, counts.follow)
    counts.close()
    qpus = job.config.qpus - len(job.reserved)
    limits = limits_of(counts, job.config, qpus, outcome.cycles, outcome.counts)
    return Profile(outcome, counts, limits, names, qpus)
