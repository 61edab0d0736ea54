"""Instructions of a profile, by line of the source and by label."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace

from ..timeline import Names
from .counts import Counts

__all__ = ["Part", "by_instruction", "by_label", "by_line"]


@dataclass
class Part:
    """Instructions of a program that belong together.

    file : of the source, or ""
    place : the line in it, or the address
    text : the line as it is written, or the instruction
    label : the label in front of it, or the program
    first : the address of the first one
    size : how many they are
    issued : how often they were issued, all together
    clocks : of all, with those that were lost before them
    lost : these, by reason
    """

    file: str
    place: str
    text: str
    label: str
    first: int
    size: int = 0
    issued: int = 0
    clocks: int = 0
    lost: Counter[str] = field(default_factory=Counter)


def by_instruction(counts: Counts, names: Names) -> list[Part]:
    """Each for itself, in the order of their addresses, with what it is in place of the line of the source."""
    parts = _parts(counts, names, lambda pc: pc)
    return [replace(part, text=names.text(counts.words[part.first])) if part.issued else part for part in parts]


def by_line(counts: Counts, names: Names) -> list[Part]:
    """Those of a line together: a repetition makes several of one. Without a source, each is for itself."""
    return _parts(counts, names, lambda pc: names.file_line(pc) or pc)


def by_label(counts: Counts, names: Names) -> list[Part]:
    """Those after a label together, or those of a program if there are none."""
    return _parts(counts, names, lambda pc: _label(counts, names, pc))


def _label(counts: Counts, names: Names, pc: int) -> str:
    return names.label(pc) or f"program at {counts.program(pc):#010x}"


def _parts(counts: Counts, names: Names, key: Callable[[int], Hashable]) -> list[Part]:
    found: dict[Hashable, Part] = {}
    for pc in _addresses(counts):
        part = found.get(key(pc))
        if part is None:
            line = names.file_line(pc)
            file, place = (line[0], str(line[1])) if line else ("", f"{pc:#010x}")
            part = found[key(pc)] = Part(file, place, _text(counts, names, pc), _label(counts, names, pc), pc)
        part.size += 1
        part.issued += counts.issued[pc]
        part.clocks += counts.clocks(pc)
        part.lost += counts.lost[pc]
    return list(found.values())


def _text(counts: Counts, names: Names, pc: int) -> str:
    if line := names.line(pc):
        return line
    return names.text(counts.words[pc]) if pc in counts.words else ""


def _addresses(counts: Counts) -> Iterable[int]:
    return sorted({*counts.issued, *(pc for pc, lost in counts.lost.items() if lost)})
