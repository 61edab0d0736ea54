"""Performance counters (guide, tables 82 to 86)."""

from collections import Counter
from collections.abc import Callable, Mapping

from vc4.regs.counters import COUNTERS, PERFORMANCE_COUNTERS, SOURCES
from vc4.regs.register import WORD_BITS

__all__ = ["Counters"]

_WORD = (1 << WORD_BITS) - 1


class Counters:
    """Counters of what blocks have done from the beginning on, which `events` tells by the names of sources."""

    registers = tuple(one.name for one in COUNTERS)

    def __init__(self, events: Callable[[], Counter[str]]):
        self._events = events
        self._sources = [0] * PERFORMANCE_COUNTERS
        self._counts = [0] * PERFORMANCE_COUNTERS
        self._enabled = 0
        #: What each had to count when `_counts` was true.
        self._before = [0] * PERFORMANCE_COUNTERS

    def live(self, name: str) -> dict[str, int]:
        """A count; other registers have nothing of the kind."""
        number = name.removeprefix("PCTR")
        if not number.isdigit():
            return {}
        self._catch_up()
        return {"PCTR": self._counts[int(number)]}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """What was counted until now counts; then the write."""
        self._catch_up()
        if name == "PCTRC":
            self._counts = [0 if fields["CTCLR"] >> n & 1 else count for n, count in enumerate(self._counts)]
        elif name == "PCTRE":
            self._enabled = fields["CTEN"] * fields["EN"]
        elif name.startswith("PCTRS"):
            number = int(name.removeprefix("PCTRS"))
            self._sources[number] = fields["PCTRS"]
            self._before[number] = self._happened(self._events(), fields["PCTRS"])
        else:
            self._counts[int(name.removeprefix("PCTR"))] = fields["PCTR"]

    def _catch_up(self) -> None:
        """All counts become those of now."""
        events = self._events()
        for number, source in enumerate(self._sources):
            now = self._happened(events, source)
            if self._enabled >> number & 1:
                self._counts[number] = self._counts[number] + now - self._before[number] & _WORD
            self._before[number] = now

    @staticmethod
    def _happened(events: Counter[str], source: int) -> int:
        """What a source has had to count; numbers of none have nothing."""
        return events[SOURCES[source].name] if source < len(SOURCES) else 0
