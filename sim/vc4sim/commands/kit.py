"""`vc4 kit`: questions to a chip, and what its answers decide."""

import argparse
from pathlib import Path

from ..backends.engines import ENGINES, able
from ..kit.answers import judged, report, text_of
from ..kit.folder import PROGRAM, write_folder
from ..kit.run import ask, identity
from ..kit.table import QUESTIONS
from ..library.execute import Setup
from ..problem import BadInput, ExitStatus
from ..workload.files import read_text
from .options import Commands
from .regs import header

__all__ = ["register"]

_DESCRIPTION = """\
Write programs that ask a real chip what no source settles, with a program in C that
runs them on a Raspberry Pi 1, 2, 3 or Zero and prints a file of answers. `vc4 kit read`
says what that file decides. docs/user/kit.md lists the questions.
"""
_EPILOG = """\
exit status of `vc4 kit read`:
  0  the chip does what is done here
  1  it does something else
  2  the file is wrong
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "kit",
        help="ask a real chip what is not known",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="folder to write")
    parser.set_defaults(execute=_write)
    inner = parser.add_subparsers(title="commands", metavar="COMMAND")
    read = inner.add_parser("read", help="say what answers decide", description="Say which choices a chip has decided.")
    read.add_argument("answers", metavar="FILE", help="what the program printed, or - for standard input")
    read.set_defaults(execute=_read)
    asked = inner.add_parser("ask", help="ask an engine", description="Print the answers of the model or of the RTL.")
    asked.add_argument("--on", choices=[*ENGINES], default="model", help="what answers (default: model)")
    asked.add_argument("--lockstep", action="store_true", help="run the model beside the RTL and compare every effect")
    asked.add_argument("names", metavar="QUESTION", nargs="*", help="questions (default: all)")
    asked.set_defaults(execute=_ask)


def _write(options: argparse.Namespace) -> int:
    if options.output is None:
        raise BadInput("kit: say where the questions go, with -o FOLDER, or what else to do: read, ask")
    write_folder(options.output, QUESTIONS, header())
    print(f"{options.output}: {len(QUESTIONS)} questions; how to ask them is said in {PROGRAM}")
    return ExitStatus.PASS


def _read(options: argparse.Namespace) -> int:
    verdicts = judged(read_text(options.answers), options.answers, QUESTIONS)
    print("\n".join(report(verdicts, QUESTIONS)))
    return ExitStatus.PASS if all(one.agrees for one in verdicts) else ExitStatus.DIFFERS


def _ask(options: argparse.Namespace) -> int:
    if options.lockstep and not ENGINES[options.on].is_rtl:
        raise BadInput(f"--lockstep is not for {options.on}: add --on {' or '.join(able('is_rtl'))}")
    known = {question.name: question for question in QUESTIONS}
    if unknown := [name for name in options.names if name not in known]:
        raise BadInput(f"kit: there is no question {unknown[0]!r}: docs/user/kit.md lists them")
    chosen = [known[name] for name in options.names] or QUESTIONS
    setup = Setup(on=options.on, lockstep=options.lockstep)
    print(text_of(identity(), {question: ask(question, setup) for question in chosen}), end="")
    return ExitStatus.PASS
