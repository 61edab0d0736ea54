"""The `vc4` command: how it starts, and how it ends whatever happens."""

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .problem import BadInput, ExitStatus, one_line

__all__ = ["main"]

_INTERRUPTED = "vc4: interrupted"
#: Seconds after which Python is done with the object that it deletes.
_SOON = 0.01


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the arguments `argv`, those of the process by default; returns an `ExitStatus`.

    Everything that is wrong with the input gives one line on standard error; with a source, all that is wrong. So does an
    interrupt, at any time.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold anything
    try:
        with _ended_by_interrupts():
            from . import command_line

            parser = command_line.parser_of(arguments)
        with _no_interrupt_lost():
            return command_line.execute(parser, arguments)
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        warnings.simplefilter("ignore")  # Amaranth's, about hardware that was described and is not used now
        text, status = _INTERRUPTED, ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # Nobody reads any more; what is still in the buffer must go nowhere when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.BROKEN_PIPE
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        text, status = f"vc4: {one_line(what)}", ExitStatus.BAD_INPUT
    except BadInput as error:
        text, status = f"vc4: {one_line(str(error))}", ExitStatus.BAD_INPUT
    print(text, file=sys.stderr)
    return status


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """While modules are loaded an interrupt ends the process at once: what an extension makes of the exception is its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _no_interrupt_lost() -> Iterator[None]:
    """Python ignores what is raised while it deletes an object: an interrupt that comes then is sent again."""
    before = sys.unraisablehook

    def hook(lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is KeyboardInterrupt:
            threading.Timer(_SOON, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]).start()
        else:
            before(lost)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _end(*_: object) -> None:
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{_INTERRUPTED}\n".encode())
    os._exit(ExitStatus.INTERRUPTED)
