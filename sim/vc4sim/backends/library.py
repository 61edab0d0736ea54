"""Runs a library: the GPU as native code with the native bench around it."""

import contextlib
import ctypes
import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS

from ..bench.driver import READ_OFFSETS, setup_writes, start_writes, thread_words
from ..bench.gpu import GRACE_CLOCKS, HOPELESS_STALLS, SHARED_STALLS
from ..bench.memory import chance_of, seed_of
from ..retired import EVENT_WORDS, START_WORDS, Listeners
from .base import Follower, Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude

__all__ = ["run_library"]

#: Records that are read at once.
_ROOM = 4096
#: Clocks of one call: Python gets its chance to be interrupted.
_CLOCKS = 1 << 16
_LAST_CLOCK = (1 << 32) - 1


class _Options(ctypes.Structure):
    """`Options` of the native bench."""

    _fields_ = [
        (name, ctypes.c_uint32)
        for name in (
            "base",
            "size",
            "latency",
            "chance",
            "seed",
            "max_cycles",
            "grace",
            "hopeless_stalls",
            "shared_stalls",
        )
    ]


def _options(job: Job, size: int) -> _Options:
    chance, seed = chance_of(job.gap), seed_of(job.seed)
    stalls = (HOPELESS_STALLS, SHARED_STALLS)
    return _Options(job.base, size, job.latency, chance, seed, job.max_cycles, GRACE_CLOCKS, *stalls)


def _words(numbers: Sequence[int]) -> ctypes.Array:
    return (ctypes.c_uint32 * len(numbers))(*numbers)


#: Words of a `FinalState` without its QPUs, and of a `QpuState`.
_STATE_WORDS = len(dataclasses.fields(FinalState)) - 1
_QPU_WORDS = len(dataclasses.fields(QpuState)) - 1 + len(STALL_REASONS)


class _Bench:
    """A run in the library."""

    def __init__(self, library: ctypes.CDLL, job: Job):
        self._library = library
        image = job.image + bytes(-len(job.image) % BUS_BYTES)
        self._size = len(image)
        setup = setup_writes(job.reserved)
        writes = [number for write in (*setup, *start_writes(job.launches)) for number in write]
        threads = [
            start >> 32 * word & 0xFFFF_FFFF for start in thread_words(job.launches) for word in range(START_WORDS)
        ]
        created = library.bench_create(
            ctypes.byref(_options(job, len(image))),
            image,
            *(_words(writes), ctypes.c_uint32(len(writes) // 2), ctypes.c_uint32(len(setup))),
            *(_words(threads), ctypes.c_uint32(len(threads) // START_WORDS)),
            ctypes.c_uint32(len(job.launches)),
        )
        self._bench = ctypes.c_void_p(created)
        self._records = (ctypes.c_uint32 * (_ROOM * EVENT_WORDS))()
        self._qpus = job.config.qpus
        self._report = (ctypes.c_uint32 * (_STATE_WORDS + self._qpus * _QPU_WORDS))()

    def close(self) -> None:
        """Frees the run."""
        self._library.bench_destroy(self._bench)

    def write_waves(self, waves: Waves) -> None:
        """Write waves of this run."""
        last = _LAST_CLOCK if waves.last is None else waves.last
        path = str(waves.path).encode()
        self._library.bench_waves(self._bench, path, ctypes.c_uint32(waves.first), ctypes.c_uint32(last))

    def records(self, *, wanted: bool) -> Iterator[np.ndarray]:
        """Runs to the end, with all records if they are `wanted`. Raises `AssertionError` if a check of the hardware fails."""
        rows = np.frombuffer(self._records, np.uint32).reshape(_ROOM, EVENT_WORDS)
        while True:
            count = self._library.bench_run(
                self._bench, ctypes.c_uint32(_CLOCKS), self._records, ctypes.c_uint32(_ROOM if wanted else 0)
            )
            yield rows[:count]
            failure = self._library.bench_failure(self._bench)
            if failure:
                raise AssertionError(failure.decode())
            if self._library.bench_report(self._bench, self._report):
                return

    def conclude(self, job: Job) -> Outcome:
        """The outcome, after all events."""
        report = tuple(self._report)
        memory = ctypes.string_at(self._library.bench_memory(self._bench), self._size)
        qpus = []
        for first in range(_STATE_WORDS, len(report), _QPU_WORDS):
            *state, stalls = range(first, first + len(dataclasses.fields(QpuState)))
            qpus.append(QpuState(*(report[index] for index in state), report[stalls : first + _QPU_WORDS]))
        words = [self._library.bench_register(self._bench, ctypes.c_uint32(offset)) for offset in READ_OFFSETS]
        return conclude(job, FinalState(*report[:_STATE_WORDS], tuple(qpus)), words, memory)


def run_library(
    library: ctypes.CDLL,
    job: Job,
    watch: Watcher | None = None,
    waves: Waves | None = None,
    follow: Follower | None = None,
) -> Outcome:
    """Run `job`, see `base.Run`. Raises `AssertionError` if a check of the hardware fails."""
    library.bench_create.restype = ctypes.c_void_p
    library.bench_failure.restype = ctypes.c_char_p
    library.bench_memory.restype = ctypes.c_void_p
    library.bench_register.restype = ctypes.c_uint32
    library.bench_report.restype = ctypes.c_bool
    with contextlib.closing(_Bench(library, job)) as bench:
        if waves:
            bench.write_waves(waves)
        listeners = Listeners(job.config.qpus, watch, follow)
        for records in bench.records(wanted=bool(listeners)):
            listeners(records)
        return bench.conclude(job)
