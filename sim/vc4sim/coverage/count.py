"""Counts the cells that runs reach, and tells what they do not."""

import numpy as np

from ..events import Event, Retirement
from .columns import Columns
from .groups import GROUPS, Group
from .holes import holes

__all__ = ["Coverage", "share"]


class Coverage:
    """Watches runs: call it with every event, and `finish` behind every run.

    instructions : watched, in finished runs
    """

    def __init__(self) -> None:
        self.instructions = 0
        self._reached = [np.zeros(group.shape, bool) for group in GROUPS]
        self._begin()

    def _begin(self) -> None:
        self._flags: dict[int, tuple[int, int, int]] = {}
        self._threads: dict[tuple[int, int], tuple[list[int], list[tuple[int, int, int]]]] = {}

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Retirement):
            return
        words, flags = self._threads.setdefault((event.qpu, event.thread), ([], []))
        words.append(event.word)
        flags.append(self._flags.get(event.qpu, (0, 0, 0)))
        if event.flags is not None:
            self._flags[event.qpu] = event.flags

    def finish(self) -> None:
        """A run has ended: its instructions are counted, and the next one begins with nothing before it."""
        for words, flags in self._threads.values():
            self.instructions += len(words)
            columns = Columns(words, flags)
            for group, reached in zip(GROUPS, self._reached, strict=True):
                for rows, numbers in group.hits(columns):
                    if rows.any():
                        reached[tuple(one if isinstance(one, int) else one[rows] for one in numbers)] = True
        self._begin()

    def reached(self, group: Group) -> np.ndarray:
        """The cells of a group that are reached, bools of its shape."""
        return self._reached[GROUPS.index(group)]

    def counts(self, group: Group) -> tuple[int, int]:
        """How many cells of a group are reached, and how many can be."""
        reachable = group.reachable()
        return int((self.reached(group) & reachable).sum()), int(reachable.sum())

    def summary(self) -> str:
        """One line about everything that counts for the total."""
        counts = [self.counts(group) for group in GROUPS if group.in_total]
        reached, total = (sum(numbers) for numbers in zip(*counts, strict=True))
        return f"coverage: {share(reached, total)} of {total:,} cells"

    def holes(self, group: Group) -> list[str]:
        """What is missing in a group, in words."""
        return holes(group, self.reached(group))

    def surprises(self) -> list[str]:
        """Groups with cells that a gap calls impossible, but that are reached."""
        return [group.name for group in GROUPS if (self.reached(group) & ~group.reachable()).any()]


def share(part: int, whole: int) -> str:
    """A percentage that says 100 only if nothing is missing."""
    tenths = part * 1000 // whole
    return f"{tenths // 10}.{tenths % 10} %"
