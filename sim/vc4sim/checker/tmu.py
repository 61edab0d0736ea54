"""Lookups along a path: parameters that wait for their s, results that nobody has read yet."""

from vc4.isa.ops import Signal

from .effects import Act, Does
from .path_state import Memory, Turn

__all__ = ["LOOKUPS", "PARAMETERS", "PARAMETER_WRITES", "RESULTS", "UNDER_WAY", "Counts", "asked", "taken"]

#: Parameters that wait in each TMU, or results.
Counts = tuple[int, int]

#: Writes that start a lookup, by TMU.
LOOKUPS = {"t0s": 0, "t1s": 1}
#: Writes of all parameters, by TMU.
PARAMETER_WRITES = {f"t{unit}{letter}": unit for unit in range(2) for letter in "strb"}
#: Signals that take a result, by TMU.
_LOADS = {Signal.LOAD_TMU0: 0, Signal.LOAD_TMU1: 1}

#: Where counting stops: more parameters than a lookup has, and more results than a TMU keeps.
_MANY, _MANY_RESULTS = 5, 9


def _changed(counts: Counts, unit: int, count: int) -> Counts:
    return (count, counts[1]) if unit == 0 else (counts[0], count)


def _parameters(turn: Turn, counts: Counts) -> Counts:
    for act in turn.acts:
        if act.does is Does.WRITE and act.what in PARAMETER_WRITES:
            unit = PARAMETER_WRITES[str(act.what)]
            counts = _changed(counts, unit, 0 if act.what in LOOKUPS else min(_MANY, counts[unit] + 1))
    return counts


def asked(act: Act, counts: Counts) -> Counts:
    """The results that are still to come after `act`, which may be a lookup."""
    if act.does is Does.WRITE and act.what in LOOKUPS:
        unit = LOOKUPS[str(act.what)]
        return _changed(counts, unit, min(_MANY_RESULTS, counts[unit] + 1))
    return counts


def taken(act: Act, counts: Counts) -> Counts:
    """The results that are still to be read after `act`, which may read one."""
    if isinstance(act.what, Signal) and act.what in _LOADS:
        unit = _LOADS[act.what]
        return _changed(counts, unit, max(0, counts[unit] - 1))
    return counts


def _results(turn: Turn, counts: Counts) -> Counts:
    for act in turn.acts:
        counts = asked(act, taken(act, counts))
    return counts


def _under_way(turn: Turn, counts: Counts) -> Counts:
    return (0, 0) if turn.parts_paths or turn.node.left == 1 else _results(turn, counts)


#: The parameters that wait.
PARAMETERS = Memory((0, 0), _parameters)
#: The results that are still to be read.
RESULTS = Memory((0, 0), _results)
#: The lookups under way, at the least: of what came before paths part, nothing is known.
UNDER_WAY = Memory((0, 0), _under_way)
