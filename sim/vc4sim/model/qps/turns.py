"""Whose turn it is: QPUs take turns, and programs of users begin as soon as there is a place."""

from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS

from ..compiled import kernel
from ..machine import Machine
from ..memory import MemoryState
from ..qpu import state as _s
from ..qpu.instructions import NEEDS, find_row, units_mask
from ..qpu.sequencer import END, RUNNING, SHARES, has_suspended, place_of, resume
from ..qpu.status import RETIRED, WAITS_SEMAPHORE, WAITS_VECTOR
from ..qpu.step import leave, start, step
from ..vpm.vpm import FAULT
from .scheduler import FRAGMENT, USER, count_end, first_request, is_empty, may_run, take_request

__all__ = [
    "DMA_FAULT",
    "ENDED",
    "FAULTS_END",
    "IS_WATCHED",
    "LIMIT",
    "MORE",
    "MORE_COME",
    "NO_ROUNDS",
    "QPU",
    "ROUNDS",
    "STARTED",
    "STUCK",
    "TOO_LONG",
    "Schedule",
    "new_schedule",
    "take_turns",
]

_BREAKPOINT = units_mask(frozenset({"breakpoint"}))
# Why `take_turns` has come back, after the numbers of `status`.
STARTED, ENDED, STUCK, TOO_LONG, DMA_FAULT, NO_ROUNDS, MORE = range(20, 27)
# What `Schedule.about` holds.
_QPUS, QPU, _STEPS, _MOVED, LIMIT, ROUNDS, IS_WATCHED, FAULTS_END, MORE_COME = range(9)


class Schedule(NamedTuple):
    """Whose turn it is.

    about : QPUs, whose turn it is, whether it is to step, whether anybody has moved in this round, instructions of a QPU
        after which a run is too long, rounds that are left, whether somebody watches, whether a fault of DMA ends a run, whether
        more programs come when the queue is empty
    waits : what each QPU waits for, 0 or a status, and its number
    """

    about: np.ndarray
    waits: np.ndarray


def new_schedule(qpus: int) -> Schedule:
    """The first QPU has its turn."""
    return Schedule(np.array([qpus, 0, 0, 0, 0, 0, 0, 0, 0], np.int64), np.zeros((MAX_QPUS, 2), np.int64))


@kernel
def take_turns(machine: Machine, memory: MemoryState, schedule: Schedule, turns: int) -> int:
    """The QPUs take turns, and each program begins as soon as there is a place; returns why it ends.

    It ends with the status of an instruction that cannot be carried out. A QPU that has one in `waits` gets no turns any more.
    """
    about, waits, sequences = schedule.about, schedule.waits, machine.qpus.sequences
    for _ in range(turns):
        if about[FAULTS_END] and machine.vpm.about[FAULT] >= 0:
            return DMA_FAULT
        if machine.qpus.counts[machine.effects.about[_s.QPU], 0] > about[LIMIT] and not _is_idle(machine, about[_QPUS]):
            return TOO_LONG
        q = about[QPU]
        if not about[_STEPS]:
            about[_STEPS] = 1
            starts = _starts(machine, q)
            if starts and (about[IS_WATCHED] or (about[MORE_COME] and is_empty(machine.scheduler))):
                return STARTED
        if sequences[q, RUNNING] and waits[q, 0] <= WAITS_SEMAPHORE and not _is_halted(machine, q):
            status = step(machine, memory, q, 0, 0, 0)
            if status == RETIRED:
                about[_MOVED] = 1
                waits[q, 0] = 0
                _debug(machine, q)
                _count(machine, q)
            elif WAITS_VECTOR <= status <= WAITS_SEMAPHORE:
                waits[q, 0] = status
                waits[q, 1] = machine.effects.about[_s.WHAT]
            else:
                return status
            _pass_turn(about, q)
            if status == RETIRED and about[IS_WATCHED]:
                return RETIRED
        else:
            _pass_turn(about, q)
        if about[QPU] == 0 and not about[_STEPS]:
            if _is_idle(machine, about[_QPUS]):
                return ENDED
            if not about[_MOVED]:
                return STUCK
            about[_MOVED] = 0
            about[ROUNDS] -= 1
            if about[ROUNDS] == 0:
                return NO_ROUNDS
    return MORE


@kernel
def _pass_turn(about: np.ndarray, q: int) -> None:
    about[_STEPS] = 0
    about[QPU] = (q + 1) % about[_QPUS]


@kernel
def _starts(machine: Machine, q: int) -> bool:
    """A program begins on a QPU, if there is a place and one waits; or its suspended thread goes on."""
    scheduler, sequences = machine.scheduler, machine.qpus.sequences
    if not is_empty(scheduler):
        requests, first = scheduler.requests, first_request(scheduler)
        threaded = requests[first, 3]
        place = place_of(sequences, q, threaded)
        if place >= 0 and may_run(scheduler, q, FRAGMENT if threaded else USER):
            take_request(scheduler)
            start(machine, q, requests[first, 0], requests[first, 1], requests[first, 2], threaded, place)
            return True
    if not sequences[q, RUNNING] and has_suspended(sequences, q):
        resume(sequences, q)
    return False


@kernel
def _is_halted(machine: Machine, q: int) -> bool:
    """Whether a QPU is halted; if so, a program that is ending there loses the instructions that are left."""
    debug = machine.qpus.debug
    if not debug[q, _s.HALTED] or debug[q, _s.STEPS]:
        return False
    if machine.qpus.sequences[q, END] >= 0:
        leave(machine, q)
        _count(machine, q)
    return True


@kernel
def _debug(machine: Machine, q: int) -> None:
    """An instruction has retired: a step is done, or a breakpoint halts after it."""
    debug, about = machine.qpus.debug, machine.effects.about
    debug[q, _s.STEPS] = 0
    if debug[q, _s.DEBUGS]:
        row = find_row(machine.instructions, about[_s.WORD_LOW], about[_s.WORD_HIGH])
        if machine.instructions.rows[row, NEEDS] & _BREAKPOINT:
            debug[q, _s.HALTED] = 1


@kernel
def _count(machine: Machine, q: int) -> None:
    """Count a user program if it has ended."""
    sequences = machine.qpus.sequences
    if not sequences[q, RUNNING] and not sequences[q, SHARES]:
        count_end(machine.scheduler)


@kernel
def _is_idle(machine: Machine, qpus: int) -> bool:
    """Whether all programs have ended."""
    if not is_empty(machine.scheduler):
        return False
    for q in range(qpus):
        if machine.qpus.sequences[q, RUNNING] or has_suspended(machine.qpus.sequences, q):
            return False
    return True
