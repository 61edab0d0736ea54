"""What variables are called while other things change: bits of signals that somebody has named."""

import re
from functools import cache

__all__ = ["parsed", "piece"]

_PIECE = re.compile(r"(.*)\[(\d+):(\d+)\]")


def piece(name: str, low: int, width: int) -> str:
    """The label of bits of a signal, or of a piece of one."""
    if match := _PIECE.fullmatch(name):
        name, low = match[1], int(match[3]) + low
    return f"{name}[{low + width - 1}:{low}]"


@cache
def parsed(label: str) -> tuple[str, int, int]:
    """Name, first bit, and the bit after them; what is not a piece of a signal is a bit of its own."""
    match = _PIECE.fullmatch(label)
    return (match[1], int(match[3]), int(match[2]) + 1) if match else (label, 0, 1)
