"""Area and speed as a table and as JSON."""

import dataclasses
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .netlist import Netlist
from .route import Hop, Routed
from .targets import Part, Target

__all__ = ["RESOURCES", "Figures", "path_lines"]

#: What is counted: the name of the resource in nextpnr, the cells of Yosys that need one of it, and what it is.
RESOURCES = (
    ("TRELLIS_COMB", ("LUT4",), "logic cells"),
    ("TRELLIS_FF", ("TRELLIS_FF",), "flip-flops"),
    ("TRELLIS_RAMW", (), "write ports of LUT-RAM"),
    ("MULT18X18D", (), "multipliers"),
    ("DP16KD", (), "block RAMs"),
)
_LOGIC_CELLS = RESOURCES[0][0]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a part needs on a target, and the clock that it reaches there.

    config, part, target : what was measured, by its names
    mhz_asked : clock that it must reach
    tools : names and versions
    netlist : cells before placement
    runs : one a seed, at least one
    """

    config: str
    part: tuple[str, Part]
    target: tuple[str, Target]
    mhz_asked: float
    tools: Sequence[str]
    netlist: Netlist
    runs: Sequence[Routed]

    @property
    def typical(self) -> Routed:
        """The run in the middle; of an even number, the slower one of two."""
        return sorted(self.runs, key=lambda run: run.mhz)[(len(self.runs) - 1) // 2]

    @property
    def mhz(self) -> float:
        """The median of the clocks."""
        return statistics.median(run.mhz for run in self.runs)

    @property
    def reached(self) -> bool:
        """Whether the median reaches what was asked for."""
        return self.mhz >= self.mhz_asked

    def cells(self) -> Iterator[tuple[str, str, int, int, int]]:
        """Of each resource: its name, what it is, how many the part needs, the frame needs, and the device has.

        The cells of the frame are a register or a LUT each. What nextpnr adds to get into and out of carry chains
        counts for the part, which has them all.
        """
        run = self.typical
        for resource, types, doc in RESOURCES:
            frame = sum(self.netlist.frame.get(name, 0) for name in types)
            yield resource, doc, run.cells.get(resource, 0) - frame, frame, run.available.get(resource, 0)

    def as_json(self, command: str) -> Mapping:
        """Everything, in types that JSON has; `command` made it."""
        return {
            "command": command,
            "config": self.config,
            "part": self.part[0],
            "target": self.target[0],
            "tools": list(self.tools),
            "cells": {name: count for name, _, count, _, _ in self.cells()},
            "frame": {name: count for name, _, _, count, _ in self.cells()},
            "available": {name: count for name, _, _, _, count in self.cells()},
            "mhz_asked": self.mhz_asked,
            "mhz": self.mhz,
            "reached": self.reached,
            "seeds": {str(run.seed): run.mhz for run in self.runs},
            "critical_path": [dataclasses.asdict(hop) for hop in self.typical.path],
        }

    def lines(self) -> Iterator[str]:
        """The table in Markdown, the clock of each seed, the verdict, and the slowest path."""
        yield f"{self.part[1].doc} (`{self.part[0]}` of `{self.config}`), on {self.target[1].doc}, with {', '.join(self.tools)}"
        yield ""
        yield f"| {'resource':22} | {self.part[0]:>7} | frame | of the device |"
        yield f"|{'-' * 24}|{'-' * 8}:|{'-' * 6}:|{'-' * 14}:|"
        for _, doc, count, frame, available in self.cells():
            yield f"| {doc:22} | {count:7,} | {frame:5} | {available:13,} |"
        yield ""
        seeds = ", ".join(f"{run.mhz:.1f} with seed {run.seed}" for run in self.runs)
        yield f"{self.mhz:.1f} MHz, median of {seeds}"
        yield from self._verdict()
        yield ""
        yield f"slowest path with seed {self.typical.seed}:"
        yield from path_lines(self.typical.path)

    def _verdict(self) -> Iterator[str]:
        bounds = self.part[1].bounds
        if bounds:
            (cells,) = (count for name, _, count, _, _ in self.cells() if name == _LOGIC_CELLS)
            yield f"logic cells: {_standing(cells <= bounds.cells)} {bounds.cells:,}, {_goal(cells <= bounds.cells_goal)} {bounds.cells_goal:,}"
            yield f"clock: {_standing(self.mhz >= bounds.mhz)} {bounds.mhz:g} MHz, {_goal(self.mhz >= bounds.mhz_goal)} {bounds.mhz_goal:g} MHz"
        yield f"{'PASS' if self.reached else 'FAIL'}: {self.mhz:.1f} of {self.mhz_asked:g} MHz"


def _standing(passes: bool) -> str:
    return "passes" if passes else "misses"


def _goal(reaches: bool) -> str:
    return "reaches the goal of" if reaches else "misses the goal of"


def path_lines(path: Sequence[Hop]) -> Iterator[str]:
    """A line for each cell: the time when the signal leaves it, what getting there and through it took, and where it is."""
    yield "      ns  routing  inside"
    now = 0.0
    for hop in path:
        now += hop.routing + hop.inside
        source = f"  ({hop.source})" if hop.source else ""
        yield f"  {now:6.2f}  {hop.routing:7.2f}  {hop.inside:6.2f}  {hop.what:8}  {hop.name}{source}"
