"""Area and speed as a table and as JSON."""

import dataclasses
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .netlist import Netlist
from .route import Hop, Routed
from .shares import places_in
from .targets import Part, Target

__all__ = ["RESOURCES", "Figures", "path_lines"]

#: What is counted: the name of the resource in nextpnr, how many of it the cells of Yosys need, and what it is.
RESOURCES = (
    ("TRELLIS_COMB", {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}, "logic cells"),
    ("TRELLIS_FF", {"TRELLIS_FF": 1}, "flip-flops"),
    ("TRELLIS_RAMW", {"TRELLIS_DPR16X4": 1}, "write ports of LUT-RAM"),
    ("MULT18X18D", {"MULT18X18D": 1}, "multipliers"),
    ("DP16KD", {"DP16KD": 1}, "block RAMs"),
)
_LOGIC_CELLS = RESOURCES[0][0]
#: Of what is printed for each component, and how large one must be for that, as a part of all logic cells.
_OF_A_COMPONENT = ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD")
_LEAST = 1 / 50


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
            frame = _needed(types, self.netlist.frame)
            yield resource, doc, run.cells.get(resource, 0) - frame, frame, run.available.get(resource, 0)

    def components(self) -> Iterator[tuple[str, int, Mapping[str, int]]]:
        """Of each component: its place, how many there are, and what they need together, by the names of the resources.

        The largest ones come first, each before what is inside of it. What nextpnr adds is not in it.
        """
        needs = {
            place: {name: _needed(types, share.cells) for name, types, _ in RESOURCES}
            for place, share in self.netlist.shares.items()
        }

        def order(place: str) -> Sequence[tuple[int, str]]:
            return [(-needs[around][_LOGIC_CELLS], around) for around in places_in(place) if around in needs]

        for place in sorted(needs, key=order):
            yield place, self.netlist.shares[place].instances, needs[place]

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
            "components": {place: {"instances": instances, **needs} for place, instances, needs in self.components()},
        }

    def lines(self) -> Iterator[str]:
        """The table in Markdown, the clock of each seed, the verdict, the slowest path, and where the cells are."""
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
        yield from self._component_lines()

    def _component_lines(self) -> Iterator[str]:
        """Nothing, if all is in one component."""
        enough = _LEAST * _needed(RESOURCES[0][1], self.netlist.part)
        large = [one for one in self.components() if one[2][_LOGIC_CELLS] >= enough]
        if not large:
            return
        docs = [doc for name, _, doc in RESOURCES if name in _OF_A_COMPONENT]
        yield ""
        yield f"components with {_LEAST:.0%} of the logic cells or more, without what nextpnr adds:"
        yield ""
        yield f"| {'component':36} | how many | {' | '.join(docs)} |"
        yield f"|{'-' * 38}|{'-' * 9}:|{'|'.join('-' * (len(doc) + 1) + ':' for doc in docs)}|"
        for place, instances, needs in large:
            counts = (f"{needs[name]:{len(doc)},}" for name, doc in zip(_OF_A_COMPONENT, docs, strict=True))
            yield f"| {place:36} | {instances:8} | {' | '.join(counts)} |"

    def _verdict(self) -> Iterator[str]:
        bounds, plan = self.part[1].bounds, self.part[1].plan
        (cells,) = (count for name, _, count, _, _ in self.cells() if name == _LOGIC_CELLS)
        if plan:
            yield f"logic cells: {'within' if cells <= plan else 'beyond'} the plan of {plan:,}"
        if bounds:
            yield f"logic cells: {_standing(cells <= bounds.cells)} {bounds.cells:,}, {_goal(cells <= bounds.cells_goal)} {bounds.cells_goal:,}"
            yield f"clock: {_standing(self.mhz >= bounds.mhz)} {bounds.mhz:g} MHz, {_goal(self.mhz >= bounds.mhz_goal)} {bounds.mhz_goal:g} MHz"
        yield f"{'PASS' if self.reached else 'FAIL'}: {self.mhz:.1f} of {self.mhz_asked:g} MHz"


def _needed(types: Mapping[str, int], cells: Mapping[str, int]) -> int:
    return sum(number * cells.get(name, 0) for name, number in types.items())


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
