"""Programs of users on the model."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vc4.regs.scheduler import KINDS, REQUESTS

from ..backends.base import Job
from ..events import MemoryWrite, Retirement, Start
from ..launch import Launch
from ..model.memory import Memory, MemoryFault
from ..model.qps.scheduler import USER
from ..model.qps.sync import place
from ..model.qps.user_programs import Deadlock
from ..model.unbuilt import Unbuilt
from ..model.v3d import V3D
from .changes import Change
from .checkpoints import Checkpoints, Image
from .moment import Goal, Moment
from .target import Target

__all__ = ["ProgramTarget"]


class _Kept(NamedTuple):
    """A checkpoint: the GPU and its memory, how many programs have begun, and which."""

    image: Image
    begun: int
    launches: dict[tuple[int, int], tuple[str, Launch]]


class ProgramTarget(Target):
    """A run of the programs of `job`, an instruction, or the beginning of a program, a moment."""

    def __init__(self, name: str, job: Job):
        super().__init__()
        self.name, self.position, self.ending, self.launches = name, 0, "", {}
        self._gpu = V3D(job.config, Memory(len(job.image), job.base, job.image))
        for offset, word in job.setup:
            self._gpu.write(offset, word)
        self._all, self._begun = job.launches, 0
        self._writes: list[MemoryWrite] = []
        self._gpu.memory.on_write = lambda address, data: self._writes.append(MemoryWrite(address, data))
        self._run = self._go_on()
        self._kept = Checkpoints[_Kept]()
        self._keep()

    @property
    def gpu(self) -> V3D:
        """See `Target`."""
        return self._gpu

    def advance(self, goal: Goal, last: int | None = None) -> object:
        """See `Target`."""
        while self.position != last and not self.interrupted.is_set():
            moment = self._next()
            if moment is None:
                return None
            hit = goal(moment)
            self._repeat_changes()
            if hit is not None:
                return hit
        return None

    def change(self, change: Change) -> None:
        """See `Target`."""
        self.changes.add(self.position, change)
        self._kept.forget(self.position)
        change.apply(self._gpu)

    def _repeat_changes(self) -> None:
        """Those at the position."""
        for one in self.changes.at(self.position):
            one.apply(self._gpu)

    def seek(self, position: int) -> None:
        """See `Target`."""
        if found := self._kept.latest(position):
            start, kept = found
            if not start <= self.position <= position:
                self._restore(start, kept)
        self.advance(lambda moment: None, position)

    def marks(self, before: int) -> list[int]:
        """See `Target`."""
        return self._kept.positions(before)

    def wait_of(self, qpu: int) -> str:
        """See `Target`."""
        return self._gpu.programs.wait_of(qpu)

    def _go_on(self) -> Iterator[Start | Retirement]:
        """What follows, with the programs that are not in the queue of the GPU yet."""
        queued = REQUESTS - self._gpu.programs.scheduler.room
        return self._gpu.run(self._all[self._begun + queued :])

    def _next(self) -> Moment | None:
        if self.ending:
            return None
        waited, programs = self._waits(), self._gpu.programs
        try:
            event = next(self._run)
        except StopIteration:
            errors = f"; errors: {', '.join(sorted(self._gpu.errors))}" if self._gpu.errors else ""
            self.ending = f"all programs have ended{errors}"
            return None
        except Deadlock as reason:
            self.ending = str(reason)
            return None
        except (Unbuilt, MemoryFault) as reason:
            self.ending = f"{place(programs.current, programs.stopped_at)}: {reason}"
            return None
        self.position += 1
        writes, kind = tuple(self._writes), ""
        self._writes.clear()
        if isinstance(event, Start):
            self._begun += 1
            kind = KINDS[USER]
            thread = self._gpu.qpus[event.qpu].thread
            self.launches = {**self.launches, (event.qpu, thread): (kind, event.launch)}
        if self._kept.wants(self.position):
            self._keep()
        new = np.flatnonzero((self._waits() != 0) & (waited == 0)).tolist()
        return Moment(event, writes, kind, tuple((qpu, programs.wait_of(qpu)) for qpu in new))

    def _waits(self) -> np.ndarray:
        """The status of each QPU, 0 if it does not wait."""
        return self._gpu.programs.schedule.arrays.waits[:, 0].copy()

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        """What a run changes beside the machine."""
        schedule = self._gpu.programs.schedule.arrays
        return schedule.about, schedule.waits, np.frombuffer(self._gpu.memory.data, np.uint8)

    def _keep(self) -> None:
        image = Image.of(self._gpu.parts.machine, *self._arrays)
        self._kept.add(self.position, _Kept(image, self._begun, self.launches))

    def _restore(self, position: int, kept: _Kept) -> None:
        kept.image.restore(self._gpu.parts.machine, *self._arrays)
        self.position, self._begun, self.launches = position, kept.begun, kept.launches
        self.ending = ""
        self._writes.clear()
        self._repeat_changes()
        self._run = self._go_on()
