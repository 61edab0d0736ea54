"""One QPU, an instruction a step (QPU facts, sections 2 to 6).

What the pipeline of the hardware makes visible is state here: results that reach the register files one instruction late,
the last quad on each read port and in each ALU, the delay slots. Where the guide says undefined, `docs/` has the choice.
"""

from collections.abc import Callable, Container, Mapping
from functools import partial

import numpy as np

from vc4.config import BUILT_UNITS
from vc4.isa.ops import AddOp, Condition, Signal
from vc4.isa.registers import (
    ACCUMULATOR_BASE,
    ELEMENTS,
    ELEMENTWISE_WRITES,
    FILE_REGISTERS,
    READ,
    WRITE,
    read_address,
    write_address,
)
from vc4.isa.timing import LINK_BYTES
from vc4.isa.word import WORD_BYTES

from ... import events
from ...launch import Launch
from ..memory import Memory
from ..qps.sync import Sync
from ..slice.uniforms import Uniforms
from ..tmu.port import TmuPort
from ..unbuilt import Unbuilt
from ..vpm.port import VpmPort
from .accumulators import Accumulators
from .alus import LAST_QUAD, Alus, Result
from .decoded import TMU_PARAMETERS, Plan, Write, plan
from .flags import Flags, bits
from .fragment_port import FIRST_REGISTER, LOADS, FragmentPort
from .io_writes import outputs
from .sequencer import Sequencer
from .vectors import Divergence, same
from .write_back import merged, packed

__all__ = ["Qpu"]

_UNIFORM = read_address("unif")
_MUTEX = read_address("mutex")
_VPM = read_address("vpm")
_VARYING = read_address("vary")
#: Set-ups and addresses of the VPM: of both files, so that one instruction can write two of them.
_VPM_REGISTERS = {write_address(name) for name in ("vr_setup", "vr_addr")}
#: Services that have no use for the address behind a branch.
_NO_ADDRESSES = ("sfu", "tmu")
_ELEMENT_NUMBER = np.arange(ELEMENTS, dtype=np.uint32)


class Qpu:
    """QPU `number` running programs out of `memory`, with its ways into the VPM and to the texture units of its slice, and
    with what it shares with the others. A program may use the `built` services.

    `start` a program, then `step` until `sequencer.running` is false. `interrupts` counts writes to the host interrupt.
    With a `fragment` port it runs fragment shaders: the vectors that the port holds, as one, see `vectors`; `step` then tells
    no writes, and raises `Divergence` where they do different things.
    """

    def __init__(
        self,
        number: int,
        memory: Memory,
        vpm: VpmPort,
        tmu: TmuPort,
        sync: Sync,
        built: Container[str] = BUILT_UNITS,
        fragment: FragmentPort | None = None,
    ):
        self.number = number
        self.memory = memory
        self.vpm = vpm
        self.tmu = tmu
        self.sync = sync
        self.built = built
        self.fragment = fragment
        self._wide = fragment is not None and fragment.vectors > 1
        zero = np.zeros(ELEMENTS, np.uint32)
        self.files = [[zero] * FILE_REGISTERS, [zero] * FILE_REGISTERS]
        self.accumulators = Accumulators()
        self.flags = Flags()
        self.sequencer = Sequencer()
        self.uniforms = Uniforms(memory)
        self._uniform: int | None = None
        self.interrupts = 0
        self._late: list[tuple[int, int, np.ndarray, np.ndarray, int]] = []
        self._last_read = [zero, zero]
        self._varying_c: np.ndarray | None = None
        self._alus = Alus()
        self._inputs: dict[str, Callable[[], np.ndarray]] = {
            "elem_num": lambda: _ELEMENT_NUMBER,
            "x_coord": lambda: _ELEMENT_NUMBER & np.uint32(1),
            "y_coord": lambda: _ELEMENT_NUMBER >> np.uint32(1) & np.uint32(1),
            "qpu_num": lambda: np.full(ELEMENTS, self.number, np.uint32),
        }
        self._outputs = outputs(self.accumulators, self.sequencer, self.uniforms, vpm, tmu, sync)
        self._outputs["irq"] = self._interrupt
        for name, (unit, letter) in TMU_PARAMETERS.items():
            self._outputs[name] = partial(self._write_tmu, unit, letter)
        if fragment:
            self._inputs |= fragment.inputs
            self._outputs |= fragment.outputs

    def start(self, launch: Launch) -> None:
        """Begin a program; registers keep what they hold. There must be a place for it, see `Sequencer.place`."""
        thread = self.sequencer.start(launch.pc, launch.threaded)
        self.uniforms.start(thread, launch)
        self.tmu.start(thread)
        if self.fragment:
            place = FIRST_REGISTER ^ self.sequencer.view
            self.files[0][place], self.files[1][place] = self.fragment.start()

    def step(self, observed: Mapping[str, int] | None = None, *, granted: bool = False) -> events.Retirement:
        """Execute one instruction and tell what it did.

        `observed` gives the state of DMA engines that a read shall see (default: idle). Raises `Waiting` if the instruction
        waits for a vector, a texture unit, or for another QPU unless it is known to be `granted`, `Unbuilt` for what is not
        `built` and `MemoryFault` outside of memory; in all three cases nothing has happened.
        """
        pc, thread = self.sequencer.pc, self.sequencer.thread
        todo = plan(self.memory.read_int(pc, WORD_BYTES, "instruction fetch"))
        for unit in todo.units:
            if unit not in self.built:
                raise Unbuilt(unit)
        self._wait(todo, thread, granted=granted)
        self._uniform = self.uniforms.read(thread) if self._takes_uniform(todo, thread) else None
        reads = [] if self._uniform is None else [("unif", self._uniform)]
        ports = self._read_ports(todo, reads, observed or {})
        target = self._branch_target(todo, pc)
        self._write_late()
        add, mul = self._alus.operate(todo, self.accumulators, ports)
        taken = todo.branch is None or target is not None
        flags = self._set_flags(todo, add, mul) if taken and todo.set_flags else None
        writes = self._write_results(todo, add, mul) if taken else []
        if flags:
            self.flags = flags
        if self._advance(todo, target) and not self._wide:
            writes.append(events.Write.of_r4(self.accumulators[4]))
        nzc = flags.as_bits() if flags and not self._wide else None
        return events.Retirement(self.number, thread, pc, todo.word, tuple(reads), tuple(writes), nzc)

    def _wait(self, todo: Plan, thread: int, *, granted: bool) -> None:
        """Raises `Waiting` if the instruction has to wait for anything; takes what it shares with other QPUs."""
        if self._wide and (_MUTEX in todo.raddr or "mutex" in todo.units or "semaphore" in todo.units):
            raise Divergence
        if _VPM in todo.raddr:
            self.vpm.wait()
        if todo.tmu_write:
            self.tmu.wait_to_write(thread, todo.tmu_write[0])
        if todo.tmu_load is not None:
            self.tmu.wait_to_load(thread, todo.tmu_load)
        if _MUTEX in todo.raddr:
            self.sync.lock(granted=granted)
        if "semaphore" in todo.units:
            self.sync.count(todo.word, granted=granted)

    def _takes_uniform(self, todo: Plan, thread: int) -> bool:
        """Whether a port reads a uniform, or a texture unit takes one; if both do, it is the same."""
        return _UNIFORM in todo.raddr or todo.tmu_write is not None and self.tmu.takes_uniform(thread, *todo.tmu_write)

    def _read_ports(self, todo: Plan, reads: list[tuple[str, int]], observed: Mapping[str, int]) -> list[np.ndarray]:
        """Both ports; one uniform or vector serves both. A port that reads nothing shows its last quad again."""
        if todo.immediate is not None:
            return [todo.immediate] * 2
        if todo.branch is not None:
            return [np.full(ELEMENTS, self.sequencer.pc + LINK_BYTES & 0xFFFF_FFFF, np.uint32)] * 2
        vector = self.vpm.read() if _VPM in todo.raddr else None
        if self.fragment and _VARYING in todo.raddr:
            vector, self._varying_c = self.fragment.varying()
        ports = []
        for file, address in enumerate(todo.raddr):
            if file == 1 and todo.small_immediate is not None:
                value = todo.small_immediate
            elif address is None:
                ports.append(self._last_read[file][..., LAST_QUAD[0]])
                continue
            elif address < FILE_REGISTERS:
                value = self.files[file][address ^ self.sequencer.view]
            elif address == _UNIFORM:
                value = np.full(ELEMENTS, self._uniform, np.uint32)
            elif address == _VPM or (address == _VARYING and self.fragment):
                value = vector
            else:
                value = self._read_input(address, file, reads, observed)
            self._last_read[file] = value
            ports.append(value)
        return ports

    def _read_input(
        self, address: int, file: int, reads: list[tuple[str, int]], observed: Mapping[str, int]
    ) -> np.ndarray:
        name = READ[address][file].name if address in READ else ""
        if name in ("vr_busy", "vw_busy"):
            state = observed.get(name, 0)
            reads.append((name, state))
            return np.full(ELEMENTS, state, np.uint32)
        return self._inputs.get(name, self._inputs[("elem_num", "qpu_num")[file]])()

    def _branch_target(self, todo: Plan, pc: int) -> int | None:
        """Where a branch goes, or `None` if there is none or it is not taken."""
        branch = todo.branch
        if branch is None or not self.sequencer.branches or not self.flags.taken(branch.condition):
            return None
        target = branch.offset
        if branch.relative:
            target += pc + LINK_BYTES
        if branch.register is not None:
            target += same(self.files[0][branch.register ^ self.sequencer.view], ELEMENTS - 1)
        return target & 0xFFFF_FFFF & ~(WORD_BYTES - 1)

    def _write_late(self) -> None:
        """The results of the instruction before reach the register files."""
        for number, address, value, mask, enables in self._late:
            file = self.files[number]
            file[address] = merged(file[address], value, mask, enables)
        self._late = []

    def _set_flags(self, todo: Plan, add: Result, mul: Result) -> Flags:
        """New flags where the condition of the ALU that sets them holds."""
        source, write = (mul, todo.writes[1]) if todo.op_add is AddOp.NOP else (add, todo.writes[0])
        return self.flags.updated(self.flags.passing(write.condition), source.value, source.carry)

    def _write_results(self, todo: Plan, add: Result, mul: Result) -> list[events.Write]:
        told = []
        services = [None if w.condition is Condition.NEVER else self._service(w) for w in todo.writes]
        both_registers = all(write.address in _VPM_REGISTERS for write in todo.writes)
        for index, (write, result) in enumerate(zip(todo.writes, (add, mul), strict=True)):
            if write.condition is Condition.NEVER or WRITE.name(write.address, write.file) in ("-", "quad_x", "quad_y"):
                continue
            mask = self.flags.passing(write.condition)
            value, enables = packed(todo, index, write, result)
            if write.is_file:
                self._late.append((write.file, write.address ^ self.sequencer.view, value, mask, enables))
            elif write.address < ACCUMULATOR_BASE + 4:
                number = write.address - ACCUMULATOR_BASE
                self.accumulators[number] = merged(self.accumulators[number], value, mask, enables)
            elif services[index] in _NO_ADDRESSES and todo.branch is not None:
                pass
            elif index == 1 or services[0] is None or services[0] != services[1] or both_registers:
                # A service takes one write an instruction: that of the mul ALU, if there are two.
                self._outputs[WRITE.name(write.address, write.file)](value, mask)
            if self._wide:
                continue
            elements = bits(mask) if write.address in ELEMENTWISE_WRITES else events.ALL_ELEMENTS
            if elements:
                name = WRITE.name(write.address, write.file)
                told.append(events.Write.of(name, elements, enables, value))
        self.accumulators.write_r5()
        return told

    @staticmethod
    def _service(write: Write) -> str | None:
        """The peripheral that takes the write, or `None` for registers of the QPU, of which each takes one."""
        unit = WRITE[write.address][write.file].unit if write.address in WRITE else "qpu"
        return None if unit in ("qpu", "fragment") else unit

    def _interrupt(self, value: np.ndarray, mask: np.ndarray) -> None:
        """A write of the host interrupt."""
        if self._wide:
            raise Divergence
        self.interrupts += bool((mask & (value != 0)).any())

    def _write_tmu(self, unit: int, letter: str, value: np.ndarray, _mask: np.ndarray) -> None:
        """A parameter of a lookup, with a uniform if it takes one."""
        takes = self.tmu.takes_uniform(self.sequencer.thread, unit, letter)
        self.tmu.write(self.sequencer.thread, unit, letter, value, self._uniform if takes else None)

    def _advance(self, todo: Plan, target: int | None) -> bool:
        """The instruction ends. Returns whether anything has arrived in r4."""
        arrives = self.accumulators.advance()
        if todo.tmu_load is not None:
            self.accumulators[4], arrives = self.tmu.load(self.sequencer.thread, todo.tmu_load), True
        elif self.fragment and todo.signal in LOADS:
            self.accumulators[4], arrives = self.fragment.load(todo.signal), True
        if self._varying_c is not None:
            self.accumulators[5], self._varying_c = self._varying_c, None
        self.sequencer.advance(
            branch=todo.branch is not None,
            target=target,
            ends=todo.signal in (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END),
            switches=todo.signal in (Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH),
        )
        if not self.sequencer.running:
            self._write_late()
            self.vpm.cancel()
        return arrives
