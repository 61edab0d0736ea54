"""One QPU, an instruction a step (QPU facts, sections 2 to 6).

What the pipeline of the hardware makes visible is state here: results that reach the register files one instruction late,
the last quad on each read port and in each ALU, the delay slots. Where the guide says undefined, `docs/` has the choice.
"""

from vc4.isa.ops import AddOp
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, FRAGMENT_REGISTER, QUADS
from vc4.isa.timing import LINK_BYTES
from vc4.isa.word import WORD_BYTES

from ..arith.float import WORD
from ..compiled import kernel
from ..machine import Machine
from ..memory import MemoryState, is_inside, read_bytes
from ..qps.sync import count, is_blocked, lock
from ..slice.uniforms import begin_uniforms, is_at_end, next_address, pass_uniform
from ..tmu.fifos import tmu_clear, tmu_is_empty, tmu_is_full, tmu_load, tmu_start, tmu_takes_uniform
from ..vpm.port import clear_port, forget_reads, no_vector
from ..vpm.vpm import IS_SHADER
from . import instructions as _i
from . import state as _s
from .datapath import merged, new_flags, operate_add, operate_mul, rotation_of
from .flags import is_taken, passing
from .fragment_port import fragment_load, fragment_start
from .fragment_state import DONE
from .instructions import find_row
from .read_ports import read_ports
from .results import write_r5, write_result
from .sequencer import PC, RUNNING, THREAD, advance, begin_program, clear_sequence, counts_branches, view_of
from .status import (
    FAULT_FETCH,
    FAULT_STREAM,
    FAULT_UNIFORM,
    LACKS,
    RETIRED,
    UNKNOWN,
    WAITS_MUTEX,
    WAITS_RESULT,
    WAITS_SEMAPHORE,
    WAITS_SLOT,
    WAITS_VECTOR,
)

__all__ = ["clear", "leave", "start", "step"]

_ADD_NOP = AddOp.NOP.value
_ADD_CONDITION = _i.WRITES + _i.CONDITION
_MUL_CONDITION = _i.WRITES + _i.WRITE_COLUMNS + _i.CONDITION


@kernel
def clear(machine: Machine, q: int) -> None:
    """A QPU as it is after power-on: it runs nothing, holds 0 in all registers, and has asked for nothing."""
    qpus = machine.qpus
    for element in range(ELEMENTS):
        for file in range(2):
            for register in range(FILE_REGISTERS):
                qpus.files[q, file, register, element] = 0
        for number in range(6):
            qpus.accumulators[q, number, element] = 0
    for flag in range(3):
        qpus.flags[q, flag] = 0
    for quad in range(QUADS):
        for port in range(2):
            qpus.last_read[q, port, quad] = 0
            qpus.last_mul[q, port, quad] = 0
    for place in range(_s.R4_PLACES):
        qpus.r4_due[q, place] = 0
    qpus.late[q, 8] = 0
    qpus.rotation[q] = 0
    clear_sequence(qpus.sequences, q)
    clear_port(machine.vpm, q)
    tmu_clear(machine.tmu, q)


@kernel
def start(machine: Machine, q: int, pc: int, uniforms: int, length: int, threaded: int, thread: int) -> None:
    """Begin a program in the thread that is its place, see `place_of`; registers keep what they hold."""
    qpus = machine.qpus
    begin_program(qpus.sequences, q, pc, threaded, thread)
    begin_uniforms(machine.uniforms, q, thread, uniforms, length)
    tmu_start(machine.tmu, q, thread)
    if qpus.fragment[q]:
        place = FRAGMENT_REGISTER ^ view_of(qpus.sequences, q)
        fragment_start(machine.fragments, q, thread, machine.effects.vector, machine.effects.second)
        for element in range(ELEMENTS):
            qpus.files[q, 0, place, element] = machine.effects.vector[element]
            qpus.files[q, 1, place, element] = machine.effects.second[element]


@kernel
def step(machine: Machine, memory: MemoryState, q: int, load_busy: int, store_busy: int, granted: int) -> int:
    """Execute one instruction; `machine.effects` tell what it did. Returns a status.

    load_busy, store_busy : state of the DMA engines, as a read shall see it
    granted : it is known that the QPU gets the mutex, or may pass the semaphore
    """
    qpus, effects = machine.qpus, machine.effects
    about, rows, sequences = effects.about, machine.instructions.rows, qpus.sequences
    pc, thread = sequences[q, PC], sequences[q, THREAD]
    about[_s.WHAT] = pc
    if not is_inside(memory, pc, WORD_BYTES):
        return FAULT_FETCH
    low, high = read_bytes(memory, pc, 4), read_bytes(memory, pc + 4, 4)
    about[_s.WORD_LOW], about[_s.WORD_HIGH] = low, high
    row = find_row(machine.instructions, low, high)
    if row < 0:
        return UNKNOWN
    status = _wait(machine, q, thread, row, low, granted)
    if status == RETIRED:
        status = _take_uniform(machine, memory, q, thread, row)
    if status != RETIRED:
        return status
    about[_s.QPU], about[_s.THREAD], about[_s.PC] = q, thread, pc
    if _loads_fragment(machine, q, row):
        fragment_load(machine.fragments, machine.tile, q, thread, rows[row, _i.FRAGMENT_LOAD], effects.loaded)
    read_ports(machine, q, thread, row, pc, load_busy, store_busy)
    target = _branch_target(qpus, machine.instructions, q, row, pc)
    _write_late(qpus, q)
    rotation = rotation_of(qpus, machine.instructions, q, row)
    add_carries, overflows = operate_add(qpus, effects, machine.instructions, q, row)
    mul_carries = operate_mul(qpus, effects, machine.instructions, q, row, rotation)
    n, z, c = qpus.flags[q, 0], qpus.flags[q, 1], qpus.flags[q, 2]
    about[_s.SETS_FLAGS] = 0
    about[_s.ADD_REGISTER] = _s.NOTHING
    about[_s.MUL_REGISTER] = _s.NOTHING
    if target >= 0 or not rows[row, _i.IS_BRANCH]:
        if rows[row, _i.SET_FLAGS]:
            _set_flags(machine, q, row, add_carries, mul_carries)
        write_result(
            machine, memory, q, thread, row, _s.ADD, passing(n, z, c, rows[row, _ADD_CONDITION]), add_carries, overflows
        )
        write_result(
            machine, memory, q, thread, row, _s.MUL, passing(n, z, c, rows[row, _MUL_CONDITION]), mul_carries, 0
        )
        write_r5(machine, q, row, n, z, c)
    _advance(machine, q, thread, row, target)
    qpus.counts[q, 0] += 1
    return RETIRED


@kernel
def _wait(machine: Machine, q: int, thread: int, row: int, low: int, granted: int) -> int:
    """Whether the instruction has to wait for anything, or lacks it; takes what it shares with other QPUs."""
    rows, what = machine.instructions.rows, machine.effects.about
    if rows[row, _i.NEEDS] & ~machine.qpus.units[q]:
        return LACKS
    if rows[row, _i.STARTS_DMA] and machine.vpm.windows[q, IS_SHADER]:
        return LACKS
    if rows[row, _i.TAKES_VECTOR] and no_vector(machine.vpm, q):
        return WAITS_VECTOR
    unit = rows[row, _i.TMU_UNIT]
    if unit >= 0 and tmu_is_full(machine.tmu, q, thread, unit):
        what[_s.WHAT] = unit
        return WAITS_SLOT
    unit = rows[row, _i.TMU_LOAD]
    if unit >= 0 and tmu_is_empty(machine.tmu, q, thread, unit):
        what[_s.WHAT] = unit
        return WAITS_RESULT
    if rows[row, _i.TAKES_MUTEX]:
        if machine.sync.mutex[0] and not granted:
            return WAITS_MUTEX
        lock(machine.sync)
    if rows[row, _i.TAKES_SEMAPHORE]:
        if is_blocked(machine.sync, low) and not granted:
            what[_s.WHAT] = low
            return WAITS_SEMAPHORE
        count(machine.sync, low)
    return RETIRED


@kernel
def _take_uniform(machine: Machine, memory: MemoryState, q: int, thread: int, row: int) -> int:
    """The next uniform, if a port reads it or a texture unit takes it; if both do, it is the same."""
    rows, about = machine.instructions.rows, machine.effects.about
    unit = rows[row, _i.TMU_UNIT]
    about[_s.READS_UNIFORM] = 0
    takes = rows[row, _i.TAKES_UNIFORM] != 0
    if unit >= 0 and tmu_takes_uniform(machine.tmu, q, thread, unit, rows[row, _i.TMU_LETTER]):
        takes = True
    if not takes:
        return RETIRED
    address = next_address(machine.uniforms, q, thread)
    about[_s.WHAT] = address
    if is_at_end(machine.uniforms, q, thread):
        return FAULT_STREAM
    if not is_inside(memory, address, 4):
        return FAULT_UNIFORM
    about[_s.READS_UNIFORM] = 1
    about[_s.UNIFORM] = read_bytes(memory, address, 4)
    pass_uniform(machine.uniforms, q, thread)
    return RETIRED


@kernel
def _branch_target(qpus: _s.QpuState, instructions: _i.InstructionState, q: int, row: int, pc: int) -> int:
    """Where a branch goes, or -1 if there is none or it is not taken."""
    rows = instructions.rows
    if not rows[row, _i.IS_BRANCH] or not counts_branches(qpus.sequences, q):
        return -1
    if not is_taken(qpus.flags[q, 0], qpus.flags[q, 1], qpus.flags[q, 2], rows[row, _i.BRANCH_CONDITION]):
        return -1
    target = rows[row, _i.BRANCH_OFFSET]
    if rows[row, _i.BRANCH_RELATIVE]:
        target += pc + LINK_BYTES
    register = rows[row, _i.BRANCH_REGISTER]
    if register >= 0:
        target += qpus.files[q, 0, register ^ view_of(qpus.sequences, q), ELEMENTS - 1]
    return target & WORD & -WORD_BYTES


@kernel
def _write_late(qpus: _s.QpuState, q: int) -> None:
    """The results of the instruction before reach the register files."""
    for number in range(qpus.late[q, 8]):
        file, register = qpus.late[q, 4 * number], qpus.late[q, 4 * number + 1]
        mask, enables = qpus.late[q, 4 * number + 2], qpus.late[q, 4 * number + 3]
        for element in range(ELEMENTS):
            if mask >> element & 1:
                old, new = qpus.files[q, file, register, element], qpus.late_values[q, number, element]
                qpus.files[q, file, register, element] = merged(old, new, enables)
    qpus.late[q, 8] = 0


@kernel
def _set_flags(machine: Machine, q: int, row: int, add_carries: int, mul_carries: int) -> None:
    """New flags where the condition of the ALU that sets them holds: that of the add ALU, unless it has a nop."""
    flags, rows, effects = machine.qpus.flags, machine.instructions.rows, machine.effects
    carries, condition = add_carries, rows[row, _ADD_CONDITION]
    n, z = 0, 0
    if rows[row, _i.OP_ADD] == _ADD_NOP:
        carries, condition = mul_carries, rows[row, _MUL_CONDITION]
        n, z = new_flags(effects.mul_result)
    else:
        n, z = new_flags(effects.add_result)
    mask = passing(flags[q, 0], flags[q, 1], flags[q, 2], condition)
    flags[q, 0] = flags[q, 0] & ~mask | n & mask
    flags[q, 1] = flags[q, 1] & ~mask | z & mask
    flags[q, 2] = flags[q, 2] & ~mask | carries & mask
    effects.about[_s.SETS_FLAGS] = 1


@kernel
def _advance(machine: Machine, q: int, thread: int, row: int, target: int) -> None:
    """The instruction ends: what is due arrives in r4, the C of a varying in r5."""
    qpus, rows, effects = machine.qpus, machine.instructions.rows, machine.effects
    place = (qpus.r4_due[q, _s.R4_PLACES] + 1) % _s.R4_PLACES  # that of the oldest, and of the next instruction
    arrives = qpus.r4_due[q, place]
    if arrives:
        for element in range(ELEMENTS):
            qpus.accumulators[q, 4, element] = qpus.r4_values[q, place, element]
    qpus.r4_due[q, place] = 0
    qpus.r4_due[q, _s.R4_PLACES] = place
    unit = rows[row, _i.TMU_LOAD]
    loads = unit >= 0 or _loads_fragment(machine, q, row)
    if unit >= 0:
        tmu_load(machine.tmu, q, thread, unit, effects.loaded)
    if loads:
        for element in range(ELEMENTS):
            qpus.accumulators[q, 4, element] = effects.loaded[element]
    effects.about[_s.ARRIVES] = 1 if arrives or loads else 0
    if rows[row, _i.TAKES_VARYING] and qpus.fragment[q]:
        for element in range(ELEMENTS):
            qpus.accumulators[q, 5, element] = effects.second[element]
    if rows[row, _i.UNLOCKS] and qpus.fragment[q]:
        machine.fragments.modes[q, thread, DONE] = 1
    sequences = qpus.sequences
    advance(sequences, q, rows[row, _i.IS_BRANCH], target, rows[row, _i.ENDS], rows[row, _i.SWITCHES])
    if not sequences[q, RUNNING]:
        leave(machine, q)


@kernel
def _loads_fragment(machine: Machine, q: int, row: int) -> bool:
    """Whether something comes to r4 from the tile buffer: what is there in front of the instruction's own writes."""
    return machine.instructions.rows[row, _i.FRAGMENT_LOAD] >= 0 and machine.qpus.fragment[q] != 0


@kernel
def leave(machine: Machine, q: int) -> None:
    """The program that runs has ended."""
    machine.qpus.sequences[q, RUNNING] = 0
    _write_late(machine.qpus, q)
    forget_reads(machine.vpm, q)
