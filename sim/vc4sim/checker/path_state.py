"""An instruction whose turn has come on a path, and what is remembered of the path before it.

Every rule is about turns: on all paths of a program, or on the one that a run takes.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vc4.isa.decode import decode
from vc4.isa.hazards import HAZARDS
from vc4.isa.ops import Condition

from .effects import Act, Acts
from .program import Node, Program

__all__ = ["RECENT", "Memory", "Turn", "are_apart", "needed"]

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
    values : element 0 of what it writes, by register, as far as that is known
    """

    node: Node
    taken: bool
    program: Program = field(compare=False, repr=False)
    acts: Acts = field(compare=False)
    branch: int | None = field(default=None, compare=False)
    elements: Elements | None = field(default=None, compare=False)
    values: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def offset(self) -> int:
        """Byte offset of the instruction."""
        return self.node.offset

    @property
    def parts_paths(self) -> bool:
        """Whether paths part here, and nobody knows how often each of them is taken."""
        return self.elements is None and len(self.program.choices(self.node)) > 1

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


def needed(turn: Turn, act: Act) -> int:
    """The elements that an act is about, at the most."""
    return act.elements & turn.elements(act.condition) if turn.elements else act.elements


def are_apart(first: Turn, trigger: Act, second: Turn, affected: Act, *, downwards: bool = False) -> bool:
    """Whether two acts never concern the same element, as other ones are used or conditions exclude each other.

    Before anything runs, these are opposite conditions on the same flags.

    downwards : only elements count that move to an earlier quad
    """
    if not needed(first, trigger) & affected.origins(needed(second, affected), downwards=downwards):
        return True
    opposite = _OPPOSITE.get(trigger.condition) is affected.condition and affected.rotation == 0
    return second.elements is None and opposite and (first == second or not decode(first.word).sf)
