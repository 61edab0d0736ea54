"""Runs a library: the GPU as native code with the native bench around it."""

import contextlib
import ctypes
import dataclasses
from collections.abc import Iterator, Sequence

from amaranth.lib import data

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart

from ..bench.driver import READ_OFFSETS, launch_of, setup_writes, start_writes, thread_words
from ..bench.gpu import GRACE_CLOCKS, HOPELESS_STALLS, SHARED_STALLS
from ..bench.memory import chance_of, seed_of
from ..events import Event, Start
from ..retired import RECORD_WORDS, VECTOR_BYTES, EventOrder
from .base import Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude, memory_writes

__all__ = ["EVENT_WORDS", "START_WORDS", "run_library"]

#: Words of one event: its kind and its content.
EVENT_WORDS = 1 + RECORD_WORDS
_RETIRED, _WRITTEN, _STARTED, _R4_ARRIVED = range(4)
_QPU_SHIFT = 8
_START = data.Layout.cast(ProgramStart)
START_WORDS = -(-_START.size // 32)
#: Events that are read at once.
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

    def events(self, *, wanted: bool) -> Iterator[Event]:
        """Runs to the end, with all events if they are `wanted`. Raises `AssertionError` if a check of the hardware fails."""
        order = EventOrder(self._qpus)
        words, records = memoryview(self._records).cast("B").cast("I"), memoryview(self._records).cast("B")
        while True:
            count = self._library.bench_run(
                self._bench, ctypes.c_uint32(_CLOCKS), self._records, ctypes.c_uint32(_ROOM if wanted else 0)
            )
            for at in range(0, count * EVENT_WORDS, EVENT_WORDS):
                content = records[4 * at + 4 : 4 * (at + EVENT_WORDS)]
                kind, qpu = words[at] % (1 << _QPU_SHIFT), words[at] >> _QPU_SHIFT
                if kind == _RETIRED:
                    yield from order.retire(qpu, content)
                elif kind == _WRITTEN:
                    for event in memory_writes(words[at + 1], words[at + 2], bytes(content[8 : 8 + BUS_BYTES])):
                        yield from order.tell(event)
                elif kind >= _R4_ARRIVED:
                    yield from order.arrive(qpu, kind - _R4_ARRIVED, bytes(content[:VECTOR_BYTES]))
                else:
                    start = _START.from_bits(int.from_bytes(content[: 4 * START_WORDS], "little"))
                    yield from order.tell(Start(qpu, launch_of(start)))
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


def run_library(library: ctypes.CDLL, job: Job, watch: Watcher | None = None, waves: Waves | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event. Without it the run is faster. Raises `AssertionError` if a check fails."""
    library.bench_create.restype = ctypes.c_void_p
    library.bench_failure.restype = ctypes.c_char_p
    library.bench_memory.restype = ctypes.c_void_p
    library.bench_register.restype = ctypes.c_uint32
    library.bench_report.restype = ctypes.c_bool
    with contextlib.closing(_Bench(library, job)) as bench:
        if waves:
            bench.write_waves(waves)
        for event in bench.events(wanted=watch is not None):
            if watch:
                watch(event)
        return bench.conclude(job)
