"""The program counter of a QPU: branches, the end of a program, and its two threads (QPU facts, section 6).

The sequence of a QPU is a row of numbers, see the columns below; -1 stands for nothing.
"""

import numpy as np

from vc4.config import MAX_QPUS
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import WORD_BYTES

from ..compiled import kernel

__all__ = [
    "END",
    "PC",
    "RUNNING",
    "THREAD",
    "advance",
    "begin_program",
    "clear_sequence",
    "counts_branches",
    "has_suspended",
    "new_sequences",
    "place_of",
    "resume",
    "view_of",
]

# Columns: the next instruction, its thread, whether there is one; bit 0 of register addresses of both threads, where each is
# suspended; whether the program shares the QPU, whether a thread switch is due; the target of a branch, and what is left
# of its delay slots, of those of an end and of a switch; instructions since the last branch.
PC, THREAD, RUNNING, BANKS, _, RESUME, _, SHARES, AT_SWITCH, TARGET, JUMP_SLOTS, END, SWITCH, SINCE_BRANCH = range(14)
_WORD = 0xFFFF_FFFF


def new_sequences() -> np.ndarray:
    """Of QPUs that run nothing."""
    sequences = np.zeros((MAX_QPUS, SINCE_BRANCH + 1), np.int64)
    sequences[:, [RESUME, RESUME + 1, END, SWITCH]] = -1
    sequences[:, SINCE_BRANCH] = BRANCH_DISTANCE
    return sequences


@kernel
def _begin(sequences: np.ndarray, qpu: int, pc: int) -> None:
    """A thread begins, or goes on, after the end of another one."""
    sequences[qpu, PC] = pc
    sequences[qpu, RUNNING] = 1
    sequences[qpu, JUMP_SLOTS] = 0
    sequences[qpu, END] = -1
    sequences[qpu, SWITCH] = -1
    sequences[qpu, SINCE_BRANCH] = BRANCH_DISTANCE


@kernel
def clear_sequence(sequences: np.ndarray, qpu: int) -> None:
    """A QPU runs nothing."""
    sequences[qpu, RUNNING] = 0
    sequences[qpu, THREAD] = 0
    sequences[qpu, AT_SWITCH] = 0
    for thread in range(2):
        sequences[qpu, RESUME + thread] = -1
        sequences[qpu, BANKS + thread] = 0


@kernel
def has_suspended(sequences: np.ndarray, qpu: int) -> bool:
    """Whether a thread is suspended."""
    return sequences[qpu, RESUME] >= 0 or sequences[qpu, RESUME + 1] >= 0


@kernel
def view_of(sequences: np.ndarray, qpu: int) -> int:
    """What register addresses are inverted by: bit 4 for the second thread, bit 0 with every new program."""
    thread = sequences[qpu, THREAD]
    return thread << 4 | sequences[qpu, BANKS + thread]


@kernel
def counts_branches(sequences: np.ndarray, qpu: int) -> bool:
    """Whether a branch would count here."""
    return sequences[qpu, SINCE_BRANCH] >= BRANCH_DISTANCE and sequences[qpu, SWITCH] < 0


@kernel
def place_of(sequences: np.ndarray, qpu: int, threaded: int) -> int:
    """The thread that a program would get now, or -1: it has to wait."""
    thread = sequences[qpu, THREAD]
    if not sequences[qpu, RUNNING]:
        if threaded:
            return thread
        return -1 if has_suspended(sequences, qpu) else 0
    if sequences[qpu, AT_SWITCH] and sequences[qpu, SHARES] and threaded and not has_suspended(sequences, qpu):
        return 1 - thread
    return -1


@kernel
def begin_program(sequences: np.ndarray, qpu: int, pc: int, threaded: int, thread: int) -> None:
    """A program begins in the thread that is its place."""
    sequences[qpu, BANKS + thread] ^= 1
    sequences[qpu, SHARES] = threaded
    first = pc & -WORD_BYTES
    if sequences[qpu, RUNNING]:
        sequences[qpu, RESUME + thread] = first
        _change(sequences, qpu)
    else:
        sequences[qpu, THREAD] = thread
        _begin(sequences, qpu, first)


@kernel
def resume(sequences: np.ndarray, qpu: int) -> None:
    """Go on with the suspended thread, as the other one has ended."""
    thread = 1 - sequences[qpu, THREAD]
    pc = sequences[qpu, RESUME + thread]
    sequences[qpu, THREAD] = thread
    sequences[qpu, RESUME + thread] = -1
    _begin(sequences, qpu, pc)


@kernel
def _change(sequences: np.ndarray, qpu: int) -> None:
    """The other thread goes on."""
    thread = sequences[qpu, THREAD]
    other = 1 - thread
    sequences[qpu, RESUME + thread] = sequences[qpu, PC]
    sequences[qpu, PC] = sequences[qpu, RESUME + other]
    sequences[qpu, RESUME + other] = -1
    sequences[qpu, THREAD] = other
    sequences[qpu, AT_SWITCH] = 0


@kernel
def advance(sequences: np.ndarray, qpu: int, is_branch: int, target: int, ends: int, switches: int) -> None:
    """Go on after an instruction: whether it is a branch, where it goes if it is taken, an end, a thread switch."""
    sequences[qpu, AT_SWITCH] = 0
    sequences[qpu, PC] = sequences[qpu, PC] + WORD_BYTES & _WORD
    if sequences[qpu, JUMP_SLOTS]:
        sequences[qpu, JUMP_SLOTS] -= 1
        if not sequences[qpu, JUMP_SLOTS]:
            sequences[qpu, PC] = sequences[qpu, TARGET]
    sequences[qpu, SINCE_BRANCH] = 1 if is_branch else sequences[qpu, SINCE_BRANCH] + 1
    if target >= 0:
        sequences[qpu, TARGET] = target
        sequences[qpu, JUMP_SLOTS] = DELAY_SLOTS
    _count_end(sequences, qpu, ends if sequences[qpu, SWITCH] < 0 else 0)
    _count_switch(sequences, qpu, switches)


@kernel
def _count_end(sequences: np.ndarray, qpu: int, ends: int) -> None:
    if sequences[qpu, END] >= 0:
        sequences[qpu, END] -= 1
    elif ends:
        sequences[qpu, END] = END_SLOTS
    if sequences[qpu, END] == 0:
        sequences[qpu, RUNNING] = 0


@kernel
def _count_switch(sequences: np.ndarray, qpu: int, switches: int) -> None:
    if sequences[qpu, SWITCH] >= 0:
        sequences[qpu, SWITCH] -= 1
    elif switches and sequences[qpu, END] < 0:
        sequences[qpu, SWITCH] = SWITCH_SLOTS
    if sequences[qpu, SWITCH] == 0:
        sequences[qpu, SWITCH] = -1
        sequences[qpu, AT_SWITCH] = 1
        if has_suspended(sequences, qpu):
            _change(sequences, qpu)
