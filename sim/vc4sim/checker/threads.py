"""Thread switches along a path: what was asked of the TMUs before the last switch, and since."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vc4.isa.hazards import hazard
from vc4.isa.timing import SWITCH_SLOTS

from .effects import Act
from .path_state import Memory, Turn
from .tmu import Counts, asked, taken

__all__ = ["THREADS", "Threads", "is_switch"]

_SWITCHES = hazard("R16").trigger


def is_switch(turn: Turn) -> bool:
    """Whether an instruction switches threads."""
    return bool(turn.acts.of(_SWITCHES))


@dataclass(frozen=True, slots=True)
class Threads:
    """What a thread has to read.

    old, new : results asked for before the last switch, and since
    switch, slots : offset of a switch that is on its way, and how many instructions it still takes
    has_switched : whether there was a switch before
    """

    old: Counts = (0, 0)
    new: Counts = (0, 0)
    switch: int = 0
    slots: int = 0
    has_switched: bool = False

    def behind(self, found: Sequence[Act]) -> "Threads":
        """These, when an instruction has done `found`, before a switch. Old results are read first."""
        old, new = self.old, self.new
        for act in found:
            before = old
            old = taken(act, old)
            new = asked(act, taken(act, new) if old == before else new)
        return replace(self, old=old, new=new)

    def reads_too_early(self, found: Sequence[Act]) -> bool:
        """Whether an instruction that does `found` reads a result for which no switch has waited."""
        return any(taken(act, self.old) == self.old and taken(act, self.new) != self.new for act in found)


def _step(turn: Turn, threads: Threads) -> Threads:
    after = threads.behind(turn.acts)
    if is_switch(turn):
        return replace(after, switch=turn.offset, slots=SWITCH_SLOTS)
    if threads.slots == 1:
        return Threads(old=after.new, has_switched=True)
    return replace(after, slots=max(0, threads.slots - 1))


#: The state of a thread.
THREADS = Memory(Threads(), _step)
