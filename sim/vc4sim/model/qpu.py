"""One QPU, an instruction a step (fact sheet, sections 2 to 6).

What the pipeline of the hardware makes visible is state here: results that reach the register files one instruction late,
the last quad on each read port and in each ALU, the delay slots. Where the guide says undefined, `docs/` has the choice.
"""

from collections.abc import Callable, Mapping

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
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, LINK_BYTES
from vc4.isa.word import WORD_BYTES

from .. import events
from .alus import LAST_QUAD, Alus, Result
from .flags import Flags, bits
from .memory import Memory
from .pack import colour, pack
from .plan import Plan, Write, plan
from .unbuilt import Unbuilt
from .vpm import Vpm

__all__ = ["Qpu"]

_UNIFORM = read_address("unif")
_ELEMENT_NUMBER = np.arange(ELEMENTS, dtype=np.uint32)
_ALL_BYTES = 0b1111
_BYTE_MASKS = np.array(
    [sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1) for enables in range(16)], np.uint32
)


class Qpu:
    """QPU `number` running programs out of `memory`, with its way into `vpm`.

    `start` a program, then `step` until `running` is false. `interrupts` counts writes to the host interrupt.
    """

    def __init__(self, number: int, memory: Memory, vpm: Vpm):
        self.number = number
        self.memory = memory
        self.vpm = vpm
        zero = np.zeros(ELEMENTS, np.uint32)
        self.files = [[zero] * FILE_REGISTERS, [zero] * FILE_REGISTERS]
        self.accumulators = [zero] * 6
        self.flags = Flags()
        self.pc = 0
        self.uniforms = 0
        self.running = False
        self.interrupts = 0
        self._late: list[tuple[Write, np.ndarray, np.ndarray, int]] = []
        self._r5_writes: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._last_read = [zero, zero]
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
            "unif_addr_rel": lambda value, _: self._move_uniforms(self.uniforms + int(value[0])),
            "vpm": lambda value, _: self.vpm.write(value),
            "vw_setup": lambda value, _: self.vpm.write_setup(int(value[0])),
            "vw_addr": lambda value, _: self.vpm.store(int(value[0])),
        }

    def start(self, pc: int, uniforms: int) -> None:
        """Begin a program at byte address `pc` with its uniforms at `uniforms`; registers keep what they hold."""
        self.pc = pc & ~(WORD_BYTES - 1)
        self.uniforms = uniforms & ~3
        self.running = True
        self._jump: tuple[int, int] | None = None
        self._slots_left: int | None = None
        self._since_branch = BRANCH_DISTANCE

    def step(self, observed: Mapping[str, int] | None = None) -> events.Retirement:
        """Execute one instruction and tell what it did.

        `observed` gives the state of DMA engines that a read shall see (default: idle). Raises `Unbuilt` for what the
        hardware lacks and `MemoryFault` outside of memory.
        """
        pc = self.pc
        todo = plan(self.memory.read_int(pc, WORD_BYTES, "instruction fetch"))
        for unit in todo.units:
            if unit not in BUILT_UNITS:
                raise Unbuilt(unit)
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
            self.number, 0, pc, todo.word, tuple(reads), tuple(writes), flags.as_bits() if flags else None
        )

    def _read_ports(self, todo: Plan, reads: list[tuple[str, int]], observed: Mapping[str, int]) -> list[np.ndarray]:
        """Both ports; one uniform serves both. A port that reads nothing shows its last quad again."""
        if todo.immediate is not None:
            return [todo.immediate] * 2
        if todo.branch is not None:
            return [np.full(ELEMENTS, self.pc + LINK_BYTES & 0xFFFF_FFFF, np.uint32)] * 2
        uniform = None
        if _UNIFORM in todo.raddr:
            uniform = self.memory.read_int(self.uniforms, 4, "uniform read")
            self.uniforms = self.uniforms + 4 & 0xFFFF_FFFF
            reads.append(("unif", uniform))
        ports = []
        for file, address in enumerate(todo.raddr):
            if file == 1 and todo.small_immediate is not None:
                value = todo.small_immediate
            elif address is None:
                ports.append(self._last_read[file][LAST_QUAD[0]])
                continue
            elif address < FILE_REGISTERS:
                value = self.files[file][address]
            elif address == _UNIFORM:
                value = np.full(ELEMENTS, uniform, np.uint32)
            else:
                value = self._read_input(address, file, reads, observed)
            self._last_read[file] = value
            ports.append(value)
        return ports

    def _read_input(
        self, address: int, file: int, reads: list[tuple[str, int]], observed: Mapping[str, int]
    ) -> np.ndarray:
        name = READ[address][file].name if address in READ else ""
        if name == "vw_busy":
            state = observed.get(name, 0)
            reads.append((name, state))
            return np.full(ELEMENTS, state, np.uint32)
        return self._inputs.get(name, self._inputs[("elem_num", "qpu_num")[file]])()

    def _branch_target(self, todo: Plan, pc: int) -> int | None:
        """Where a branch goes, or `None` if there is none or it is not taken."""
        branch = todo.branch
        if branch is None or self._since_branch < BRANCH_DISTANCE or not self.flags.taken(branch.condition):
            return None
        target = branch.offset
        if branch.relative:
            target += pc + LINK_BYTES
        if branch.register is not None:
            target += int(self.files[0][branch.register][-1])
        return target & 0xFFFF_FFFF & ~(WORD_BYTES - 1)

    def _write_late(self) -> None:
        """The results of the instruction before reach the register files."""
        for write, value, mask, enables in self._late:
            file = self.files[write.file]
            file[write.address] = self._merged(file[write.address], value, mask, enables)
        self._late = []

    @staticmethod
    def _merged(old: np.ndarray, new: np.ndarray, mask: np.ndarray, enables: int) -> np.ndarray:
        if enables != _ALL_BYTES:
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
                self._late.append((write, value, mask, enables))
            elif write.address < ACCUMULATOR_BASE + 4:
                number = write.address - ACCUMULATOR_BASE
                self.accumulators[number] = self._merged(self.accumulators[number], value, mask, enables)
            elif index == 1 or services[0] is None or services[0] != services[1]:
                # A service takes one write an instruction: that of the mul ALU, if there are two.
                self._outputs[WRITE.name(write.address, write.file)](value, mask)
            elements = bits(mask) if write.address in ELEMENTWISE_WRITES else events.ALL_ELEMENTS
            if elements:
                name = WRITE.name(write.address, write.file)
                told.append(events.Write.of(name, elements, enables, value.tolist()))
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
                return result.value, _ALL_BYTES
            partial = todo.pack & 4 and (write.is_file or write.address < ACCUMULATOR_BASE + 4)
            enables = 1 << (todo.pack & 3) if partial else _ALL_BYTES
            return colour(result.value) * np.uint32(0x0101_0101), enables
        mode = Pack(todo.pack)
        if mode is Pack.NONE or not write.is_file or write.file != 0:
            return result.value, _ALL_BYTES
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

    def _move_uniforms(self, address: int) -> None:
        self.uniforms = address & 0xFFFF_FFFC

    def _advance(self, todo: Plan, target: int | None) -> None:
        """Program counter, delay slots and the end of the program."""
        self.pc = self.pc + WORD_BYTES & 0xFFFF_FFFF
        if self._jump:
            slots, destination = self._jump
            self._jump = (slots - 1, destination)
            if slots == 1:
                self.pc, self._jump = destination, None
        self._since_branch += 1
        if todo.branch is not None:
            self._since_branch = 1
        if target is not None:
            self._jump = (DELAY_SLOTS, target)
        if self._slots_left is not None:
            self._slots_left -= 1
        elif todo.signal in (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END):
            self._slots_left = END_SLOTS
        if self._slots_left == 0:
            self.running = False
            self._write_late()
