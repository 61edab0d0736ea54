"""The queue of user programs, and which QPUs may run what (guide, tables 62 to 69)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.regs.scheduler import KINDS, REQUESTS
from vc4.regs.table import register

from ...launch import Launch
from ..compiled import kernel

__all__ = [
    "COORDINATE",
    "FRAGMENT",
    "USER",
    "VERTEX",
    "Scheduler",
    "SchedulerState",
    "count_end",
    "first_request",
    "is_empty",
    "may_run",
    "new_scheduler",
    "take_request",
]

#: Numbers of `KINDS`.
USER, FRAGMENT, VERTEX, COORDINATE = range(len(KINDS))
# What `SchedulerState.queue` holds.
_FIRST, _QUEUED, _MADE, _COMPLETED, _ERROR = range(5)
_RESERVATIONS = {
    field.name: number
    for number, field in enumerate(field for name in ("SQRSV0", "SQRSV1") for field in register(name).fields)
}


class SchedulerState(NamedTuple):
    """queue : place of the first request, how many wait; requests of user programs that were made, programs that have ended;
        whether a request has found no room
    requests : a ring: address, uniforms, how many of these, whether the program is threaded
    reserved : of each QPU, the kinds that it does not run, a bit each
    """

    queue: np.ndarray
    requests: np.ndarray
    reserved: np.ndarray


def new_scheduler() -> SchedulerState:
    """Nobody waits, and nothing is reserved."""
    return SchedulerState(np.zeros(5, np.int64), np.zeros((REQUESTS, 4), np.int64), np.zeros(MAX_QPUS, np.int64))


@kernel
def is_empty(scheduler: SchedulerState) -> bool:
    """Whether no program waits."""
    return scheduler.queue[_QUEUED] == 0


@kernel
def may_run(scheduler: SchedulerState, qpu: int, kind: int) -> bool:
    """Whether a QPU runs programs of a kind."""
    return not scheduler.reserved[qpu] >> kind & 1


@kernel
def first_request(scheduler: SchedulerState) -> int:
    """The place in `requests` of the one that leaves the queue next."""
    return scheduler.queue[_FIRST]


@kernel
def take_request(scheduler: SchedulerState) -> None:
    """That one leaves it."""
    scheduler.queue[_FIRST] = (scheduler.queue[_FIRST] + 1) % REQUESTS
    scheduler.queue[_QUEUED] -= 1


@kernel
def count_end(scheduler: SchedulerState) -> None:
    """A user program has ended."""
    scheduler.queue[_COMPLETED] += 1


class Scheduler:
    """What Python sees of it, and its registers.

    The queue also has threaded programs, which the host cannot ask for: they are of the kind of fragment shaders, and SRQCS does
    not count them.
    """

    registers = ("SQRSV0", "SQRSV1", "SRQPC", "SRQUA", "SRQUL", "SRQCS")

    def __init__(self, state: SchedulerState):
        self._state = state
        self._uniforms = self._length = 0

    @property
    def is_empty(self) -> bool:
        """Nobody waits."""
        return not self._state.queue[_QUEUED]

    @property
    def room(self) -> int:
        """How many more programs can wait."""
        return REQUESTS - int(self._state.queue[_QUEUED])

    @property
    def last_taken(self) -> Launch:
        """The program that has left the queue last."""
        pc, uniforms, length, threaded = self._state.requests[self._state.queue[_FIRST] - 1].tolist()
        return Launch(pc, uniforms, bool(threaded), length)

    def add(self, launch: Launch) -> None:
        """One more program; there must be room for it."""
        queue = self._state.queue
        place = (queue[_FIRST] + queue[_QUEUED]) % REQUESTS
        self._state.requests[place] = launch.pc, launch.uniforms, launch.length, launch.threaded
        queue[_QUEUED] += 1
        queue[_MADE] += not launch.threaded

    def live(self, name: str) -> dict[str, int]:
        """SRQCS, by its fields."""
        _, queued, made, completed, error = self._state.queue.tolist()
        return {"QPURQL": queued, "QPURQERR": error, "QPURQCM": made, "QPURQCC": completed} if name == "SRQCS" else {}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """A write of one of the registers."""
        match name:
            case "SRQUA":
                self._uniforms = fields["QPURQUA"]
            case "SRQUL":
                self._length = fields["QPURQUL"]
            case "SRQPC":
                self._request(Launch(fields["QPURQPC"], self._uniforms, length=self._length))
            case "SRQCS":
                self._clear(fields)
            case _:
                for field, kinds in fields.items():
                    self._state.reserved[_RESERVATIONS[field]] = kinds

    def _request(self, launch: Launch) -> None:
        """One that finds no room is lost, and sets the error; while that is set, all are."""
        queue = self._state.queue
        if self.room and not queue[_ERROR]:
            self.add(launch)
            return
        queue[_MADE] += 1
        queue[_ERROR] |= not self.room

    def _clear(self, fields: Mapping[str, int]) -> None:
        queue = self._state.queue
        for field, number in (("QPURQL", _QUEUED), ("QPURQERR", _ERROR), ("QPURQCM", _MADE), ("QPURQCC", _COMPLETED)):
            queue[number] *= not fields[field]
