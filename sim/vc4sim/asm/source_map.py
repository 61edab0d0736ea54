"""Where the instructions of a program are in its source."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from .assembler import Program, assemble

__all__ = ["SourceMap"]


@dataclass(frozen=True)
class SourceMap:
    """Tells of an instruction of `program` where it comes from: from `text`, which is called `filename`, or what it includes.

    Instructions are named by byte offsets in memory, where the program begins at `start`.
    """

    program: Program
    text: str
    filename: str
    start: int = 0

    @classmethod
    def of(cls, text: str, filename: str, folders: Sequence[Path] = ()) -> "SourceMap":
        """Assembles a source, see `assemble`. Raises `AsmError`."""
        return cls(assemble(text, filename, folders), text, filename)

    @classmethod
    def of_words(cls, code: bytes, filename: str) -> "SourceMap":
        """Words have no source: no instruction has a place."""
        return cls(Program(code, {}, {}), "", filename)

    @cached_property
    def _labels(self) -> list[tuple[int, str]]:
        return sorted((offset, name) for name, offset in self.program.labels.items())

    def place(self, offset: int) -> str | None:
        """File, line, and distance in instructions from the label before, like `kernel.qasm:12: loop+3`."""
        offset -= self.start
        if offset not in self.program.lines:
            return None
        place = "{}:{}".format(*self.program.lines[offset])
        before = self._before(offset)
        if before is None:
            return place
        start, name = before
        distance = (offset - start) // WORD_BYTES
        return f"{place}: {name}+{distance}" if distance else f"{place}: {name}"

    def label(self, offset: int) -> str | None:
        """The label before an instruction of the program, or at it."""
        offset -= self.start
        before = self._before(offset) if offset in self.program.lines else None
        return before[1] if before else None

    def _before(self, offset: int) -> tuple[int, str] | None:
        """The last label that does not lie after `offset`."""
        number = bisect_right(self._labels, offset, key=lambda label: label[0])
        return self._labels[number - 1] if number else None

    def file_line(self, offset: int) -> tuple[str, int] | None:
        """File and line of an instruction."""
        return self.program.lines.get(offset - self.start)

    def line(self, offset: int) -> str | None:
        """The line as it is written."""
        offset -= self.start
        if offset not in self.program.lines:
            return None
        filename, number = self.program.lines[offset]
        lines = self.text_of(filename).split("\n")
        return lines[number - 1].strip() if number <= len(lines) else None

    def text_of(self, filename: str) -> str:
        """A file of the source, which can be one that it includes; nothing if that is not there any more."""
        if filename == self.filename:
            return self.text
        try:
            return Path(filename).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return ""
