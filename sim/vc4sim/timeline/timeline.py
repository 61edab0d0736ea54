"""The timeline of a run."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from vc4.config import V3DConfig

from ..events import Event, MemoryWrite, Retirement
from ..retired import BUS, LEVELS, SLOT
from ..timed import EMPTY, SLOT_CLOCKS, TimedFollower, slots_of, transfers_of
from .memory import BusTracks, WriteTrack
from .names import Names
from .qpus import QpuTracks
from .queues import QueueTracks
from .trace_file import TraceFile

__all__ = ["Kind", "Timeline", "timeline_of"]

#: What the times of the model, and those of the RTL, are.
_UNITS = (
    "1 microsecond is 1 clock; an instruction counts as four, which is what it needs at least",
    "1 microsecond is 1 clock",
)


class Timeline(TimedFollower):
    """Writes the timeline of a run to a file: of the RTL, which tells its records to `follow`, or of the model, which tells its
    events to `watch`.

    The model has no clocks: each instruction of a QPU takes four there, none waits, and writes to memory take no time.

    Parameters
    ----------
    file : for it
    config : as it is built
    names : of instructions
    """

    kinds = frozenset((SLOT, BUS, LEVELS))

    def __init__(self, file: TraceFile, config: V3DConfig, names: Names):
        self._file = file
        self._qpus = QpuTracks(file, names)
        self._bus = BusTracks(file, config)
        self._queues = QueueTracks(file, config)
        self._writes = WriteTrack(file)
        self._clocks = [0] * config.qpus
        self._last = self._origin = 0

    def follow(self, rows: np.ndarray) -> None:
        """Records of the RTL, one a row."""
        for slot in slots_of(rows):
            first = self._origin + slot.first
            if slot.issues:
                self._qpus.issue(slot.qpu, slot.thread, first, slot.pc, slot.word)
            else:
                self._qpus.wait(slot.qpu, slot.thread, first, slot.reason or EMPTY)
        for transfer in transfers_of(rows):
            self._bus.transfer(transfer, self._origin)
        self._queues.follow(rows, self._origin)

    def watch(self, event: Event) -> None:
        """An event of the model."""
        if isinstance(event, Retirement):
            first = self._clocks[event.qpu]
            self._qpus.issue(event.qpu, event.thread, first, event.pc, event.word)
            self._last = self._clocks[event.qpu] = first + SLOT_CLOCKS
        elif isinstance(event, MemoryWrite):
            self._writes.write(event, self._last)

    def _end_run(self) -> None:
        """What is under way ends."""
        self._qpus.close()
        self._bus.forget()
        self._queues.forget()

    def close(self) -> None:
        """Tell what is not told yet."""
        self._end_run()
        self._writes.close()


class _Closed(Protocol):
    """A timeline of some kind."""

    def close(self) -> None:
        """Tell what is not told yet."""


#: Some kind of timeline.
Kind = TypeVar("Kind", bound=_Closed)


@contextlib.contextmanager
def timeline_of(path: Path, make: Callable[[TraceFile], Kind], *, is_rtl: bool, **about: Any) -> Iterator[Kind]:
    """The timeline that `make` makes of a file. Also of a run that something breaks off, it has all until then.

    about : what its metadata say besides
    """
    file = TraceFile(path)
    with contextlib.ExitStack() as stack:
        stack.callback(file.abandon)
        timeline, is_complete = make(file), False
        try:
            yield timeline
            is_complete = True
        finally:
            timeline.close()
            file.close({**about, "unit": _UNITS[is_rtl], "complete": is_complete})
            stack.pop_all()
