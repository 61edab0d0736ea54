"""The GPU of the model put together."""

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from vc4.config import BUILT_UNITS, V3DConfig

from ..events import Retirement, Start
from ..launch import Launch
from .compiled import Buffers, Entry, State, kernel
from .machine import Machine, Parts
from .memory import Memory, MemoryFault, MemoryState
from .qps.sync import new_sync, place
from .qpu import state as _s
from .qpu.fragment_port import new_fragments, new_tile
from .qpu.instructions import Instructions, new_instructions, units_mask
from .qpu.qpu import Qpu, met, retirement, why
from .qpu.sequencer import RUNNING, has_suspended, place_of, resume
from .qpu.state import new_effects, new_qpus
from .qpu.status import RETIRED, UNKNOWN, WAITS_SEMAPHORE, WAITS_VECTOR, reason
from .qpu.step import start, step
from .slice.uniforms import new_uniforms
from .tmu.fifos import LOOKUP_ERROR, has_results, lookup_fault, new_tmu
from .vpm.vpm import FAULT, LOADED, READ_ERRORS, Vpm, new_vpm, reserve

__all__ = ["V3D", "Deadlock"]

#: Turns of QPUs until a run comes back to Python, which may compile it or be interrupted.
_CHUNK = 2000
_NO_LIMIT = 1 << 62
# Why `_run` has come back, after the numbers of `status`.
_STARTED, _ENDED, _STUCK, _TOO_LONG, _DMA_FAULT, _MORE = range(20, 26)
# What `Schedule.about` holds.
_COUNT, _NEXT, _QPUS, _QPU, _STEPS, _MOVED, _LIMIT, _IS_WATCHED = range(8)


class Deadlock(Exception):
    """All QPUs wait for each other; the text says of each one where, and for what."""


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
def _run(machine: Machine, memory: MemoryState, schedule: Schedule, turns: int) -> int:
    """The QPUs take turns, and each program begins as soon as there is a place; returns why it ends."""
    about, sequences = schedule.about, machine.qpus.sequences
    for _ in range(turns):
        if machine.vpm.about[FAULT] >= 0:
            return _DMA_FAULT
        if machine.qpus.counts[machine.effects.about[_s.QPU], 0] > about[_LIMIT] and not _is_idle(machine, schedule):
            return _TOO_LONG
        q = about[_QPU]
        if not about[_STEPS]:
            about[_STEPS] = 1
            if _starts(machine, schedule, q) and about[_IS_WATCHED]:
                return _STARTED
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
        if about[_QPU] == 0 and not about[_STEPS]:
            if _is_idle(machine, schedule):
                return _ENDED
            if not about[_MOVED]:
                return _STUCK
            about[_MOVED] = 0
    return _MORE


@kernel
def _pass_turn(about: np.ndarray, q: int) -> None:
    about[_STEPS] = 0
    about[_QPU] = (q + 1) % about[_QPUS]


@kernel
def _starts(machine: Machine, schedule: Schedule, q: int) -> bool:
    """A program begins on a QPU, if there is a place and one waits; or its suspended thread goes on."""
    number, sequences = schedule.about[_NEXT], machine.qpus.sequences
    if number < schedule.about[_COUNT] and not schedule.reserved[q]:
        launches = schedule.launches
        if place_of(sequences, q, launches[number, 3]) >= 0:
            start(machine, q, launches[number, 0], launches[number, 1], launches[number, 2], launches[number, 3])
            schedule.about[_NEXT] += 1
            return True
    if not sequences[q, RUNNING] and has_suspended(sequences, q):
        resume(sequences, q)
    return False


@kernel
def _is_idle(machine: Machine, schedule: Schedule) -> bool:
    """Whether all programs have ended."""
    if schedule.about[_NEXT] < schedule.about[_COUNT]:
        return False
    for q in range(schedule.about[_QPUS]):
        if machine.qpus.sequences[q, RUNNING] or has_suspended(machine.qpus.sequences, q):
            return False
    return True


_entry = Entry(_run)


class V3D:
    """QPUs, VPM and a memory that holds `image` from address `base` on.

    built : services that programs may use; texture units only in a configuration that has them
    current, stopped_at : number and address of the QPU that made the last step of a run, or tried to
    """

    def __init__(self, config: V3DConfig, image: bytes, base: int, built: frozenset[str] = BUILT_UNITS):
        self.memory = Memory(len(image), base, image)
        count = config.qpus
        machine = Machine(
            instructions=new_instructions(),
            qpus=new_qpus(count),
            effects=new_effects(),
            uniforms=new_uniforms(count),
            vpm=new_vpm(config.vpm_rows, count),
            tmu=new_tmu(count, config.qpus_per_slice, config.tmus_per_slice),
            sync=new_sync(),
            fragments=new_fragments(count),
            tile=new_tile(),
        )
        machine.qpus.units[:] = units_mask(built - (BUILT_UNITS - config.units))
        state = State(machine)
        self.parts = Parts(state, self.memory, Instructions(state.arrays.instructions))
        self.vpm = Vpm(state.arrays.vpm)
        self.qpus = [Qpu(self.parts, number) for number in range(count)]
        self.current = self.stopped_at = 0
        self._waits = np.zeros((count, 2), np.int64)

    @property
    def machine(self) -> Machine:
        """All of its state."""
        return self.parts.machine.arrays

    @property
    def places(self) -> list[str]:
        """Where each QPU is that runs a program, and what it waits for, if it waits."""
        return [place(qpu.number, qpu.pc, self._wait(qpu.number)) for qpu in self.qpus if qpu.running]

    def _wait(self, qpu: int) -> str:
        status, what = self._waits[qpu].tolist()
        return str(reason(status, what)) if status else ""

    @property
    def pcs(self) -> tuple[int, ...]:
        """Where each QPU is that runs a program."""
        return tuple(qpu.pc for qpu in self.qpus if qpu.running)

    @property
    def fault(self) -> MemoryFault | None:
        """The first access of DMA outside of memory: programs do not see it, so it is for those who run them to stop."""
        address, loaded = int(self.machine.vpm.about[FAULT]), self.machine.vpm.about[LOADED]
        return None if address < 0 else MemoryFault(address, "DMA load" if loaded else "DMA store")

    @property
    def errors(self) -> frozenset[str]:
        """Names of the bits of ERRSTAT and XBUSERR that are set."""
        lookups = {LOOKUP_ERROR} if lookup_fault(self.machine.tmu) >= 0 else set()
        return frozenset(self.vpm.errors | lookups)

    @property
    def chances(self) -> frozenset[str]:
        """Names of errors of which it is chance whether they come: whether the hardware reads what nobody takes."""
        return READ_ERRORS | {LOOKUP_ERROR} if has_results(self.machine.tmu) else READ_ERRORS

    @property
    def interrupts(self) -> int:
        """Writes to the host interrupt."""
        return int(self.machine.qpus.counts[:, 1].sum())

    @property
    def instructions(self) -> int:
        """That have retired."""
        return int(self.machine.qpus.counts[:, 0].sum())

    def reserve(self, blocks: int) -> None:
        """A write of VPMBASE."""
        reserve(self.machine.vpm, blocks)

    def run(
        self, launches: Iterable[Launch], reserved: Container[int] = (), limit: int = _NO_LIMIT
    ) -> Iterator[Start | Retirement]:
        """Run programs, an instruction an item; the QPUs take turns, and each program begins as soon as there is a place.

        reserved : numbers of QPUs that run no programs
        limit : instructions of a QPU after which the run ends

        Raises `Deadlock`, `Unbuilt` and `MemoryFault`.
        """
        queue = list(launches)
        schedule = self._schedule(queue, reserved, limit, watched=True)
        while (ending := self._go_on(schedule)) in (RETIRED, _STARTED):
            yield retirement(self.machine) if ending == RETIRED else self._last_start(schedule, queue)

    def finish(self, launches: Iterable[Launch], reserved: Container[int] = (), limit: int = _NO_LIMIT) -> bool:
        """Run programs to their end; returns whether all have ended before a QPU has executed more than `limit` instructions.

        Raises what `run` raises.
        """
        return self._go_on(self._schedule(list(launches), reserved, limit, watched=False)) == _ENDED

    def _schedule(
        self, queue: list[Launch], reserved: Container[int], limit: int, *, watched: bool
    ) -> Buffers[Schedule]:
        count = len(self.qpus)
        launches = [(each.pc, each.uniforms, each.length, each.threaded) for each in queue]
        return Buffers(
            Schedule(
                np.array([len(queue), 0, count, 0, 0, 0, limit, watched], np.int64),
                np.array(launches, np.int64).reshape(len(queue), 4) if queue else np.zeros((1, 4), np.int64),
                np.array([number in reserved for number in range(count)], np.int64),
                self._waits,
            )
        )

    @staticmethod
    def _last_start(schedule: Buffers[Schedule], queue: list[Launch]) -> Start:
        about = schedule.arrays.about
        return Start(int(about[_QPU]), queue[about[_NEXT] - 1])

    def _go_on(self, schedule: Buffers[Schedule]) -> int:
        """Until somebody who watches has to be told, or there is nothing left to do."""
        while True:
            ending = _entry(self.parts.machine, self.memory.state, schedule, _CHUNK)
            self.memory.tell()
            if ending == _DMA_FAULT:  # that of the instruction before
                self.current, self.stopped_at = self.machine.effects.about[[_s.QPU, _s.PC]].tolist()
            else:
                self.current = int(schedule.arrays.about[_QPU])
                self.stopped_at = self.qpus[self.current].pc
            if ending == UNKNOWN:
                self.parts.instructions.add(met(self.machine))
            elif ending == _STUCK:
                raise Deadlock("; ".join(self.places))
            elif ending == _DMA_FAULT:
                assert self.fault
                raise self.fault
            elif ending in (_ENDED, _TOO_LONG, _STARTED, RETIRED):
                return ending
            elif ending != _MORE:
                raise why(self.machine, self.current, ending)
