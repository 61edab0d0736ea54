"""What is compared together: a change in a group of registers, or of gates, wakes up all blocks that one of them wakes up.

A group costs some operations in each clock in which its block is awake, and a block that wakes up in vain costs all that is done in
it. What is known of changes says which groups are worth it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import NamedTuple

from .blocks import Blocks
from .design import Design
from .schedule import steps

__all__ = ["Awake", "join_wakers"]

#: Operations that it takes to find out whether a group has changed, and to wake up its readers.
_WAKE = 6


class Awake:
    """In which of `length` clocks each block is awake, and how many operations are done in it then.

    homes : the block of each thing
    needed : in which clocks it is needed, a bit for each
    weights : its operations
    """

    def __init__(self, homes: Mapping[str, int], needed: Mapping[str, int], weights: Mapping[str, int], length: int):
        self._length = length
        self._clocks: dict[int, int] = defaultdict(int)
        self._work: dict[int, int] = defaultdict(int)
        for name, clocks in needed.items():
            self._clocks[homes[name]] |= clocks
            self._work[homes[name]] += weights[name]

    def often(self, block: int) -> int:
        """In how many clocks it is awake."""
        return self._clocks.get(block, 0).bit_count()

    def seldom(self, part: float) -> int:
        """A bit for each block that is awake in less than this part of all clocks."""
        return sum(1 << block for block in self._clocks if self.often(block) < part * self._length)

    def in_vain(self, blocks: int, clocks: int) -> int:
        """The operations in these blocks if they woke up in these clocks, too."""
        return sum(
            self._work[block] * (clocks & ~its).bit_count()
            for block, its in self._clocks.items()
            if blocks >> block & 1
        )


class _Group(NamedTuple):
    """What is compared together, a bit for each block that it wakes up, and one for each clock in which it does."""

    names: tuple[str, ...]
    readers: int
    clocks: int


def join_wakers(
    design: Design, order: Mapping[str, int], blocks: Blocks, known: Mapping[str, int], awake: Awake
) -> Blocks:
    """These blocks, some of which are woken up by more; `known` says when things change, as far as that is known."""
    wakers = {block: set(its) for block, its in blocks.wakers.items()}
    for home, groups in _places(design, order, blocks, known):
        for group in _joined(groups, awake, _WAKE * awake.often(home)):
            for block in wakers:
                if group.readers >> block & 1:
                    wakers[block].update(group.names)
    return replace(blocks, wakers=wakers)


def _places(
    design: Design, order: Mapping[str, int], blocks: Blocks, known: Mapping[str, int]
) -> Iterator[tuple[int, Iterable[_Group]]]:
    """What can be compared together, of one type each, with its block: registers at the end of a clock, and gates of a step."""
    readers = blocks.readers
    found: dict[tuple[int, int, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for register in design.registers:
        if woken := readers.get(register.name, 0):
            place = -1, blocks.homes[register.following], design.kind(register.name)
            found[place][woken].append(register.name)
    for number, step in enumerate(steps(design, order, blocks.homes)):
        for name in step.names:
            if woken := readers.get(name, 0) & ~(1 << step.block):
                found[number, step.block, design.kind(name)][woken].append(name)
    for (_, home, _), its in found.items():
        yield (
            home,
            [_joint([_Group((name,), woken, known.get(name, 0)) for name in names]) for woken, names in its.items()],
        )


def _joint(groups: Iterable[_Group]) -> _Group:
    names: tuple[str, ...] = ()
    readers = clocks = 0
    for group in groups:
        names += group.names
        readers |= group.readers
        clocks |= group.clocks
    return _Group(names, readers, clocks)


def _joined(groups: Iterable[_Group], awake: Awake, worth: int) -> Iterable[_Group]:
    """These groups, two by two joined into one where that costs less than it is `worth`, the cheapest ones first."""
    if not worth:
        return groups

    def cost(one: _Group, other: _Group) -> int:
        return awake.in_vain(other.readers & ~one.readers, one.clocks) + awake.in_vain(
            one.readers & ~other.readers, other.clocks
        )

    left = dict(enumerate(groups))
    pairs = [(cost(left[one], left[other]), one, other) for one, other in combinations(left, 2)]
    heapify(pairs)
    number = len(left)
    while pairs and pairs[0][0] < worth:
        _, one, other = heappop(pairs)
        if one in left and other in left:
            made = _joint([left.pop(one), left.pop(other)])
            for its, group in left.items():
                heappush(pairs, (cost(group, made), its, number))
            left[number] = made
            number += 1
    return left.values()
