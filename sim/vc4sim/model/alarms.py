"""Timers of the process, and work that must not be left in the middle."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_alarms"]


@contextmanager
def without_alarms() -> Iterator[None]:
    """A timer that runs out has to wait: the compiler does not survive to be left in the middle."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which hears of no timers
        return
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
    if rung:
        signal.raise_signal(signal.SIGALRM)
