"""How a rule is applied to one turn of a path, whatever path that is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vc4.isa.hazards import Hazard

from .finding import Finding
from .path_state import Memory, Turn

__all__ = ["Breaches", "Rule"]

#: Breaches of a rule in one turn: byte offset of the instruction that makes it apply, and what happens, in one line.
Breaches = Iterator[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """What finds the breaches of a restriction.

    find : given the restriction, the turn, and the state of each of `memories` before the turn
    memories : what has to be known of the path
    """

    find: Callable[..., Breaches]
    memories: tuple[Memory, ...] = ()

    def findings(self, hazard: Hazard, turn: Turn, states: tuple) -> Iterator[Finding]:
        """The breaches of `hazard` in `turn`; `states`: of the memories."""
        for trigger, message in self.find(hazard, turn, *states):
            yield Finding(turn.offset, trigger, hazard, message)
