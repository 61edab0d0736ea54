"""The `vc4` command."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from .asm import AsmError
from .commands import COMMANDS
from .problem import BadInput, ExitStatus

__all__ = ["main"]


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(ExitStatus.BAD_INPUT, f"vc4: {_one_line(message)} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vc4",
        description="Tools for the VideoCore IV 3D in RTL: assemble programs, run them on the reference model or on the "
        "RTL, compare the two, look at waves, and export Verilog.",
        epilog="Begin with: vc4 run coordinate_shader",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.register(commands)
    return parser


def _one_line(text: str) -> str:
    """`text` with everything that would break a line, or a terminal, escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def _execute(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "execute"):
        parser.print_help()
        return ExitStatus.PASS
    options.arguments = arguments
    status = options.execute(options)
    sys.stdout.flush()
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the arguments `argv`, those of the process by default; returns an `ExitStatus`.

    Everything that is wrong with the input gives one line on standard error; with a source, all that is wrong.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold anything
    try:
        return _execute(list(sys.argv[1:] if argv is None else argv))
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # Nobody reads any more; what is still in the buffer must go nowhere when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.BROKEN_PIPE
    except OSError as error:
        text = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except BadInput as error:
        text = str(error)
    except AsmError as error:
        _print_errors([error, *error.others])
        return ExitStatus.BAD_INPUT
    print(f"vc4: {_one_line(text)}", file=sys.stderr)
    return ExitStatus.BAD_INPUT


def _print_errors(errors: Sequence[AsmError]) -> None:
    """What is wrong with a source, and the lines where."""
    for error in errors:
        head, *source = error.shown()
        print(f"vc4: {_one_line(head)}", *map(_one_line, source), sep="\n", file=sys.stderr)
    if len(errors) > 1:
        print(f"vc4: {len(errors)} errors", file=sys.stderr)
