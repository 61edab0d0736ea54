"""nextpnr: from cells to a placed and routed design, and the clock that it reaches."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
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
    mhz : clock that it reaches
    cells : used, by the names of the resources of the device
    available : on the device, by the same names
    path : the slowest one, from register to register
    """

    seed: int
    mhz: float
    cells: Mapping[str, int]
    available: Mapping[str, int]
    path: tuple[Hop, ...]


def place_and_route(target: Target, folder: Path, seed: int, mhz: float) -> Routed:
    """Place and route the netlist in `folder`, for a clock of `mhz` or as close to it as possible.

    Raises `BadInput` if nextpnr fails.
    """
    report = f"seed_{seed}.json"
    run_tool(
        target.tool,
        *target.options,
        *("--json", NETLIST, "--report", report, "--log", f"seed_{seed}.log", "-q"),
        *("--freq", str(mhz), "--timing-allow-fail", "--seed", str(seed), "--lpf-allow-unconstrained"),
        folder=folder,
    )
    return read_report((folder / report).read_text(encoding="utf-8"), seed)


def read_report(text: str, seed: int) -> Routed:
    """What the report of nextpnr says. Raises `BadInput` if it has no clock, or more than one."""
    report = json.loads(text)
    if len(report["fmax"]) != 1:
        raise BadInput(f"the report of nextpnr has {len(report['fmax'])} clocks, not one")
    ((clock, reached),) = report["fmax"].items()
    (path,) = (path["path"] for path in report["critical_paths"] if path["from"] == path["to"] == f"posedge {clock}")
    return Routed(
        seed,
        reached["achieved"],
        {name: count["used"] for name, count in report["utilization"].items()},
        {name: count["available"] for name, count in report["utilization"].items()},
        tuple(_hops(path)),
    )


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
