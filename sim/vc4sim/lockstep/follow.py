"""The model steps as the records of the RTL say, and every effect is compared."""

from typing import NamedTuple

import numpy as np
from amaranth.lib import data

from vc4.bus.port import BUS_BYTES
from vc4.config import MAX_QPUS
from vc4.isa.registers import ELEMENTS
from vc4.qpu.trace import R4_SOURCES

from ..bench.gather import Retired, RetiredWrite
from ..model.compiled import State, kernel
from ..model.machine import Machine
from ..model.memory import BASE, LOGGED, MemoryState
from ..model.qpu import state as _s
from ..model.qpu.sequencer import RUNNING
from ..model.qpu.status import RETIRED as STEPPED
from ..model.qpu.status import UNKNOWN
from ..model.qpu.step import step
from ..model.vpm.vpm import FAULT
from ..retired import EVENT_WORDS, KIND_BITS, R4_ARRIVED, RETIRED, STARTED, WRITTEN, written_names
from .written import LEFT, WrittenState, compare_byte

__all__ = [
    "ALL_READ",
    "BEGINS",
    "BYTE_DIFFERS",
    "CANNOT",
    "CONTEXT",
    "COUNT",
    "DIFFERS",
    "DONE",
    "IS_READY",
    "LACKS_WORD",
    "MODEL",
    "NOTED",
    "PREPARES",
    "ROOM",
    "RTL",
    "SAME",
    "STATUS",
    "TOO_MANY",
    "WANTS_ENTRIES",
    "FollowerState",
    "follow",
    "new_follower",
]

#: The two sides.
RTL, MODEL = range(2)
# Why `follow` comes back: all records are read; a program begins; the QPU of the next instruction runs nothing, or a program
# waits for it; the word of an instruction has to be decoded; the model cannot carry it out, see `STATUS`; it does something else;
# a byte written differs; more comes for r4 than instructions say; there are few entries for bytes left.
ALL_READ, BEGINS, PREPARES, LACKS_WORD, CANNOT, DIFFERS, BYTE_DIFFERS, TOO_MANY, WANTS_ENTRIES = range(9)
_GOES_ON = -1
# What `FollowerState.about` holds: records, how many of them are done, instructions that were the same, instructions noted; of
# the next one whether it is noted, whether its QPU is ready, and what the model has said of it.
COUNT, DONE, SAME, NOTED, _IS_NOTED, IS_READY, STATUS = range(7)
#: Records that fit; vectors for r4 that may come before their instruction retires.
ROOM, _EARLY = 1 << 13, 16
#: Instructions shown before the first difference.
CONTEXT = 8
#: Bytes that an instruction may write.
_MOST_BYTES = 1 << 16
#: A record of which all is done.
_TAKEN = (1 << KIND_BITS) - 1
_KIND = _TAKEN
_WORD_BITS = 32
_REGISTER_BITS, _BYTE_BITS = 7, 4

_layout = data.Layout.cast(Retired)
_written = data.Layout.cast(RetiredWrite)
#: Where fields lie in a record, in bits behind its first word.
_PC, _WORD, _UNIFORM, _THREAD, _SETS_FLAGS, _N, _FLAG_MASK = (
    _layout[name].offset for name in ("pc", "word", "uniform", "thread", "sets_flags", "n", "flag_mask")
)
_READS_UNIFORM, _READS_STORE_BUSY, _STORE_BUSY, _READS_LOAD_BUSY, _LOAD_BUSY = (
    _layout[name].offset for name in ("reads_uniform", "reads_store_busy", "store_busy", "reads_load_busy", "load_busy")
)
_ADD, _MUL, _ADD_DATA, _MUL_DATA = (_layout[name].offset for name in ("add", "mul", "add_data", "mul_data"))
_REGISTER, _ELEMENTS, _BYTES = (_written[name].offset for name in ("address", "mask", "bytes"))
assert _written["file"].offset == _written["address"].width + _REGISTER
_BRINGS = _layout["brings_result"].offset
assert _layout["brings_loaded"].offset == _BRINGS + 1
_SOURCES = len(R4_SOURCES)


class FollowerState(NamedTuple):
    """Records, and what is known of the RTL besides.

    about : numbers, see above
    records : those that are not done, and more behind them
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
            about=np.zeros(7, np.int64),
            records=np.zeros((ROOM, EVENT_WORDS), np.uint32),
            names=np.array([names.index(name) if name else -1 for name in names], np.int64),
            waiting=np.zeros(MAX_QPUS, np.int64),
            flags=np.zeros((MAX_QPUS, 3), np.int64),
            early=np.zeros((MAX_QPUS, _SOURCES), np.int64),
            early_vectors=np.zeros((MAX_QPUS, _SOURCES, _EARLY, ELEMENTS), np.int64),
            history=np.zeros((size, EVENT_WORDS), np.uint32),
            history_flags=np.zeros((size, 3), np.int64),
            history_brings=np.zeros(size, np.int64),
            history_r4=np.zeros((size, ELEMENTS), np.int64),
        )
    )


@kernel
def follow(machine: Machine, memory: MemoryState, state: FollowerState, written: WrittenState) -> int:
    """Go through the records; returns why it comes back."""
    about, records = state.about, state.records
    while about[DONE] < about[COUNT]:
        if written.about[LEFT] < _MOST_BYTES:
            return WANTS_ENTRIES
        at = about[DONE]
        kind, q = int(records[at, 0]) & _KIND, int(records[at, 0]) >> KIND_BITS
        if kind == RETIRED:
            outcome = _follow_one(machine, memory, state, written, at, q)
            if outcome != _GOES_ON:
                return outcome
        elif kind == STARTED:
            return BEGINS
        elif kind == WRITTEN:
            if machine.vpm.about[FAULT] < 0 and not _compare_word(memory, state, written, at):
                return BYTE_DIFFERS
        elif kind != _TAKEN and not _keep(state, at, q, kind - R4_ARRIVED):
            return TOO_MANY
        about[DONE] += 1
    return ALL_READ


@kernel
def _bits(rows: np.ndarray, row: int, offset: int, width: int) -> int:
    """A field of a record; none lies in two words."""
    return int(rows[row, 1 + offset // _WORD_BITS]) >> offset % _WORD_BITS & (1 << width) - 1


@kernel
def _keep(state: FollowerState, at: int, q: int, source: int) -> bool:
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
    """The place of the record with a vector for r4 that comes behind its instruction; -1: it is not there yet."""
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
    state.records[place, 0] = _TAKEN
    for element in range(ELEMENTS):
        state.history_r4[row, element] = state.records[place, 1 + element]


@kernel
def _note(state: FollowerState, at: int, q: int) -> bool:
    """A row of the history for an instruction; returns whether all of it has come. A loaded word is newer than a result."""
    brings = _bits(state.records, at, _BRINGS, _SOURCES)
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


@kernel
def _follow_one(
    machine: Machine, memory: MemoryState, state: FollowerState, written: WrittenState, at: int, q: int
) -> int:
    """An instruction; returns why `follow` comes back, if it does."""
    about, records = state.about, state.records
    if not about[_IS_NOTED]:
        if not _note(state, at, q):
            return ALL_READ
        about[_IS_NOTED] = 1
    if not about[IS_READY] and (state.waiting[q] or not machine.qpus.sequences[q, RUNNING]):
        return PREPARES
    load_busy = _bits(records, at, _READS_LOAD_BUSY, 1) & _bits(records, at, _LOAD_BUSY, 1)
    store_busy = _bits(records, at, _READS_STORE_BUSY, 1) & _bits(records, at, _STORE_BUSY, 1)
    status = step(machine, memory, q, load_busy, store_busy, 1)
    if status == UNKNOWN:
        return LACKS_WORD
    about[_IS_NOTED] = 0
    about[IS_READY] = 0
    about[STATUS] = status
    if status != STEPPED:
        return CANNOT
    if not _is_same(machine, state, at, q):
        return DIFFERS
    about[SAME] += 1
    if not _compare_log(machine, memory, written):
        return BYTE_DIFFERS
    return _GOES_ON


@kernel
def _is_same(machine: Machine, state: FollowerState, at: int, q: int) -> bool:
    """Whether the model has done what a record says."""
    told, rows = machine.effects.about, state.records
    if told[_s.THREAD] != _bits(rows, at, _THREAD, 1) or told[_s.PC] != _bits(rows, at, _PC, _WORD_BITS):
        return False
    low, high = _bits(rows, at, _WORD, _WORD_BITS), _bits(rows, at, _WORD + _WORD_BITS, _WORD_BITS)
    if told[_s.WORD_LOW] != low or told[_s.WORD_HIGH] != high:
        return False
    for read, value, bit, place, width in (
        (_s.READS_UNIFORM, _s.UNIFORM, _READS_UNIFORM, _UNIFORM, _WORD_BITS),
        (_s.READS_LOAD_BUSY, _s.LOAD_BUSY, _READS_LOAD_BUSY, _LOAD_BUSY, 1),
        (_s.READS_STORE_BUSY, _s.STORE_BUSY, _READS_STORE_BUSY, _STORE_BUSY, 1),
    ):
        if told[read] != _bits(rows, at, bit, 1) or (told[read] and told[value] != _bits(rows, at, place, width)):
            return False
    effects = machine.effects
    if not _is_same_write(state, at, _ADD, _ADD_DATA, told, _s.ADD_REGISTER, effects.add_written):
        return False
    if not _is_same_write(state, at, _MUL, _MUL_DATA, told, _s.MUL_REGISTER, effects.mul_written):
        return False
    return _are_same_flags(machine, state, at, q) and _is_same_r4(machine, state, q)


@kernel
def _is_same_write(
    state: FollowerState, at: int, write: int, place: int, told: np.ndarray, first: int, values: np.ndarray
) -> bool:
    """The result of an ALU: its register, the elements and bytes that are written, and these."""
    elements = _bits(state.records, at, write + _ELEMENTS, ELEMENTS)
    enables = _bits(state.records, at, write + _BYTES, _BYTE_BITS)
    name, own = -1, -1
    if elements:
        name = int(state.names[_bits(state.records, at, write + _REGISTER, _REGISTER_BITS)])
    if told[first] != _s.NOTHING:
        own = int(state.names[told[first]])
    if name != own:
        return False
    if name < 0:
        return True
    if elements != told[first + 1] or enables != told[first + 2]:
        return False
    kept = 0
    for byte in range(_BYTE_BITS):
        kept |= (enables >> byte & 1) * 255 << 8 * byte
    for element in range(ELEMENTS):
        word = int(state.records[at, 1 + place // _WORD_BITS + element])
        if elements >> element & 1 and (word ^ values[element]) & kept:
            return False
    return True


@kernel
def _are_same_flags(machine: Machine, state: FollowerState, at: int, q: int) -> bool:
    """The flags of all elements afterwards, if it sets some."""
    sets = _bits(state.records, at, _SETS_FLAGS, 1)
    if sets != machine.effects.about[_s.SETS_FLAGS]:
        return False
    if not sets:
        return True
    mask = _bits(state.records, at, _FLAG_MASK, ELEMENTS)
    same = True
    for flag in range(3):
        new = _bits(state.records, at, _N + flag * ELEMENTS, ELEMENTS)
        state.flags[q, flag] = state.flags[q, flag] & ~mask | new & mask
        same = same and state.flags[q, flag] == machine.qpus.flags[q, flag]
    return same


@kernel
def _is_same_r4(machine: Machine, state: FollowerState, q: int) -> bool:
    """What r4 becomes behind it."""
    row = (state.about[NOTED] - 1) % (CONTEXT + 1)
    arrives = machine.effects.about[_s.ARRIVES]
    if (state.history_brings[row] != 0) != (arrives != 0):
        return False
    if arrives:
        for element in range(ELEMENTS):
            if machine.qpus.accumulators[q, 4, element] != state.history_r4[row, element]:
                return False
    return True


@kernel
def _compare_word(memory: MemoryState, state: FollowerState, written: WrittenState, at: int) -> bool:
    """A word that the RTL has written."""
    address, strobes = int(state.records[at, 1]), int(state.records[at, 2])
    for byte in range(BUS_BYTES):
        if strobes >> byte & 1:
            value = int(state.records[at, 3 + byte // 4]) >> byte % 4 * 8 & 255
            if not compare_byte(written, RTL, address - memory.about[BASE] + byte, value):
                return False
    return True


@kernel
def _compare_log(machine: Machine, memory: MemoryState, written: WrittenState) -> bool:
    """What the model has written; behind a fault nothing counts."""
    count = memory.about[LOGGED]
    memory.about[LOGGED] = 0
    for number in range(count):
        if machine.vpm.about[FAULT] >= 0:
            return True
        offset, value = (memory.log[number] >> 8) - memory.about[BASE], memory.log[number] & 255
        if not compare_byte(written, MODEL, offset, value):
            return False
    return True
