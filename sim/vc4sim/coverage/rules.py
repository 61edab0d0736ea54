"""Which restrictions running programs break."""

from vc4.isa.hazards import HAZARDS

from ..backends.base import Job
from ..checker import Broken, Strict
from ..events import Event, Retirement

__all__ = ["UNBROKEN", "RuleCount"]

#: Why random programs do not break a rule.
UNBROKEN = {
    "about shaders, two TMUs, or what tools ask for": ("R8", "R9", "R13", "R20", "R21", "R26", "R29", "R30", "R31"),
    "about units that the configuration lacks": ("R7", "R11", "R12", "R19", "R34"),
    "all rows are reserved": ("R35",),
    "semaphore instructions write to registers of the QPU only": ("R28",),
    "a set-up of the VPM is always alone in its instruction": ("R25",),
    "programs end, and stay inside their memory": ("R27",),
}
#: The rules are slow to look at, and the common ones are soon broken.
_MOST = 20_000


class RuleCount:
    """Watches the first runs for rules that they break: `begin` each, then call it with every event.

    instructions : watched
    broken : the numbers of the rules
    """

    def __init__(self) -> None:
        self.instructions = 0
        self.broken: set[str] = set()
        self._strict: Strict | None = None

    def begin(self, job: Job) -> None:
        """A run begins."""
        self._strict = Strict(job.base, len(job.image)) if self.instructions < _MOST else None

    def __call__(self, event: Event) -> None:
        if self._strict is None or not isinstance(event, Retirement):
            return
        self.instructions += 1
        try:
            self._strict(event)
        except Broken as broken:
            self.broken.add(broken.rule)

    def summary(self) -> str:
        """One line."""
        rules = [one.rule for one in HAZARDS if one.rule in self.broken]
        return f"rules broken in {self.instructions:,} instructions: {' '.join(rules) or 'none'}"
