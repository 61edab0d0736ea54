"""What comes of a frame."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vc4.regs.counters import SOURCES

from ..clist import Capture
from ..render.picture import Comparison, Picture, compare, expected_picture, is_top_first

__all__ = ["DrawnJob", "Frame"]

#: Columns of a name of a statistic.
_LABEL = 60


@dataclass(frozen=True, kw_only=True)
class DrawnJob:
    """A job of a frame: its lists, from the first record to the last pixel.

    name : for messages
    instructions : of all shaders
    cycles : clocks; `None` on the model, which has none
    counters : performance counters, by the names of their sources
    shading : on the model, how many vertices and vectors of fragments were shaded, and their instructions
    tiles : on the RTL, when each was drawn, see `TileClocks`
    stages : on the RTL, what each was busy with, see `StageClocks`
    """

    name: str
    instructions: int
    cycles: int | None = None
    counters: Mapping[str, int] = field(default_factory=dict[str, int])
    shading: Mapping[str, int] = field(default_factory=dict[str, int])
    tiles: Sequence[Any] = field(default=(), repr=False)
    stages: Sequence[Any] = field(default=(), repr=False)

    def lines(self) -> Iterator[str]:
        """On the RTL: counters, what the stages did, and which tile took longest."""
        from ..frames.activity import stage_lines

        yield from (f"  {count:10}  {name.lower()}" for name, count in self.counters.items())
        stored = [one for one in self.tiles if one.last]
        if stored:
            longest = max(stored, key=lambda one: one.last - one.first)
            clocks = longest.last - longest.first
            yield f"  {len(stored)} tiles; {longest.x},{longest.y} took longest, {clocks} clocks from {longest.first} on"
        yield from stage_lines(self.stages)

    def __str__(self) -> str:
        return f"{self.name}: {self.cycles} cycles, {self.instructions} instructions"


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A frame that was drawn; as text, its statistics.

    capture : what was drawn
    picture : its pixels as they lie in memory, [row, column, channel], red, green, blue and alpha of 8 bits
    window : rows and columns of `picture` that were to be drawn: all, or those of one tile
    jobs : what was drawn one after the other
    compared : instructions that the model has done, too, in lockstep; `None` without
    seconds : that it took
    """

    capture: Capture = field(repr=False)
    picture: Picture = field(repr=False)
    window: tuple[slice, slice] = field(repr=False)
    jobs: tuple[DrawnJob, ...]
    compared: int | None
    seconds: float

    @property
    def is_top_first(self) -> bool:
        """Whether the first row in memory is that at the top."""
        return is_top_first(self.capture)

    @property
    def image(self) -> np.ndarray:
        """The picture with its highest row first, as libraries for images want it: uint8, [row, column, channel]."""
        return self.picture if self.is_top_first else self.picture[::-1]

    @property
    def instructions(self) -> int:
        """Of all shaders of all jobs."""
        return sum(job.instructions for job in self.jobs)

    @property
    def cycles(self) -> int | None:
        """Clocks of all jobs; `None` on the model, which has none."""
        cycles = [job.cycles for job in self.jobs if job.cycles is not None]
        return sum(cycles) if cycles else None

    @property
    def counters(self) -> Counter[str]:
        """Performance counters of all jobs, by the names of their sources."""
        return sum((Counter(job.counters) for job in self.jobs), Counter[str]())

    def compare(self) -> Comparison:
        """The picture beside the one that the case expects. Raises `BadInput` if there is none."""
        return compare(self.capture, self.picture, expected_picture(self.capture))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.cycles is not None:
            for job in self.jobs:
                yield str(job)
                yield from job.lines()
            return
        shading = sum((Counter(job.shading) for job in self.jobs), Counter[str]())
        rows = [*((label, shading[label]) for label in self.jobs[0].shading)]
        rows += [(source.description, self.counters[source.name]) for source in SOURCES if self.counters[source.name]]
        for label, count in rows:
            yield f"{label:{_LABEL}}{count:>9}"
        yield f"{'seconds':{_LABEL}}{self.seconds:>9.1f}"
