"""What the blocks that draw were busy with: clocks of each stage, and when each tile was drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from amaranth.lib import data

from vc4.activity import STAGES, BlockActivity, QuadMark, TileMark
from vc4.qpu.stall import STALL_REASONS

from ..bench.draws import DrawBench
from ..retired import STAGED
from ..timed import record_of, rows_of

__all__ = [
    "Span",
    "StageClocks",
    "TileClocks",
    "Watched",
    "constants",
    "limit_of",
    "merged",
    "spans_of",
    "stage_count",
    "stage_lines",
    "watching",
]

#: Reasons for which a QPU waits for what comes after it; for all others it waits for something in front.
_BEHIND = ("vpm_write", "vpm_order", "vdw", "tmu_slot", "mutex", "semaphore", "scoreboard", "tlb")
_BEHIND_MASK = sum(1 << STALL_REASONS.index(name) for name in _BEHIND)
#: In front of which stage QPUs are told, and what they are called together.
_AFTER_QPUS, QPUS = "tile_buffer", "qpus"
_LAST_CLOCK = (1 << 32) - 1
#: Clocks of a `Span` at the most.
_SPAN_CLOCKS = 64


class StageClocks(NamedTuple):
    """Clocks of a stage; all stages have the same sum.

    busy : neither of both
    waits : it waits for something in front of it
    held : it is held by something behind it
    """

    name: str
    busy: int
    waits: int
    held: int


class TileClocks(NamedTuple):
    """A tile, and when it was drawn.

    x, y : column and row
    first : the clock in which its coordinates come to the reader of primitives
    last : the one after that in which all of it is in memory; 0: it is not
    """

    x: int
    y: int
    first: int
    last: int


class Span(NamedTuple):
    """What the blocks did in some clocks: the content of a record `STAGED`.

    first, clocks : the first one, and how many
    tile : 0, or 65536 + 256 row + column of the tile whose coordinates come in the first one
    words : of each of `STAGES` and each QPU: clocks in which it waits, and those in which it is held in the upper half
    """

    first: int
    clocks: int
    tile: int
    words: tuple[int, ...]


class Watched(NamedTuple):
    """What a bench has counted.

    clocks : in which it has counted
    words : clocks of each of `STAGES` and each QPU: waits and held
    tiles : in their order
    hidden : of each quad with samples, in their order, whether early Z has let it go no further
    """

    clocks: int
    words: Sequence[int]
    tiles: list[TileClocks]
    hidden: bytes

    @property
    def stages(self) -> tuple[StageClocks, ...]:
        """All of them, QPUs one by one and together."""
        names = [*STAGES, *(f"qpu{number}" for number in range(len(self.words) // 2 - len(STAGES)))]
        found = {
            name: StageClocks(name, self.clocks - waits - held, waits, held)
            for name, waits, held in zip(names, self.words[::2], self.words[1::2], strict=True)
        }
        each = [found.pop(name) for name in names[len(STAGES) :]]
        waits, held = (sum(getattr(one, name) for one in each) // len(each) for name in ("waits", "held"))
        at = STAGES.index(_AFTER_QPUS)
        stages = [found[name] for name in STAGES]
        return (*stages[:at], *each, StageClocks(QPUS, self.clocks - waits - held, waits, held), *stages[at:])


def stage_count(qpus: int) -> int:
    """Words of `Watched`."""
    return 2 * (len(STAGES) + qpus)


def merged(tiles: Iterable[TileClocks]) -> list[TileClocks]:
    """The same, each tile once: a driver may say the coordinates of one again, for another store."""
    found: list[TileClocks] = []
    for tile in tiles:
        if found and (found[-1].x, found[-1].y) == (tile.x, tile.y):
            found[-1] = found[-1]._replace(last=tile.last)
        else:
            found.append(tile)
    return found


def limit_of(stages: Sequence[StageClocks]) -> StageClocks:
    """What has limited a frame: the stage that has stood still least."""
    return max((one for one in stages if not one.name.startswith("qpu") or one.name == QPUS), key=lambda one: one.busy)


def stage_lines(stages: Sequence[StageClocks]) -> Iterator[str]:
    """A table, and what has limited the frame."""
    if not stages:
        return
    clocks = max(sum(stages[0][1:]), 1)
    yield f"  {'clocks of':14}{'busy':>10}{'':7}{'waits in front':>16}{'held behind':>14}"
    for one in stages:
        yield f"  {one.name:14}{one.busy:10} {one.busy / clocks:5.0%} {one.waits:16}{one.held:14}"
    limit = limit_of(stages)
    yield f"  limited by {limit.name}: busy in {limit.busy / clocks:.0%} of {clocks} clocks"


def _places(layout, start: int = 0) -> dict[str, int]:
    return {name: start + field.offset for name, field in data.Layout.cast(layout)}


def constants() -> str:
    """C++ that says where the fields of the activity lie."""
    places = _places(BlockActivity)
    marks = {"tile": TileMark, "quad": QuadMark}
    numbers = {f"AT_{name.upper()}": at for name, at in places.items() if name not in marks}
    for mark, layout in marks.items():
        numbers |= {f"{mark}_{name}".upper(): at for name, at in _places(layout, places[mark]).items()}
    numbers |= {"STAGES": len(STAGES), "WAITS_BEHIND": _BEHIND_MASK, "SPAN_CLOCKS": _SPAN_CLOCKS}
    return "".join(f"constexpr uint32_t {name} = {number};\n" for name, number in numbers.items())


class _Counts:
    """What has been counted, all of it and that of the span: see `Watched` and `Span`."""

    def __init__(self, bench: DrawBench, window: tuple[int, int | None], tell: Callable[[np.ndarray], object] | None):
        self._first, self._last = window[0], _LAST_CLOCK if window[1] is None else window[1]
        self._tell, self._span_first, self._span_clocks, self._tile = tell, 0, 0, 0
        self.words, self.tiles, self.clocks, self._drawn = [0] * stage_count(len(bench.trace)), [], 0, -1
        self._told = self.words[:]
        self.hidden = bytearray()

    def clock(self, clock: int, activity, qpus: Sequence[int]) -> None:
        """A clock: what the blocks did, and of each QPU whether it runs, whether something is in SP, and why that waits."""
        self._mark(clock, activity.tile)
        if activity.quad.passes:
            self.hidden.append(activity.quad.hidden)
        if not self._first <= clock < self._last:
            return
        if activity.tile.begins:
            self.tell()
            self._tile = 1 << 16 | activity.tile.y << 8 | activity.tile.x
        if self._span_clocks == 0:
            self._span_first = clock
        self.clocks += 1
        self._span_clocks += 1
        words = self.words
        for stage in range(len(STAGES)):
            words[2 * stage] += activity.waits >> stage & 1
            words[2 * stage + 1] += activity.held >> stage & 1
        for number in range(len(qpus) // 3):
            running, sp_valid, stall = qpus[3 * number : 3 * number + 3]
            reason = stall & -stall if running and sp_valid else 0
            at = 2 * (len(STAGES) + number)
            words[at] += not running or bool(reason and not reason & _BEHIND_MASK)
            words[at + 1] += bool(reason & _BEHIND_MASK)
        if self._span_clocks == _SPAN_CLOCKS:
            self.tell()

    def tell(self) -> None:
        """The record of a span, if anything is in it."""
        if self._tell and self._span_clocks:
            new = [now - before for now, before in zip(self.words, self._told, strict=True)]
            words = (waits | held << 16 for waits, held in zip(new[::2], new[1::2], strict=True))
            self._tell(record_of(STAGED, 0, self._span_first, self._span_clocks, self._tile, *words)[np.newaxis])
        self._span_clocks, self._tile, self._told = 0, 0, self.words[:]

    def _mark(self, clock: int, tile) -> None:
        if tile.begins:
            self.tiles.append(TileClocks(tile.x, tile.y, clock, 0))
        if tile.drawn:
            self._drawn += 1
        if tile.stored and self._drawn >= 0:
            self.tiles[self._drawn] = self.tiles[self._drawn]._replace(last=clock + 1)


def watching(
    bench: DrawBench, window: tuple[int, int | None], tell: Callable[[np.ndarray], object] | None = None
) -> tuple[Callable, Callable[[], Watched]]:
    """A process for Amaranth's simulator that counts in each clock, as the native bench does, and tells spans; and what it has
    counted.
    """
    counts = _Counts(bench, window, tell)
    traces = [(trace.running, trace.sp_valid, trace.stall.as_value()) for trace in bench.trace]

    async def watch(ctx):
        signals = [signal for trace in traces for signal in trace]
        async for _, _, clock, stop, activity, *qpus in ctx.tick().sample(
            bench.cycles, bench.stop, bench.v3d.activity, *signals
        ):
            if stop:
                counts.tell()
                return
            counts.clock(clock, activity, qpus)

    return watch, lambda: Watched(counts.clocks, tuple(counts.words), merged(counts.tiles), bytes(counts.hidden))


def spans_of(rows: np.ndarray, qpus: int) -> Iterator[Span]:
    """The spans among records, one a row, of a GPU with so many QPUs."""
    size = len(STAGES) + qpus
    for _, first, clocks, tile, *words in rows_of(rows, STAGED)[:, : 4 + size].tolist():
        yield Span(first, clocks, tile, tuple(words))
