"""The RTL draws: a host starts the lists of a frame, and a picture is in memory."""

import contextlib
import ctypes
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import ClassVar, NamedTuple

import numpy as np

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.table import register

from ..backends import cxxrtl, native
from ..backends.base import BenchJob, Follower, Waves
from ..backends.engines import ENGINES
from ..backends.library import LibraryRun
from ..backends.simulation import bench_options, say_instead, simulate, watch
from ..backends.timed import telling
from ..bench.draws import STILL_CLOCKS, DrawBench
from ..bench.host import Host
from ..bench.writer import HostWrite
from ..cache import cache_folder
from ..cxxrtl.build import Kind, NoCompiler
from ..problem import BadInput
from ..render.host import BEGINNING, FLUSH_DONE, FRAME_DONE
from ..retired import STAGED
from ..waves.view import write_view
from .activity import StageClocks, TileClocks, Watched, constants, merged, stage_count, watching
from .items import TILE_MEMORY_STALL
from .job import given

__all__ = ["DrawJob", "DrawRun", "Progress", "run_draw"]

_LAST_CLOCK = (1 << 32) - 1
#: Told how many tiles are in memory, now and then.
Progress = Callable[[int], object]


@dataclass(frozen=True, kw_only=True)
class DrawJob(BenchJob):
    """The lists of a frame, see `BenchJob`; the configuration has all blocks. It ends with the rendering list, or with the binning
    list if there is no other.

    registers : names and values of the registers that start them, in the order in which they are written
    then : the same of the frames after that, each when the one before is drawn, which is for subclasses to see to
    later : the same after them, with the clock before which each is not written
    overspill : addresses and sizes of what the host gives a binner that asks for memory, in this order
    counted : names of the sources of performance counters
    window : clocks of which is counted what stages do, from the first one to the one before the last, `None` for the end
    """

    base: int = 0
    registers: tuple[tuple[str, int], ...]
    then: tuple[tuple[tuple[str, int], ...], ...] = ()
    later: tuple[tuple[int, str, int], ...] = ()
    overspill: tuple[tuple[int, int], ...] = ()
    counted: tuple[str, ...] = ()
    window: tuple[int, int | None] = (0, None)
    max_cycles: int = 50_000_000

    #: It ends when the host has done all and no program runs, too.
    whole: ClassVar[bool] = False

    @property
    def frames(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Registers of all frames."""
        return (self.registers, *self.then)

    @property
    def built(self) -> V3DConfig:
        """With trace ports."""
        return dataclasses.replace(self.config, trace=True)

    @property
    def end(self) -> int:
        """The interrupt that comes at the end, as a bit of INTCTL."""
        return FRAME_DONE if any(name.startswith("CT1") for name, _ in self.registers) else FLUSH_DONE

    @property
    def writes(self) -> list[HostWrite]:
        """All of the host."""
        numbers = {source.name: source.number for source in SOURCES}
        counters = (1 << len(self.counted)) - 1
        setup = (
            *(dict(BEGINNING) | {"INTENA": self.end}).items(),
            *((f"PCTRS{number}", numbers[name]) for number, name in enumerate(self.counted)),
            *(("PCTRC", counters), ("PCTRE", 1 << 31 | counters)),
        )
        writes = (*((0, *write) for write in (*setup, *self.registers)), *self.later, *given(self.overspill))
        return [HostWrite(clock, register(name).offset, value) for clock, name, value in writes]


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
    stages : what the blocks did
    tiles : when they were drawn
    hidden : see `Watched`
    """

    drawn: bool
    memory: bytes
    cycles: int
    instructions: int
    counts: dict[str, int] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    stages: tuple[StageClocks, ...] = ()
    tiles: list[TileClocks] = field(default_factory=list)
    hidden: bytes = b""


class _Listener(NamedTuple):
    """Who wants to hear of a run while it runs."""

    follow: Follower | None
    progress: Progress | None


#: What a simulator gives back: how it ended, memory, words of registers, what was counted.
_Ended = tuple[DrawState, bytes, list[int], Watched]


def run_draw(
    job: DrawJob,
    on: str = "native",
    *,
    follow: Follower | None = None,
    waves: Waves | None = None,
    read: Sequence[str] = (),
    progress: Progress | None = None,
) -> DrawRun:
    """Run `job` on `native`, `cxxrtl`, `pysim` or a board, and read registers at the end; see `run_front`.

    progress : called with the number of tiles that are in memory; pysim does not tell

    Raises `AssertionError` if a check of the hardware fails, and `BadInput` for waves that the simulator does not write.
    """
    if ENGINES[on].is_board:
        from ..uart.lists import draw  # who simulates needs no line

        return draw(on, job, read, follow=follow, waves=waves)
    names = (*(f"PCTR{number}" for number in range(len(job.counted))), *read)
    offsets = [register(name).offset for name in names]
    state, memory, words, watched = _engine(job, on, _Listener(follow, progress), waves, offsets)
    return DrawRun(
        drawn=bool(state.drawn),
        memory=memory,
        cycles=state.cycles,
        instructions=state.instructions,
        counts=dict(zip(job.counted, words, strict=False)),
        read=dict(zip(read, words[len(job.counted) :], strict=True)),
        stages=watched.stages,
        tiles=watched.tiles,
        hidden=watched.hidden,
    )


def _engine(job: DrawJob, on: str, listener: _Listener, waves: Waves | None, offsets: Sequence[int]) -> _Ended:
    if on == "pysim":
        return _run_pysim(job, listener, waves, offsets)
    if on == "native":
        native.refuse_waves(waves)
    numbers = f"STILL_CLOCKS = {STILL_CLOCKS}, TILE_MEMORY_STALL = {TILE_MEMORY_STALL}"
    bench = f"constexpr uint32_t {numbers};\n{constants()}"
    bench += (resources.files(__package__) / "draw.cc").read_text()
    try:
        if on == "native":
            library = native.library(job.built, cache_folder(), bench)
        else:
            library = cxxrtl.library(job.built, cache_folder(), Kind.WAVES if waves else Kind.FAST, bench)
    except NoCompiler as reason:
        say_instead(reason)
        return _run_pysim(job, listener, waves, offsets)
    return _run_library(library, job, listener, waves, offsets)


def _run_library(
    library: ctypes.CDLL, job: DrawJob, listener: _Listener, waves: Waves | None, offsets: Sequence[int]
) -> _Ended:
    first, last = job.window
    room = len(DrawState._fields) + 2 + stage_count(job.config.qpus)
    window = (ctypes.c_uint32(clock) for clock in (first, _LAST_CLOCK if last is None else last))
    numbers = *window, ctypes.c_bool(job.whole)
    wanted = listener.follow is not None
    run = LibraryRun(library, job, job.writes, *numbers, report_words=room, waves=waves, wanted=wanted)
    with contextlib.ExitStack() as stack:
        stack.callback(run.close)
        if waves:
            stack.callback(write_view, waves.path)
        for rows in run.records():
            if listener.follow:
                listener.follow(rows)
            if listener.progress:
                listener.progress(sum(tile.last > 0 for tile in merged(_tiles(run))))
        state, (_, clocks, *words) = run.report[: len(DrawState._fields)], run.report[len(DrawState._fields) :]
        watched = Watched(clocks, words, merged(_tiles(run)), _hidden(run))
        return DrawState(*state), run.memory, [run.read(offset) for offset in offsets], watched


def _tiles(run: LibraryRun) -> list[TileClocks]:
    size = len(TileClocks._fields)
    words = (ctypes.c_uint32 * (size * run.ask("draw_tiles", None)))()
    run.ask("draw_tiles", words)
    return [TileClocks(*words[at : at + size]) for at in range(0, len(words), size)]


def _hidden(run: LibraryRun) -> bytes:
    hidden = (ctypes.c_uint8 * run.ask("draw_hidden", None))()
    run.ask("draw_hidden", hidden)
    return bytes(hidden)


def _run_pysim(job: DrawJob, listener: _Listener, waves: Waves | None, offsets: Sequence[int]) -> _Ended:
    if job.whole:
        raise BadInput("frames beside other programs are not for pysim: add --on native or --on cxxrtl")
    bench = DrawBench(writes=job.writes, **bench_options(job, waves))

    def tell(rows: np.ndarray) -> None:
        if listener.follow:
            listener.follow(rows)

    count, counted = watching(bench, job.window, tell if STAGED in job.kinds else None)
    ended = []

    async def testbench(ctx):
        instructions = await watch(ctx, bench, tell, job.kinds)
        state = DrawState(ctx.get(bench.drawn), ctx.get(bench.cycles), instructions)
        memory = await bench.memory.contents(ctx)
        await ctx.tick()  # What counts has seen the last clock then.
        host = Host(ctx, bench.reader)
        ended.append((state, memory, [await host.read(offset) for offset in offsets], counted()))

    simulate(bench, testbench, [count, *telling(bench, job.kinds, tell)], waves=waves)
    return ended[0]
