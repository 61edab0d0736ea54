"""The GPU of the model put together."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import cached_property

from vc4.config import BUILT_UNITS, V3DConfig

from ..events import Retirement, Start
from ..launch import Launch
from .cle.cle import Cle, Rest
from .cle.list_thread import Step
from .compiled import Entry, State
from .fep.fragment_shader import FragmentShader
from .host.registers import HostRegisters
from .host.renderer import Renderer
from .machine import Machine, Parts
from .memory import Memory, MemoryFault
from .ptb.binner import Binner
from .qps.scheduler import MORE_COME, Scheduler, new_scheduler
from .qps.shaders import Shaders
from .qps.sync import new_sync, place
from .qps.turns import (
    DMA_FAULT,
    ENDED,
    FAULTS_END,
    IS_WATCHED,
    LIMIT,
    MORE,
    NO_ROUNDS,
    QPU,
    ROUNDS,
    STARTED,
    STUCK,
    TOO_LONG,
    new_schedule,
    take_turns,
)
from .qpu import state as _s
from .qpu.fragment_state import new_fragments
from .qpu.instructions import Instructions, new_instructions, units_mask
from .qpu.qpu import Qpu, met, retirement, why
from .qpu.state import new_effects, new_qpus
from .qpu.status import RETIRED, UNKNOWN, reason
from .slice.uniforms import new_uniforms
from .tlb.tlb import TileBuffer, new_tile
from .tmu.fifos import LOOKUP_ERROR, NO_FAULT, has_unread_words, new_tmu
from .vcm.vertices import VertexShading
from .vpm.vpm import READ_ERRORS, Vpm, dma_fault, new_vpm

__all__ = ["V3D", "Deadlock"]

#: Turns of QPUs until a run comes back to Python, which may compile it or be interrupted.
_CHUNK = 2000
_NO_LIMIT = 1 << 62
#: Clocks of an instruction, quads of a vector.
_INSTRUCTION_CLOCKS = _VECTOR_QUADS = 4


class Deadlock(Exception):
    """All QPUs wait for each other; the text says of each one where, and for what."""


_take_turns = Entry(take_turns)


class V3D:
    """The GPU in front of a memory.

    built : services that programs of users may have; texture units only in a configuration that has them
    current, stopped_at : number and address of the QPU that made the last step of a run, or tried to
    binner, renderer, cle, registers : of the 3D pipeline; nothing happens there but in `advance`
    """

    def __init__(self, config: V3DConfig, memory: Memory, built: frozenset[str] = BUILT_UNITS):
        self.memory = memory
        self._config = config
        count = config.qpus
        machine = Machine(
            instructions=new_instructions(),
            qpus=new_qpus(),
            effects=new_effects(),
            uniforms=new_uniforms(),
            vpm=new_vpm(config.vpm_rows),
            tmu=new_tmu(config.qpus_per_slice),
            sync=new_sync(),
            scheduler=new_scheduler(),
            fragments=new_fragments(),
            tile=new_tile(),
        )
        machine.qpus.units[:] = units_mask(built - (BUILT_UNITS - config.units))
        state = State(machine)
        self.parts = Parts(state, self.memory, Instructions(state.arrays.instructions))
        self.vpm = Vpm(state.arrays.vpm)
        self.qpus = [Qpu(self.parts, number) for number in range(count)]
        self.current = self.stopped_at = 0
        self._scheduler = Scheduler(state.arrays.scheduler)
        self._schedule = State(new_schedule(count))
        self._stopped: dict[int, str] = {}
        has_tmus = config.tmus_per_slice > 0
        shading = [VertexShading(memory, self.vpm, self._shaders(), has_tmus) for _ in range(2)]
        tile = TileBuffer(state=state.part("tile"))
        self.fragment_shader = FragmentShader(self._shaders(), tile, has_tmus)
        self.binner = Binner(memory, shading[0])
        self.renderer = Renderer(memory, shading[1], self.fragment_shader)
        self.cle = Cle(memory, self.binner, self.renderer)

    def _shaders(self) -> Shaders:
        return Shaders(self.parts, self.qpus)

    @cached_property
    def registers(self) -> HostRegisters:
        """What the host sees; they are there when it first looks, as after a reset."""
        parts = self.machine, self.cle, self.binner, self._scheduler
        return HostRegisters(self._config, *parts, lambda: self.events, lambda: self._is_busy)

    def read(self, where: str | int) -> int:
        """A register, by name or offset, as the host reads it."""
        return self.registers.read(where)

    def write(self, where: str | int, word: int) -> None:
        """A register, by name or offset, as the host writes it."""
        self.registers.write(where, word)

    @property
    def interrupt(self) -> bool:
        """The interrupt line."""
        return self.registers.irq

    def advance(self, limit: int) -> Rest:
        """Go on until nobody gets on, at most `limit` steps: each is one of both control lists, and a turn of every QPU that runs a
        program of the user. One that cannot go on stands still for ever, and the others go on.
        """
        left = limit
        while left and self._is_busy:
            steps = self.cle.step()
            rounds = left if set(steps) == {Step.IDLE} else 1
            ending = self._serve(rounds)
            if ending == STUCK and Step.MOVED not in steps:
                return Rest.WAITING
            left -= rounds if ending == NO_ROUNDS else 1
        return self.cle.run(left)

    @property
    def _is_busy(self) -> bool:
        """Whether a program of the user runs or waits."""
        return not self._scheduler.is_empty or any(qpu.running or qpu.suspended for qpu in self.qpus)

    def _serve(self, rounds: int) -> int:
        """So many turns of all QPUs; returns why they have ended."""
        self._begin(rounds=rounds)
        while (ending := self._go_on()) not in (ENDED, STUCK, NO_ROUNDS):
            self._schedule.arrays.waits[self.current, 0] = ending
            self._stopped[self.current] = str(why(self.machine, self.current, ending))
        return ending

    @property
    def events(self) -> Counter[str]:
        """What performance counters count, by the names of their sources; nothing of clocks, stalls and caches."""
        lookups = int(self.machine.tmu.lookups.sum())
        programs = Counter(
            QPU_CLOCKS_EXECUTING=_INSTRUCTION_CLOCKS * self.instructions, TMU_QUADS=_VECTOR_QUADS * lookups
        )
        return self.renderer.events + self.binner.events + programs

    @property
    def machine(self) -> Machine:
        """All of its state."""
        return self.parts.machine.arrays

    @property
    def places(self) -> list[str]:
        """Where each QPU is that runs a program, and what it waits for, if it waits."""
        return [self._place(qpu) for qpu in self.qpus if qpu.running]

    def _place(self, qpu: Qpu) -> str:
        if qpu.number in self._stopped:
            return f"{place(qpu.number, qpu.pc)}: {self._stopped[qpu.number]}"
        status, what = self._schedule.arrays.waits[qpu.number].tolist()
        return place(qpu.number, qpu.pc, str(reason(status, what)) if status else "")

    @property
    def pcs(self) -> tuple[int, ...]:
        """Where each QPU is that runs a program."""
        return tuple(qpu.pc for qpu in self.qpus if qpu.running)

    @property
    def fault(self) -> MemoryFault | None:
        """The first access of DMA outside of memory: programs do not see it, so it is for those who run them to stop."""
        return dma_fault(self.machine.vpm)

    @property
    def errors(self) -> frozenset[str]:
        """Names of the bits of ERRSTAT and XBUSERR that are set."""
        lookups = {LOOKUP_ERROR} if (self.machine.tmu.faults != NO_FAULT).any() else set()
        return frozenset(self.vpm.errors | lookups)

    @property
    def chances(self) -> frozenset[str]:
        """Names of errors of which it is chance whether they come: whether the hardware reads what nobody takes."""
        return READ_ERRORS | {LOOKUP_ERROR} if has_unread_words(self.machine.tmu) else READ_ERRORS

    @property
    def interrupts(self) -> int:
        """Writes to the host interrupt."""
        return int(self.machine.qpus.counts[:, 1].sum())

    @property
    def instructions(self) -> int:
        """That have retired."""
        return int(self.machine.qpus.counts[:, 0].sum())

    def run(self, launches: Iterable[Launch], limit: int = _NO_LIMIT) -> Iterator[Start | Retirement]:
        """Run programs, an instruction an item; the QPUs take turns, and each program begins as soon as there is a place.

        They go the way of those that the host asks for. `limit` : instructions of a QPU after which the run ends

        Raises `Deadlock`, `Unbuilt` and `MemoryFault`.
        """
        coming = deque(launches)
        self._begin(limit=limit, is_watched=True, faults_end=True)
        while (ending := self._feed(coming)) in (RETIRED, STARTED):
            yield retirement(self.machine) if ending == RETIRED else Start(self.current, self._scheduler.last_taken)

    def finish(self, launches: Iterable[Launch], limit: int = _NO_LIMIT) -> bool:
        """Run programs to their end; returns whether all have ended before a QPU has executed more than `limit` instructions.

        Raises what `run` raises.
        """
        coming = deque(launches)
        self._begin(limit=limit, faults_end=True)
        while (ending := self._feed(coming)) == STARTED:
            pass
        return ending == ENDED

    def _begin(
        self, *, limit: int = _NO_LIMIT, rounds: int = _NO_LIMIT, is_watched: bool = False, faults_end: bool = False
    ) -> None:
        """What ends the turns that follow."""
        about = self._schedule.arrays.about
        about[LIMIT], about[ROUNDS], about[IS_WATCHED], about[FAULTS_END] = limit, rounds, is_watched, faults_end

    def _feed(self, coming: deque[Launch]) -> int:
        """Go on, with as many of the programs as the queue has room for; returns why that has ended. Raises what `run` raises."""
        if coming:
            for _ in range(min(self._scheduler.room, len(coming))):
                self._scheduler.add(coming.popleft())
            self.machine.scheduler.queue[MORE_COME] = bool(coming)
        ending = self._go_on()
        if ending == STUCK:
            raise Deadlock("; ".join(self.places))
        if ending == DMA_FAULT:
            assert self.fault
            raise self.fault
        if ending not in (ENDED, TOO_LONG, STARTED, RETIRED):
            raise why(self.machine, self.current, ending)
        return ending

    def _go_on(self) -> int:
        """Until QPUs cannot go on, or should not; returns why."""
        while True:
            ending = _take_turns(self.parts.machine, self.memory.state, self._schedule, _CHUNK)
            self.memory.tell()
            if ending == DMA_FAULT:  # that of the instruction before
                self.current, self.stopped_at = self.machine.effects.about[[_s.QPU, _s.PC]].tolist()
            else:
                self.current = int(self._schedule.arrays.about[QPU])
                self.stopped_at = self.qpus[self.current].pc
            if ending == UNKNOWN:
                self.parts.instructions.add(met(self.machine))
            elif ending != MORE:
                return ending
