"""Blocks: parts of a design that are computed only where something has changed of what they depend on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import reduce
from operator import or_

from .design import Design

__all__ = ["MOST", "Blocks", "bits", "blocks_of", "memory_ports"]

#: A mask of C++, `lanes::Blocks`, has a bit for each block.
MOST = 128


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which things are done together: to compute a variable, to read and write a memory at the end of a clock, to hand over an output
    that nothing computes. It decides about speed, never about what is computed.

    homes : the block of each of them
    wakers : by block, what wakes it up when it changes: inputs, registers, memories, and variables that are compared for that
    seldom : a bit for each block that is known to sleep in most clocks
    """

    homes: Mapping[str, int]
    wakers: Mapping[int, Set[str]]
    seldom: int = 0

    @property
    def readers(self) -> dict[str, int]:
        """By variable or memory, a bit for each block that it wakes up."""
        found: dict[str, int] = defaultdict(int)
        for block, wakers in self.wakers.items():
            for waker in wakers:
                found[waker] |= 1 << block
        return found


def blocks_of(design: Design, order: Mapping[str, int], homes: Mapping[str, int], inner: Set[str]) -> Blocks:
    """The blocks with these homes. Who reads variables that are `inner` depends on what they depend on; `order` has variables after
    what they read.
    """
    names: list[str] = []
    masks: dict[str, int] = {}  # a bit for each of `names`

    def mask(read: str) -> int:
        if read not in masks:
            masks[read] = 1 << len(names)
            names.append(read)
        return masks[read]

    def wakers(reads: Iterable[str]) -> int:
        return reduce(or_, map(mask, reads), 0)

    found: dict[int, int] = dict.fromkeys(homes.values(), 0)
    for name in order:
        if value := design.computed.get(name):
            its = wakers(value.reads)
            found[homes[name]] |= its
            if name in inner:
                masks[name] = its
    for memory, ports in memory_ports(design).items():
        found[homes[memory]] |= wakers(ports)
    for name in design.ports("output"):
        if name not in design.computed:
            found[homes[name]] |= mask(name)
    return Blocks(
        homes, {block: {name for at, name in enumerate(names) if its >> at & 1} for block, its in found.items()}
    )


def bits(mask: int) -> str:
    """The mask of blocks in C++."""
    return f"lanes::blocks({mask >> 64:#x}u, {mask & (1 << 64) - 1:#x}u)"


def memory_ports(design: Design) -> dict[str, dict[str, None]]:
    """By memory that is read or written with the clock, the variables that say how, and itself if it is read: all that decides about
    its next words, and about what is read of it.
    """
    found: dict[str, dict[str, None]] = {}
    for write in design.writes:
        found.setdefault(write.memory, {}).update(dict.fromkeys((write.bits, write.address, write.data)))
    for read in design.reads:
        found.setdefault(read.memory, {}).update(dict.fromkeys((read.address, read.enable, read.memory)))
    return found
