"""What the checker finds."""

from dataclasses import dataclass

from vc4.isa.hazards import Hazard, Severity

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An instruction that breaks a rule.

    offset : byte offset of the instruction in the program
    trigger : of the one that makes the rule apply, often the same
    hazard : the rule
    message : what happens, in one line
    """

    offset: int
    trigger: int
    hazard: Hazard
    message: str

    @property
    def is_error(self) -> bool:
        """Whether the chip does something wrong; else it is a warning."""
        return self.hazard.severity is Severity.WRONG

    @property
    def order(self) -> tuple[int, int, int]:
        """For sorting: by place, then by rule."""
        return self.offset, int(self.hazard.rule[1:]), self.trigger
