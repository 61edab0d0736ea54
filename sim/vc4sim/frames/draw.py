"""The RTL draws: a host starts a rendering list, and a picture is in memory."""

import contextlib
import ctypes
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import NamedTuple

import numpy as np

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.table import register

from ..backends import native
from ..backends.base import BenchJob, Follower, Waves
from ..backends.library import LibraryRun
from ..backends.simulation import bench_options, say_instead, simulate, watch
from ..bench.draws import STILL_CLOCKS, DrawBench
from ..bench.host import Host
from ..cache import cache_folder
from ..cxxrtl.build import NoCompiler
from ..problem import BadInput
from ..render.host import BEGINNING, FRAME_DONE

__all__ = ["DrawJob", "DrawRun", "run_draw"]

#: Performance counters of the GPU.
_MOST_COUNTED = 16


@dataclass(frozen=True, kw_only=True)
class DrawJob(BenchJob):
    """One rendering list, see `BenchJob`; the configuration has pixels.

    registers : names and values of the registers that start it, in the order in which they are written
    later : the same behind them, with the clock before which each is not written
    counted : names of the sources of performance counters
    """

    base: int = 0
    registers: tuple[tuple[str, int], ...]
    later: tuple[tuple[int, str, int], ...] = ()
    counted: tuple[str, ...] = ()
    max_cycles: int = 50_000_000

    @property
    def built(self) -> V3DConfig:
        """With trace ports."""
        return dataclasses.replace(self.config, trace=True)

    @property
    def writes(self) -> list[tuple[int, int, int]]:
        """All of the host: the first clock in which each may happen, offset, word."""
        numbers = {source.name: source.number for source in SOURCES}
        counters = (1 << len(self.counted)) - 1
        setup = (
            *(dict(BEGINNING) | {"INTENA": FRAME_DONE}).items(),
            *((f"PCTRS{number}", numbers[name]) for number, name in enumerate(self.counted)),
            *(("PCTRC", counters), ("PCTRE", 1 << 31 | counters)),
        )
        writes = (*((0, *write) for write in (*setup, *self.registers)), *self.later)
        return [(clock, register(name).offset, value) for clock, name, value in writes]


class DrawState(NamedTuple):
    """What a bench says at the end: whether the list is drawn; clocks and instructions until then."""

    drawn: int
    cycles: int
    instructions: int


@dataclass
class DrawRun:
    """What came of a run.

    drawn : the interrupt of the end has come
    memory : at the end
    cycles : clocks until then
    instructions : of all shaders
    counts : performance counters, by the names of their sources
    read : registers that were asked for
    """

    drawn: bool
    memory: bytes
    cycles: int
    instructions: int
    counts: dict[str, int] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)


def run_draw(
    job: DrawJob,
    on: str = "native",
    *,
    follow: Follower | None = None,
    waves: Waves | None = None,
    read: Sequence[str] = (),
) -> DrawRun:
    """Run `job` on `native` or `pysim`, and read registers at the end; see `run_front`.

    Raises `AssertionError` if a check of the hardware fails, and `BadInput` for another simulator, and for waves that this one
    does not write.
    """
    names = (*(f"PCTR{number}" for number in range(len(job.counted))), *read)
    state, memory, words = _engine(job, on, follow, waves, [register(name).offset for name in names])
    return DrawRun(
        drawn=bool(state.drawn),
        memory=memory,
        cycles=state.cycles,
        instructions=state.instructions,
        counts=dict(zip(job.counted, words, strict=False)),
        read=dict(zip(read, words[len(job.counted) :], strict=True)),
    )


def _engine(
    job: DrawJob, on: str, follow: Follower | None, waves: Waves | None, offsets: Sequence[int]
) -> tuple[DrawState, bytes, list[int]]:
    if on == "pysim":
        return _run_pysim(job, follow, waves, offsets)
    if on != "native":
        # One evaluation a clock is not enough for what CXXRTL makes of the front end.
        raise BadInput(f"{on} does not draw: add --on native, or --on pysim for waves")
    native.refuse_waves(waves)
    bench = f"constexpr uint32_t STILL_CLOCKS = {STILL_CLOCKS};\n"
    bench += (resources.files(__package__) / "draw.cc").read_text()
    try:
        library = native.library(job.built, cache_folder(), bench)
    except NoCompiler as reason:
        say_instead(reason)
        return _run_pysim(job, follow, waves, offsets)
    return _run_library(library, job, follow, offsets)


def _run_library(
    library: ctypes.CDLL, job: DrawJob, follow: Follower | None, offsets: Sequence[int]
) -> tuple[DrawState, bytes, list[int]]:
    run = LibraryRun(library, job, job.writes, report_words=len(DrawState._fields))
    with contextlib.closing(run):
        for rows in run.records(wanted=follow is not None):
            if follow:
                follow(rows)
        return DrawState(*run.report), run.memory, [run.read(offset) for offset in offsets]


def _run_pysim(
    job: DrawJob, follow: Follower | None, waves: Waves | None, offsets: Sequence[int]
) -> tuple[DrawState, bytes, list[int]]:
    bench = DrawBench(writes=job.writes, **bench_options(job, waves))
    ended = []

    def tell(rows: np.ndarray) -> None:
        if follow:
            follow(rows)

    async def testbench(ctx):
        instructions = await watch(ctx, bench, tell)
        state = DrawState(ctx.get(bench.drawn), ctx.get(bench.cycles), instructions)
        memory = await bench.memory.contents(ctx)
        host = Host(ctx, bench.reader)
        ended.append((state, memory, [await host.read(offset) for offset in offsets]))

    simulate(bench, testbench, waves=waves)
    return ended[0]
