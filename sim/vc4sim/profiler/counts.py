"""Slots and requests of the RTL, counted by instruction."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS

from ..retired import BUS, KIND_BITS, SLOT, STARTED, start_of
from ..timed import EMPTY, ISSUES, SLOT_CLOCKS, TimedFollower, rows_of

__all__ = ["Counts"]

_REASONS = (*STALL_REASONS, EMPTY)


@dataclass
class Counts(TimedFollower):
    """What instructions cost, by their addresses. Call `follow` with the records of a run, then `close`.

    A QPU waits for the next instruction that it issues: what it has lost counts there, and what is lost after the last one counts
    with that.

    words : the last word of each
    issued : how often each was issued
    lost : clocks lost before each, by reason
    starts : addresses of programs, and how often each has begun
    transferred : bytes between GPU and memory, by whether they are written
    """

    words: dict[int, int] = field(default_factory=dict)
    issued: Counter[int] = field(default_factory=Counter)
    lost: defaultdict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    starts: Counter[int] = field(default_factory=Counter)
    transferred: Counter[bool] = field(default_factory=Counter)
    _waiting: defaultdict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    _last: dict[int, int] = field(default_factory=dict)

    kinds = frozenset((STARTED, SLOT, BUS))

    @property
    def instructions(self) -> int:
        """Issued, all together."""
        return self.issued.total()

    @property
    def stalls(self) -> Counter[str]:
        """Clocks lost by reason, as `Outcome.stalls` has them, and in empty slots."""
        return sum(self.lost.values(), Counter())

    @property
    def running(self) -> int:
        """Clocks in which programs run, of all QPUs together."""
        return SLOT_CLOCKS * self.instructions + self.stalls.total()

    def clocks(self, pc: int) -> int:
        """Of an instruction, with those that were lost before it."""
        return SLOT_CLOCKS * self.issued[pc] + self.lost[pc].total()

    def program(self, pc: int) -> int:
        """The address of the program that an instruction is in, as far as programs have begun."""
        return max((start for start in self.starts if start <= pc), default=pc)

    def follow(self, rows: np.ndarray) -> None:
        """Records, one a row."""
        for row in rows_of(rows, STARTED):
            self.starts[start_of(row).launch.pc] += 1
        slots = rows_of(rows, SLOT)
        qpus = slots[:, 0] >> KIND_BITS
        for qpu in np.unique(qpus):
            self._follow_one(int(qpu), slots[qpus == qpu])
        requests = rows_of(rows, BUS)
        requests = requests[requests[:, 2] == 0]
        for writes in (False, True):
            words = requests[requests[:, 4] == writes][:, 6]
            self.transferred[writes] += BUS_BYTES * int(words.sum())

    def close(self) -> None:
        """The run is over."""
        for qpu, waiting in self._waiting.items():
            self._lose(self._last.get(qpu, 0), waiting)
        self._waiting.clear()

    def _follow_one(self, qpu: int, slots: np.ndarray) -> None:
        """The slots of a QPU, in their order."""
        stalls, pcs = slots[:, 2].astype(np.int64), slots[:, 3].astype(np.int64)
        issues = np.flatnonzero(slots[:, 6] & ISSUES)
        waits = np.flatnonzero(slots[:, 6] & ISSUES == 0)
        reasons = np.where(stalls[waits], np.log2(np.maximum(stalls[waits] & -stalls[waits], 1)), len(STALL_REASONS))
        before = np.searchsorted(issues, waits)
        if len(issues):
            self._lose(int(pcs[issues[0]]), self._waiting.pop(qpu, Counter()))
            self._last[qpu] = int(pcs[issues[-1]])
            self._issue(slots[issues], pcs[issues])
        for place, reason in zip(before.tolist(), reasons.astype(int).tolist(), strict=True):
            if place == len(issues):
                self._waiting[qpu][reason] += 1
            else:
                self.lost[int(pcs[issues[place]])][_REASONS[reason]] += SLOT_CLOCKS

    def _issue(self, slots: np.ndarray, pcs: np.ndarray) -> None:
        found, first, counts = np.unique(pcs, return_index=True, return_counts=True)
        for pc, row, count in zip(found.tolist(), slots[first].tolist(), counts.tolist(), strict=True):
            self.issued[pc] += count
            self.words[pc] = row[5] << 32 | row[4]

    def _lose(self, pc: int, slots: Counter[int]) -> None:
        for reason, count in slots.items():
            self.lost[pc][_REASONS[reason]] += SLOT_CLOCKS * count
