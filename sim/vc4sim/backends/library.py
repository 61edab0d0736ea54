"""Runs a library: the GPU as native code with a native bench around it."""

import contextlib
import ctypes
import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from vc4.qpu.stall import STALL_REASONS

from ..bench.driver import start_writes, thread_words
from ..bench.memory import chance_of, seed_of
from ..bench.writer import HostWrite
from ..retired import EVENT_WORDS, START_WORDS, Listeners
from .base import BenchJob, Follower, Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude

__all__ = ["LibraryRun", "c_words", "run_library"]

#: Records that are read at once.
_ROOM = 4096
#: Clocks of one call: Python gets its chance to be interrupted.
_CLOCKS = 1 << 16
_LAST_CLOCK = (1 << 32) - 1


_OPTIONS = ("base", "size", "latency", "chance", "seed", "max_cycles", "kinds")


class _Options(ctypes.Structure):
    """`Options` of the native bench."""

    _fields_ = [(name, ctypes.c_uint32) for name in _OPTIONS]


#: What functions of a library return; the others, nothing or a number.
_RESULTS = {
    "create": ctypes.c_void_p,
    "failure": ctypes.c_char_p,
    "memory": ctypes.c_void_p,
    "register": ctypes.c_uint32,
    "report": ctypes.c_bool,
}


def c_words(numbers: Sequence[int]) -> ctypes.Array:
    """An array for C++."""
    return (ctypes.c_uint32 * len(numbers))(*numbers)


class LibraryRun:
    """A run in a library, see `bench_run.h`. Close it in the end.

    Parameters
    ----------
    library : with the bench
    job : what it is given
    writes : of the host
    more : what this bench is given besides, as ctypes
    wanted : whether anybody listens to the records
    report_words : of its report
    waves : to write
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        job: BenchJob,
        writes: Sequence[HostWrite],
        *more,
        report_words: int,
        waves: Waves | None = None,
        wanted: bool = True,
    ):
        for name, result in _RESULTS.items():
            getattr(library, f"bench_{name}").restype = result
        numbers = job.base, job.size, job.latency, chance_of(job.gap), seed_of(job.seed), job.max_cycles
        options = _Options(*numbers, sum(1 << kind for kind in job.kinds if wanted))
        words = c_words([number for write in writes for number in write])
        image = job.image.ljust(job.size, b"\0")
        created = library.bench_create(ctypes.byref(options), image, words, ctypes.c_uint32(len(writes)), *more)
        self._library, self._bench, self._size = library, ctypes.c_void_p(created), job.size
        self._report = (ctypes.c_uint32 * report_words)()
        if waves:
            last = _LAST_CLOCK if waves.last is None else waves.last
            path = str(waves.path).encode()
            library.bench_waves(self._bench, path, ctypes.c_uint32(waves.first), ctypes.c_uint32(last))

    def close(self) -> None:
        """Frees the run."""
        self._library.bench_destroy(self._bench)

    def records(self) -> Iterator[np.ndarray]:
        """Runs to the end, with all records. Raises `AssertionError` if a check of the hardware fails."""
        events = (ctypes.c_uint32 * (_ROOM * EVENT_WORDS))()
        rows = np.frombuffer(events, np.uint32).reshape(_ROOM, EVENT_WORDS)
        while True:
            count = self._library.bench_run(self._bench, ctypes.c_uint32(_CLOCKS), events, ctypes.c_uint32(_ROOM))
            yield rows[:count]
            failure = self._library.bench_failure(self._bench)
            if failure:
                raise AssertionError(failure.decode())
            if self._library.bench_report(self._bench, self._report):
                return

    @property
    def report(self) -> tuple[int, ...]:
        """What the bench has to say, after all records."""
        return tuple(self._report)

    @property
    def memory(self) -> bytes:
        """All bytes."""
        return ctypes.string_at(self._library.bench_memory(self._bench), self._size)

    def ask(self, function: str, *more) -> int:
        """What another function of this bench says, which gets the run first."""
        return getattr(self._library, function)(self._bench, *more)

    def read(self, offset: int) -> int:
        """The word of a register, after all records; memory may change meanwhile."""
        return self._library.bench_register(self._bench, ctypes.c_uint32(offset))


#: Words of a `FinalState` without its QPUs, and of a `QpuState`.
_STATE_WORDS = len(dataclasses.fields(FinalState)) - 1
_QPU_WORDS = len(dataclasses.fields(QpuState)) - 1 + len(STALL_REASONS)


def _final_state(report: tuple[int, ...]) -> FinalState:
    qpus = []
    for first in range(_STATE_WORDS, len(report), _QPU_WORDS):
        *state, stalls = range(first, first + len(dataclasses.fields(QpuState)))
        qpus.append(QpuState(*(report[index] for index in state), report[stalls : first + _QPU_WORDS]))
    return FinalState(*report[:_STATE_WORDS], tuple(qpus))


def run_library(
    library: ctypes.CDLL,
    job: Job,
    watch: Watcher | None = None,
    waves: Waves | None = None,
    follow: Follower | None = None,
) -> Outcome:
    """Run `job` on the bench for programs, see `base.Run`. Raises `AssertionError` if a check of the hardware fails."""
    setup = job.setup
    threads = [start >> 32 * word & 0xFFFF_FFFF for start in thread_words(job.launches) for word in range(START_WORDS)]
    listeners = Listeners(job.config.qpus, watch, follow)
    run = LibraryRun(
        library,
        job,
        [HostWrite(0, *write) for write in (*setup, *start_writes(job.launches))],
        *(ctypes.c_uint32(len(setup)), c_words(threads), ctypes.c_uint32(len(threads) // START_WORDS)),
        ctypes.c_uint32(len(job.launches)),
        report_words=_STATE_WORDS + job.config.qpus * _QPU_WORDS,
        waves=waves,
        wanted=bool(listeners),
    )
    with contextlib.closing(run):
        for records in run.records():
            listeners(records)
        memory = run.memory
        return conclude(job, _final_state(run.report), [run.read(offset) for offset in job.read_offsets], memory)
