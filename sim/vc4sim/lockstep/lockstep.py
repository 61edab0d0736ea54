"""The model beside a run of the RTL."""

from collections import deque

import numpy as np

from ..backends.base import Ending, Job, Outcome, Run, Watcher, Waves
from ..events import Retirement, Start, Write
from ..launch import Launch
from ..model.compiled import Entry
from ..model.memory import WATCHED, Memory, MemoryFault
from ..model.qpu.qpu import Qpu, met, retirement, why
from ..model.unbuilt import Unbuilt, Waiting
from ..model.v3d import V3D
from ..retired import KIND_BITS, RetirementReader, start_of
from .difference import Difference
from .follow import (
    ALL_READ,
    BEGINS,
    CANNOT,
    DIFFERS,
    LACKS_WORD,
    MODEL,
    PREPARES,
    RTL,
    TOO_MANY,
    WANTS_ENTRIES,
    follow,
)
from .follower import CONTEXT, COUNT, DONE, IS_READY, NOTED, SAME, STATUS, new_follower
from .written import AHEAD, OFFSET, VALUES, enlarge, new_written

__all__ = ["Lockstep"]

_follow = Entry(follow)


class Lockstep:
    """Follows a run of the RTL with a model beside it.

    `run` does all of it; or call it with the records of the run, then `conclude` with its outcome. Raises `Difference` at the
    first one. The RTL says on which QPU a program runs, and in which order QPUs get what they share. Bytes written to memory are
    compared in their order at each address; a DMA store of the RTL may come before or after the instruction that asked for it
    has retired, and before or after the store of another QPU.
    """

    def __init__(self, job: Job):
        self.model = V3D(job.config, Memory(len(job.image), job.base, job.image))
        if job.writes:  # without them, programs of the model reach all that they could be given
            for offset, word in job.setup:
                self.model.write(offset, word)
        self.model.memory.state.arrays.about[WATCHED] = 1
        self._job = job
        self._launches = list(job.launches)
        self._started: list[deque[Launch]] = [deque() for _ in self.model.qpus]
        self._state = new_follower()
        self._written = new_written(len(job.image))

    def run(self, run: Run, watch: Watcher | None = None, waves: Waves | None = None) -> Outcome:
        """Run the job on an engine of the RTL, and compare all of it."""
        outcome = run(self._job, watch, waves, self)
        self.conclude(outcome)
        return outcome

    @property
    def retired(self) -> int:
        """Instructions that were the same."""
        return int(self._state.arrays.about[SAME])

    def __call__(self, records: np.ndarray) -> None:
        """Compare what records tell, one a row."""
        about, room = self._state.arrays.about, self._state.arrays.records
        while len(records):
            kept = int(about[COUNT])
            taken, records = np.split(records, [len(room) - kept])
            room[kept : kept + len(taken)] = taken
            about[COUNT] += len(taken)
            self._follow()
            left = int(about[COUNT] - about[DONE])
            room[:left] = room[about[DONE] : about[COUNT]]
            about[[COUNT, DONE]] = left, 0
            if left == len(room):
                qpu = int(room[0, 0]) >> KIND_BITS
                self.differ("nothing arrives in r4", f"QPU {qpu} waits for it", "it has arrived")

    def _follow(self) -> None:
        """Compare what is there, as far as it is complete."""
        model, about = self.model, self._state.arrays.about
        while True:
            outcome = _follow(model.parts.machine, model.memory.state, self._state, self._written)
            if outcome == ALL_READ:
                return
            row = self._state.arrays.records[about[DONE]]
            qpu = int(row[0]) >> KIND_BITS
            if outcome == BEGINS:
                self._start(row)
                about[DONE] += 1
            elif outcome == PREPARES:
                self._differ_unless_ready(qpu)
            elif outcome == LACKS_WORD:
                model.parts.instructions.add(met(model.machine))
            elif outcome == WANTS_ENTRIES:
                self._written = enlarge(self._written)
            elif outcome == CANNOT:
                reason = why(model.machine, qpu, int(about[STATUS]))
                self._differ_in_instruction(str(reason))
            elif outcome == DIFFERS:
                self._differ_in_instruction(retirement(model.machine))
            elif outcome == TOO_MANY:
                self.differ("r4 changes after no instruction", f"QPU {qpu}: {row[1:]}", "nothing")
            else:
                offset, *values = self._written.arrays.about[[OFFSET, VALUES + RTL, VALUES + MODEL]].tolist()
                wrote = (f"{self._job.base + offset:08x}: {value:02x}" for value in values)
                self.differ("a byte written to memory differs", *wrote)

    def _start(self, row: np.ndarray) -> None:
        """The model starts it when it comes there: in the RTL, instructions of the program before are still on their way."""
        event = start_of(row.astype(np.uint32))
        self.take(event)
        self._started[event.qpu].append(event.launch)
        self._state.arrays.waiting[event.qpu] += 1

    def take(self, start: Start) -> None:
        """A program begins in the RTL: it must be one that is asked for."""
        if start.launch not in self._launches:
            self.differ("a program starts that nobody has asked for", start, self._launches)
        self._launches.remove(start.launch)

    def _differ_unless_ready(self, qpu: int) -> None:
        """The QPU of the next instruction gets its program, or its thread."""
        event = self._event(-1)
        reason = self._prepare(self.model.qpus[qpu], event.thread)
        if reason:
            self._differ_in_instruction(reason)
        self._state.arrays.about[IS_READY] = 1

    def _prepare(self, qpu: Qpu, thread: int | None = None) -> str:
        """A program begins, or a suspended thread goes on, if that is due; returns why the QPU has nothing to do.

        `thread` is the one that runs in the RTL, if that is known: a switch may have come before the next program, and
        what runs tells whether that has begun. In a QPU without programs it may have either place.
        """
        started = self._started[qpu.number]
        place = qpu.place(started[0].threaded) if started else None
        if thread is not None and not qpu.running and not qpu.suspended:
            place = thread
        if started and place is not None and thread in (None, place):
            self.begin(qpu, started.popleft(), place)
            self._state.arrays.waiting[qpu.number] -= 1
        elif not qpu.running:
            if not qpu.suspended:
                return f"all programs of QPU {qpu.number} have ended"
            qpu.resume()
        return ""

    def begin(self, qpu: Qpu, launch: Launch, thread: int) -> None:
        """A program begins in the model."""
        qpu.start(launch, thread)

    def conclude(self, outcome: Outcome) -> None:
        """Compare how the run ended, and all memory."""
        if outcome.ending is Ending.TOO_LONG:
            return
        if outcome.ending is Ending.STUCK:
            self._wait_too(outcome.why)
            return
        fault = self.model.fault
        if fault:
            self.differ("the endings differ", "all programs have ended", fault)
        self.check_ended()
        if self._launches:
            self.differ("programs have not been started", "all programs have ended", self._launches)
        rtl, model = self._written.arrays.about[AHEAD : AHEAD + 2].tolist()
        if rtl or model:
            sides = f"{rtl} bytes more than the model", f"{model} bytes more than the RTL"
            self.differ("a write to memory is missing", *sides)
        rtl, model = (errors - self.model.chances for errors in (outcome.errors, self.model.errors))
        if rtl != model:
            self.differ("the errors differ", *(", ".join(sorted(errors)) or "none" for errors in (rtl, model)))
        if outcome.memory != bytes(self.model.memory.data):
            raise AssertionError("the memories differ although all writes were the same")

    def check_ended(self) -> None:
        """All programs have ended in the RTL: so must those of the model."""
        for qpu in self.model.qpus:
            if qpu.running or qpu.suspended or self._started[qpu.number]:
                place = f"QPU {qpu.number} at {qpu.pc:08x}"
                self.differ("the endings differ", "all programs have ended", place)

    def _wait_too(self, why: str) -> None:
        """The RTL waits for ever: so must a QPU of the model, one instruction on at the most, which has not retired yet.

        After a load or store outside of memory the RTL is stopped from outside, somewhat later.
        """
        if self.model.fault:
            return
        running = [qpu for qpu in self.model.qpus if qpu.running or self._started[qpu.number]]
        for qpu in running:
            for _ in range(2):
                if self._waits(qpu) or self.model.fault:
                    return
        places = ", ".join(f"QPU {qpu.number} goes on at {qpu.pc:08x}" for qpu in running)
        self.differ("the endings differ", why, places or "all programs have ended")

    def _waits(self, qpu: Qpu) -> bool:
        """Whether the model cannot carry out the next instruction; if it can, it has."""
        if self._prepare(qpu):
            return True
        try:
            qpu.step()
        except (Unbuilt, MemoryFault, Waiting):
            return True
        return False

    def _event(self, number: int) -> Retirement:
        """An instruction of the history; -1 is the last one."""
        arrays = self._state.arrays
        row = int(arrays.about[NOTED] + number) % len(arrays.history)
        record, flags = arrays.history[row].astype(np.uint32), tuple(arrays.history_flags[row].tolist())
        event = RetirementReader(int(record[0]) >> KIND_BITS, flags)(memoryview(record[1:]).cast("B"))
        if not arrays.history_brings[row]:
            return event
        return event._replace(writes=(*event.writes, Write.of_r4(arrays.history_r4[row].astype(np.uint32))))

    def _differ_in_instruction(self, model: Retirement | str) -> None:
        """The last one of the history is not what the model does."""
        before = min(int(self._state.arrays.about[NOTED]) - 1, CONTEXT)
        history = [self._event(number) for number in range(-1 - before, -1)]
        event = self._event(-1)
        raise Difference(f"instruction {self.retired} differs{self.place(event, model)}", event, model, history)

    def place(self, event: Retirement, model: Retirement | str) -> str:
        """More about where an instruction differs: lines that begin with a line break."""
        return ""

    def differ(self, what: str, rtl: object, model: object) -> None:
        """Raise `Difference`."""
        noted = min(int(self._state.arrays.about[NOTED]), CONTEXT)
        raise Difference(what, rtl, model, [self._event(number) for number in range(-noted, 0)])
