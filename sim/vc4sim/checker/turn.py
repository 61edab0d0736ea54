"""An instruction whose turn has come on a path, and what is remembered of the path before it.

Every rule is about turns: on all paths of a program, or on the one that a run takes.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from vc4.isa.decode import decode
from vc4.isa.hazards import HAZARDS
from vc4.isa.ops import Condition

from .acts import Act, Acts
from .program import Node, Program

__all__ = ["RECENT", "Memory", "Turn", "are_apart"]

#: Where a condition holds: one bit an element.
Elements = Callable[[Condition], int]


@dataclass(frozen=True, slots=True)
class Turn:
    """An instruction at its turn. Two turns are the same if they do the same at the same place.

    node, program : the instruction and its place on the path
    taken : it is a branch, and taken
    acts : all that it does
    branch : byte offset of a branch that leads here, if one does
    elements : where conditions hold; `None` before anything runs
    """

    node: Node
    taken: bool
    program: Program = field(compare=False, repr=False)
    acts: Acts = field(compare=False)
    branch: int | None = field(default=None, compare=False)
    elements: Elements | None = field(default=None, compare=False)

    @property
    def offset(self) -> int:
        """Byte offset of the instruction."""
        return self.node.offset

    @property
    def word(self) -> int:
        """The 64 bits of the instruction."""
        return self.program.words[self.node.index]


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What a rule remembers of a path: `start` at first, then `step` of each turn. There must be few states."""

    start: Hashable
    step: Callable[[Turn, Any], Hashable]


_MOST = max(max(one.distance, *one.shader_offsets, 0) for one in HAZARDS)


def _recent(turn: Turn, before: tuple[Turn, ...]) -> tuple[Turn, ...]:
    return (*before, turn)[-_MOST:]


#: The turns before, the last one last, as far back as any rule reaches.
RECENT = Memory((), _recent)

_OPPOSITE = {
    Condition.ZS: Condition.ZC,
    Condition.ZC: Condition.ZS,
    Condition.NS: Condition.NC,
    Condition.NC: Condition.NS,
    Condition.CS: Condition.CC,
    Condition.CC: Condition.CS,
}


def are_apart(first: Turn, trigger: Act, second: Turn, affected: Act) -> bool:
    """Whether two acts never concern the same element: a value that is not used, or conditions that exclude each other.

    Before anything runs, these are opposite conditions on the same flags.
    """
    if affected.condition is Condition.NEVER:
        return True
    if first.elements and second.elements:
        return not first.elements(trigger.condition) & second.elements(affected.condition)
    opposite = _OPPOSITE.get(trigger.condition) is affected.condition
    return opposite and (first == second or not decode(first.word).sf)
