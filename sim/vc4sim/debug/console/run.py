"""Commands from a person, or from a script."""

import signal
from collections.abc import Iterable

from ...problem import BadInput
from .console import Console

__all__ = ["converse", "execute_script"]


def execute_script(console: Console, lines: Iterable[str]) -> None:
    """Carry out commands, one a line, without a prompt. Raises `BadInput` with the number of the line at the first wrong one."""
    for number, line in enumerate(lines, 1):
        try:
            ends = console.onecmd(line)
        except BadInput as error:
            console.stdout.flush()
            raise BadInput(f"line {number}: {error}") from None
        if ends:
            break


def converse(console: Console) -> None:
    """Ask for commands in a terminal, and say what is wrong with one. Ctrl-C stops what runs."""
    before = signal.signal(signal.SIGINT, lambda *_: console.session.interrupt())
    try:
        while not _ends(console):
            pass
    finally:
        signal.signal(signal.SIGINT, before)


def _ends(console: Console) -> bool:
    """Ask for commands until one is wrong; returns whether the session shall end instead."""
    try:
        console.cmdloop()
    except BadInput as error:
        print(error, file=console.stdout)
        return False
    return True
