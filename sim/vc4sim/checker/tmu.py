"""Lookups along the paths: parameters that wait for their s, results that nobody has read yet."""

from collections.abc import Iterator

from vc4.isa.ops import Signal

from .acts import Act, Does, acts
from .flow import Flow, Node

__all__ = [
    "PARAMETERS",
    "Counts",
    "count_parameters",
    "count_results",
    "direct_lookups",
    "waiting_parameters",
    "waiting_results",
]

#: Parameters that wait in each TMU, or results.
Counts = tuple[int, int]

#: Writes that start a lookup, by TMU.
LOOKUPS = {"t0s": 0, "t1s": 1}
#: Writes of all parameters, by TMU.
PARAMETERS = {f"t{unit}{letter}": unit for unit in range(2) for letter in "strb"}
#: Signals that take a result, by TMU.
RESULTS = {Signal.LOAD_TMU0: 0, Signal.LOAD_TMU1: 1}

#: Where counting stops: more parameters than a lookup has, and more results than a TMU keeps.
_MANY, _MANY_RESULTS = 5, 9


def count_parameters(act: Act, counts: Counts) -> Counts:
    """The parameters that wait behind `act`."""
    if act.does is not Does.WRITE or act.what not in PARAMETERS:
        return counts
    unit, new = PARAMETERS[act.what], list(counts)
    new[unit] = 0 if act.what in LOOKUPS else min(_MANY, new[unit] + 1)
    return new[0], new[1]


def waiting_parameters(flow: Flow) -> Iterator[tuple[Node, Counts]]:
    """Every place with the parameters that wait there on some path."""

    def step(node: Node, counts: Counts) -> Counts:
        for act in acts(flow.words[node.index]):
            counts = count_parameters(act, counts)
        return counts

    return flow.walk((0, 0), step)


def direct_lookups(flow: Flow) -> frozenset[int]:
    """Instructions that write s, without another parameter before on any path."""
    direct, others = set(), set()
    for node, counts in waiting_parameters(flow):
        for act in acts(flow.words[node.index]):
            if act.does is Does.WRITE and act.what in LOOKUPS:
                (others if counts[LOOKUPS[act.what]] else direct).add(node.index)
    return frozenset(direct - others)


def count_results(act: Act, counts: Counts, *, asks: bool = True, takes: bool = True) -> Counts:
    """The results that are still to be read behind `act`; `asks`, `takes`: whether lookups and reads count."""
    new = list(counts)
    if asks and act.does is Does.WRITE and act.what in LOOKUPS:
        unit = LOOKUPS[act.what]
        new[unit] = min(_MANY_RESULTS, new[unit] + 1)
    elif takes and act.does is Does.SIGNAL and act.what in RESULTS:
        unit = RESULTS[act.what]
        new[unit] = max(0, new[unit] - 1)
    return new[0], new[1]


def waiting_results(flow: Flow) -> Iterator[tuple[Node, Counts]]:
    """Every place with the results that are still to be read there on some path."""

    def step(node: Node, counts: Counts) -> Counts:
        for act in acts(flow.words[node.index]):
            counts = count_results(act, counts)
        return counts

    return flow.walk((0, 0), step)
