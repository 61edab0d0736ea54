"""A word on standard error about what takes its time."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DELAY", "said_if_slow"]

#: Seconds after which it is said.
DELAY = 1.0


@contextmanager
def said_if_slow(text: str) -> Iterator[None]:
    """Say `text` once if the context lasts longer than `DELAY`."""
    timer = threading.Timer(DELAY, lambda: print(f"vc4: {text}", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
