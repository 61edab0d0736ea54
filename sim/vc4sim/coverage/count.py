"""Counts the cells that runs reach, and tells what they do not."""

import zlib
from collections.abc import Sequence

import numpy as np

from ..events import Event, Retirement
from .columns import Columns
from .groups import GROUPS, Group
from .holes import holes

__all__ = ["Cells", "Coverage", "share"]


class Cells:
    """How often each cell of some groups is hit.

    hits : of each group, numbers of its shape
    """

    def __init__(self, groups: Sequence[Group] = GROUPS) -> None:
        self.groups = tuple(groups)
        self.hits = [np.zeros(group.shape, np.int64) for group in self.groups]

    def add(self, observed: object) -> None:
        """Count what the groups see in `observed`, of which they all are about."""
        for group, hits in zip(self.groups, self.hits, strict=True):
            for rows, numbers in group.hits(observed):
                if rows.any():
                    cell = tuple(one if isinstance(one, int) else one[rows] for one in numbers)
                    # All rows may be of one cell, which then has no arrays.
                    np.add.at(hits, cell, 1 if any(map(np.ndim, cell)) else int(rows.sum()))

    def packed(self) -> bytes:
        """The numbers that are not 0, for `merge`."""
        flat = np.concatenate([hits.ravel() for hits in self.hits])
        cells = np.flatnonzero(flat)
        # The steps between cells are small numbers, which take less room.
        return zlib.compress(np.diff(cells, prepend=0).astype("<u4").tobytes() + flat[cells].astype("<u8").tobytes())

    def merge(self, packed: bytes) -> None:
        """Add what another one has counted in the same groups. Raises `ValueError` if they are not the same."""
        data = zlib.decompress(packed)
        count = len(data) // 12
        cells = np.cumsum(np.frombuffer(data, "<u4", count).astype(np.int64))
        numbers = np.frombuffer(data, "<u8", count, 4 * count).astype(np.int64)
        ends = np.cumsum([hits.size for hits in self.hits])
        if count and cells[-1] >= ends[-1]:
            raise ValueError("the cells are of other groups")
        for hits, end in zip(self.hits, ends, strict=True):
            mine = (cells >= end - hits.size) & (cells < end)
            hits.ravel()[cells[mine] - (end - hits.size)] += numbers[mine]

    def join(self, other: "Cells") -> None:
        """Add what another one has counted, of the same groups."""
        for hits, more in zip(self.hits, other.hits, strict=True):
            hits += more

    def reached(self, group: Group) -> np.ndarray:
        """The cells of a group that are reached, bools of its shape."""
        return self.hits[self.groups.index(group)] > 0

    def counts(self, group: Group) -> tuple[int, int]:
        """How many cells of a group are reached, and how many can be."""
        reachable = group.reachable()
        return int((self.reached(group) & reachable).sum()), int(reachable.sum())

    @property
    def total(self) -> tuple[int, int]:
        """How many cells are reached, and how many can be, of all groups that count for the total."""
        counts = [self.counts(group) for group in self.groups if group.in_total]
        reached, total = (sum(numbers) for numbers in zip(*counts, strict=True))
        return reached, total

    def summary(self) -> str:
        """One line about everything that counts for the total."""
        reached, total = self.total
        return f"coverage: {share(reached, total)} of {total:,} cells"

    def holes(self, group: Group) -> list[str]:
        """What is missing in a group, in words."""
        return holes(group, self.reached(group))

    def surprises(self) -> list[str]:
        """Groups with cells that a gap calls impossible, but that are reached."""
        return [group.name for group in self.groups if (self.reached(group) & ~group.reachable()).any()]


class Coverage(Cells):
    """Watches runs of programs: call it with every event, and `finish` after every run.

    instructions : watched, in finished runs
    """

    def __init__(self, groups: Sequence[Group] = GROUPS) -> None:
        super().__init__(groups)
        self.instructions = 0
        self.begin()

    def begin(self) -> None:
        """A run begins, with nothing before it: what was watched since the last one had finished is not counted."""
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
            self.add(Columns(words, flags))
        self.begin()


def share(part: int, whole: int) -> str:
    """A percentage that says 100 only if nothing is missing."""
    tenths = part * 1000 // whole
    return f"{tenths // 10}.{tenths % 10} %"
