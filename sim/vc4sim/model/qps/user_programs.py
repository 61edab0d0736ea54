"""Programs of users: from the queue to QPUs, and on these to their end."""

from collections import deque
from collections.abc import Iterable, Iterator

from ...events import Retirement, Start
from ...launch import Launch
from ..compiled import Entry, State
from ..machine import Parts
from ..qpu import state as _s
from ..qpu.qpu import Qpu, met, retirement, why
from ..qpu.status import RETIRED, UNKNOWN, reason
from ..vpm.vpm import dma_fault
from .scheduler import Scheduler
from .sync import place
from .turns import (
    DMA_FAULT,
    ENDED,
    LIMIT,
    MORE,
    MORE_COME,
    NO_ROUNDS,
    QPU,
    ROUNDS,
    STARTED,
    STUCK,
    TOO_LONG,
    new_schedule,
    take_turns,
)

__all__ = ["NO_LIMIT", "Deadlock", "UserPrograms"]

#: More turns than anybody waits for.
NO_LIMIT = 1 << 62
#: Turns of QPUs until a run comes back to Python, which may compile it or be interrupted.
_CHUNK = 2000

_take_turns = Entry(take_turns)


class Deadlock(Exception):
    """All QPUs wait for each other; the text says of each one where, and for what."""


class UserPrograms:
    """Runs them: for a host that asks for them and lets time pass, or to the end of those that are given.

    scheduler : the queue
    schedule : whose turn it is
    current, stopped_at : number and address of the QPU that made the last step, or tried to
    """

    def __init__(self, parts: Parts, qpus: list[Qpu]):
        self.scheduler = Scheduler(parts.machine.arrays.scheduler)
        self.current = self.stopped_at = 0
        self._parts, self._qpus = parts, qpus
        self.schedule = State(new_schedule(len(qpus)))
        #: Why QPUs wait for ever.
        self._stopped: dict[int, str] = {}

    @property
    def are_busy(self) -> bool:
        """One runs or waits."""
        return not self.scheduler.is_empty or any(qpu.running or qpu.suspended for qpu in self._qpus)

    @property
    def places(self) -> list[str]:
        """Where each QPU is that runs a program, and what it waits for, if it waits."""
        return [self._place(qpu) for qpu in self._qpus if qpu.running]

    @property
    def pcs(self) -> tuple[int, ...]:
        """Where each QPU is that runs a program."""
        return tuple(qpu.pc for qpu in self._qpus if qpu.running)

    def _place(self, qpu: Qpu) -> str:
        if qpu.number in self._stopped:
            return f"{place(qpu.number, qpu.pc)}: {self._stopped[qpu.number]}"
        return place(qpu.number, qpu.pc, self.wait_of(qpu.number))

    def wait_of(self, number: int) -> str:
        """What a QPU waited for when it last had its turn; nothing if it did not."""
        status, what = self.schedule.arrays.waits[number].tolist()
        return str(reason(status, what)) if status else ""

    def advance(self, rounds: int) -> int:
        """So many turns of all QPUs; returns how many it were, or -1 if nobody got on in the last one.

        A QPU that cannot go on waits for ever, as it does in hardware, and the others go on.
        """
        self._begin(rounds=rounds)
        while (ending := self._go_on()) not in (ENDED, STUCK, NO_ROUNDS):
            self.schedule.arrays.waits[self.current, 0] = ending
            self._stopped[self.current] = str(why(self._parts.machine.arrays, self.current, ending))
        return -1 if ending == STUCK else rounds - int(self.schedule.arrays.about[ROUNDS])

    def run(self, launches: Iterable[Launch], limit: int) -> Iterator[Start | Retirement]:
        """See `V3D.run`."""
        coming = deque(launches)
        self._begin(limit=limit, is_watched=True, faults_end=True)
        while (ending := self._feed(coming)) in (RETIRED, STARTED):
            if ending == RETIRED:
                yield retirement(self._parts.machine.arrays)
            else:
                yield Start(self.current, self.scheduler.last_taken)

    def finish(self, launches: Iterable[Launch], limit: int) -> bool:
        """See `V3D.finish`."""
        coming = deque(launches)
        self._begin(limit=limit, faults_end=True)
        while (ending := self._feed(coming)) == STARTED:
            pass
        return ending == ENDED

    def _begin(
        self, *, limit: int = NO_LIMIT, rounds: int = NO_LIMIT, is_watched: bool = False, faults_end: bool = False
    ) -> None:
        """What ends the turns that follow."""
        self.schedule.arrays.about[LIMIT:] = limit, rounds, is_watched, faults_end, False

    def _feed(self, coming: deque[Launch]) -> int:
        """Go on, with as many of the programs as the queue has room for; returns why that has ended. Raises what `V3D.run` does."""
        if coming:
            for _ in range(min(self.scheduler.room, len(coming))):
                self.scheduler.add(coming.popleft())
            self.schedule.arrays.about[MORE_COME] = bool(coming)
        ending = self._go_on()
        machine = self._parts.machine.arrays
        if ending == STUCK:
            raise Deadlock("; ".join(self.places))
        if ending == DMA_FAULT:
            fault = dma_fault(machine.vpm)
            assert fault
            raise fault
        if ending not in (ENDED, TOO_LONG, STARTED, RETIRED):
            raise why(machine, self.current, ending)
        return ending

    def _go_on(self) -> int:
        """Until QPUs cannot go on, or should not; returns why."""
        machine, memory = self._parts.machine, self._parts.memory
        while True:
            ending = _take_turns(machine, memory.state, self.schedule, _CHUNK)
            memory.tell()
            if ending == DMA_FAULT:  # that of the instruction before
                self.current, self.stopped_at = machine.arrays.effects.about[[_s.QPU, _s.PC]].tolist()
            else:
                self.current = int(self.schedule.arrays.about[QPU])
                self.stopped_at = self._qpus[self.current].pc
            if ending == UNKNOWN:
                self._parts.instructions.add(met(machine.arrays))
            elif ending != MORE:
                return ending
