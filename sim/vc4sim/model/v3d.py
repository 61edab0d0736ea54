"""The GPU of the model put together."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from vc4.config import BUILT_UNITS, V3DConfig

from ..events import Retirement, Start
from ..launch import Launch
from .cle.cle import Cle, Rest
from .cle.list_thread import Step
from .compiled import State
from .fep.fragment_shader import FragmentShader
from .host.registers import HostRegisters
from .host.renderer import Renderer
from .machine import Machine, Parts
from .memory import Memory, MemoryFault
from .ptb.binner import Binner
from .qps.scheduler import new_scheduler
from .qps.shaders import Shaders
from .qps.sync import new_sync
from .qps.user_programs import NO_LIMIT, UserPrograms
from .qpu.fragment_state import new_fragments
from .qpu.instructions import Instructions, new_instructions, units_mask
from .qpu.qpu import Qpu
from .qpu.state import new_effects, new_qpus
from .slice.uniforms import new_uniforms
from .tlb.tlb import TileBuffer, new_tile
from .tmu.fifos import LOOKUP_ERROR, NO_FAULT, has_unread_words, new_tmu
from .vcm.allocation import RowAllocation
from .vcm.vertices import VertexShading
from .vpm.vpm import READ_ERRORS, Vpm, dma_fault, new_vpm

__all__ = ["V3D"]

#: Clocks of an instruction, quads of a vector.
_INSTRUCTION_CLOCKS = _VECTOR_QUADS = 4


class V3D:
    """The GPU in front of a memory. For a host nothing happens but in `advance`.

    built : services that programs of users may have; texture units only in a configuration that has them
    programs : of users
    binner, renderer, cle : the 3D pipeline
    """

    def __init__(self, config: V3DConfig, memory: Memory, built: frozenset[str] = BUILT_UNITS):
        self.memory = memory
        self._config = config
        machine = Machine(
            instructions=new_instructions(),
            qpus=new_qpus(),
            effects=new_effects(),
            uniforms=new_uniforms(),
            vpm=new_vpm(config.vpm_rows),
            tmu=new_tmu(config.qpus_per_slice, config.faults),
            sync=new_sync(),
            scheduler=new_scheduler(),
            fragments=new_fragments(config.faults),
            tile=new_tile(),
        )
        machine.qpus.units[:] = units_mask(built - (BUILT_UNITS - config.units))
        state = State(machine)
        self.parts = Parts(state, self.memory, Instructions(state.arrays.instructions))
        self.vpm = Vpm(state.arrays.vpm)
        self.qpus = [Qpu(self.parts, number) for number in range(config.qpus)]
        self.programs = UserPrograms(self.parts, self.qpus)
        has_tmus = config.tmus_per_slice > 0
        allocation = RowAllocation(state.arrays.vpm)
        shading = [VertexShading(memory, self.vpm, allocation, self._shaders(), has_tmus) for _ in range(2)]
        tile = TileBuffer(state=state.part("tile"))
        self.fragment_shader = FragmentShader(self._shaders(), tile, has_tmus)
        self.binner = Binner(memory, shading[0], config.faults)
        self.renderer = Renderer(memory, shading[1], self.fragment_shader, config.faults)
        self.cle = Cle(memory, self.binner, self.renderer)

    def _shaders(self) -> Shaders:
        return Shaders(self.parts, self.qpus)

    @cached_property
    def registers(self) -> HostRegisters:
        """What the host sees; they are there when it first looks, as after a reset."""
        parts = self.machine, self.cle, self.binner, self.programs.scheduler
        return HostRegisters(self._config, *parts, lambda: self.events, lambda: self.programs.are_busy)

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
        """Go on until nobody gets on, at most `limit` steps: each is one of both control lists, and a turn of all QPUs with programs
        of users. A QPU that cannot go on waits for ever, and the others go on.
        """
        left = limit
        while left and self.programs.are_busy:
            steps = self.cle.step()
            rounds = self.programs.advance(left if set(steps) == {Step.IDLE} else 1)
            if rounds < 0 and Step.MOVED not in steps:
                return Rest.WAITING
            left -= max(rounds, 1)
        return self.cle.run(left)

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

    def run(self, launches: Iterable[Launch], limit: int = NO_LIMIT) -> Iterator[Start | Retirement]:
        """Run programs, an instruction an item; the QPUs take turns, and each program begins as soon as there is a place.

        They go the way of those that the host asks for. `limit` : instructions of a QPU after which the run ends

        Raises `Deadlock`, `Unbuilt` and `MemoryFault`.
        """
        return self.programs.run(launches, limit)

    def finish(self, launches: Iterable[Launch], limit: int = NO_LIMIT) -> bool:
        """Run programs to their end; returns whether all have ended before a QPU has executed more than `limit` instructions.

        Raises what `run` raises.
        """
        return self.programs.finish(launches, limit)
