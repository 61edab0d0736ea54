"""nextpnr: from cells to a placed and routed design, and the clock that it reaches."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..problem import BadInput
from .netlist import NETLIST
from .targets import Target
from .tools import run_tool

__all__ = ["Hop", "Routed", "place_and_route", "read_report"]


#: What Yosys adds to the name of a signal for a cell that drives it, or is driven by it, and what nextpnr adds.
_CELL = re.compile(r"_(LUT4|CCU2C|PFUMX|L6MUX21|TRELLIS|MULT18X18D|DP16KD)_.*|\$.*")
#: A line of Python, below the folder that its package is in; other lines are those of the tools' own libraries.
_SOURCE = re.compile(r"/(?:rtl|sim|site-packages)/(.+\.py:\d+)$")
_ROUTING = "routing"
#: Clocks of boards that rise together, as one is a multiple of the other: what goes from one to the other has the shorter period.
#: Tools count that as asynchronous.
_TOGETHER = {"clk", "fast_clk"}, {"pixel_clk", "shift_clk"}


@dataclass(frozen=True, slots=True)
class Hop:
    """A cell on a path, or the cells of a carry chain.

    name : a signal close to it, as near as the tools know
    source : line of the RTL that the signal into it is from; empty where nobody knows
    what : the cell does: clock to register output, logic, or setup
    routing, inside : nanoseconds to get there and through it
    """

    name: str
    source: str
    what: str
    routing: float
    inside: float


@dataclass(frozen=True, slots=True)
class Routed:
    """A placed and routed design.

    seed : of the placement
    mhz : clock that it reaches; if there are others, the one that it reaches with all of them as much faster or slower
    cells : used, by the names of the resources of the device
    available : on the device, by the same names
    path : the slowest one, from register to register
    """

    seed: int
    mhz: float
    cells: Mapping[str, int]
    available: Mapping[str, int]
    path: tuple[Hop, ...]


def place_and_route(
    target: Target, folder: Path, seed: int, mhz: float, options: Sequence[str] = ("--lpf-allow-unconstrained",)
) -> Routed:
    """Place and route the netlist in `folder`, for a clock of `mhz` or as close to it as possible.

    `options` say where the pins are; nowhere in particular if there are none. Raises `BadInput` if nextpnr fails.
    """
    common = ("-q", "--freq", str(mhz), "--timing-allow-fail", "--seed", str(seed), *options)
    source = ("--json", NETLIST)
    if target.slower:
        routed = f"routed_{seed}.json"
        files = ("--write", routed, "--log", f"routed_{seed}.log")
        run_tool(target.tool, *target.slower, *source, *files, *common, folder=folder)
        # Nothing is left to do but to find the times, and to write the bits.
        source = ("--json", routed, "--no-pack", "--no-place")
    report = f"seed_{seed}.json"
    run_tool(
        target.tool, *target.options, *source, "--report", report, "--log", f"seed_{seed}.log", *common, folder=folder
    )
    return read_report((folder / report).read_text(encoding="utf-8"), seed, mhz)


def read_report(text: str, seed: int, mhz: float) -> Routed:
    """What the report of nextpnr says of a design for a clock of `mhz`. Raises `BadInput` if it has no clock."""
    report = json.loads(text)
    found = list(_reached(report, mhz))
    if not found:
        raise BadInput("the report of nextpnr has no path of a clock")
    reached, path = min(found, key=lambda one: one[0])
    return Routed(
        seed,
        reached,
        {name: count["used"] for name, count in report["utilization"].items()},
        {name: count["available"] for name, count in report["utilization"].items()},
        tuple(_hops(path)),
    )


def _reached(report: Mapping, mhz: float) -> Iterator[tuple[float, Sequence[Mapping]]]:
    """What the main clock reaches if nothing but one kind of path limits it, and the slowest one of this kind."""
    clocks = {f"posedge {name}": clock for name, clock in report["fmax"].items()}
    for path in report["critical_paths"]:
        first, second = path["from"], path["to"]
        if first == second and first in clocks:
            wanted = clocks[first]["constraint"] if len(clocks) > 1 else mhz
            yield mhz * clocks[first]["achieved"] / wanted, path["path"]
        elif any({_domain(first), _domain(second)} <= together for together in _TOGETHER):
            wanted = max(clocks[edge]["constraint"] for edge in (first, second))
            delay = sum(step["delay"] for step in path["path"])
            yield mhz * 1000 / (delay * wanted), path["path"]


def _domain(edge: str) -> str:
    """The clock of an edge, without the names of the instances around it."""
    return edge.rpartition(".")[2]


def _hops(steps: Iterable[Mapping]) -> Iterator[Hop]:
    """The cells of a path, those without routing in between taken together."""
    waiting, routing, source = None, 0.0, ""
    for step in steps:
        if step["type"] == _ROUTING:
            routing += step["delay"]
            source = next((found[1] for found in map(_SOURCE.search, step.get("sources", ())) if found), "")
        elif waiting and step["type"] == waiting.what and not routing:
            waiting = dataclasses.replace(waiting, inside=waiting.inside + step["delay"])
        else:
            if waiting:
                yield waiting
            name = _CELL.sub("", step["to"]["cell"]).removeprefix("part.")
            waiting = Hop(name, source, step["type"], routing, step["delay"])
            routing, source = 0.0, ""
    if waiting:
        yield waiting
