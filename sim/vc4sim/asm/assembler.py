"""The assembler: sources to programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from .directives import execute
from .errors import AsmError
from .labels import LabelTable
from .layout import Layout, lay_out
from .runner import Runner
from .source import Line, lines_of

__all__ = ["Program", "assemble"]

#: Passes after the first within which addresses must settle. One is usual, clones need two more.
_MAX_PASSES = 8


@dataclass(frozen=True)
class Program:
    """An assembled program.

    `code` is the program as it lies in memory, little-endian, from offset 0; `labels` gives the offset of each named
    label, `lines` the file name and line of the instruction at an offset.
    """

    code: bytes
    labels: dict[str, int]
    lines: dict[int, tuple[str, int]]

    @property
    def words(self) -> list[int]:
        """The program as 64-bit words, the last one filled up with zeros."""
        starts = range(0, len(self.code), WORD_BYTES)
        return [int.from_bytes(self.code[start : start + WORD_BYTES], "little") for start in starts]


def assemble(text: str, filename: str = "<text>", folders: Sequence[Path] = ()) -> Program:
    """Assemble a source. `filename` stands in errors, and included files lie beside it or in one of `folders`.

    Raises `AsmError`, and nothing else, if the source is wrong, with all that is: whatever it is, it ends after a limited
    time.
    """
    lines = lines_of(text, filename)
    before = Runner(execute, LabelTable(), None, folders)
    layout = _pass(before, lines)
    errors = before.errors
    for _ in range(_MAX_PASSES):
        runner = Runner(execute, LabelTable(before.labels, layout), layout, folders)
        following = _pass(runner, lines)
        # What is wrong in statements shows in the second pass, what is wrong in directives in both.
        _fail(runner.errors | errors)
        if following.addresses == layout.addresses and runner.clones == before.clones:
            return _program(following, runner.labels)
        before, layout = runner, following
    raise AsmError(filename, 1, 1, f"the addresses of the labels do not settle in {_MAX_PASSES} passes")


def _pass(runner: Runner, lines: tuple[Line, ...]) -> Layout:
    try:
        runner.run(lines)
        return lay_out(runner.finish())
    except RecursionError:
        line = runner.line
        fatal = AsmError(line.filename, line.number, 1, "expected less nesting", text=line.text)
    except AsmError as error:
        fatal = error
    _fail(runner.errors | {str(fatal): fatal})
    raise fatal


def _fail(errors: Mapping[str, AsmError]) -> None:
    """Raise the first of `errors`, if there are any, with the others: line by line, and file by file."""
    files = list(dict.fromkeys(error.filename for error in errors.values()))
    if errors:
        first, *others = sorted(
            errors.values(), key=lambda error: (files.index(error.filename), error.line, error.column)
        )
        first.others = tuple(others)
        raise first


def _program(layout: Layout, labels: LabelTable) -> Program:
    named = {name: layout.addresses[serial] for name, serial in labels.named.items()}
    return Program(layout.code, named, layout.lines)
