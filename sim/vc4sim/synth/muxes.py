"""LUTs of an ECP5 joined by the multiplexer that is beside them.

Two LUTs of four inputs have a multiplexer (PFUMX) beside them, which has no way to go and takes no room. Left to map to LUTs with
five inputs, Yosys needs more of them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Set
from itertools import combinations
from typing import Any, NamedTuple

from .wires import HALVES, PINS, Bit, Wires, multiplexer

__all__ = ["join_luts"]

#: A LUT that two others take in is in both of them, and no more itself: they are not more than before.
_MOST_READERS = 2


class _Function(NamedTuple):
    """A function of wires, the first one the lowest bit of the row in the table."""

    inputs: tuple[int, ...]
    table: int

    def of(self, values: Mapping[int, int]) -> int:
        return self.table >> sum(values[wire] << place for place, wire in enumerate(self.inputs)) & 1


class _Join(NamedTuple):
    """A LUT as a multiplexer of two, the second one if `select` is 1; they do what the LUTs did that drive `taken`, too."""

    select: int
    halves: tuple[_Function, ...]
    taken: frozenset[int]

    @property
    def reads(self) -> set[int]:
        return {self.select}.union(*(half.inputs for half in self.halves))


def join_luts(modules: Mapping[str, MutableMapping[str, Any]]) -> None:
    """Put multiplexers (PFUMX) into `modules`, which are as Yosys writes them in JSON.

    A LUT (LUT4) becomes two with a multiplexer if both take in a LUT that they read: a way through them has a LUT less, and the LUTs
    are as many as before, or fewer.
    """
    for module in modules.values():
        settled: set[Bit] = set()
        # What takes in a LUT that might itself become a multiplexer waits until that is decided.
        while decided := _Module(module).join(settled):
            settled |= decided


class _Module:
    """A module, its wires, and what its LUTs do."""

    def __init__(self, module: MutableMapping[str, Any]):
        self._wires = Wires(module)
        joined = self._wires.beside()
        self._functions = {
            bit: _function(self._wires.cells[name]) for bit, name in self._wires.luts.items() if bit not in joined
        }

    def join(self, settled: Set[Bit]) -> set[Bit]:
        """Joins LUTs, but none that drives `settled`; returns what those drive about which it has decided."""
        undecided = {bit: self._find(function) for bit, function in self._functions.items() if bit not in settled}
        found = {bit: join for bit, join in undecided.items() if join}
        joins = {bit: join for bit, join in found.items() if not join.taken & found.keys()}
        decided = undecided.keys() - (found.keys() - joins.keys())
        while True:
            takers = Counter(bit for join in joins.values() for bit in join.taken)
            needed = {wire for join in joins.values() for wire in join.reads}
            # Nobody else reads what is taken in, no other half either.
            wrong = [
                bit
                for bit, join in joins.items()
                if any(takers[one] != self._wires.readers[one] or one in needed for one in join.taken)
            ]
            if not wrong:
                break
            for bit in wrong:
                del joins[bit]
        for bit, join in joins.items():
            self._apply(bit, join)
        self._wires.remove_luts(bit for join in joins.values() for bit in join.taken)
        return decided

    def _find(self, function: _Function) -> _Join | None:
        """The join that takes in most."""
        found = (self._split(function, select) for select in function.inputs)
        return max(filter(None, found), key=lambda join: len(join.taken), default=None)

    def _split(self, function: _Function, select: int) -> _Join | None:
        """With a multiplexer that `select` switches, if each of its LUTs can take one in."""
        halves, taken = [], set()
        for value in (0, 1):
            first = next(self._taking_in(_with(function, select, value)), None)
            if first is None:
                return None
            halves.append(first[0])
            taken |= first[1]
        return _Join(select, tuple(halves), frozenset(taken)) if len(taken) > 1 else None

    def _taking_in(self, half: _Function) -> Iterator[tuple[_Function, set[int]]]:
        """A half with LUTs taken in, and what they drive; most of them first."""
        ahead = [wire for wire in half.inputs if wire in self._functions and self._wires.readers[wire] <= _MOST_READERS]
        for count in range(len(ahead), 0, -1):
            for chosen in combinations(ahead, count):
                whole = _composed(half, {wire: self._functions[wire] for wire in chosen})
                if len(whole.inputs) <= len(PINS):
                    yield whole, set(chosen)

    def _apply(self, bit: Bit, join: _Join) -> None:
        cells, name = self._wires.cells, self._wires.luts[bit]
        lut = cells.pop(name)
        ports = {"C0": [join.select], "Z": [bit]}
        for port, half in zip(HALVES, join.halves, strict=True):
            ports[port] = [self._wires.new()]
            pins = dict(zip(PINS, ([wire] for wire in [*half.inputs, *"0000"]), strict=False))
            cells[f"{name}_{port}"] = lut | {
                "parameters": {"INIT": f"{half.table:016b}"},
                "connections": pins | {"Z": ports[port]},
            }
        cells[f"{name}_PFUMX"] = multiplexer(lut, ports)


def _function(lut: Mapping[str, Any]) -> _Function:
    """What a LUT does of the wires that make a difference to it."""
    pins = [lut["connections"][pin][0] for pin in PINS]
    wires = tuple(sorted({pin for pin in pins if isinstance(pin, int)}))
    table = int(lut["parameters"]["INIT"], 2)
    out = 0
    for row, values in _rows(wires):
        at = sum(values.get(pin, int(pin == "1")) << place for place, pin in enumerate(pins))
        out |= (table >> at & 1) << row
    return _reduced(_Function(wires, out))


def _rows(wires: tuple[int, ...]) -> Iterator[tuple[int, dict[Bit, int]]]:
    for row in range(1 << len(wires)):
        yield row, {wire: row >> place & 1 for place, wire in enumerate(wires)}


def _reduced(function: _Function) -> _Function:
    for wire in function.inputs:
        low, high = (_with_all(function, wire, value) for value in (0, 1))
        if low == high:
            return _reduced(low)
    return function


def _with_all(function: _Function, wire: int, value: int) -> _Function:
    """The function with a wire that is known, of all others."""
    others = tuple(one for one in function.inputs if one != wire)
    return _Function(others, sum(function.of({**values, wire: value}) << row for row, values in _rows(others)))


def _with(function: _Function, wire: int, value: int) -> _Function:
    """The function with a wire that is known, of those that still make a difference."""
    return _reduced(_with_all(function, wire, value))


def _composed(function: _Function, ahead: Mapping[int, _Function]) -> _Function:
    """The function of what its inputs are functions of; of more wires than a LUT has, the wires alone."""
    wires = {one for wire in function.inputs for one in (ahead[wire].inputs if wire in ahead else [wire])}
    inputs = tuple(sorted(wires))
    if len(inputs) > len(PINS):
        return _Function(inputs, 0)
    table = 0
    for row, values in _rows(inputs):
        values |= {wire: inner.of(values) for wire, inner in ahead.items()}
        table |= function.of(values) << row
    return _Function(inputs, table)
