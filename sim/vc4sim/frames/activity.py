"""What the blocks that draw were busy with: clocks of each stage, and when each tile was drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from amaranth.lib import data

from vc4.activity import STAGES, BlockActivity, QuadMark, TileMark
from vc4.qpu.stall import STALL_REASONS

from ..bench.draws import DrawBench

__all__ = [
    "StageClocks",
    "TileClocks",
    "Watched",
    "constants",
    "limit_of",
    "merged",
    "stage_count",
    "stage_lines",
    "watching",
]

#: Reasons for which a QPU waits for what comes behind it; for all others it waits for something in front.
_BEHIND = ("vpm_write", "vpm_order", "vdw", "tmu_slot", "mutex", "semaphore", "scoreboard", "tlb")
_BEHIND_MASK = sum(1 << STALL_REASONS.index(name) for name in _BEHIND)
#: In front of which stage QPUs are told, and what they are called together.
_AFTER_QPUS, QPUS = "tile_buffer", "qpus"
_LAST_CLOCK = (1 << 32) - 1


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
    last : the one behind that in which all of it is in memory; 0: it is not
    """

    x: int
    y: int
    first: int
    last: int


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
    numbers |= {"STAGES": len(STAGES), "WAITS_BEHIND": _BEHIND_MASK}
    return "".join(f"constexpr uint32_t {name} = {number};\n" for name, number in numbers.items())


def watching(bench: DrawBench, window: tuple[int, int | None]) -> tuple[Callable, Callable[[], Watched]]:
    """A process for Amaranth's simulator that counts in each clock, as the native bench does; and what it has counted."""
    first, last = window[0], _LAST_CLOCK if window[1] is None else window[1]
    traces = [(trace.running, trace.sp_valid, trace.stall.as_value()) for trace in bench.trace]
    words = [0] * stage_count(len(traces))
    tiles: list[TileClocks] = []
    hidden = bytearray()
    seen = {"clocks": 0, "tile": -1}

    async def watch(ctx):
        signals = [signal for trace in traces for signal in trace]
        async for _, _, clock, stop, activity, *qpus in ctx.tick().sample(
            bench.cycles, bench.stop, bench.v3d.activity, *signals
        ):
            if stop:
                return
            mark(clock, activity.tile)
            if activity.quad.passes:
                hidden.append(activity.quad.hidden)
            if first <= clock < last:
                seen["clocks"] += 1
                for stage in range(len(STAGES)):
                    words[2 * stage] += activity.waits >> stage & 1
                    words[2 * stage + 1] += activity.held >> stage & 1
                for number in range(len(traces)):
                    running, sp_valid, stall = qpus[3 * number : 3 * number + 3]
                    reason = stall & -stall if running and sp_valid else 0
                    at = 2 * (len(STAGES) + number)
                    words[at] += not running or bool(reason and not reason & _BEHIND_MASK)
                    words[at + 1] += bool(reason & _BEHIND_MASK)

    def mark(clock: int, tile) -> None:
        if tile.begins:
            tiles.append(TileClocks(tile.x, tile.y, clock, 0))
        if tile.drawn:
            seen["tile"] += 1
        if tile.stored and seen["tile"] >= 0:
            tiles[seen["tile"]] = tiles[seen["tile"]]._replace(last=clock + 1)

    return watch, lambda: Watched(seen["clocks"], tuple(words), merged(tiles), bytes(hidden))
