"""The GPU of the model put together."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator

import numpy as np

from vc4.config import BUILT_UNITS, V3DConfig

from ..events import Retirement, Start
from ..launch import Launch
from .cle.cle import Cle, Rest
from .compiled import Buffers, Entry, State
from .fep.fragment_shader import FragmentShader
from .host.registers import HostRegisters
from .host.renderer import Renderer
from .machine import Machine, Parts
from .memory import Memory, MemoryFault
from .ptb.binner import Binner
from .qps.shaders import Shaders
from .qps.sync import new_sync, place
from .qps.turns import DMA_FAULT, ENDED, MORE, NEXT, QPU, STARTED, STUCK, TOO_LONG, Schedule, take_turns
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
from .vpm.vpm import READ_ERRORS, Vpm, dma_fault, new_vpm, reserve

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
        count = config.qpus
        machine = Machine(
            instructions=new_instructions(),
            qpus=new_qpus(),
            effects=new_effects(),
            uniforms=new_uniforms(),
            vpm=new_vpm(config.vpm_rows),
            tmu=new_tmu(config.qpus_per_slice),
            sync=new_sync(),
            fragments=new_fragments(),
            tile=new_tile(),
        )
        machine.qpus.units[:] = units_mask(built - (BUILT_UNITS - config.units))
        state = State(machine)
        self.parts = Parts(state, self.memory, Instructions(state.arrays.instructions))
        self.vpm = Vpm(state.arrays.vpm)
        self.qpus = [Qpu(self.parts, number) for number in range(count)]
        self.current = self.stopped_at = 0
        self._waits = np.zeros((count, 2), np.int64)
        has_tmus = config.tmus_per_slice > 0
        shading = [VertexShading(memory, self.vpm, self._shaders(), has_tmus) for _ in range(2)]
        tile = TileBuffer(state=state.part("tile"))
        self.fragment_shader = FragmentShader(self._shaders(), tile, has_tmus)
        self.binner = Binner(memory, shading[0])
        self.renderer = Renderer(memory, shading[1], self.fragment_shader)
        self.cle = Cle(memory, self.binner, self.renderer)
        self.registers = HostRegisters(self.cle, self.binner, lambda: self.events)

    def _shaders(self) -> Shaders:
        return Shaders(self.parts, self.qpus)

    def advance(self, limit: int) -> Rest:
        """Go on with both control lists until nobody gets on, at most `limit` steps."""
        return self.cle.run(limit)

    def read(self, name: str) -> int:
        """A register, as the host reads it."""
        return self.registers.read(name)

    def write(self, name: str, value: int) -> None:
        """A register, as the host writes it."""
        self.registers.write(name, value)

    @property
    def interrupt(self) -> bool:
        """The interrupt line."""
        return self.registers.interrupt

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
        while (ending := self._go_on(schedule)) in (RETIRED, STARTED):
            yield retirement(self.machine) if ending == RETIRED else self._last_start(schedule, queue)

    def finish(self, launches: Iterable[Launch], reserved: Container[int] = (), limit: int = _NO_LIMIT) -> bool:
        """Run programs to their end; returns whether all have ended before a QPU has executed more than `limit` instructions.

        Raises what `run` raises.
        """
        return self._go_on(self._schedule(list(launches), reserved, limit, watched=False)) == ENDED

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
        return Start(int(about[QPU]), queue[about[NEXT] - 1])

    def _go_on(self, schedule: Buffers[Schedule]) -> int:
        """Until somebody who watches has to be told, or there is nothing left to do."""
        while True:
            ending = _take_turns(self.parts.machine, self.memory.state, schedule, _CHUNK)
            self.memory.tell()
            if ending == DMA_FAULT:  # that of the instruction before
                self.current, self.stopped_at = self.machine.effects.about[[_s.QPU, _s.PC]].tolist()
            else:
                self.current = int(schedule.arrays.about[QPU])
                self.stopped_at = self.qpus[self.current].pc
            if ending == UNKNOWN:
                self.parts.instructions.add(met(self.machine))
            elif ending == STUCK:
                raise Deadlock("; ".join(self.places))
            elif ending == DMA_FAULT:
                assert self.fault
                raise self.fault
            elif ending in (ENDED, TOO_LONG, STARTED, RETIRED):
                return ending
            elif ending != MORE:
                raise why(self.machine, self.current, ending)
