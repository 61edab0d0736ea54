"""Who holds the tile buffer along the paths: the first access waits for the scoreboard, a signal frees it."""

from collections.abc import Iterator

from vc4.isa.hazards import hazard
from vc4.isa.ops import Signal

from .acts import acts, matches
from .flow import Flow, Node

__all__ = ["holds", "late"]

#: What takes the scoreboard must not come first in a program.
_FIRST = hazard("R9")


def holds(flow: Flow) -> Iterator[tuple[Node, bool]]:
    """Every place, and whether some path has the scoreboard there."""

    def step(node: Node, held: bool) -> bool:
        found = acts(flow.words[node.index])
        frees = any(act.what is Signal.UNLOCK_SCOREBOARD for act in found)
        return not frees and (held or any(matches(_FIRST.affected, act) for act in found))

    return flow.walk(False, step)


def late(flow: Flow) -> frozenset[int]:
    """Instructions that find the scoreboard taken on every path."""
    places = list(holds(flow))
    return frozenset(node.index for node, _ in places) - {node.index for node, held in places if not held}
