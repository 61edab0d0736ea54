"""Sessions of the debugger as text: what a person types, with what comes back.

A file begins with the arguments of `vc4 debug` behind `$`; behind each `>` stands a command, and below it what it says. To write
them again: `python -m tests.debug.transcripts`, and look at what has changed.
"""

import contextlib
import io
import shlex
from pathlib import Path

from vc4sim.command_line import parser_of
from vc4sim.commands.debug import console_of
from vc4sim.debug.console import Console
from vc4sim.debug.text import stop_lines

HERE = Path(__file__).parent
SESSIONS = sorted((HERE / "sessions").glob("*.txt"))
#: Paths on a command line begin here.
FOLDER = HERE / "programs"


def console(*arguments: str) -> Console:
    """A session as `vc4 debug` begins it; what it says is in `stdout`."""
    with contextlib.chdir(FOLDER):
        options = parser_of(["debug"]).parse_args(["debug", *arguments])
        found = console_of(options)
    found.stdout = io.StringIO()
    return found


def said(console: Console, line: str) -> str:
    """What a command says."""
    console.stdout.seek(0)
    console.stdout.truncate()
    console.onecmd(line)
    return console.stdout.getvalue()


def transcript(text: str) -> str:
    """The session of a file, carried out now: its arguments and commands are taken from `text`."""
    lines = text.splitlines()
    arguments, commands = lines[0].removeprefix("$ vc4 debug "), [line[2:] for line in lines if line.startswith("> ")]
    one = console(*shlex.split(arguments))
    one.say(stop_lines(one.session, None))
    found = [lines[0], one.stdout.getvalue().rstrip("\n")]
    for command in commands:
        found += [f"> {command}", *said(one, command).splitlines()]
    return "\n".join(found) + "\n"


if __name__ == "__main__":
    for path in SESSIONS:
        path.write_text(transcript(path.read_text()))
