"""What variables are called while other things change: bits of signals that somebody has named."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from .expression import PUBLIC

__all__ = ["labels", "parsed", "piece"]

_PIECE = re.compile(r"(.*)\[(\d+):(\d+)\]")


def piece(name: str, low: int, width: int) -> str:
    """The label of bits of a signal, or of a piece of one."""
    if match := _PIECE.fullmatch(name):
        name, low = match[1], int(match[3]) + low
    return f"{name}[{low + width - 1}:{low}]"


def labels(
    memories: Mapping[str, str], reads: Iterable[tuple[str, str]], variables: Iterable[tuple[str, str]]
) -> dict[str, list[str]]:
    """By memory, result of one, and variable, the shortest label of each: `memories` with what they are called, `reads` as pairs of a
    memory and a result, and `variables` after the bits that they are.
    """
    found = {memory: name for memory, name in memories.items() if name.startswith(PUBLIC)}
    numbers: Counter[str] = Counter()
    for memory, result in reads:
        if memory in found:
            found[result] = f"{found[memory]} read {numbers[memory]}"
            numbers[memory] += 1
    for bits, variable in sorted(variables, key=lambda one: (len(one[0]), one[0])):
        if bits.startswith(PUBLIC):
            found.setdefault(variable, bits)
    return {name: [label] for name, label in found.items()}


@cache
def parsed(label: str) -> tuple[str, int, int]:
    """Name, first bit, and the bit after them; what is not a piece of a signal is a bit of its own."""
    match = _PIECE.fullmatch(label)
    return (match[1], int(match[3]), int(match[2]) + 1) if match else (label, 0, 1)
