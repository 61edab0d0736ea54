"""The interrupts of the pipeline (guide, tables 75 to 77; pipeline facts, 7.3)."""

from collections.abc import Mapping

from vc4.regs.table import register

from ..cle.cle import Cle
from ..ptb.binner import Binner

__all__ = ["Interrupts"]

#: Fields of INTCTL, from the lowest bit on; the other registers have the same causes in the same order.
_CAUSES = tuple(field.name for field in register("INTCTL").fields)
_OUT_OF_MEMORY = "INT_OUTOMEM"


class Interrupts:
    """Says which have come, and which are enabled. To be out of memory is a level: it comes again as long as the binner waits."""

    registers = ("INTCTL", "INTENA", "INTDIS")

    def __init__(self, cle: Cle, binner: Binner):
        self._cle, self._binner = cle, binner
        self._enabled: set[str] = set()

    @property
    def irq(self) -> bool:
        """An enabled one has come."""
        return not self._enabled.isdisjoint(self._flags)

    @property
    def _flags(self) -> set[str]:
        found = self._cle.interrupts | self._binner.interrupts
        return found | {_OUT_OF_MEMORY} if self._binner.out_of_memory else found

    def live(self, name: str) -> dict[str, int]:
        """What the fields of a register read."""
        chosen = self._flags if name == "INTCTL" else self._enabled
        fields = register(name).fields
        return {field.name: int(cause in chosen) for field, cause in zip(fields, _CAUSES, strict=True)}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """Each 1 clears, enables or disables."""
        chosen = {cause for cause, bit in zip(_CAUSES, fields.values(), strict=True) if bit}
        if name == "INTCTL":
            self._cle.interrupts.difference_update(chosen)
            self._binner.interrupts.difference_update(chosen)
        elif name == "INTENA":
            self._enabled |= chosen
        else:
            self._enabled -= chosen
