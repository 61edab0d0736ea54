"""What a host sees of the GPU: registers of lists, memory for tile lists, interrupts, counters (guide, section 10)."""

from collections import Counter
from collections.abc import Callable

from vc4.regs.counters import PERFORMANCE_COUNTERS, SOURCES
from vc4.regs.table import register

from ..cle import cle
from ..cle.cle import Cle
from ..ptb import binner
from ..ptb.binner import Binner

__all__ = ["HostRegisters"]

_WORD = 0xFFFF_FFFF
_ENABLES = 0x8000_FFFF
#: Bits of INTCTL, from the lowest one on.
_INTERRUPTS = tuple(field.name for field in register("INTCTL").fields)
_OUT_OF_MEMORY = "INT_OUTOMEM"


class HostRegisters:
    """Registers, performance counters, and the interrupt.

    Caches hold nothing that memory does not have: what is written to their registers changes nothing.

    enabled : INTENA
    """

    def __init__(self, cle: Cle, binner: Binner, events: Callable[[], Counter[str]]):
        self.enabled = 0
        self._cle, self._binner, self._counted = cle, binner, events
        self._selected = [0] * PERFORMANCE_COUNTERS
        self._zero = [0] * PERFORMANCE_COUNTERS
        self._held: list[int | None] = [0] * PERFORMANCE_COUNTERS

    @property
    def pending(self) -> int:
        """INTCTL. To be out of memory is a level: it stays as long as the binner waits."""
        names = self._cle.interrupts | self._binner.interrupts
        if self._binner.out_of_memory:
            names = names | {_OUT_OF_MEMORY}
        return sum(1 << number for number, name in enumerate(_INTERRUPTS) if name in names)

    @property
    def interrupt(self) -> bool:
        """The interrupt line."""
        return bool(self.pending & self.enabled)

    def read(self, name: str) -> int:
        """A register."""
        if name in cle.REGISTERS:
            return self._cle.read(name)
        if name in binner.REGISTERS:
            return self._binner.read(name)
        if name == "INTCTL":
            return self.pending
        if name in ("INTENA", "INTDIS"):
            return self.enabled
        if name == "L2CACTL":
            return 1
        if name == "PCTRE":
            mask = sum(1 << number for number, held in enumerate(self._held) if held is None)
            return mask | (1 << 31 if mask else 0)
        if name.startswith("PCTRS"):
            return self._selected[int(name[5:])]
        if name.startswith("PCTR") and name != "PCTRC":
            return self._count(int(name[4:]))
        return 0

    def write(self, name: str, value: int) -> None:
        """A register; what cannot be written is left as it is."""
        if name in cle.REGISTERS:
            self._cle.write(name, value)
        elif name in binner.REGISTERS:
            self._binner.write(name, value)
        elif name == "INTCTL":
            cleared = {bit for number, bit in enumerate(_INTERRUPTS) if value >> number & 1}
            self._cle.interrupts -= cleared
            self._binner.interrupts.difference_update(cleared)
        elif name == "INTENA":
            self.enabled |= value & (1 << len(_INTERRUPTS)) - 1
        elif name == "INTDIS":
            self.enabled &= ~value
        elif name == "PCTRC":
            for number in (number for number in range(PERFORMANCE_COUNTERS) if value >> number & 1):
                self._zero[number] = self._events(number)
                if self._held[number] is not None:
                    self._held[number] = 0
        elif name == "PCTRE":
            self._enable(value & _ENABLES)
        elif name.startswith("PCTRS"):
            number = int(name[5:])
            count = self._count(number)
            self._selected[number] = value & 31
            self._zero[number] = self._events(number) - count

    def _events(self, number: int) -> int:
        """What has happened of what a counter counts."""
        source = self._selected[number]
        return self._counted()[SOURCES[source].name] if source < len(SOURCES) else 0

    def _count(self, number: int) -> int:
        held = self._held[number]
        return (self._events(number) - self._zero[number] if held is None else held) & _WORD

    def _enable(self, value: int) -> None:
        """Counters run if bit 31 is set, and their own."""
        for number in range(PERFORMANCE_COUNTERS):
            runs = bool(value >> 31 and value >> number & 1)
            if runs and self._held[number] is not None:
                self._zero[number], self._held[number] = self._events(number) - self._count(number), None
            elif not runs and self._held[number] is None:
                self._held[number] = self._count(number)
