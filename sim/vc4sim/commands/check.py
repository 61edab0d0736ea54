"""`vc4 check`: what a program does that the chip does not allow."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vc4.isa.hazards import HAZARDS
from vc4.isa.word import WORD_BYTES

from ..asm import SourceMap
from ..checker import VECTOR_ROWS, Finding, Flow, Subject, check_flow, paragraph, rules_for
from ..problem import BadInput, ExitStatus
from ..workload import example_names, read_program
from ..workload.case import CASE_FILE
from ..workload.example import example_program
from ..workload.fields import Fields
from ..workload.files import STDIN, read_bytes, read_text
from .options import Commands, add_allow, add_includes, integer

__all__ = ["register"]

_DESCRIPTION = """\
Check a program against the programming restrictions of the QPU, along every path
that it can take. WHAT is

  the name of a built-in example (vc4 examples lists them),
  an assembly file, or - for one on standard input,
  words: FILE.hex, FILE.bin, FILE.c or FILE.h, as vc4 run takes them, or
  a directory with a case.

Each finding names both instructions, the rule, what the chip does and what happens
here. A warning is about something that may be harmless, or a rule of other tools.
"""

_EPILOG = """\
exit status:
  0  nothing found
  1  something found
  2  the input is wrong
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "check",
        help="check a program against the programming restrictions",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="WHAT", nargs="?", help="example, assembly file, words or case directory")
    parser.add_argument("--rules", action="store_true", help="list the rules instead")
    parser.add_argument(
        "--as",
        dest="subject",
        choices=[subject.value for subject in Subject],
        default=Subject.USER.value,
        help="what the program is: shaders have more rules, fragment shaders most (default: user)",
    )
    parser.add_argument("--two-tmus", action="store_true", help="the program is for a GPU with two TMUs a slice")
    parser.add_argument("--errors", action="store_true", help="leave warnings out")
    add_allow(parser)
    parser.add_argument(
        "--user-rows",
        type=integer(0, VECTOR_ROWS),
        default=VECTOR_ROWS,
        metavar="N",
        help=f"rows of the VPM that VPMBASE reserves for programs (default: {VECTOR_ROWS}, all that vectors reach)",
    )
    parser.add_argument(
        "--base",
        type=integer(0, (1 << 32) - WORD_BYTES),
        metavar="ADDRESS",
        help="address of the first word (default: that of a case, else 0)",
    )
    add_includes(parser)
    parser.set_defaults(execute=_execute)


@dataclass(frozen=True, kw_only=True)
class _Input:
    """A program to check, and where its instructions come from."""

    name: str
    code: bytes
    base: int = 0
    entries: tuple[int, ...] = (0,)
    source: SourceMap | None = None

    @property
    def words(self) -> list[int]:
        """The instructions; what is left over at the end is none."""
        starts = range(0, len(self.code) // WORD_BYTES * WORD_BYTES, WORD_BYTES)
        return [int.from_bytes(self.code[start : start + WORD_BYTES], "little") for start in starts]


def _execute(options: argparse.Namespace) -> int:
    if options.rules:
        print("\n".join(f"{one.rule:4}{one.title}" for one in HAZARDS))
        return ExitStatus.PASS
    if options.what is None:
        raise BadInput("check: nothing to check; name a program, or --rules")
    program = _load(options.what, options.folders)
    words = program.words
    if not words:
        raise BadInput(f"{program.name}: there are no instructions")
    base = program.base if options.base is None else options.base
    flow = Flow(words, base, program.entries, options.user_rows)
    rules = rules_for(flow, Subject(options.subject), options.two_tmus)
    rules = [one for one in rules if one.rule not in options.allow]
    found = [finding for finding in check_flow(flow, rules) if finding.is_error or not options.errors]
    for finding in found:
        print("\n".join(paragraph(finding, flow, program.source)), end="\n\n")
    print(f"{program.name}: {_summary(found)}; {len(flow.indices)} instructions, {len(rules)} rules")
    return ExitStatus.DIFFERS if found else ExitStatus.PASS


def _summary(found: list[Finding]) -> str:
    errors = sum(finding.is_error for finding in found)
    counts = ((errors, "error"), (len(found) - errors, "warning"))
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts if count) or "nothing found"


def _load(what: str, folders: Sequence[Path]) -> _Input:
    """What the user has named; the names of examples come first."""
    path = Path(what)
    if what in example_names():
        return _assembled(what, example_program(what))
    if path.is_dir():
        return _case(path)
    if what != STDIN and not path.exists():
        names = ", ".join(example_names())
        raise BadInput(f"{what}: no assembly file, words, case directory, or example ({names})")
    return _assembled(what, read_program(what, folders))


def _assembled(name: str, source: SourceMap) -> _Input:
    return _Input(name=name, code=source.program.code, source=source)


def _case(folder: Path) -> _Input:
    """The program of a case, whatever else the case needs to run."""
    case = Fields.parse(read_text(folder / CASE_FILE), str(folder / CASE_FILE))
    code = read_bytes(folder / "program.bin")
    largest = (1 << 32) - WORD_BYTES
    base = case.integer("program_addr", 0, largest, step=WORD_BYTES)
    launches = (launch.integer("pc", base, largest, step=WORD_BYTES) for launch in case.objects("launches"))
    entries = tuple(sorted({(pc - base) // WORD_BYTES for pc in launches}))
    if any(entry * WORD_BYTES >= len(code) for entry in entries):
        raise BadInput(f"{folder / CASE_FILE}: a launch begins outside of the program")
    return _Input(name=str(folder), code=code, base=base, entries=entries)
