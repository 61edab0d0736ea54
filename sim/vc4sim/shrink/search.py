"""Delta debugging: which of many things are needed."""

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["needed"]

Thing = TypeVar("Thing")


def needed(things: Sequence[Thing], works: Callable[[list[Thing]], bool]) -> list[Thing]:
    """A part of `things` with which `works` is still true, and from which no single thing can be left out.

    Leaves out everything, then halves, quarters, and so on. `works` is true of all of them; it may become false for good
    when enough has been tried.
    """
    kept = list(things)
    size = len(kept)
    while kept and size:
        shorter = _without_chunks(kept, size, works)
        again = size == 1 and len(shorter) < len(kept)
        kept = shorter
        size = 1 if again else size // 2
    return kept


def _without_chunks(things: list[Thing], size: int, works: Callable[[list[Thing]], bool]) -> list[Thing]:
    """`things` without every chunk that is not needed; the last chunks go first."""
    for start in reversed(range(0, len(things), size)):
        rest = things[:start] + things[start + size :]
        if works(rest):
            things = rest
    return things
