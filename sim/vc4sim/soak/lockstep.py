"""The model beside an episode."""

import numpy as np

from ..events import Retirement, Start
from ..frames.draw import DrawRun
from ..frames.draw_lockstep import DrawLockstep
from ..launch import Launch
from ..lockstep.follower import HALTS
from ..model.compiled import Entry
from ..model.qpu.qpu import Qpu
from ..model.qpu.sequencer import END
from ..model.qpu.step import leave
from ..model.vpm.vpm import use_as_program
from ..retired import KIND_BITS
from .episode import USER
from .job import SoakJob

__all__ = ["SoakLockstep"]

_leave = Entry(leave)


class SoakLockstep(DrawLockstep):
    """Follows user programs, too, and programs that halts cut: see `DrawLockstep`.

    If frames are spoilt it follows the programs of users only, which have QPUs of their own then: what fragments and vertices of
    those frames do nobody knows.
    """

    def __init__(self, job: SoakJob):
        super().__init__(job)
        self._launches = job.launches
        self._users = frozenset(job.launches)
        self._programs, self._end = job.programs, len(job.image)
        self._followed = np.array([not job.spoilt or not kinds & USER for kinds in job.reserved])
        self._state.arrays.about[HALTS] = self._halts = job.halts

    def __call__(self, records: np.ndarray) -> None:
        """See `DrawLockstep`."""
        super().__call__(records[self._followed[records[:, 0] >> KIND_BITS]])

    def take(self, start: Start) -> None:
        """A program of a user is one that is asked for, and runs once."""
        if start.launch in self._launches:
            self._launches.remove(start.launch)
        else:
            super().take(start)

    def begin(self, qpu: Qpu, launch: Launch, thread: int) -> None:
        """A program of a user has the QPU for itself, with all that programs may have."""
        if launch not in self._users:
            super().begin(qpu, launch, thread)
            return
        machine = self.model.machine
        self._note_ends(qpu)
        self._running[qpu.number, thread] = False
        machine.qpus.fragment[qpu.number] = False
        machine.qpus.units[qpu.number] = self._units[1]
        use_as_program(machine.vpm, qpu.number)
        qpu.start(launch, thread)

    def _go_on(self) -> None:
        super()._go_on()
        while not self.vectors.waiting and self.vectors.under_way and self._note_cuts():
            super()._go_on()

    def _note_cuts(self) -> bool:
        """Fragments whose programs are ending have perhaps been cut: the tile buffer does not wait for what is left of them."""
        if not self._halts:
            return False
        before = self.vectors.under_way
        for qpu in self._ending():
            if self._running[qpu.number, qpu.thread]:
                self._running[qpu.number, qpu.thread] = False
                self.vectors.under_way -= 1
        return self.vectors.under_way < before

    def _ending(self) -> list[Qpu]:
        sequences = self.model.machine.qpus.sequences
        return [qpu for qpu in self.model.qpus if qpu.running and sequences[qpu.number, END] >= 0]

    def check_ended(self) -> None:
        """See `Lockstep`; the last programs may have been cut."""
        for qpu in self._ending() if self._halts else ():
            _leave(self.model.parts.machine, qpu.number)
        super().check_ended()

    def place(self, event: Retirement, model: Retirement | str) -> str:
        """See `DrawLockstep`."""
        if event.pc >= self._programs:
            return f"\n      in QPU {event.qpu}, which runs a program of a user"
        return super().place(event, model)

    def compare_memory(self, run: DrawRun) -> None:
        """See `DrawLockstep`; all programs have begun."""
        self.catch_up(run)
        if self._launches:
            self.differ("programs have not been started", "all have ended", self._launches)
        if self._followed.all():
            super().compare_memory(run)
            return
        self.check_ended()
        rtl, model = (bytes(one[self._programs : self._end]) for one in (run.memory, self.model.memory.data))
        self.compare_bytes(rtl, model, self._programs)
