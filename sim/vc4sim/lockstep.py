"""The RTL leads, the model follows: whenever the RTL retires an instruction the model steps, and both must have done the same."""

from collections import deque

from .backends.base import Ending, Job, Outcome
from .events import MemoryWrite, Retirement
from .launch import Launch
from .model.memory import MemoryFault
from .model.unbuilt import Unbuilt
from .model.v3d import ModelV3D

__all__ = ["Difference", "Lockstep"]

#: Instructions shown before the first difference.
_CONTEXT = 8


class Difference(Exception):
    """RTL and model have done different things; the text shows both sides and what came before."""

    def __init__(self, what: str, rtl: object, model: object, history: list[Retirement]):
        self.what = what
        lines = [what, *(f"        {event}" for event in history), f"  rtl   {rtl}", f"  model {model}"]
        super().__init__("\n".join(lines))


class Lockstep:
    """Watches a run of the RTL with a model beside it.

    Call it with every event of the run, then `conclude` with its outcome. Raises `Difference` at the first one. Bytes
    written to memory are compared in their order; a DMA store of the RTL may come before or after the instruction that
    asked for it has retired.
    """

    def __init__(self, job: Job):
        self.model = ModelV3D(job.config, job.image, job.base)
        self.model.memory.on_write = lambda address, data: self._extend(self._model_bytes, address, data)
        self.retired = 0
        self._launches: deque[Launch] = deque(job.launches)
        self._history: deque[Retirement] = deque(maxlen=_CONTEXT)
        self._rtl_bytes: deque[tuple[int, int]] = deque()
        self._model_bytes: deque[tuple[int, int]] = deque()

    def __call__(self, event: Retirement | MemoryWrite) -> None:
        if isinstance(event, MemoryWrite):
            self._extend(self._rtl_bytes, event.address, event.data)
        else:
            self._step(event)
        self._compare_bytes()

    def _step(self, event: Retirement) -> None:
        expected = self._expected(dict(event.reads), event.thread)
        if event != expected:
            self._differ(f"instruction {self.retired} differs", event, expected)
        self.retired += 1
        self._history.append(event)

    def _expected(self, observed: dict[str, int], thread: int | None = None) -> Retirement | str:
        """What the model does next; `thread` is the one that runs in the RTL, if that is known."""
        qpu, sequencer = self.model.qpu, self.model.qpu.sequencer
        place = sequencer.place(self._launches[0].threaded) if self._launches else None
        # A switch may have come before the next program: what runs tells whether that has begun.
        if place is not None and thread in (None, place):
            launch = self._launches.popleft()
            qpu.start(launch.pc, launch.uniforms, launch.threaded)
        elif not sequencer.running:
            if not sequencer.waiting:
                return "all programs have ended"
            sequencer.resume()
        try:
            return qpu.step(observed)
        except (Unbuilt, MemoryFault) as reason:
            return str(reason)

    @staticmethod
    def _extend(queue: deque[tuple[int, int]], address: int, data: bytes) -> None:
        queue.extend(enumerate(data, address))

    def _compare_bytes(self) -> None:
        if self.model.vpm.fault:
            return
        while self._rtl_bytes and self._model_bytes:
            rtl, model = self._rtl_bytes.popleft(), self._model_bytes.popleft()
            if rtl != model:
                self._differ(
                    "a byte written to memory differs", *("{:08x}: {:02x}".format(*one) for one in (rtl, model))
                )

    def conclude(self, outcome: Outcome) -> None:
        """Compare how the run ended, and all memory."""
        sequencer = self.model.qpu.sequencer
        if outcome.ending is Ending.TOO_LONG:
            return
        if outcome.ending is Ending.STUCK:
            self._wait_too(outcome.why)
            return
        if sequencer.running or sequencer.waiting or self._launches or self.model.vpm.fault:
            self._differ(
                "the endings differ", "all programs have ended", self.model.vpm.fault or f"at {sequencer.pc:08x}"
            )
        if self._rtl_bytes or self._model_bytes:
            self._differ(
                "a write to memory is missing",
                f"{len(self._rtl_bytes)} bytes more than the model",
                f"{len(self._model_bytes)} bytes more than the RTL",
            )
        if outcome.memory != bytes(self.model.memory.data):
            raise AssertionError("the memories differ although all writes were the same")

    def _wait_too(self, why: str) -> None:
        """The RTL waits for ever: so must the model, one instruction on at the most, which the RTL has not retired yet.

        After a store outside of memory the RTL is stopped from outside, somewhat later.
        """
        for _ in range(2):
            if self.model.vpm.fault or isinstance(self._expected({}), str):
                return
        self._differ("the endings differ", why, f"goes on at {self.model.qpu.sequencer.pc:08x}")

    def _differ(self, what: str, rtl: object, model: object) -> None:
        raise Difference(what, rtl, model, list(self._history))
