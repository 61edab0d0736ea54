"""Sessions of the debugger as text: what a person types, with what comes back.

A file begins with the command after `$`; after each `>` is a command of the console, and below it what it says. To write
them, and the sessions of the page about debugging, again: `python -m tests.debug.transcripts`, and look at what has changed.
"""

import contextlib
import io
import re
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from vc4sim.command_line import parser_of
from vc4sim.commands.debug import console_of
from vc4sim.debug.console import Console
from vc4sim.debug.text import stop_lines

HERE = Path(__file__).parent
SESSIONS = sorted((HERE / "sessions").glob("*.txt"))
#: Paths on a command line begin here.
FOLDER = HERE / "programs"
#: The page about debugging: its sessions are blocks after their commands; it shows files, too.
DOCS = HERE.parents[1] / "docs"
PAGE = DOCS / "user/debugging.md"
SESSION = re.compile(r"^    vc4 debug ([^<\n]*)\n\n```\n((?:[^`\n]*\n)*?\(vc4\) (?:.*\n)*?)```\n", re.MULTILINE)
FILE = re.compile(r"^`(\w+\.\w+)`:\n\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMPT = Console.prompt


def console(*arguments: str, folder: Path = FOLDER) -> Console:
    """A session as `vc4 debug` begins it; what it says is in `stdout`."""
    with contextlib.chdir(folder):
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


def carried_out(one: Console, commands: Sequence[str], prompt: str) -> str:
    """Commands and what they say, after what is said at the beginning."""
    one.say(stop_lines(one.session, None))
    found = one.stdout.getvalue().splitlines()
    for command in commands:
        found += [f"{prompt}{command}", *said(one, command).splitlines()]
    return "".join(f"{line}\n" for line in found)


def transcript(text: str) -> str:
    """The session of a file, carried out now: its arguments and commands are taken from `text`."""
    first, *lines = text.splitlines()
    arguments, commands = first.removeprefix("$ vc4 debug "), [line[2:] for line in lines if line.startswith("> ")]
    return f"{first}\n{carried_out(console(*shlex.split(arguments)), commands, '> ')}"


def page(text: str, folder: Path) -> str:
    """A page with its sessions carried out now, in a folder with the files that it shows."""
    for name, content in FILE.findall(text):
        (folder / name).write_text(content)

    def again(match: re.Match[str]) -> str:
        commands = [line.removeprefix(PROMPT) for line in match[2].splitlines() if line.startswith(PROMPT)]
        one = console(*shlex.split(match[1]), folder=folder)
        return f"    vc4 debug {match[1]}\n\n```\n{carried_out(one, commands, PROMPT)}```\n"

    return SESSION.sub(again, text)


if __name__ == "__main__":
    for path in SESSIONS:
        path.write_text(transcript(path.read_text()))
    with tempfile.TemporaryDirectory() as temporary:
        PAGE.write_text(page(PAGE.read_text(), Path(temporary)))
