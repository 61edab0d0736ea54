"""One QPU, an instruction a step (fact sheet, sections 2 to 6).

What the pipeline of the hardware makes visible is state here: results that reach the register files one instruction late,
the last quad on each read port and in each ALU, the delay slots. Where the guide says undefined, `docs/` has the choice.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from vc4.config import BUILT_UNITS
from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, AddOp, Condition, Pack, Signal
from vc4.isa.registers import (
    ACCUMULATOR_BASE,
    ELEMENTS,
    ELEMENTWISE_WRITES,
    FILE_REGISTERS,
    QUADS,
    READ,
    WRITE,
    read_address,
)
from vc4.isa.sfu_tables import SfuFunction
from vc4.isa.timing import LINK_BYTES, SFU_DISTANCE
from vc4.isa.word import WORD_BYTES
from vc4.regs.scheduler import UNLIMITED_UNIFORMS

from .. import events
from ..launch import Launch
from .alus import LAST_QUAD, Alus, Result
from .flags import Flags, bits
from .memory import Memory, MemoryFault
from .pack import colour, pack
from .plan import Plan, Write, plan
from .sequencer import Sequencer
from .sfu import SFU_FUNCTIONS
from .sync import Sync
from .unbuilt import Unbuilt
from .vpm_port import VpmPort

__all__ = ["Qpu"]

_UNIFORM = read_address("unif")
_MUTEX = read_address("mutex")
_VPM = read_address("vpm")
_ELEMENT_NUMBER = np.arange(ELEMENTS, dtype=np.uint32)
_BYTE_MASKS = np.array(
    [sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1) for enables in range(16)], np.uint32
)


class Qpu:
    """QPU `number` running programs out of `memory`, with its way into the VPM and with what it shares with the others.

    `start` a program, then `step` until `sequencer.running` is false. `interrupts` counts writes to the host interrupt.
    """

    def __init__(self, number: int, memory: Memory, vpm: VpmPort, sync: Sync):
        self.number = number
        self.memory = memory
        self.vpm = vpm
        self.sync = sync
        zero = np.zeros(ELEMENTS, np.uint32)
        self.files = [[zero] * FILE_REGISTERS, [zero] * FILE_REGISTERS]
        self.accumulators = [zero] * 6
        self.flags = Flags()
        self.sequencer = Sequencer()
        self.uniforms = [0] * 2
        self._uniforms_end: list[int | None] = [None] * 2
        self.interrupts = 0
        self._late: list[tuple[int, int, np.ndarray, np.ndarray, int]] = []
        self._r5_writes: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._last_read = [zero, zero]
        self._r4_write: np.ndarray | None = None
        #: What the instructions before write to r4, as far as the next one must not see it yet.
        self._r4_late: deque[np.ndarray | None] = deque([None] * (SFU_DISTANCE - 1))
        self._alus = Alus()
        self._inputs: dict[str, Callable[[], np.ndarray]] = {
            "elem_num": lambda: _ELEMENT_NUMBER,
            "x_coord": lambda: _ELEMENT_NUMBER & np.uint32(1),
            "y_coord": lambda: _ELEMENT_NUMBER >> np.uint32(1) & np.uint32(1),
            "qpu_num": lambda: np.full(ELEMENTS, self.number, np.uint32),
        }
        self._outputs: dict[str, Callable[[np.ndarray, np.ndarray], None]] = {
            "r5quad": lambda value, mask: self._r5_writes.append((0, value, mask)),
            "r5rep": lambda value, mask: self._r5_writes.append((1, value, mask)),
            "irq": self._write_irq,
            "unif_addr": lambda value, _: self._move_uniforms(int(value[0])),
            "unif_addr_rel": lambda value, _: self._move_uniforms(int(value[0]), relative=True),
            "vpm": lambda value, _: self.vpm.write(value),
            "vw_setup": lambda value, _: self.vpm.write_setup(int(value[0])),
            "vw_addr": lambda value, _: self.vpm.store(int(value[0])),
            "vr_setup": lambda value, _: self.vpm.read_setup(int(value[0])),
            "vr_addr": lambda value, _: self.vpm.load(int(value[0])),
            "mutex": lambda _, __: self.sync.free(),
        }
        for function in SfuFunction:
            self._outputs[function.name.lower()] = partial(self._write_sfu, SFU_FUNCTIONS[function])

    def start(self, launch: Launch) -> None:
        """Begin a program; registers keep what they hold. There must be a place for it, see `Sequencer.place`."""
        thread = self.sequencer.start(launch.pc, launch.threaded)
        self.uniforms[thread] = launch.uniforms & ~3
        limited = 0 < launch.length < UNLIMITED_UNIFORMS
        self._uniforms_end[thread] = self.uniforms[thread] + 4 * launch.length & 0xFFFF_FFFC if limited else None

    def step(self, observed: Mapping[str, int] | None = None, *, granted: bool = False) -> events.Retirement:
        """Execute one instruction and tell what it did.

        `observed` gives the state of DMA engines that a read shall see (default: idle). Raises `Waiting` if the instruction
        waits for a vector, or for another QPU unless it is known to be `granted`, `Unbuilt` for what the hardware lacks and
        `MemoryFault` outside of memory; in all three cases nothing has happened.
        """
        pc, thread = self.sequencer.pc, self.sequencer.thread
        todo = plan(self.memory.read_int(pc, WORD_BYTES, "instruction fetch"))
        for unit in todo.units:
            if unit not in BUILT_UNITS:
                raise Unbuilt(unit)
        if _VPM in todo.raddr:
            self.vpm.wait()
        if _MUTEX in todo.raddr:
            self.sync.lock(granted=granted)
        if "semaphore" in todo.units:
            self.sync.count(todo.word, granted=granted)
        reads: list[tuple[str, int]] = []
        ports = self._read_ports(todo, reads, observed or {})
        target = self._branch_target(todo, pc)
        self._write_late()
        add, mul = self._alus.operate(todo, self.accumulators, ports)
        taken = todo.branch is None or target is not None
        flags = self._set_flags(todo, add, mul) if taken and todo.set_flags else None
        writes = self._write_results(todo, add, mul) if taken else []
        if flags:
            self.flags = flags
        self._advance(todo, target)
        return events.Retirement(
            self.number, thread, pc, todo.word, tuple(reads), tuple(writes), flags.as_bits() if flags else None
        )

    def _read_ports(self, todo: Plan, reads: list[tuple[str, int]], observed: Mapping[str, int]) -> list[np.ndarray]:
        """Both ports; one uniform or vector serves both. A port that reads nothing shows its last quad again."""
        if todo.immediate is not None:
            return [todo.immediate] * 2
        if todo.branch is not None:
            return [np.full(ELEMENTS, self.sequencer.pc + LINK_BYTES & 0xFFFF_FFFF, np.uint32)] * 2
        uniform = None
        if _UNIFORM in todo.raddr:
            thread = self.sequencer.thread
            address = self.uniforms[thread]
            if address == self._uniforms_end[thread]:
                raise MemoryFault(address, "uniform read behind the end of its stream")
            uniform = self.memory.read_int(address, 4, "uniform read")
            self.uniforms[thread] = address + 4 & 0xFFFF_FFFC
            reads.append(("unif", uniform))
        vector = self.vpm.read() if _VPM in todo.raddr else None
        ports = []
        for file, address in enumerate(todo.raddr):
            if file == 1 and todo.small_immediate is not None:
                value = todo.small_immediate
            elif address is None:
                ports.append(self._last_read[file][LAST_QUAD[0]])
                continue
            elif address < FILE_REGISTERS:
                value = self.files[file][address ^ self.sequencer.view]
            elif address == _UNIFORM:
                value = np.full(ELEMENTS, uniform, np.uint32)
            elif address == _VPM:
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
            target += int(self.files[0][branch.register ^ self.sequencer.view][-1])
        return target & 0xFFFF_FFFF & ~(WORD_BYTES - 1)

    def _write_late(self) -> None:
        """The results of the instruction before reach the register files."""
        for number, address, value, mask, enables in self._late:
            file = self.files[number]
            file[address] = self._merged(file[address], value, mask, enables)
        self._late = []

    @staticmethod
    def _merged(old: np.ndarray, new: np.ndarray, mask: np.ndarray, enables: int) -> np.ndarray:
        if enables != events.ALL_BYTES:
            kept = _BYTE_MASKS[enables]
            new = old & ~kept | new & kept
        return np.where(mask, new, old)

    def _set_flags(self, todo: Plan, add: Result, mul: Result) -> Flags:
        """New flags where the condition of the ALU that sets them holds."""
        source, write = (mul, todo.writes[1]) if todo.op_add is AddOp.NOP else (add, todo.writes[0])
        return self.flags.updated(self.flags.passing(write.condition), source.value, source.carry)

    def _write_results(self, todo: Plan, add: Result, mul: Result) -> list[events.Write]:
        told = []
        services = [None if w.condition is Condition.NEVER else self._service(w) for w in todo.writes]
        for index, (write, result) in enumerate(zip(todo.writes, (add, mul), strict=True)):
            if write.condition is Condition.NEVER or WRITE.name(write.address, write.file) in ("-", "quad_x", "quad_y"):
                continue
            mask = self.flags.passing(write.condition)
            value, enables = self._packed(todo, index, write, result)
            if write.is_file:
                self._late.append((write.file, write.address ^ self.sequencer.view, value, mask, enables))
            elif write.address < ACCUMULATOR_BASE + 4:
                number = write.address - ACCUMULATOR_BASE
                self.accumulators[number] = self._merged(self.accumulators[number], value, mask, enables)
            elif services[index] == "sfu" and todo.branch is not None:
                pass  # it has no use for the address behind a branch
            elif index == 1 or services[0] is None or services[0] != services[1]:
                # A service takes one write an instruction: that of the mul ALU, if there are two.
                self._outputs[WRITE.name(write.address, write.file)](value, mask)
            elements = bits(mask) if write.address in ELEMENTWISE_WRITES else events.ALL_ELEMENTS
            if elements:
                name = WRITE.name(write.address, write.file)
                told.append(events.Write.of(name, elements, enables, value))
        if self._r5_writes:
            self._write_r5()
        return told

    @staticmethod
    def _service(write: Write) -> str | None:
        """The peripheral that takes the write, or `None` for registers of the QPU."""
        unit = WRITE[write.address][write.file].unit if write.address in WRITE else "qpu"
        return None if unit == "qpu" else unit

    def _packed(self, todo: Plan, index: int, write: Write, result: Result) -> tuple[np.ndarray, int]:
        """The value as it is written, and its bytes: packs into file A, colours of the mul ALU, or unchanged."""
        if todo.pm:
            if index == 0 or not todo.pack & 7:
                return result.value, events.ALL_BYTES
            partial = todo.pack & 4 and (write.is_file or write.address < ACCUMULATOR_BASE + 4)
            enables = 1 << (todo.pack & 3) if partial else events.ALL_BYTES
            return colour(result.value) * np.uint32(0x0101_0101), enables
        mode = Pack(todo.pack)
        if mode is Pack.NONE or not write.is_file or write.file != 0:
            return result.value, events.ALL_BYTES
        is_float = todo.op_mul in FLOAT_RESULT_MUL if index else todo.op_add in FLOAT_RESULT_ADD
        return pack(result.value, mode, is_float, result.carry, result.overflow)

    def _write_r5(self) -> None:
        """Quad after quad, first the add ALU: file A gives a quad its first element, file B all quads element 0."""
        r5 = self.accumulators[5].copy()
        for first in range(0, ELEMENTS, QUADS):
            for file, value, mask in self._r5_writes:
                if mask[first] and (file == 0 or first == 0):
                    r5[first : first + QUADS if file == 0 else ELEMENTS] = value[first]
        self.accumulators[5] = r5
        self._r5_writes.clear()

    def _write_irq(self, value: np.ndarray, mask: np.ndarray) -> None:
        self.interrupts += bool((mask & (value != 0)).any())

    def _move_uniforms(self, address: int, relative: bool = False) -> None:
        thread = self.sequencer.thread
        self.uniforms[thread] = address + (self.uniforms[thread] if relative else 0) & 0xFFFF_FFFC
        self._uniforms_end[thread] = None  # what its length was given for is left behind

    def _write_sfu(self, function: Callable[[np.ndarray], np.ndarray], value: np.ndarray, _mask: np.ndarray) -> None:
        self._r4_write = function(value)

    def _advance(self, todo: Plan, target: int | None) -> None:
        self._r4_late.append(self._r4_write)
        self._r4_write = None
        r4 = self._r4_late.popleft()
        if r4 is not None:
            self.accumulators[4] = r4
        self.sequencer.advance(
            branch=todo.branch is not None,
            target=target,
            ends=todo.signal in (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END),
            switches=todo.signal in (Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH),
        )
        if not self.sequencer.running:
            self._write_late()
            self.vpm.cancel()
