"""`vc4 debug`: a program or a frame on the model, step by step, forwards and backwards."""

import argparse
import sys
from typing import TYPE_CHECKING

from ..clist import load_capture
from ..debug.console import Console, FrameConsole, converse, execute_script
from ..debug.dap import serve
from ..debug.frame_target import FrameTarget
from ..debug.listing import Listing
from ..debug.program_target import ProgramTarget
from ..debug.session import Session
from ..debug.text import stop_lines
from ..library.execute import job_of
from ..library.presets import choices
from ..problem import BadInput, ExitStatus
from ..workload.files import STDIN
from .given import add_given, add_qpus, given_frame, given_workload
from .options import Commands, add_config, config_of

if TYPE_CHECKING:
    from ..debug.tui import DebuggerApp

__all__ = ["console_of", "register"]

_DESCRIPTION = """\
Debug a program or a captured frame on the reference model. WHAT is

  what `vc4 run` takes: an example, an assembly file, words or a case directory, or
  what `vc4 render` takes: a frame of `vc4 examples`, or a directory with one.

Commands come from standard input, one a line; `help` lists them. With --dap it has
requests of the Debug Adapter Protocol, as editors send them; --tui shows source,
registers and memory beside a line for commands.
"""
_EPILOG = """\
exit status:
  0  the session has ended
  2  the input is wrong, or a command that does not come from a terminal is
"""
#: Of frames, as `vc4 render` has it.
_FRAME_CONFIG = "bcm2835"


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "debug",
        help="debug a program or a frame, forwards and backwards",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="WHAT", help="example, assembly file, words, case directory or frame")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dap", action="store_true", help="speak the Debug Adapter Protocol on standard input and output")
    how.add_argument("--tui", action="store_true", help="show source, registers and memory in the whole terminal")
    add_config(parser, None, f"(default: the smallest that has what a program needs; {_FRAME_CONFIG} for frames)")
    add_qpus(parser)
    add_given(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    app = _terminal_interface() if options.tui else None
    if app and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput("--tui: standard input and output must be a terminal")
    console = console_of(options)
    try:
        _hold(console, app, options.dap)
    finally:
        console.session.target.close()
    return ExitStatus.PASS


def _hold(console: Console, app: "type[DebuggerApp] | None", speaks_protocol: bool) -> None:
    """A session, from its beginning to its end."""
    if speaks_protocol:
        serve(console, sys.stdin.buffer, sys.stdout.buffer)
    elif app:
        app(console).run()
    else:
        console.say(stop_lines(console.session, None))
        if sys.stdin.isatty():
            converse(console)
        else:
            execute_script(console, sys.stdin)


def console_of(options: argparse.Namespace) -> Console:
    """A new session with what the user has named, and its commands."""
    if frame := given_frame(options):
        target = FrameTarget(load_capture(frame), config_of(options, options.config or _FRAME_CONFIG))
        return FrameConsole(Session(target, Listing()), target)
    return Console(_program_session(options))


def _terminal_interface() -> "type[DebuggerApp]":
    """What shows a session in a terminal, if its library is installed."""
    try:
        from ..debug.tui import DebuggerApp
    except ImportError:
        raise BadInput("Textual is not installed: pip install 'vc4-rtl[debug]'") from None
    return DebuggerApp


def _program_session(options: argparse.Namespace) -> Session:
    if options.what == STDIN:
        raise BadInput(f"{STDIN}: standard input has the commands; name a file")
    workload = given_workload(options)
    smallest = choices(workload, options.config, options.errata)[0]
    return Session(ProgramTarget(workload.name, job_of(workload, smallest)), Listing.of(workload))
