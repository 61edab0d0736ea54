"""The model beside a run of the RTL that draws."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from ..events import Retirement, Start
from ..launch import Launch
from ..lockstep import Difference
from ..model.cle.cle import Cle, Rest
from ..model.cle.pipeline import Recorder
from ..model.compiled import Entry
from ..model.fep.fragment_shader import give
from ..model.qpu.fragment_state import DONE
from ..model.qpu.qpu import Qpu
from ..model.v3d import V3D
from ..retired import KIND_BITS, WRITTEN
from .binned import binned
from .draw import DrawJob, DrawRun
from .expected import Batch
from .followed import FollowedRenderer, Vector, Vectors
from .job import FrontJob
from .lockstep import FrontLockstep

__all__ = ["DrawLockstep"]

_LIMIT = 1 << 40
_give = Entry(give)


@dataclass
class _Taken:
    """A program of fragments that a QPU has taken, and its vector when that is known."""

    start: Start
    vector: Vector | None = None


class DrawLockstep(FrontLockstep):
    """Follows the QPUs, instruction by instruction, those of vertices and those of fragments.

    Which vectors of fragments there are, and their order, a renderer of the model knows, which draws the same list beside;
    it goes on as far as it comes without them. The RTL says on which QPU each is shaded, and when, and which quads early Z has
    hidden. Call it with the records of the run, then `compare_memory`. Raises `Difference` at the first one.
    """

    def __init__(self, job: DrawJob):
        # Tile lists are there before, as the model that renders has no binner: what that of the RTL writes is compared in the end.
        image = binned(job).gpu.memory.read(0, len(job.image))
        super().__init__(FrontJob(image=image, registers=job.registers, then=job.then, config=job.config))
        memory = self.model.memory
        self.vectors = Vectors(self.model.fragment_shader.tile)
        beside = V3D(job.config, memory)
        self.renderer = FollowedRenderer(memory, beside.renderer.screen.shading, self.vectors, job.config.faults)
        self._cle = Cle(memory, Recorder(), self.renderer)
        self._has_early_z = job.config.early_z
        self._waiting: list[np.ndarray] = []  # records, for the end of the run
        self._frames = iter(job.frames)
        self._next_frame()
        #: Programs that QPUs have taken; `None`: of vertices.
        self._taken: list[deque[_Taken | None]] = [deque() for _ in self.model.qpus]
        self._asked: deque[_Taken] = deque()  # those of fragments whose vectors are not known, in their order
        self._shown: dict[tuple[int, int], Vector | Batch] = {}  # what QPU and thread shade
        #: Threads whose fragments may yet touch the tile buffer.
        self._running = np.zeros((len(self.model.qpus), 2), bool)
        self._units = self.model.fragment_shader.units, int(self.model.machine.qpus.units[0])

    def __call__(self, records: np.ndarray) -> None:
        """Compare what records tell, one a row; but words of memory are compared in the end.

        The model does a primitive at once: with early Z everything waits until all is known of its quads, which is at the end.
        """
        told = records[records[:, 0] % (1 << KIND_BITS) != WRITTEN]
        if self._has_early_z:
            self._waiting.append(told)
        else:
            super().__call__(told)

    def catch_up(self, run: DrawRun) -> None:
        """Compare what has waited for the end of the run."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.renderer.hide(run.hidden)
        for records in waiting:
            super().__call__(records)

    def take(self, start: Start) -> None:
        """It shades the next batch of vertices, or the next vector of fragments."""
        if any(batches and batches[0].launch == start.launch for batches in self._batches):
            self._taken[start.qpu].append(None)
            super().take(start)
        else:
            self._taken[start.qpu].append(taken := _Taken(start))
            self._asked.append(taken)

    def _vector_of(self, taken: _Taken) -> Vector:
        """What a program shades, and those before. Instructions that vectors waited for have retired by now, not so when it was taken."""
        while taken.vector is None:
            first = self._asked.popleft()
            if not self.vectors.waiting:
                self._go_on()
            if not self.vectors.waiting or self.vectors.waiting[0].launch != first.start.launch:
                nobody = "a program starts that nobody has asked for"
                self.differ(nobody, first.start, list(self.vectors.waiting)[:1])
            first.vector = self.vectors.waiting.popleft()
            self.vectors.under_way += 1
        return taken.vector

    def _go_on(self) -> None:
        """The renderer draws as far as it comes."""
        for qpu in self.model.qpus:
            self._note_ends(qpu)
        while self._cle.run(_LIMIT) is Rest.STOPPED and self._next_frame():
            pass

    def _next_frame(self) -> bool:
        """The host starts the next frame, if there is one."""
        registers = next(self._frames, ())
        for name, value in registers:
            thread = self._cle.threads[int(name[2])]
            (thread.set_current if name.endswith("CA") else thread.set_end)(value)
        return bool(registers)

    def _note_ends(self, qpu: Qpu) -> None:
        """Fragments that a QPU is done with: the program has unlocked the scoreboard, or has ended."""
        modes = self.model.machine.fragments.modes[qpu.number]
        for thread in range(2):
            if self._running[qpu.number, thread] and (modes[thread, DONE] or not qpu.has(thread)):
                self._running[qpu.number, thread] = False
                self.vectors.under_way -= 1

    def begin(self, qpu: Qpu, launch: Launch, thread: int) -> None:
        """With its vector, or with the attributes of its batch."""
        taken, machine = self._taken[qpu.number].popleft(), self.model.machine
        self._note_ends(qpu)
        vector = taken and self._vector_of(taken)
        self._running[qpu.number, thread] = vector is not None
        self._shown[qpu.number, thread] = vector or self._begun[qpu.number][0]
        machine.qpus.fragment[qpu.number] = vector is not None
        machine.qpus.units[qpu.number] = self._units[vector is None]
        if vector is None:
            super().begin(qpu, launch, thread)
            return
        where = qpu.number, thread, vector.number
        _give(self.model.parts.machine, vector.queue, *where, vector.varyings, *vector.program.modes.codes)
        qpu.start(launch, thread)

    @property
    def locks_up(self) -> bool:
        """Whether coverage waits for ever, as far as programs have retired."""
        self._go_on()
        return self.renderer.locked

    def compare_memory(self, run: DrawRun) -> None:
        """How the run ended, and all memory."""
        self.catch_up(run)
        self.check_ended()
        locked = self.locks_up
        if locked and run.drawn:
            self.differ("the frame comes to its end", "it ends", self.renderer.error)
        # Vertices that are behind coverage may be shaded or not.
        if self.vectors.any or (any(self._batches) and not locked):
            self.differ("shaders have not been started", "the end", list(self.vectors.waiting)[:1])
        model = bytes(self.model.memory.data)
        self.compare_bytes(run.memory[: len(model)], model)

    def compare_bytes(self, rtl: bytes, model: bytes, first: int = 0) -> None:
        """Memory from an address on."""
        rtl_bytes, model_bytes = (np.frombuffer(bytes(one), np.uint8) for one in (rtl, model))
        different = np.flatnonzero(rtl_bytes != model_bytes)
        if len(different):
            at = int(different[0])
            where = f"the first at {first + at:#010x}{self._where(first + at)}"
            what = f"{len(different)} bytes of memory differ, {where}"
            raise Difference(what, f"{rtl_bytes[at]:02x}", f"{model_bytes[at]:02x}", [])

    def _where(self, address: int) -> str:
        """What a byte of memory is a part of, and who has drawn there."""
        found = self.renderer.transfers.place_of(address)
        if not found:
            return ", which no store of an image has written"
        image, (x, y) = found
        last = self.vectors.last_at(x, y) or "nothing: it is cleared"
        return (
            f"\n      in tile buffer and store: pixel ({x},{y}) of {image}, tile {image.tile[0]},{image.tile[1]}"
            f"\n      drawn there last: {last}"
        )

    def place(self, event: Retirement, model: Retirement | str) -> str:
        """See `Lockstep`: block, tile, primitive and quad."""
        shown = self._shown.get((event.qpu, event.thread))
        head = f"\n      in QPU {event.qpu}, thread {event.thread}, which shades "
        if shown is None:
            return ""
        if not isinstance(shown, Vector):
            kind = "coordinates" if shown.coordinate else "vertices"
            return f"{head}{kind} {' '.join(map(str, shown.indices))}"
        element = _first_element(event, model)
        which = "" if element is None else f"\n      {shown.drawn.element(*shown.bounds, element)}"
        return f"{head}{shown}{which}"


def _first_element(rtl: Retirement, model: Retirement | str) -> int | None:
    """The first one that is not the same, if only elements differ."""
    if isinstance(model, str) or len(rtl.writes) != len(model.writes):
        return None
    found = [
        element
        for one, other in zip(rtl.writes, model.writes, strict=True)
        for element, words in enumerate(zip(one.words, other.words, strict=True))
        if words[0] != words[1]
    ]
    return min(found, default=None)
