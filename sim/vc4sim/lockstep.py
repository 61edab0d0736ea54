"""The RTL leads, the model follows: whenever the RTL retires an instruction the model steps, and both must have done the same."""

from collections import deque

from .backends.base import Ending, Job, Outcome
from .events import Event, MemoryWrite, Retirement, Start
from .launch import Launch
from .model.memory import Memory, MemoryFault
from .model.qpu.qpu import Qpu
from .model.unbuilt import Unbuilt, Waiting
from .model.v3d import V3D

__all__ = ["Difference", "Lockstep"]

#: Instructions shown before the first difference.
_CONTEXT = 8
_RTL, _MODEL = "RTL", "model"


class Difference(Exception):
    """RTL and model have done different things; the text shows both sides and what came before."""

    def __init__(self, what: str, rtl: object, model: object, history: list[Retirement]):
        self.what = what
        lines = [what, *(f"        {event}" for event in history), f"  rtl   {rtl}", f"  model {model}"]
        super().__init__("\n".join(lines))


class Lockstep:
    """Watches a run of the RTL with a model beside it.

    Call it with every event of the run, then `conclude` with its outcome. Raises `Difference` at the first one. The RTL says
    on which QPU a program runs, and in which order QPUs get what they share. Bytes written to memory are compared in their
    order at each address; a DMA store of the RTL may come before or after the instruction that asked for it has retired, and
    before or after the store of another QPU.
    """

    def __init__(self, job: Job):
        self.model = V3D(job.config, Memory(len(job.image), job.base, job.image))
        self.model.memory.on_write = lambda address, data: self._written.append((address, data))
        self.retired = 0
        self._launches = list(job.launches)
        self._started: list[deque[Launch]] = [deque() for _ in self.model.qpus]
        self._history: deque[Event] = deque(maxlen=_CONTEXT)
        # What the model has written and is not compared yet, and at each address the bytes that one side is ahead with.
        self._written: list[tuple[int, bytes]] = []
        self._ahead: dict[int, tuple[str, deque[int]]] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, MemoryWrite):
            self._compare(_RTL, event.address, event.data)
        elif isinstance(event, Start):
            self._start(event)
        else:
            self._step(event)
        for address, data in self._written:
            self._compare(_MODEL, address, data)
        self._written.clear()

    def _start(self, event: Start) -> None:
        """The model starts it when it comes there: in the RTL, instructions of the program before are still on their way."""
        launch = event.launch
        if launch not in self._launches:
            self._differ("a program starts that nobody has asked for", event, self._launches)
        self._launches.remove(launch)
        self._started[event.qpu].append(launch)

    def _step(self, event: Retirement) -> None:
        expected = self._expected(self.model.qpus[event.qpu], dict(event.reads), event.thread)
        if event != expected:
            self._differ(f"instruction {self.retired} differs", event, expected)
        self.retired += 1
        self._history.append(event)

    def _expected(self, qpu: Qpu, observed: dict[str, int], thread: int | None = None) -> Retirement | str:
        """What the model does next; `thread` is the one that runs in the RTL, if that is known."""
        started = self._started[qpu.number]
        place = qpu.place(started[0].threaded) if started else None
        # A switch may have come before the next program: what runs tells whether that has begun.
        if place is not None and thread in (None, place):
            qpu.start(started.popleft())
        elif not qpu.running:
            if not qpu.suspended:
                return f"all programs of QPU {qpu.number} have ended"
            qpu.resume()
        try:
            return qpu.step(observed, granted=thread is not None)
        except (Unbuilt, MemoryFault, Waiting) as reason:
            return str(reason)

    def _compare(self, side: str, first: int, data: bytes) -> None:
        """Compare what one side writes with what the other one has written there, as far as it has."""
        if self.model.fault:
            return
        for address, byte in enumerate(data, first):
            ahead, values = self._ahead.setdefault(address, (side, deque()))
            if ahead == side:
                values.append(byte)
                continue
            other = values.popleft()
            if not values:
                del self._ahead[address]
            if byte != other:
                wrote = {side: f"{address:08x}: {byte:02x}", ahead: f"{address:08x}: {other:02x}"}
                self._differ("a byte written to memory differs", wrote[_RTL], wrote[_MODEL])

    def conclude(self, outcome: Outcome) -> None:
        """Compare how the run ended, and all memory."""
        if outcome.ending is Ending.TOO_LONG:
            return
        if outcome.ending is Ending.STUCK:
            self._wait_too(outcome.why)
            return
        fault = self.model.fault
        if fault:
            self._differ("the endings differ", "all programs have ended", fault)
        for qpu in self.model.qpus:
            if qpu.running or qpu.suspended or self._started[qpu.number]:
                place = f"QPU {qpu.number} at {qpu.pc:08x}"
                self._differ("the endings differ", "all programs have ended", place)
        if self._launches:
            self._differ("programs have not been started", "all programs have ended", self._launches)
        if self._ahead:
            more = dict.fromkeys((_RTL, _MODEL), 0)
            for side, values in self._ahead.values():
                more[side] += len(values)
            self._differ(
                "a write to memory is missing",
                f"{more[_RTL]} bytes more than the model",
                f"{more[_MODEL]} bytes more than the RTL",
            )
        rtl, model = (errors - self.model.chances for errors in (outcome.errors, self.model.errors))
        if rtl != model:
            self._differ("the errors differ", *(", ".join(sorted(errors)) or "none" for errors in (rtl, model)))
        if outcome.memory != bytes(self.model.memory.data):
            raise AssertionError("the memories differ although all writes were the same")

    def _wait_too(self, why: str) -> None:
        """The RTL waits for ever: so must a QPU of the model, one instruction on at the most, which has not retired yet.

        After a load or store outside of memory the RTL is stopped from outside, somewhat later.
        """
        if self.model.fault:
            return
        running = [qpu for qpu in self.model.qpus if qpu.running or self._started[qpu.number]]
        for qpu in running:
            for _ in range(2):
                if isinstance(self._expected(qpu, {}), str) or self.model.fault:
                    return
        places = ", ".join(f"QPU {qpu.number} goes on at {qpu.pc:08x}" for qpu in running)
        self._differ("the endings differ", why, places or "all programs have ended")

    def _differ(self, what: str, rtl: object, model: object) -> None:
        raise Difference(what, rtl, model, list(self._history))
