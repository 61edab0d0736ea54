"""The timeline of a run."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vc4.config import V3DConfig

from ..backends.base import BenchJob
from ..events import Event, MemoryWrite, Retirement
from ..retired import BUS, KIND_BITS, SLOT, TIMES
from ..timed import EMPTY, SLOT_CLOCKS, slots_of, transfers_of
from .memory import BusTracks, WriteTrack
from .names import Names
from .qpus import QpuTracks
from .trace_file import TraceFile

__all__ = ["Timeline", "effects_of", "timeline_of"]

_JobType = TypeVar("_JobType", bound=BenchJob)


def effects_of(rows: np.ndarray) -> np.ndarray:
    """Of records, one a row, those that are not of `TIMES`."""
    return rows[~np.isin(rows[:, 0] & (1 << KIND_BITS) - 1, [*TIMES])]


class Timeline:
    """Writes the timeline of a run to a file: of the RTL, which tells its records to `follow`, or of the model, which tells its
    events to `watch`.

    The model has no clocks: each instruction of a QPU takes four there, none waits, and writes to memory take no time.

    Parameters
    ----------
    file : for it
    config : as it is built
    names : of instructions
    """

    #: Kinds of records that it wants.
    kinds = frozenset((SLOT, BUS))

    def __init__(self, file: TraceFile, config: V3DConfig, names: Names):
        self._file = file
        self._qpus = QpuTracks(file, names)
        self._bus: BusTracks | None = None
        self._config = config
        self._writes = WriteTrack(file)
        self._clocks = [0] * config.qpus
        self._last = 0

    def of(self, job: _JobType, *, effects: bool) -> _JobType:
        """The job, with records for it, and those for others only if they want `effects`."""
        return dataclasses.replace(job, kinds=self.kinds | (job.kinds if effects else frozenset()))

    def beside(self, follow: Callable[[np.ndarray], object] | None) -> Callable[[np.ndarray], None]:
        """Who follows the records of a run: the timeline, and somebody who knows nothing of it."""

        def both(rows: np.ndarray) -> None:
            self.follow(rows)
            if follow:
                follow(effects_of(rows))

        return both

    def follow(self, rows: np.ndarray) -> None:
        """Records of the RTL, one a row."""
        for slot in slots_of(rows):
            if slot.issues:
                self._qpus.issue(slot.qpu, slot.thread, slot.first, slot.pc, slot.word)
            else:
                self._qpus.wait(slot.qpu, slot.thread, slot.first, slot.reason or EMPTY)
        if self._bus is None:
            self._bus = BusTracks(self._file, self._config)
        for transfer in transfers_of(rows):
            self._bus.transfer(transfer)

    def watch(self, event: Event) -> None:
        """An event of the model."""
        if isinstance(event, Retirement):
            first = self._clocks[event.qpu]
            self._qpus.issue(event.qpu, event.thread, first, event.pc, event.word)
            self._last = self._clocks[event.qpu] = first + SLOT_CLOCKS
        elif isinstance(event, MemoryWrite):
            self._writes.write(event, self._last)

    def close(self) -> None:
        """Tell what is not told yet."""
        self._qpus.close()
        self._writes.close()


@contextlib.contextmanager
def timeline_of(
    path: Path | None, config: V3DConfig, names: Names, *, is_rtl: bool, **about: Any
) -> Iterator[Timeline | None]:
    """The timeline for a file, if one is wanted. Also of a run that something breaks off, the file has all until then.

    about : what its metadata say besides
    """
    if path is None:
        yield None
        return
    unit = (
        "1 microsecond is 1 clock"
        if is_rtl
        else "1 microsecond is 1 clock; an instruction counts as four, the least that it takes"
    )
    file = TraceFile(path)
    with contextlib.ExitStack() as stack:
        stack.callback(file.abandon)
        timeline, is_complete = Timeline(file, config, names), False
        try:
            yield timeline
            is_complete = True
        finally:
            timeline.close()
            file.close({**about, "unit": unit, "complete": is_complete})
            stack.pop_all()
