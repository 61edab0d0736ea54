"""Who holds the tile buffer along a path: the first access waits for the scoreboard, a signal frees it."""

from vc4.isa.hazards import hazard
from vc4.isa.ops import Signal

from .path_state import Memory, Turn

__all__ = ["HELD"]

#: What takes the scoreboard must not come first in a program.
_FIRST = hazard("R9")


def _step(turn: Turn, held: bool) -> bool:
    frees = any(act.what is Signal.UNLOCK_SCOREBOARD for act in turn.acts)
    return not frees and (held or bool(turn.acts.of(_FIRST.affected)))


#: Whether the program has the scoreboard.
HELD = Memory(False, _step)
