"""Blocks by what is known of the changes in a design.

A *gate* is a variable that changes much less often than what it depends on: it is compared, and whoever reads it depends on the gate
only. So for each thing it is known in which clocks it is needed: those in which an input, a register, a memory or a gate changes that
it depends on. What is needed in much the same clocks is done together, so that to ask for all blocks does not cost more than it saves.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from .activity import Activity, labels_of
from .blocks import MOST, Blocks, blocks_of, memory_ports
from .design import Design
from .expression import OPERATION, READ_NOW
from .hierarchy import cut
from .wakes import Awake, join_wakers

__all__ = ["by_activity", "possible_gates"]

#: Operations that it takes to find out whether a block is needed.
_ASK = 14
#: Operations at the end of a clock: of a register that is compared, and of a port of a memory.
_REGISTER, _PORT = 4, 10
#: How often a gate changes, at the most, of the clocks in which something changes that it depends on.
_RARE = 0.7
#: Variables that depend on a gate, at the least, and that need not be computed in a clock in which only it does not change.
_BELOW = 12
#: Words that one operation of a processor works on.
_AT_ONCE = 8
#: Things that are compared two by two; of more, the lightest ones just join the one that suits them.
_COMPARED = 1200
#: Blocks for what never changes, so that not all of it is awake when that was wrong.
_QUIET = 24
#: Of all clocks, those in which a block is awake that counts as one that sleeps in most: less than this.
_SELDOM = 0.5


def by_activity(design: Design, order: Mapping[str, int], lanes: int, activity: Activity) -> Blocks:
    """The blocks of all variables; `order` has them after what they read."""
    weights = _weights(design, order, lanes)
    known = _known(design, order, activity)
    needed, gates = _needed(design, order, known)
    inner = needed.keys() - gates
    for memory, ports in memory_ports(design).items():
        needed[memory] = _any_of(needed[port] if port in inner else known.get(port, 0) for port in ports)
        weights[memory] = _PORT * len(ports)
    for name in design.ports("output"):
        needed.setdefault(name, known.get(name, 0))
        weights.setdefault(name, 1)
    totals: Counter[int] = Counter()
    for name, clocks in needed.items():
        totals[clocks] += weights[name]
    totals.pop(0, None)
    blocks = dict(zip(totals, _Groups(list(totals), list(totals.values()), activity.length).blocks(), strict=True))
    homes = {name: blocks[clocks] for name, clocks in needed.items() if clocks}
    first = max(homes.values(), default=-1) + 1
    quiet = cut(design, order, [name for name in needed if name not in homes], _QUIET)
    homes |= {name: first + block for name, block in quiet.items()}
    found = blocks_of(design, order, homes, inner)
    awake = Awake(homes, needed, weights, activity.length)
    return replace(join_wakers(design, order, found, known, awake), seldom=awake.seldom(_SELDOM))


def possible_gates(design: Design, order: Mapping[str, int]) -> dict[str, int]:
    """Variables of which it is worth to know how often they change, and how many depend on each."""
    below = _below(design, order)
    return {
        name: count for name, count in below.items() if count >= _BELOW and READ_NOW not in design.computed[name].text
    }


def _weights(design: Design, order: Mapping[str, int], lanes: int) -> dict[str, int]:
    """Operations of what is computed, also at the end of the clock."""
    registers = Counter(register.following for register in design.registers)
    return {
        name: (1 + len(OPERATION.findall(design.computed[name].text)) + _REGISTER * registers[name])
        * -(-lanes * design.wide.get(name, 1) // _AT_ONCE)
        for name in order
        if name in design.computed
    }


def _known(design: Design, order: Mapping[str, int], activity: Activity) -> dict[str, int]:
    """By variable and memory, in which clocks it changes; not of all."""
    found = ((name, activity.of(labels[0])) for name, labels in labels_of(design, order).items() if labels)
    return {name: clocks for name, clocks in found if clocks is not None}


def _needed(design: Design, order: Mapping[str, int], known: Mapping[str, int]) -> tuple[dict[str, int], set[str]]:
    """In which clocks each variable may change, and which are gates."""
    worths = possible_gates(design, order)
    gates: set[str] = set()
    needed: dict[str, int] = {}
    for name in order:
        if name not in design.computed:
            continue
        needed[name] = clocks = _any_of(
            known.get(read, 0) if read in gates else needed.get(read, known.get(read, 0))
            for read in design.computed[name].reads
        )
        if name in known and name in worths:
            those, its = clocks.bit_count(), known[name].bit_count()
            if its < _RARE * those and (those - its) * worths[name] >= _BELOW * those:
                gates.add(name)
    return needed, gates


def _any_of(several: Iterable[int]) -> int:
    return reduce(or_, several, 0)


def _below(design: Design, order: Mapping[str, int]) -> dict[str, int]:
    """How many variables depend on each."""
    names = [name for name in order if name in design.computed]
    depend = dict.fromkeys(names, 0)
    for number, name in reversed(list(enumerate(names))):
        its = depend[name] | 1 << number
        for read in design.computed[name].reads:
            if read in depend:
                depend[read] |= its
    return {name: its.bit_count() for name, its in depend.items()}


class _Groups:
    """Things that are needed in some of `length` clocks and are so much to do, put together two by two."""

    def __init__(self, clocks: Sequence[int], operations: Sequence[int], length: int):
        size = -(-length // 8)
        bits = np.frombuffer(b"".join(one.to_bytes(size, "little") for one in clocks), np.uint8).reshape(-1, size)
        # Numbers, so that a product counts the clocks that two of them share.
        self._needed = np.unpackbits(bits, axis=1).astype(np.float32)
        self._often = self._needed.sum(1).astype(float)
        self._work = np.array(operations, float)
        self._length = length
        self._members = [[one] for one in range(len(clocks))]

    def blocks(self) -> list[int]:
        """The block of each thing."""
        heavy = np.sort(np.argsort(-self._often * self._work, kind="stable")[:_COMPARED])
        for one in sorted(set(range(len(self._work))) - set(heavy.tolist())):
            self._join(heavy[np.argmax(self._saved(one, heavy))], one)
        self._merge(heavy)
        groups = [members for members in self._members if members]
        found = {one: block for block, members in enumerate(groups) for one in members}
        return [found[one] for one in range(len(found))]

    def _saved(self, one: int, others: NDArray[np.int_]) -> NDArray[np.float64]:
        """What it saves to put it together with each of some others."""
        often, work = self._often[others], self._work[others]
        union = self._often[one] + often - self._needed[others] @ self._needed[one]
        apart = self._often[one] * self._work[one] + often * work
        return (apart - union * (self._work[one] + work)) / self._length + _ASK

    def _join(self, one: int, other: int) -> None:
        """Puts the other one into one."""
        self._needed[one] = np.maximum(self._needed[one], self._needed[other])
        self._often[one] = self._needed[one].sum()
        self._work[one] += self._work[other]
        self._members[one] += self._members[other]
        self._members[other] = []

    def _merge(self, those: NDArray[np.int_]) -> None:
        saved = np.array([self._saved(one, those) for one in those]).reshape(len(those), len(those))
        np.fill_diagonal(saved, -np.inf)
        for left in range(len(those), 1, -1):
            first, second = divmod(int(np.argmax(saved)), len(those))
            if saved[first, second] <= 0 and left <= MOST - _QUIET:
                break
            self._join(those[first], those[second])
            gone = ~np.isfinite(saved).any(1)
            gone[second] = True
            row = self._saved(those[first], those)
            row[gone] = row[first] = -np.inf
            saved[first] = saved[:, first] = row
            saved[second] = saved[:, second] = -np.inf
