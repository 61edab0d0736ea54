"""Whose turn it is: QPUs take turns, and programs of users begin as soon as there is a place."""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from ..machine import Machine
from ..memory import MemoryState
from ..qpu import state as _s
from ..qpu.sequencer import RUNNING, has_suspended, place_of, resume
from ..qpu.status import RETIRED, WAITS_SEMAPHORE, WAITS_VECTOR
from ..qpu.step import start, step
from ..vpm.vpm import FAULT

__all__ = ["DMA_FAULT", "ENDED", "MORE", "NEXT", "QPU", "STARTED", "STUCK", "TOO_LONG", "Schedule", "take_turns"]

# Why `take_turns` has come back, after the numbers of `status`.
STARTED, ENDED, STUCK, TOO_LONG, DMA_FAULT, MORE = range(20, 26)
# What `Schedule.about` holds.
_COUNT, NEXT, _QPUS, QPU, _STEPS, _MOVED, _LIMIT, _IS_WATCHED = range(8)


class Schedule(NamedTuple):
    """Which programs run, and whose turn it is.

    about : programs, the next one of them, QPUs, whose turn it is, whether it is to step, whether anybody has moved in this
        round, instructions of a QPU after which a run is too long, whether somebody watches
    launches : address, uniforms, how many of these, whether it is threaded
    reserved : QPUs that run no programs
    waits : what each QPU waits for, 0 or a status, and its number
    """

    about: np.ndarray
    launches: np.ndarray
    reserved: np.ndarray
    waits: np.ndarray


@kernel
def take_turns(machine: Machine, memory: MemoryState, schedule: Schedule, turns: int) -> int:
    """The QPUs take turns, and each program begins as soon as there is a place; returns why it ends."""
    about, sequences = schedule.about, machine.qpus.sequences
    for _ in range(turns):
        if machine.vpm.about[FAULT] >= 0:
            return DMA_FAULT
        if machine.qpus.counts[machine.effects.about[_s.QPU], 0] > about[_LIMIT] and not _is_idle(machine, schedule):
            return TOO_LONG
        q = about[QPU]
        if not about[_STEPS]:
            about[_STEPS] = 1
            if _starts(machine, schedule, q) and about[_IS_WATCHED]:
                return STARTED
        if sequences[q, RUNNING]:
            status = step(machine, memory, q, 0, 0, 0)
            if status == RETIRED:
                about[_MOVED] = 1
                schedule.waits[q, 0] = 0
            elif WAITS_VECTOR <= status <= WAITS_SEMAPHORE:
                schedule.waits[q, 0] = status
                schedule.waits[q, 1] = machine.effects.about[_s.WHAT]
            else:
                return status
            _pass_turn(about, q)
            if status == RETIRED and about[_IS_WATCHED]:
                return RETIRED
        else:
            _pass_turn(about, q)
        if about[QPU] == 0 and not about[_STEPS]:
            if _is_idle(machine, schedule):
                return ENDED
            if not about[_MOVED]:
                return STUCK
            about[_MOVED] = 0
    return MORE


@kernel
def _pass_turn(about: np.ndarray, q: int) -> None:
    about[_STEPS] = 0
    about[QPU] = (q + 1) % about[_QPUS]


@kernel
def _starts(machine: Machine, schedule: Schedule, q: int) -> bool:
    """A program begins on a QPU, if there is a place and one waits; or its suspended thread goes on."""
    number, sequences = schedule.about[NEXT], machine.qpus.sequences
    if number < schedule.about[_COUNT] and not schedule.reserved[q]:
        launches = schedule.launches
        if place_of(sequences, q, launches[number, 3]) >= 0:
            start(machine, q, launches[number, 0], launches[number, 1], launches[number, 2], launches[number, 3])
            schedule.about[NEXT] += 1
            return True
    if not sequences[q, RUNNING] and has_suspended(sequences, q):
        resume(sequences, q)
    return False


@kernel
def _is_idle(machine: Machine, schedule: Schedule) -> bool:
    """Whether all programs have ended."""
    if schedule.about[NEXT] < schedule.about[_COUNT]:
        return False
    for q in range(schedule.about[_QPUS]):
        if machine.qpus.sequences[q, RUNNING] or has_suspended(machine.qpus.sequences, q):
            return False
    return True
