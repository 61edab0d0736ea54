"""The model steps as the records of the RTL say, and every effect is compared."""

import numpy as np

from vc4.bus.port import BUS_BYTES

from ..model.compiled import kernel
from ..model.machine import Machine
from ..model.memory import BASE, LOGGED, MemoryState, is_inside
from ..model.qpu.sequencer import END, PC, RUNNING
from ..model.qpu.status import RETIRED as STEPPED
from ..model.qpu.status import UNKNOWN
from ..model.qpu.step import leave, step
from ..model.vpm.vpm import FAULT
from ..retired import KIND_BITS, R4_ARRIVED, RETIRED, STARTED, WRITTEN
from . import fields as _f
from .effects import is_same
from .fields import bits
from .follower import COUNT, DONE, HALTS, IS_NOTED, IS_READY, SAME, STATUS, TAKEN, FollowerState, keep, note
from .written import LEFT, WrittenState, compare_byte

__all__ = [
    "ALL_READ",
    "BEGINS",
    "BYTE_DIFFERS",
    "CANNOT",
    "DIFFERS",
    "LACKS_WORD",
    "MODEL",
    "PREPARES",
    "RTL",
    "TOO_MANY",
    "WANTS_ENTRIES",
    "follow",
]

#: The two sides.
RTL, MODEL = range(2)
# Why `follow` comes back: all records are read; a program begins; the QPU of the next instruction runs nothing, or a program
# waits for it; the word of an instruction has to be decoded; the model cannot carry it out, see `STATUS`; it does something else;
# a byte written differs; more comes for r4 than instructions say; there are few entries for bytes left.
ALL_READ, BEGINS, PREPARES, LACKS_WORD, CANNOT, DIFFERS, BYTE_DIFFERS, TOO_MANY, WANTS_ENTRIES = range(9)
_GOES_ON = -1
#: Bytes that an instruction may write.
_MOST_BYTES = 1 << 16
_KIND = (1 << KIND_BITS) - 1


@kernel
def follow(machine: Machine, memory: MemoryState, state: FollowerState, written: WrittenState) -> int:
    """Go through the records; returns why it comes back."""
    about, records = state.about, state.records
    while about[DONE] < about[COUNT]:
        if written.about[LEFT] < _MOST_BYTES:
            return WANTS_ENTRIES
        at = about[DONE]
        kind, q = records[at, 0] & _KIND, records[at, 0] >> KIND_BITS
        if kind == RETIRED:
            outcome = _follow_one(machine, memory, state, written, at, q)
            if outcome != _GOES_ON:
                return outcome
        elif kind == STARTED:
            return BEGINS
        elif kind == WRITTEN:
            if machine.vpm.about[FAULT] < 0 and not _compare_word(memory, state, written, at):
                return BYTE_DIFFERS
        elif kind != TAKEN and not keep(state, at, q, kind - R4_ARRIVED):
            return TOO_MANY
        about[DONE] += 1
    return ALL_READ


@kernel
def _follow_one(
    machine: Machine, memory: MemoryState, state: FollowerState, written: WrittenState, at: int, q: int
) -> int:
    """An instruction; returns why `follow` comes back, if it does."""
    about, records = state.about, state.records
    if not about[IS_NOTED]:
        if not note(state, at, q):
            return ALL_READ
        about[IS_NOTED] = 1
    if about[HALTS] and _is_cut(machine, records, at, q):
        leave(machine, q)
    if not about[IS_READY] and (state.waiting[q] or not machine.qpus.sequences[q, RUNNING]):
        return PREPARES
    load_busy = bits(records, at, _f.READS_LOAD_BUSY, 1) & bits(records, at, _f.LOAD_BUSY, 1)
    store_busy = bits(records, at, _f.READS_STORE_BUSY, 1) & bits(records, at, _f.STORE_BUSY, 1)
    status = step(machine, memory, q, load_busy, store_busy, 1)
    if status == UNKNOWN:
        return LACKS_WORD
    about[IS_NOTED] = 0
    about[IS_READY] = 0
    about[STATUS] = status
    if status != STEPPED:
        return CANNOT
    if not is_same(machine, state, at, q):
        return DIFFERS
    about[SAME] += 1
    if not _compare_log(machine, memory, written):
        return BYTE_DIFFERS
    return _GOES_ON


@kernel
def _is_cut(machine: Machine, records: np.ndarray, at: int, q: int) -> bool:
    """Whether a halt has cut the program of a QPU that was ending: another instruction follows, and those left are lost."""
    sequences = machine.qpus.sequences
    is_ending = sequences[q, RUNNING] != 0 and sequences[q, END] >= 0
    return is_ending and bits(records, at, _f.PC, _f.WORD_BITS) != sequences[q, PC]


@kernel
def _compare_word(memory: MemoryState, state: FollowerState, written: WrittenState, at: int) -> bool:
    """A word that the RTL writes. Outside of memory it comes to nothing: that is a fault, which ends the run."""
    address, strobes = state.records[at, 1], state.records[at, 2]
    for byte in range(BUS_BYTES):
        if strobes >> byte & 1 and is_inside(memory, address + byte, 1):
            value = state.records[at, 3 + byte // 4] >> byte % 4 * 8 & 255
            if not compare_byte(written, RTL, address - memory.about[BASE] + byte, value):
                return False
    return True


@kernel
def _compare_log(machine: Machine, memory: MemoryState, written: WrittenState) -> bool:
    """What the model has written; after a fault nothing counts."""
    count = memory.about[LOGGED]
    memory.about[LOGGED] = 0
    for number in range(count):
        if machine.vpm.about[FAULT] >= 0:
            return True
        offset, value = (memory.log[number] >> 8) - memory.about[BASE], memory.log[number] & 255
        if not compare_byte(written, MODEL, offset, value):
            return False
    return True
