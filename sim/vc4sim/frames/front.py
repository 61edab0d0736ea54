"""The RTL from control lists to shaded vertices, with a host and memory, and something in place of binner and renderer."""

import contextlib
import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import numpy as np

from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.table import register
from vc4.vertex_pipe import FRONT_STALLS

from ..backends import cxxrtl, native
from ..backends.base import Follower
from ..bench.memory import chance_of, seed_of
from ..cache import cache_folder
from ..cxxrtl.build import Kind
from ..render.host import BEGINNING
from ..retired import EVENT_WORDS, KIND_BITS, R4_ARRIVED
from ..waves.view import write_view
from .items import ITEM_WORDS, Item, constants, item_of

__all__ = ["STALLS", "FrontJob", "FrontRun", "run_front"]

_ITEM, _QUAD = R4_ARRIVED + 2, R4_ARRIVED + 3
_ITEM_ROW = 1 + max(ITEM_WORDS, 6)
_ROOM, _CLOCKS, _LAST_CLOCK = 4096, 1 << 16, (1 << 32) - 1
_STATE = ("done", "cycles", "retired")
#: What waits, see `FRONT_STALLS`.
STALLS = tuple(FRONT_STALLS.members)
#: What performance counters count.
_COUNTED = tuple(
    source
    for source in SOURCES
    if source.name.startswith("QPU_CLOCKS_") or source.name in ("VPM_STALLS_VCD", "L2C_HITS", "L2C_MISSES")
)


@dataclass(frozen=True, kw_only=True)
class FrontJob:
    """One run.

    image : memory from address 0 on
    registers : names and values of the registers that start the threads, in the order in which they are written
    later : the same behind them, with the clock before which each is not written
    config : of the GPU, with control lists
    latency, gap, seed : of memory, see `backends.base.Job`
    reads : all words of vertices are read, before a primitive is taken; else it is taken at once
    pipeline_gap : chance of a pause of binner and renderer in each clock
    max_cycles : clocks after which the run is given up
    """

    image: bytes
    registers: tuple[tuple[str, int], ...]
    later: tuple[tuple[int, str, int], ...] = ()
    config: V3DConfig
    latency: int = 20
    gap: float = 0.0
    seed: int = 1
    reads: bool = True
    pipeline_gap: float = 0.0
    max_cycles: int = 5_000_000


@dataclass
class FrontRun:
    """What came of a run.

    rests : nothing moves any more
    cycles : clocks until then
    instructions : of all shaders
    stalls : clocks in which something waited, by the names of `FRONT_STALLS`
    counts : performance counters, by the names of their sources
    items : what binner and renderer got
    read : registers that were asked for
    """

    rests: bool = False
    cycles: int = 0
    instructions: int = 0
    stalls: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    items: tuple[list[Item], list[Item]] = field(default_factory=lambda: ([], []))
    read: dict[str, int] = field(default_factory=dict)


class _Options(ctypes.Structure):
    """`Options` of the native bench, which has more of them for programs."""

    _fields_ = [
        (name, ctypes.c_uint32)
        for name in ("base", "size", "latency", "chance", "seed", "max_cycles", *(f"unused_{n}" for n in range(3)))
    ]


class _Collector:
    """Puts items together from records of the bench."""

    def __init__(self):
        self.items: tuple[list[Item], list[Item]] = ([], [])
        self._quads: tuple[list[list[int]], list[list[int]]] = ([], [])
        self._wanted = [0, 0]  # words of a vertex

    def take(self, row: Sequence[int]) -> None:
        """A record."""
        kind, thread = row[0] & (1 << KIND_BITS) - 1, row[0] >> KIND_BITS
        if kind == _QUAD:
            vertex, self._wanted[thread], *words = row[1:7]
            quads = self._quads[thread]
            if vertex == len(quads):
                quads.append([])
            quads[vertex] += words
        elif kind == _ITEM:
            bits = sum(word << 32 * number for number, word in enumerate(row[1 : 1 + ITEM_WORDS]))
            wanted = self._wanted[thread]
            vertices = [tuple((words + [0] * wanted)[:wanted]) for words in self._quads[thread]]
            self._quads[thread].clear()
            self.items[thread].append(item_of(bits, vertices))


def _library(config: V3DConfig, on: str, *, waves: bool) -> ctypes.CDLL:
    bench = constants() + (resources.files(__package__) / "frames.cc").read_text()
    if on == "native":
        library = native.library(config, cache_folder(), bench)
    else:
        library = cxxrtl.library(config, cache_folder(), Kind.WAVES if waves else Kind.FAST, bench)
    library.bench_create.restype = ctypes.c_void_p
    library.bench_failure.restype = ctypes.c_char_p
    library.bench_register.restype = ctypes.c_uint32
    library.bench_report.restype = ctypes.c_bool
    return library


def _writes(job: FrontJob) -> list[int]:
    counted = len(_COUNTED)
    setup = (
        *BEGINNING,
        *((f"PCTRS{number}", source.number) for number, source in enumerate(_COUNTED)),
        *(("PCTRC", (1 << counted) - 1), ("PCTRE", 1 << 31 | (1 << counted) - 1)),
    )
    writes = (*((0, *write) for write in (*setup, *job.registers)), *job.later)
    return [word for clock, name, value in writes for word in (clock, register(name).offset, value)]


def run_front(
    job: FrontJob,
    on: str = "native",
    *,
    follow: Follower | None = None,
    waves: Path | None = None,
    window: tuple[int, int] | None = None,
    read: Iterable[str] = (),
) -> FrontRun:
    """Run `job` on `native` or `cxxrtl`, and read registers at the end.

    follow : gets the records of the QPUs
    waves, window : a VCD file, of cxxrtl only, and its clocks. Raises `AssertionError` if a check of the hardware fails, and `NoCompiler`.
    """
    library = _library(job.config, on, waves=waves is not None)
    image = job.image + bytes(-len(job.image) % BUS_BYTES)
    options = _Options(0, len(image), job.latency, chance_of(job.gap), seed_of(job.seed), job.max_cycles)
    writes = _writes(job)
    bench = ctypes.c_void_p(
        library.bench_create(
            *(ctypes.byref(options), image, (ctypes.c_uint32 * len(writes))(*writes)),
            *(ctypes.c_uint32(len(writes) // 3), job.reads, ctypes.c_uint32(round(256 * job.pipeline_gap))),
        )
    )

    def read_register(name: str) -> int:
        return library.bench_register(bench, ctypes.c_uint32(register(name).offset))

    with contextlib.ExitStack() as stack:
        stack.callback(library.bench_destroy, bench)
        if waves:
            first, last = window or (0, _LAST_CLOCK)
            library.bench_waves(bench, str(waves).encode(), ctypes.c_uint32(first), ctypes.c_uint32(last))
            stack.callback(write_view, waves)
        collector, report = _Collector(), (ctypes.c_uint32 * (len(_STATE) + len(STALLS)))()
        for rows in _records(library, bench, report):
            is_item = rows[:, 0] % (1 << KIND_BITS) >= _ITEM
            if follow:
                follow(rows[~is_item])
            for row in rows[is_item, :_ITEM_ROW].tolist():
                collector.take(row)
        rests, cycles, retired, *stalls = report
        return FrontRun(
            rests=bool(rests),
            cycles=cycles,
            instructions=retired,
            stalls=dict(zip(STALLS, stalls, strict=True)),
            counts={source.name: read_register(f"PCTR{number}") for number, source in enumerate(_COUNTED)},
            items=collector.items,
            read={name: read_register(name) for name in read},
        )


def _records(library: ctypes.CDLL, bench: ctypes.c_void_p, report: ctypes.Array) -> Iterator[np.ndarray]:
    room = (ctypes.c_uint32 * (_ROOM * EVENT_WORDS))()
    rows = np.frombuffer(room, np.uint32).reshape(_ROOM, EVENT_WORDS)
    while True:
        count = library.bench_run(bench, ctypes.c_uint32(_CLOCKS), room, ctypes.c_uint32(_ROOM))
        yield rows[:count]
        failure = library.bench_failure(bench)
        if failure:
            raise AssertionError(failure.decode())
        if library.bench_report(bench, report):
            return
