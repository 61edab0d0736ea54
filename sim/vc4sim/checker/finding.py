"""What the checker finds, and its text."""

from collections.abc import Iterator
from dataclasses import dataclass

from vc4.isa.hazards import Hazard, Severity
from vc4.isa.word import WORD_BYTES

from ..asm import SourceMap, disassemble
from .program import Program

__all__ = ["Finding", "paragraph"]


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


def paragraph(finding: Finding, program: Program, source: SourceMap | None = None) -> Iterator[str]:
    """Lines about one finding: where, which rule, both instructions in the order in which they run, and why it matters.

    source : of `program`, if it has one: tells places and lines as they are written there
    """
    rule, base = finding.hazard, program.base
    offsets = dict.fromkeys((finding.trigger, finding.offset))
    places = {offset: (source and source.place(offset)) or f"{base + offset:#010x}" for offset in offsets}
    width = max(map(len, places.values()))
    kind = "error" if finding.is_error else "warning"
    yield f"{places[finding.offset]}: {kind} {rule.rule}: {rule.title}"
    for offset, name in places.items():
        line = source and source.line(offset)
        yield f"    {name:{width}}  {line or disassemble(program.words[offset // WORD_BYTES], base + offset)}"
    yield f"    found: {finding.message}"
    yield f"    chip:  {rule.why}"
    yield f"    here:  {rule.here}"
