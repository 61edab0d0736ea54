"""Compilers and other tools as processes of their own, none of which outlives an interrupt."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["run_child", "side_by_side"]

_running: set[subprocess.Popen] = set()
_ending = threading.Event()


def run_child(command: Sequence[str], work: Path) -> tuple[int, str]:
    """Run `command` in the folder `work`; returns its exit status and what it said."""
    # A group of its own, so that what it starts itself ends with it, and with nothing said about an interrupt.
    with subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
    ) as child:
        _running.add(child)
        try:
            if _ending.is_set():
                _end(child)
            said, _ = child.communicate()
        except BaseException:
            _end(child)
            raise
        finally:
            _running.discard(child)
    return child.returncode, said


@contextmanager
def side_by_side(workers: int | None = None) -> Iterator[ThreadPoolExecutor]:
    """Threads that run children. An error or an interrupt ends all of them at once."""
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield pool
        except BaseException:
            _ending.set()
            for child in tuple(_running):
                _end(child)
            pool.shutdown(cancel_futures=True)
            _ending.clear()
            raise


def _end(child: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
