"""Runs the RTL as native code, made by CXXRTL, with a native bench: many times faster than Amaranth's simulator."""

import contextlib
import ctypes
import dataclasses
import functools
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ShapeLike
from amaranth.lib import data

import vc4
from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.qpu.qpu import Qpu
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import TracedIssue, TracedQuad
from vc4.v3d import V3D

from ..bench.driver import COUNTED, QUEUE, START_OFFSET, count_offset, host_writes, launch_of, thread_words
from ..bench.gather import Retired
from ..bench.gpu import GRACE_CLOCKS, HOPELESS_STALLS, SHARED_STALLS
from ..bench.memory import chance_of, seed_of
from ..cxxrtl.build import Kind, NoCompiler, Part, build_once, build_parts, cache_folder
from ..cxxrtl.joints import joints
from ..cxxrtl.rtlil import Module
from ..cxxrtl.sockets import declaration, take_out, unplug
from ..events import Event, Start
from ..retired import RECORD_WORDS, RetirementReader
from . import pysim
from .base import Job, Outcome, Watcher, Waves
from .final import FinalState, QpuState, conclude, memory_writes

__all__ = ["run"]

#: Words of one event: its kind and its content.
_EVENT_WORDS = 1 + RECORD_WORDS
_RETIRED, _WRITTEN, _STARTED = range(3)
_QPU_SHIFT = 8
#: The bench looks at the trace ports of the QPUs themselves.
_TRACE = ("trace",)
_START = data.Layout.cast(ProgramStart)
_START_WORDS = -(-_START.size // 32)
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


@functools.cache
def _library(config: V3DConfig, folder: Path, kind: Kind) -> ctypes.CDLL:
    """The GPU and its bench. Raises `NoCompiler`."""
    package = resources.files(__package__)
    waves = "bench_waves.h" if kind is Kind.WAVES else "bench_no_waves.h"
    files = ("bench_gpu.h", "bench_memory.h", "bench_gather.h", waves, "bench.cc")
    driver = _constants() + "".join((package / name).read_text() for name in files)
    hardware = [path.read_text() for path in sorted(Path(vc4.__file__).parent.rglob("*.py"))]

    def make() -> ctypes.CDLL:
        v3d, qpu = V3D(config), Qpu(config)
        for one in v3d.slices:
            for socket in one.qpus:
                take_out(socket)

        def unplugged(flat: Module) -> None:
            unplug(flat, qpu, "qpu", without=_TRACE)

        tag_bits = f"constexpr size_t TAG_BITS = {v3d.bus.signature.tag_bits};\n"
        joined = joints(qpu, config.qpus, whole="v3d", part="qpu", without=_TRACE)
        # Without the places in the source, the same hardware is the same text wherever it lies.
        whole = rtlil.convert(v3d, emit_src=False) + declaration(qpu)
        parts = {"v3d": Part(whole, unplugged), "qpu": Part(rtlil.convert(qpu, emit_src=False))}
        return build_parts(parts, joined + tag_bits + driver, folder, kind=kind)

    library = build_once([repr(config), driver, kind.name, *hardware], make, folder)
    library.bench_create.restype = ctypes.c_void_p
    library.bench_failure.restype = ctypes.c_char_p
    library.bench_memory.restype = ctypes.c_void_p
    library.bench_register.restype = ctypes.c_uint32
    library.bench_report.restype = ctypes.c_bool
    return library


def _constants() -> str:
    """C++ that says where the fields of the trace port's structs and of the record of an instruction lie, and more."""
    structs = {"ISSUE": TracedIssue, "WRITTEN": TracedQuad, "RECORD": Retired}
    places = [(f"{name}_{field}", at) for name, struct in structs.items() for field, at in _fields(struct)]
    places += [("RECORD_WORDS", RECORD_WORDS), ("STALL_COUNT", len(STALL_REASONS)), ("START_WORDS", _START_WORDS)]
    places += [("START_OFFSET", START_OFFSET), ("QUEUE", QUEUE)]
    return "".join(f"constexpr size_t {name} = {at};\n" for name, at in places)


def _fields(shape: ShapeLike, start: int = 0, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The fields of a struct and of the structs in it, and their first bits."""
    for name, field in data.Layout.cast(shape):
        yield f"{prefix}{name}", start + field.offset
        if isinstance(field.shape, type) and issubclass(field.shape, data.Struct):
            yield from _fields(field.shape, start + field.offset, f"{prefix}{name}_")


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
        writes = [number for write in host_writes(job.launches, job.reserved) for number in write]
        threads = [
            start >> 32 * word & 0xFFFF_FFFF for start in thread_words(job.launches) for word in range(_START_WORDS)
        ]
        created = library.bench_create(
            ctypes.byref(_options(job, len(image))),
            image,
            *(_words(writes), ctypes.c_uint32(len(writes) // 2)),
            *(_words(threads), ctypes.c_uint32(len(threads) // _START_WORDS)),
            ctypes.c_uint32(len(job.launches)),
        )
        self._bench = ctypes.c_void_p(created)
        self._records = (ctypes.c_uint32 * (_ROOM * _EVENT_WORDS))()
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
        read = [RetirementReader(number) for number in range(self._qpus)]
        words, records = memoryview(self._records).cast("B").cast("I"), memoryview(self._records).cast("B")
        while True:
            count = self._library.bench_run(
                self._bench, ctypes.c_uint32(_CLOCKS), self._records, ctypes.c_uint32(_ROOM if wanted else 0)
            )
            for at in range(0, count * _EVENT_WORDS, _EVENT_WORDS):
                content = records[4 * at + 4 : 4 * (at + _EVENT_WORDS)]
                kind, qpu = words[at] % (1 << _QPU_SHIFT), words[at] >> _QPU_SHIFT
                if kind == _RETIRED:
                    yield read[qpu](content)
                elif kind == _WRITTEN:
                    yield from memory_writes(words[at + 1], words[at + 2], bytes(content[8 : 8 + BUS_BYTES]))
                else:
                    start = _START.from_bits(int.from_bytes(content[: 4 * _START_WORDS], "little"))
                    yield Start(qpu, launch_of(start))
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
        counts = [
            self._library.bench_register(self._bench, ctypes.c_uint32(count_offset(index)))
            for index in range(len(COUNTED))
        ]
        return conclude(job, FinalState(*report[:_STATE_WORDS], tuple(qpus)), counts, memory)


def run(job: Job, watch: Watcher | None = None, waves: Waves | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event. Without it the run is faster.

    `waves` is a VCD file to write. It has all registers and ports of `V3D`, for which the GPU is compiled once more. Without a C++
    compiler everything runs in Amaranth's simulator, and that is said.
    """
    kind = Kind.WAVES if waves else Kind.FAST
    try:
        library = _library(dataclasses.replace(job.config, trace=True), cache_folder(), kind)
    except NoCompiler as reason:
        print(f"{reason}; this runs in Amaranth's simulator instead, which is slow", file=sys.stderr)
        return pysim.run(job, watch, waves)
    with contextlib.closing(_Bench(library, job)) as bench:
        if waves:
            bench.write_waves(waves)
        for event in bench.events(wanted=watch is not None):
            if watch:
                watch(event)
        return bench.conclude(job)
