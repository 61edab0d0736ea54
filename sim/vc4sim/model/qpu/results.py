"""Where results go: files, accumulators, and the registers of peripherals (QPU facts, sections 3 and 5)."""

import numpy as np

from vc4.isa.registers import ELEMENTS, QUADS

from ..arith.sfu import special
from ..compiled import kernel
from ..machine import Machine
from ..memory import MemoryState
from ..qps.sync import free
from ..slice.uniforms import move_uniforms
from ..tmu.fifos import tmu_disable_swap, tmu_takes_uniform, tmu_write
from ..vpm.port import load, read_setup, store, write_setup, write_vector
from . import instructions as _i
from . import state as _s
from .datapath import merged, pack_result
from .flags import ALL_ELEMENTS, passing
from .fragment_port import fragment_write
from .sequencer import view_of

__all__ = ["write_r5", "write_result"]

_IRQ, _MUTEX, _NOSWAP, _UNIFORMS, _RELATIVE, _VPM, _READ_SETUP, _WRITE_SETUP, _LOAD, _STORE = range(len(_i.OTHERS))


@kernel
def write_result(
    machine: Machine,
    memory: MemoryState,
    q: int,
    thread: int,
    row: int,
    index: int,
    mask: int,
    carries: int,
    overflows: int,
) -> None:
    """What becomes of the result of one ALU, in the elements of `mask`."""
    rows, effects, qpus = machine.instructions.rows, machine.effects, machine.qpus
    first = _i.WRITES + index * _i.WRITE_COLUMNS
    kind, number = rows[row, first + _i.KIND], rows[row, first + _i.NUMBER]
    if kind == _i.TO_NOTHING:
        return
    written = effects.mul_written if index else effects.add_written
    result = effects.mul_result if index else effects.add_result
    enables = pack_result(machine.instructions, row, first, result, carries, overflows, written)
    elements = mask if rows[row, first + _i.IS_ELEMENTWISE] else ALL_ELEMENTS
    if elements:
        about, told = effects.about, _s.ADD_REGISTER + index * (_s.MUL_REGISTER - _s.ADD_REGISTER)
        about[told] = rows[row, first + _i.FILE] * 64 + rows[row, first + _i.ADDRESS]
        about[told + 1] = elements
        about[told + 2] = enables
    if kind == _i.TO_FILE:
        late = qpus.late[q, 8]
        qpus.late[q, 4 * late] = rows[row, first + _i.FILE]
        qpus.late[q, 4 * late + 1] = number ^ view_of(qpus.sequences, q)
        qpus.late[q, 4 * late + 2] = mask
        qpus.late[q, 4 * late + 3] = enables
        for element in range(ELEMENTS):
            qpus.late_values[q, late, element] = written[element]
        qpus.late[q, 8] = late + 1
    elif kind == _i.TO_ACCUMULATOR:
        for element in range(ELEMENTS):
            if mask >> element & 1:
                old = qpus.accumulators[q, number, element]
                qpus.accumulators[q, number, element] = merged(old, written[element], enables)
    elif rows[row, first + _i.IS_PERFORMED]:
        _write_peripheral(machine, memory, q, thread, kind, number, mask, written)


@kernel
def _write_peripheral(
    machine: Machine, memory: MemoryState, q: int, thread: int, kind: int, number: int, mask: int, written: np.ndarray
) -> None:
    """A write of a register outside of the QPU, or of the special function unit."""
    qpus, effects = machine.qpus, machine.effects
    if kind == _i.TO_SFU:
        place = qpus.r4_due[q, _s.R4_PLACES]
        qpus.r4_due[q, place] = 1
        for element in range(ELEMENTS):
            qpus.r4_values[q, place, element] = special(number, written[element])
    elif kind == _i.TO_TMU:
        unit, letter = number // 4, number % 4
        uniform = -1
        if tmu_takes_uniform(machine.tmu, q, thread, unit, letter):
            uniform = effects.about[_s.UNIFORM]
        tmu_write(machine.tmu, memory, q, thread, unit, letter, written, uniform)
    elif kind == _i.TO_FRAGMENT:
        for element in range(ELEMENTS):
            effects.mask[element] = mask >> element & 1
        fragment_write(machine.fragments, machine.tile, q, thread, number, written, effects.mask)
    elif kind == _i.TO_OTHER:
        _write_other(machine, memory, q, thread, number, mask, written)


@kernel
def _write_other(
    machine: Machine, memory: MemoryState, q: int, thread: int, number: int, mask: int, written: np.ndarray
) -> None:
    """Registers of which each is one of its kind; most take element 0."""
    word = written[0]
    if number == _IRQ:
        wanted = 0
        for element in range(ELEMENTS):
            if mask >> element & 1 and written[element]:
                wanted = 1
        qpus = machine.qpus
        qpus.counts[q, 1] += wanted
        qpus.debug[q, _s.HAS_INTERRUPTED] |= wanted & qpus.debug[q, _s.INTERRUPTS]
    elif number == _MUTEX:
        free(machine.sync)
    elif number == _NOSWAP:
        tmu_disable_swap(machine.tmu, q, thread, word)
    elif number in (_UNIFORMS, _RELATIVE):
        move_uniforms(machine.uniforms, q, thread, word, 1 if number == _RELATIVE else 0)
    elif number == _VPM:
        write_vector(machine.vpm, q, written)
    elif number == _READ_SETUP:
        read_setup(machine.vpm, q, word)
    elif number == _WRITE_SETUP:
        write_setup(machine.vpm, q, word)
    elif number == _LOAD:
        load(machine.vpm, memory, q, word)
    elif number == _STORE:
        store(machine.vpm, memory, q, word)


@kernel
def write_r5(machine: Machine, q: int, row: int, n: int, z: int, c: int) -> None:
    """All that an instruction writes to r5: file A gives a quad its first element, file B all quads element 0.

    Quad after quad, and in each first the add ALU.
    """
    rows, r5 = machine.instructions.rows, machine.qpus.accumulators
    for quad in range(0, ELEMENTS, QUADS):
        for index in range(2):
            first = _i.WRITES + index * _i.WRITE_COLUMNS
            if rows[row, first + _i.KIND] != _i.TO_R5:
                continue
            written = machine.effects.mul_written if index else machine.effects.add_written
            mask = passing(n, z, c, rows[row, first + _i.CONDITION])
            in_all_quads = rows[row, first + _i.NUMBER]
            if mask >> quad & 1 and (quad == 0 or not in_all_quads):
                for element in range(quad, ELEMENTS if in_all_quads else quad + QUADS):
                    r5[q, 5, element] = written[quad]
