"""Compares the bytes that two sides write, in their order at each address: one side may be ahead of the other."""

from typing import NamedTuple

import numpy as np

from ..model.compiled import Buffers, kernel

__all__ = ["AHEAD", "LEFT", "OFFSET", "VALUES", "WrittenState", "compare_byte", "enlarge", "new_written"]

# What `WrittenState.about` holds: the entries that are free, the first of them; the bytes with which each of the two sides is
# ahead; of a byte that differs, its offset, and what each side has written.
LEFT, _FREE, AHEAD, OFFSET, VALUES = 0, 1, 2, 4, 5
#: What an entry holds: a value, who has written it, and the entry after it.
_VALUE, _SIDE, _NEXT = range(3)
_ENTRIES = 1 << 17


class WrittenState(NamedTuple):
    """What one side has written and the other one has not yet.

    ends : for each byte of memory, the first and the last entry; 0: none
    entries : a list for each byte, and one of those that are free
    about : numbers, see above
    """

    ends: np.ndarray
    entries: np.ndarray
    about: np.ndarray


def _entries(first: int, count: int) -> np.ndarray:
    """Free ones, from the number `first` on."""
    entries = np.zeros((count, 3), np.int64)
    entries[:, _NEXT] = np.arange(first + 1, first + count + 1)
    return entries


def new_written(size: int) -> Buffers[WrittenState]:
    """Of a memory of so many bytes, of which none has been written."""
    about = np.zeros(7, np.int64)
    about[[LEFT, _FREE]] = _ENTRIES - 1, 1
    return Buffers(WrittenState(np.zeros((size, 2), np.int64), _entries(0, _ENTRIES), about))


def enlarge(written: Buffers[WrittenState]) -> Buffers[WrittenState]:
    """The same with more free entries."""
    ends, entries, about = written.arrays
    count = len(entries)
    more = _entries(count, count)
    more[-1, _NEXT] = about[_FREE]
    about[_FREE] = count
    about[LEFT] += count
    return Buffers(WrittenState(ends, np.concatenate([entries, more]), about))


@kernel
def compare_byte(written: WrittenState, side: int, offset: int, value: int) -> bool:
    """What one side, 0 or 1, writes, with what the other one has written there, if it is ahead. There must be a free entry."""
    ends, entries, about = written.ends, written.entries, written.about
    first = ends[offset, 0]
    if first and entries[first, _SIDE] != side:
        other = entries[first, _VALUE]
        ends[offset, 0] = entries[first, _NEXT]
        entries[first, _NEXT] = about[_FREE]
        about[_FREE] = first
        about[LEFT] += 1
        about[AHEAD + 1 - side] -= 1
        about[OFFSET] = offset
        about[VALUES + side] = value
        about[VALUES + 1 - side] = other
        return other == value
    entry = about[_FREE]
    about[_FREE] = entries[entry, _NEXT]
    about[LEFT] -= 1
    about[AHEAD + side] += 1
    entries[entry, _VALUE] = value
    entries[entry, _SIDE] = side
    entries[entry, _NEXT] = 0
    if first:
        entries[ends[offset, 1], _NEXT] = entry
    else:
        ends[offset, 0] = entry
    ends[offset, 1] = entry
    return True
