"""The model beside a run of the RTL from control lists to shaded vertices."""

from collections import deque

from ..backends.base import Job
from ..events import Start
from ..launch import Launch
from ..lockstep import Difference, Lockstep
from ..model.memory import Memory
from ..model.qpu.qpu import Qpu
from ..model.vcm.vcd import load_attributes
from ..model.vpm.port import restart_port
from ..model.vpm.vpm import use_as_shader
from .expected import Batch, FrontModel
from .front import FrontRun
from .job import FrontJob

__all__ = ["FrontLockstep"]

_LIMIT = 1 << 40
_NAMES = ("binning", "rendering")


class FrontLockstep(Lockstep):
    """Follows the QPUs, instruction by instruction, and compares what binner and renderer get.

    Which batches there are the model knows before; the RTL says on which QPU each is shaded, and when. The batches of a thread
    begin in their order. Call it with the records of the run, then `compare`. Raises `Difference` at the first one.
    """

    def __init__(self, job: FrontJob):
        super().__init__(Job(image=job.image, base=0, launches=(), config=job.config))
        self.expected = FrontModel(job.config, Memory(len(job.image), 0, job.image))
        for registers in job.frames:
            self.expected.run(registers, _LIMIT)
        self._batches = [deque(one for one in front.batches if one.launch) for front in self.expected.fronts]
        self._begun: list[deque[Batch]] = [deque() for _ in self.model.qpus]

    def take(self, start: Start) -> None:
        """It shades the next batch of a thread."""
        for batches in self._batches:
            if batches and batches[0].launch == start.launch:
                self._begun[start.qpu].append(batches.popleft())
                return
        self.differ("a program starts that nobody has asked for", start, [batches[:1] for batches in self._batches])

    def begin(self, qpu: Qpu, launch: Launch, thread: int) -> None:
        """With the attributes of its batch."""
        batch, vpm = self._begun[qpu.number].popleft(), self.model.machine.vpm
        restart_port(vpm, qpu.number)
        use_as_shader(vpm, qpu.number)
        rows = self.model.vpm.attributes(qpu.number)
        load_attributes(self.model.memory, batch.shader, batch.coordinate, batch.indices, rows)
        super().begin(qpu, launch, thread)

    def compare(self, run: FrontRun) -> None:
        """All of what came of a run."""
        for name, front, items in zip(_NAMES, self.expected.fronts, run.items, strict=True):
            for number, (rtl, model) in enumerate(zip(items, front.items, strict=False)):
                if rtl != model:
                    raise Difference(f"item {number} of {name} differs", rtl, model, items[max(number - 4, 0) : number])
            if len(items) != len(front.items):
                what = f"{name} gets another number of items"
                raise Difference(what, len(items), len(front.items), items[-4:])
        self.check_ended()
        if any(self._batches):
            self.differ("batches have not been shaded", "the end", self._batches)
