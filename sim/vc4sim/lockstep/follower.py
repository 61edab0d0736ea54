"""What lockstep knows of the RTL: records, programs that have begun, flags, what arrives in r4, the last instructions."""

from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.isa.registers import ELEMENTS
from vc4.qpu.trace import R4_SOURCES

from ..model.compiled import State, kernel
from ..retired import EVENT_WORDS, KIND_BITS, R4_ARRIVED, written_names
from . import fields as _f
from .fields import bits

__all__ = [
    "CONTEXT",
    "COUNT",
    "DONE",
    "HALTS",
    "IS_NOTED",
    "IS_READY",
    "NOTED",
    "ROOM",
    "SAME",
    "STATUS",
    "TAKEN",
    "FollowerState",
    "keep",
    "new_follower",
    "note",
]

# What `FollowerState.about` holds: records, how many of them are done, instructions that were the same, instructions noted; of
# the next one whether it is noted, whether its QPU is ready, and what the model has said of it; whether halts may cut programs.
COUNT, DONE, SAME, NOTED, IS_NOTED, IS_READY, STATUS, HALTS = range(8)
#: Records that fit; vectors for r4 that may come before their instruction retires.
ROOM, _EARLY = 1 << 13, 16
#: Instructions shown before the first difference.
CONTEXT = 8
#: The kind of a record of which all is done.
TAKEN = (1 << KIND_BITS) - 1
_SOURCES = len(R4_SOURCES)


class FollowerState(NamedTuple):
    """Records, and what is known of the RTL besides.

    about : numbers, see above
    records : those that are not done, and more after them
    names : a number for each register that is written, file A and then B: the same where the name is the same, -1: nothing
    waiting : of each QPU, programs that the RTL has begun and the model has not
    flags : of each QPU, as the RTL has them
    early, early_vectors : of each QPU and source, how many vectors have come before their instructions, and these
    history, history_flags, history_brings, history_r4 : the last instructions: a record, the flags before, by which of
        `R4_SOURCES` r4 changes, a bit each, and to what
    """

    about: np.ndarray
    records: np.ndarray
    names: np.ndarray
    waiting: np.ndarray
    flags: np.ndarray
    early: np.ndarray
    early_vectors: np.ndarray
    history: np.ndarray
    history_flags: np.ndarray
    history_brings: np.ndarray
    history_r4: np.ndarray


def new_follower() -> State[FollowerState]:
    """Of a run that has not begun."""
    names = written_names()
    size = CONTEXT + 1
    return State(
        FollowerState(
            about=np.zeros(8, np.int64),
            records=np.zeros((ROOM, EVENT_WORDS), np.int64),
            names=np.array([names.index(name) if name else -1 for name in names], np.int64),
            waiting=np.zeros(MAX_QPUS, np.int64),
            flags=np.zeros((MAX_QPUS, 3), np.int64),
            early=np.zeros((MAX_QPUS, _SOURCES), np.int64),
            early_vectors=np.zeros((MAX_QPUS, _SOURCES, _EARLY, ELEMENTS), np.int64),
            history=np.zeros((size, EVENT_WORDS), np.int64),
            history_flags=np.zeros((size, 3), np.int64),
            history_brings=np.zeros(size, np.int64),
            history_r4=np.zeros((size, ELEMENTS), np.int64),
        )
    )


@kernel
def keep(state: FollowerState, at: int, q: int, source: int) -> bool:
    """A vector for r4 that comes before its instruction retires; returns whether it has a place."""
    number = state.early[q, source]
    if number == _EARLY:
        return False
    for element in range(ELEMENTS):
        state.early_vectors[q, source, number, element] = state.records[at, 1 + element]
    state.early[q, source] = number + 1
    return True


@kernel
def _later(state: FollowerState, at: int, q: int, source: int) -> int:
    """The place of the record with a vector for r4 that comes after its instruction; -1: it is not there yet."""
    for place in range(at + 1, state.about[COUNT]):
        if state.records[place, 0] == R4_ARRIVED + source | q << KIND_BITS:
            return place
    return -1


@kernel
def _take(state: FollowerState, at: int, q: int, source: int, row: int) -> None:
    """Take the oldest vector from a source into a row of the history."""
    early = state.early_vectors
    if state.early[q, source]:
        state.early[q, source] -= 1
        for element in range(ELEMENTS):
            state.history_r4[row, element] = early[q, source, 0, element]
            for number in range(state.early[q, source]):
                early[q, source, number, element] = early[q, source, number + 1, element]
        return
    place = _later(state, at, q, source)
    state.records[place, 0] = TAKEN
    for element in range(ELEMENTS):
        state.history_r4[row, element] = state.records[place, 1 + element]


@kernel
def note(state: FollowerState, at: int, q: int) -> bool:
    """A row of the history for an instruction; returns whether all of it has come. A loaded word is newer than a result."""
    brings = bits(state.records, at, _f.BRINGS, _SOURCES)
    for source in range(_SOURCES):
        if brings >> source & 1 and not state.early[q, source] and _later(state, at, q, source) < 0:
            return False
    row = state.about[NOTED] % (CONTEXT + 1)
    for word in range(EVENT_WORDS):
        state.history[row, word] = state.records[at, word]
    for flag in range(3):
        state.history_flags[row, flag] = state.flags[q, flag]
    state.history_brings[row] = brings
    for source in range(_SOURCES):
        if brings >> source & 1:
            _take(state, at, q, source, row)
    state.about[NOTED] += 1
    return True
