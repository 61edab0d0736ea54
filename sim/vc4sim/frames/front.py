"""The RTL from control lists to shaded vertices, with a host and memory, and something in place of binner and renderer."""

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources

import numpy as np

from vc4.regs.table import register

from ..backends import cxxrtl, native
from ..backends.base import Follower, Waves
from ..backends.library import LibraryRun
from ..backends.simulation import say_instead
from ..bench.memory import chance_of
from ..cache import cache_folder
from ..cxxrtl.build import Kind, NoCompiler
from ..retired import ITEM, KIND_BITS, QUAD
from ..waves.view import write_view
from . import pysim
from .items import ITEM_WORDS, Item, constants, item_of
from .job import STALLS, FrontJob, FrontState

__all__ = ["FrontRun", "run_front"]

_ITEM_ROW = 1 + max(ITEM_WORDS, 6)


@dataclass
class FrontRun:
    """What came of a run.

    rests : nothing moves any more
    cycles : clocks until then
    instructions : of all shaders
    stalls : clocks in which something waited, by the names of `FRONT_STALLS`
    counts : performance counters, by the names of their sources
    items : what binner and renderer got; nothing of a binner that the GPU has itself
    memory : at the end
    read : registers that were asked for
    """

    rests: bool = False
    cycles: int = 0
    instructions: int = 0
    stalls: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    items: tuple[list[Item], list[Item]] = field(default_factory=lambda: ([], []))
    memory: bytes = b""
    read: dict[str, int] = field(default_factory=dict)


class _Collector:
    """Puts items together from records of the bench."""

    def __init__(self):
        self.items: tuple[list[Item], list[Item]] = ([], [])
        self._quads: tuple[list[list[int]], list[list[int]]] = ([], [])
        self._wanted = [0, 0]  # words of a vertex

    def take(self, row: Sequence[int]) -> None:
        """A record."""
        kind, thread = row[0] & (1 << KIND_BITS) - 1, row[0] >> KIND_BITS
        if kind == QUAD:
            vertex, self._wanted[thread], *words = row[1:7]
            quads = self._quads[thread]
            if vertex == len(quads):
                quads.append([])
            quads[vertex] += words
        elif kind == ITEM:
            bits = sum(word << 32 * number for number, word in enumerate(row[1 : 1 + ITEM_WORDS]))
            wanted = self._wanted[thread]
            vertices = [tuple((words + [0] * wanted)[:wanted]) for words in self._quads[thread]]
            self._quads[thread].clear()
            self.items[thread].append(item_of(bits, vertices))


def _engine(job: FrontJob, on: str, waves: Waves | None) -> Callable[..., tuple[FrontState, bytes, list[int]]]:
    """What runs it."""
    if on == "pysim":
        return pysim.run
    if on == "native":
        native.refuse_waves(waves)
    bench = constants(job.bins) + (resources.files(__package__) / "frames.cc").read_text()
    try:
        if on == "native":
            return partial(_run_library, native.library(job.built, cache_folder(), bench))
        kind = Kind.WAVES if waves else Kind.FAST
        return partial(_run_library, cxxrtl.library(job.built, cache_folder(), kind, bench))
    except NoCompiler as reason:
        say_instead(reason)
        return pysim.run


def _run_library(
    library: ctypes.CDLL, job: FrontJob, waves: Waves | None, tell: Callable[[np.ndarray], None], offsets: Sequence[int]
) -> tuple[FrontState, bytes, list[int]]:
    """As `pysim.run`."""
    run = LibraryRun(
        library,
        job,
        job.writes,
        *(ctypes.c_bool(job.reads), ctypes.c_uint32(chance_of(job.pipeline_gap))),
        report_words=len(FrontState._fields) - 1 + len(STALLS),
        waves=waves,
    )
    with contextlib.ExitStack() as stack:
        stack.callback(run.close)
        if waves:
            stack.callback(write_view, waves.path)
        for rows in run.records():
            tell(rows)
        rests, cycles, instructions, *stalls = run.report
        state = FrontState(rests, cycles, instructions, tuple(stalls))
        return state, run.memory, [run.read(offset) for offset in offsets]


def run_front(
    job: FrontJob,
    on: str = "native",
    *,
    follow: Follower | None = None,
    waves: Waves | None = None,
    read: Sequence[str] = (),
) -> FrontRun:
    """Run `job` on `native`, `cxxrtl` or `pysim`, and read registers at the end.

    follow : gets the records of the QPUs
    waves : to write, of cxxrtl and pysim

    Without a C++ compiler everything runs in Amaranth's simulator, and that is said. Raises `AssertionError` if a check of the
    hardware fails, and `BadInput` for waves that the simulator does not write.
    """
    collector = _Collector()

    def tell(rows: np.ndarray) -> None:
        is_item = rows[:, 0] % (1 << KIND_BITS) >= ITEM
        if follow:
            follow(rows[~is_item])
        for row in rows[is_item, :_ITEM_ROW].tolist():
            collector.take(row)

    names = (*(f"PCTR{number}" for number in range(len(job.counted))), *read)
    state, memory, words = _engine(job, on, waves)(job, waves, tell, [register(name).offset for name in names])
    return FrontRun(
        rests=bool(state.rests),
        cycles=state.cycles,
        instructions=state.instructions,
        stalls=dict(zip(STALLS, state.stalls, strict=True)),
        counts={source.name: word for source, word in zip(job.counted, words, strict=False)},
        items=collector.items,
        memory=memory,
        read=dict(zip(read, words[len(job.counted) :], strict=True)),
    )
