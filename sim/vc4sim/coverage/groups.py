"""What random programs should reach, as data: groups of cells, each the product of a few dimensions."""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from amaranth.lib import enum

from vc4.config import V3DConfig
from vc4.isa.immediates import ROTATE_FIRST
from vc4.isa.ops import (
    ADD_OPERANDS,
    AddOp,
    BranchCondition,
    Condition,
    LoadMode,
    MulOp,
    MulPack,
    Mux,
    Pack,
    Signal,
    Unpack,
)
from vc4.isa.registers import READ, SIGNAL_UNITS, WRITE, Port
from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORES

from .columns import ADD, MUL, PLACES, Columns
from .kinds import DISTANCES, HAZARDS, OPERAND_KINDS, PORTS, hazards, operand_kind, port_of

__all__ = ["GROUPS", "Gap", "Group", "groups_of"]

#: Cells that instructions hit: which rows do, and a number for every dimension, the same for all rows or one a row.
_Hits = Iterator[tuple[np.ndarray, tuple[np.ndarray | int, ...]]]


@dataclass(frozen=True, slots=True)
class Gap:
    """Cells that nothing can reach: the product of `where`, which names numbers of some dimensions; all of the others."""

    reason: str
    where: dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Group:
    """Cells of one kind.

    name : of the group
    dimensions : name and labels of each
    hits : given what is observed, executed instructions for those below, the cells that it reaches
    gaps : cells that are left out, with the reasons
    in_total : whether the cells count for the total; too many do not
    """

    name: str
    dimensions: dict[str, tuple[str, ...]]
    hits: Callable[[Any], _Hits]
    gaps: tuple[Gap, ...] = ()
    in_total: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each dimension has."""
        return tuple(map(len, self.dimensions.values()))

    def cells(self, gap: Gap) -> np.ndarray:
        """The cells of a gap, bools of `shape`."""
        found = np.zeros(self.shape, bool)
        found[np.ix_(*(gap.where.get(name, range(len(labels))) for name, labels in self.dimensions.items()))] = True
        return found

    def reachable(self) -> np.ndarray:
        """All other cells, bools of `shape`."""
        found = np.ones(self.shape, bool)
        for gap in self.gaps:
            found &= ~self.cells(gap)
        return found


def _names(members: type[enum.Enum]) -> tuple[str, ...]:
    return tuple(member.name.lower() for member in members)


_OPERATIONS = (_names(AddOp), _names(MulOp))
_NOPS = tuple(op.value for op, operands in ADD_OPERANDS.items() if not operands)
_NO_RESULT = (Gap("a nop of the add ALU writes nothing", {"operation": _NOPS}),)
_ALUS = ("add", "mul")
_FILES = ("A", "B")
_ADDRESSES = tuple(map(str, range(64)))
_PACKS = (*_names(Pack), *(f"pm {name}" for name in _names(MulPack)))


def _operands(alu: int, operand: int) -> Group:
    def hits(now: Columns) -> _Hits:
        yield now.is_alu, (now.operation(alu), operand_kind(now, now.operands(alu)[operand]))

    name = f"{_ALUS[alu]}: operation x operand {'ab'[operand]}"
    return Group(name, {"operation": _OPERATIONS[alu], "operand": OPERAND_KINDS}, hits)


def _conditions(alu: int) -> Group:
    def hits(now: Columns) -> _Hits:
        yield now.is_alu, (now.operation(alu), now.condition(alu), now.alu("sf"))

    dimensions = {"operation": _OPERATIONS[alu], "condition": _names(Condition), "flags": ("kept", "set")}
    return Group(f"{_ALUS[alu]}: operation x condition x flags", dimensions, hits)


def _packs(alu: int) -> Group:
    def hits(now: Columns) -> _Hits:
        elsewhere = (now.file(alu) != 0) | (now.address(alu) >= 32)
        yield now.is_alu & now.writes(alu), (now.operation(alu), now.pack(), elsewhere.astype(int))

    dimensions = {"operation": _OPERATIONS[alu], "pack": _PACKS, "to": ("file A", "elsewhere")}
    return Group(f"{_ALUS[alu]}: operation x pack x destination", dimensions, hits, () if alu else _NO_RESULT)


def _whole(alu: int) -> Group:
    def hits(now: Columns) -> _Hits:
        kind = operand_kind(now, now.operands(alu)[0])
        yield now.is_alu, (now.operation(alu), now.pack(), now.condition(alu), kind)

    conditions = _names(Condition)
    dimensions = {"operation": _OPERATIONS[alu], "pack": _PACKS, "condition": conditions, "operand": OPERAND_KINDS}
    return Group(f"{_ALUS[alu]}: operation x pack x condition x operand a", dimensions, hits, in_total=False)


def _loads(alu: int) -> Group:
    def hits(now: Columns) -> _Hits:
        yield now.is_load, (now.load("mode"), now.pack(), now.condition(alu))

    dimensions = {"mode": _names(LoadMode), "pack": _PACKS, "condition": _names(Condition)}
    return Group(f"load immediate: mode x pack x condition of {_ALUS[alu]}", dimensions, hits)


def _semaphores(now: Columns) -> _Hits:
    immediate = now.load("immediate")
    acquires = (immediate & SEMAPHORE_ACQUIRE != 0).astype(int)
    yield now.is_load & (now.load("mode") >= LoadMode.SEMAPHORE.value), (immediate % SEMAPHORES, acquires)


def _unpacks(now: Columns) -> _Hits:
    pm = now.alu("pm")
    for alu, operand in product((ADD, MUL), range(2)):
        mux = now.operands(alu)[operand]
        source = np.where(mux == Mux.R4.value, len(PORTS), port_of(now.alu("raddr_a")))
        unpacks = (mux == Mux.A.value) & (pm == 0) | (mux == Mux.R4.value) & (pm == 1)
        yield now.takes(alu, operand) & unpacks, (now.alu("unpack"), source, alu, now.is_float(alu))


def _rotations(now: Columns) -> _Hits:
    first, second = (np.minimum(np.maximum(mux - Mux.R3.value, 0), 4) for mux in now.operands(MUL))
    code = np.maximum(now.alu("raddr_b") - ROTATE_FIRST, 0)
    yield now.rotates(), (now.operation(MUL), code, first, second)


def _immediates(now: Columns) -> _Hits:
    for alu, operand in product((ADD, MUL), range(2)):
        used = now.takes(alu, operand) & (now.operands(alu)[operand] == Mux.B.value)
        yield now.is_small & used, (now.alu("raddr_b"), alu, operand)


def _branches(now: Columns) -> _Hits:
    codes = (now.branch(name) for name in ("condition", "relative", "register"))
    yield now.is_branch, (*codes, now.place, now.is_taken.astype(int))


def _signals(now: Columns) -> _Hits:
    yield np.ones(len(now.words), bool), (now.signal, now.place)


def _writes(now: Columns) -> _Hits:
    for alu in (ADD, MUL):
        yield now.writes(alu), (alu, now.file(alu), now.address(alu))


def _reads(now: Columns) -> _Hits:
    yield now.is_alu, (0, now.alu("raddr_a"))
    yield now.is_alu & ~now.is_small, (1, now.alu("raddr_b"))


def _hazards(now: Columns) -> _Hits:
    for distance, alu in product(DISTANCES, (ADD, MUL)):
        for number, rows in enumerate(hazards(now, distance, alu)):
            yield rows, (number, distance - DISTANCES[0], alu)


def _unbuilt(port: Port, built: Container[str]) -> tuple[Gap, ...]:
    """The registers that need what the configuration lacks, a gap for each unit and file."""
    needed: dict[tuple[str, int], list[int]] = {}
    for address, registers in port.items():
        for file, register in enumerate(registers):
            if register.unit != "qpu" and register.unit not in built:
                needed.setdefault((register.unit, file), []).append(address)
    return tuple(
        Gap(f"there is no {unit}", {"file": (file,), "address": tuple(addresses)})
        for (unit, file), addresses in needed.items()
    )


def _unbuilt_signals(built: Container[str]) -> tuple[Gap, ...]:
    units = {unit: [] for unit in SIGNAL_UNITS.values() if unit not in built}
    for signal, unit in SIGNAL_UNITS.items():
        if unit in units:
            units[unit].append(signal.value)
    return tuple(Gap(f"there is no {unit}", {"signal": tuple(signals)}) for unit, signals in units.items())


_TAKEN = {"taken": (1,)}
_RESERVED = tuple(one.value for one in BranchCondition if "RESERVED" in one.name)
_LOST = tuple(number for number, place in enumerate(PLACES) if place not in ("free", "delay slot 3"))
_BRANCH_GAPS = (
    Gap("a reserved condition never holds", {"condition": _RESERVED, **_TAKEN}),
    Gap("a branch is lost after another one and in the slots of a switch", {"place": _LOST, **_TAKEN}),
    Gap(
        "an unconditional branch is taken",
        {"condition": (BranchCondition.ALWAYS.value,), "place": (PLACES.index("free"),), "taken": (0,)},
    ),
)
_SOURCES = ("r0 to r3", "r4", "r5", "A", "B")
_CODES = ("by r5", *(f"by {amount}" for amount in range(1, 16)))


@cache
def groups_of(config: V3DConfig) -> tuple[Group, ...]:
    """All groups; the gaps are of programs on a configuration."""
    built = config.units
    return (
        *(_operands(alu, operand) for alu, operand in product((ADD, MUL), range(2))),
        *(_conditions(alu) for alu in (ADD, MUL)),
        *(_packs(alu) for alu in (ADD, MUL)),
        Group(
            "unpack x source x ALU x kind of operation",
            {
                "unpack": _names(Unpack),
                "source": (*(f"A {port}" for port in PORTS), "r4"),
                "ALU": _ALUS,
                "operation": ("integer", "float"),
            },
            _unpacks,
        ),
        Group(
            "rotation: operation x amount x operands a, b",
            {"operation": _OPERATIONS[MUL], "amount": _CODES, "a": _SOURCES, "b": _SOURCES},
            _rotations,
        ),
        Group(
            "small immediate x operand",
            {"code": _ADDRESSES, "ALU": _ALUS, "operand": ("a", "b")},
            _immediates,
        ),
        *(_loads(alu) for alu in (ADD, MUL)),
        Group(
            "semaphore x operation",
            {"semaphore": tuple(map(str, range(SEMAPHORES))), "operation": ("release", "acquire")},
            _semaphores,
        ),
        Group(
            "branch: condition x relative x register x place x taken",
            {
                "condition": _names(BranchCondition),
                "relative": ("no", "yes"),
                "register": ("no", "yes"),
                "place": PLACES,
                "taken": ("no", "yes"),
            },
            _branches,
            _BRANCH_GAPS,
        ),
        Group("signal x place", {"signal": _names(Signal), "place": PLACES}, _signals, _unbuilt_signals(built)),
        Group(
            "write: ALU x file x address",
            {"ALU": _ALUS, "file": _FILES, "address": _ADDRESSES},
            _writes,
            _unbuilt(WRITE, built),
        ),
        Group("read: file x address", {"file": _FILES, "address": _ADDRESSES}, _reads, _unbuilt(READ, built)),
        Group(
            "hazard x distance x ALU that writes",
            {"hazard": HAZARDS, "distance": tuple(map(str, DISTANCES)), "ALU": _ALUS},
            _hazards,
        ),
        *(_whole(alu) for alu in (ADD, MUL)),
    )


#: Of programs on a GPU without texture units.
GROUPS = groups_of(V3DConfig())
