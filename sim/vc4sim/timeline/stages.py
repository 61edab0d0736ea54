"""Tracks of the blocks that draw: what each stage did for each tile and in each moment."""

from collections.abc import Iterable

from vc4.activity import STAGES

from ..frames.activity import Span, TileClocks
from .drawing import FIRST_STAGE, GROUP, NAME, TileTracks
from .trace_file import TraceFile

__all__ = ["StageTracks", "tell_tiles"]


def tell_tiles(tracks: TileTracks, tiles: Iterable[TileClocks], origin: int) -> None:
    """Those of a job, from the clock in which their coordinates come to that in which all is in memory, in the order in which they
    begin; one that is not in memory in the end is left out.
    """
    ends: list[int] = []
    for tile in tiles:
        if not tile.last:
            continue
        free = next((lane for lane, end in enumerate(ends) if end <= tile.first), len(ends))
        ends[free : free + 1] = [tile.last]
        tracks.tile(tile.x, tile.y, origin + tile.first, tile.last - tile.first, lane=free)


class StageTracks:
    """The tracks of stages, those of `frames.activity`: a slice for each tile says in how many clocks the stage was busy, waited
    and was held, from the coordinates of this tile to those of the next one. A counter shows in how much of each moment it was busy.
    """

    def __init__(self, file: TraceFile, qpus: int):
        self._file = file
        self._names = [*STAGES, *(f"qpu{number}" for number in range(qpus))]
        self._shown = [-1] * len(self._names)
        self._begin(0, 0)

    def _begin(self, first: int, tile: int) -> None:
        self._first, self._tile, self._clocks = first, tile, 0
        self._sums = [[0, 0] for _ in self._names]

    def span(self, span: Span, origin: int) -> None:
        """What they did in some clocks."""
        if span.tile or not self._clocks:
            self.close()
            self._begin(origin + span.first, span.tile)
        self._clocks += span.clocks
        for number, word in enumerate(span.words):
            waits, held = word & 0xFFFF, word >> 16
            self._sums[number][0] += waits
            self._sums[number][1] += held
            busy = round(100 * (span.clocks - waits - held) / span.clocks)
            if busy != self._shown[number]:
                self._shown[number] = busy
                self._file.counter(GROUP, origin + span.first, f"{self._names[number]}, busy", percent=busy)

    def close(self) -> None:
        """The tile is done."""
        if not self._clocks:
            return
        x, y = self._tile & 255, self._tile >> 8 & 255
        name = f"tile {x},{y}" if self._tile else "before the first tile"
        for number, (stage, (waits, held)) in enumerate(zip(self._names, self._sums, strict=True)):
            self._file.track(GROUP, FIRST_STAGE + number, stage, NAME)
            about = self._file.about(name, "stage", busy=self._clocks - waits - held, waits=waits, held=held)
            self._file.slice(GROUP, FIRST_STAGE + number, self._first, self._clocks, about)
        self._begin(0, 0)
