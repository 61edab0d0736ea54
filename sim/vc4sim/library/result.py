"""What a run of programs has come to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vc4.regs.counters import SOURCES

from ..backends.base import Outcome
from ..problem import BadInput

__all__ = ["DidNotEnd", "Result"]

#: Columns of a name of a statistic, at least.
_LABEL = 24
#: What each performance counter counts, in words; that it does so for all slices or QPUs goes without saying.
_COUNTED = {source.name: source.description.partition(", ")[0] for source in SOURCES}


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a run has come to; as text, its statistics.

    config : the name of the configuration that it had
    instructions : that QPUs have executed
    cycles : clocks; `None` on the model, which has none
    stalls : clocks that QPUs have waited, by reason, of all QPUs together; nothing on the model
    counters : performance counters, by the names of their sources; nothing on the model
    interrupts : host interrupts that programs have raised
    errors : names of the bits of ERRSTAT and XBUSERR that are set: what the blocks found wrong, which stops nothing
    registers : as they are at the end, by name
    compared : instructions that the model has done, too, in lockstep; `None` without
    checked : instructions that keep to the rules of `vc4 check`; `None` if nobody wanted to know
    missed : what programs have missed, and which configurations have it; empty if nothing
    memory : all of it at the end, from the first address on that is used
    """

    config: str
    instructions: int
    cycles: int | None
    stalls: Mapping[str, int]
    counters: Mapping[str, int]
    interrupts: int
    errors: frozenset[str]
    registers: Mapping[str, int] = field(repr=False)
    compared: int | None
    checked: int | None
    missed: str
    memory: bytes = field(repr=False)

    @classmethod
    def of(cls, outcome: Outcome, **more: Any) -> "Result":
        """That of an engine; `more` are the fields that it does not say."""
        names = ("instructions", "stalls", "interrupts", "errors", "registers", "memory")
        return cls(counters=outcome.counts, **{name: getattr(outcome, name) for name in names}, **more)

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max(_LABEL, *(len(label) + 2 for label, _ in rows))
        return "\n".join(f"{label:{width}}{value:>9}" for label, value in rows)

    def _rows(self) -> Iterator[tuple[str, str]]:
        """Statistics, and what they are called: stalls and counters only if there are some."""
        yield "instructions", f"{self.instructions}"
        if self.cycles is None:
            return
        yield "cycles", f"{self.cycles}"
        yield "cycles per instruction", f"{self.cycles / max(1, self.instructions):.2f}"
        yield from ((f"stalled for {reason}", f"{cycles}") for reason, cycles in self.stalls.items() if cycles)
        yield from ((_COUNTED[name], f"{count}") for name, count in self.counters.items() if count)


class DidNotEnd(BadInput):
    """Programs that wait for ever, leave memory, or run longer than they may; the text says which, where and why.

    result : what has come of the run until then
    """

    def __init__(self, text: str, result: Result):
        super().__init__(text)
        self.result = result
