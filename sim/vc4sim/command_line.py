"""The arguments of the `vc4` command, and what it does with them."""

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import NoReturn

from .asm import AsmError
from .commands import modules
from .problem import ExitStatus, one_line

__all__ = ["execute", "parser_of"]

_DESCRIPTION = """\
Tools for the VideoCore IV 3D in RTL: assemble programs, run them on the
reference model or on the RTL, compare the two, look at waves, and export
Verilog.
"""

_EPILOG = """\
Begin with: vc4 run coordinate_shader

exit status:
  0    all is well
  1    something differs, or was found: the command says what
  2    the input is wrong, or it asks for what cannot be done
  130  interrupted, by Ctrl-C
  141  nobody reads the output any more
"""


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(ExitStatus.BAD_INPUT, f"vc4: {one_line(message)} (see {self.prog} --help)\n")


def parser_of(arguments: list[str]) -> argparse.ArgumentParser:
    """What understands `arguments`; the modules that carry them out are imported."""
    parser = _Parser(
        prog="vc4",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vc4-rtl {metadata.version('vc4-rtl')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in modules(arguments):
        command.register(commands)
    return parser


def execute(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Do what `arguments` say; returns an `ExitStatus`. What is wrong with a source is said; all else is raised."""
    options = parser.parse_args(arguments)
    if not hasattr(options, "execute"):
        parser.print_help()
        return ExitStatus.PASS
    options.arguments = arguments
    try:
        status = options.execute(options)
    except AsmError as error:
        _print_errors([error, *error.others])
        status = ExitStatus.BAD_INPUT
    sys.stdout.flush()
    return status


def _print_errors(errors: Sequence[AsmError]) -> None:
    """What is wrong with a source, and the lines where."""
    for error in errors:
        head, *source = error.shown()
        print(f"vc4: {one_line(head)}", *map(one_line, source), sep="\n", file=sys.stderr)
    if len(errors) > 1:
        print(f"vc4: {len(errors)} errors", file=sys.stderr)
