"""What the QPUs hold, and what the last instruction of one of them has done."""

from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, QUADS
from vc4.isa.timing import SFU_DISTANCE

from .sequencer import new_sequences

__all__ = ["ADD", "MUL", "R4_PLACES", "Effects", "QpuState", "new_effects", "new_qpus"]

#: Instructions whose results are on their way to r4.
R4_PLACES = SFU_DISTANCE
ADD, MUL = range(2)
# Columns of `QpuState.debug`: whether it can be halted, whether it is, whether it goes on for one instruction; whether the
# host wants its interrupts, and whether one has come.
DEBUGS, HALTED, STEPS, INTERRUPTS, HAS_INTERRUPTED = range(5)


class QpuState(NamedTuple):
    """Each array begins with the number of the QPU.

    files : A and B, [.., file, register, element]
    accumulators : r0 to r5, [.., number, element]
    flags : N, Z and C, one bit an element
    late : writes of the files that the next instruction does not see: how many; of each file, register, elements, bytes
    late_values : what they write
    last_read : the last quad that each port has read
    last_mul : value and carry of the last quad of the last result of the mul ALU
    rotation : by how much that was rotated
    r4_due : special functions on their way to r4: whether there is one at a place; at last the place of the next one
    r4_values : their results
    sequences : see `sequencer`
    units : services that a program may use, see `UNITS`
    fragment : whether it shades fragments
    counts : instructions, host interrupts
    debug : what the host asks of it, and learns, see the columns above
    """

    files: np.ndarray
    accumulators: np.ndarray
    flags: np.ndarray
    late: np.ndarray
    late_values: np.ndarray
    last_read: np.ndarray
    last_mul: np.ndarray
    rotation: np.ndarray
    r4_due: np.ndarray
    r4_values: np.ndarray
    sequences: np.ndarray
    units: np.ndarray
    fragment: np.ndarray
    counts: np.ndarray
    debug: np.ndarray


def new_qpus() -> QpuState:
    """As many as there can be, with 0 in all registers."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros((MAX_QPUS, *shape), np.int64)

    return QpuState(
        files=zeros(2, FILE_REGISTERS, ELEMENTS),
        accumulators=zeros(6, ELEMENTS),
        flags=zeros(3),
        late=zeros(2 * 4 + 1),
        late_values=zeros(2, ELEMENTS),
        last_read=zeros(2, QUADS),
        last_mul=zeros(2, QUADS),
        rotation=zeros(),
        r4_due=zeros(R4_PLACES + 1),
        r4_values=zeros(R4_PLACES, ELEMENTS),
        sequences=new_sequences(),
        units=zeros(),
        fragment=zeros(),
        counts=zeros(2),
        debug=zeros(5),
    )


#: Numbers of `Effects.about`.
(
    QPU,
    THREAD,
    PC,
    WORD_LOW,
    WORD_HIGH,
    READS_UNIFORM,
    UNIFORM,
    READS_LOAD_BUSY,
    LOAD_BUSY,
    READS_STORE_BUSY,
    STORE_BUSY,
    SETS_FLAGS,
    ARRIVES,
    ADD_REGISTER,
    ADD_ELEMENTS,
    ADD_BYTES,
    MUL_REGISTER,
    MUL_ELEMENTS,
    MUL_BYTES,
    WHAT,
) = range(20)
#: Register numbers in it: file and address; nothing is written.
NOTHING = -1


class Effects(NamedTuple):
    """What an instruction has read and written, and what it works with.

    about : numbers, see above; WHAT: what belongs to a status that is not `RETIRED`: an address, a unit, a word
    port_a, port_b : what the ports read, sixteen words
    add_a, add_b, mul_a, mul_b : operands
    add_result, mul_result : of both ALUs
    add_written, mul_written : the same as they are written
    vector : from the VPM, the partial result of a varying, W of fragments that begin
    second : C of a varying, Z of fragments that begin
    loaded : what is loaded into r4
    mask : 1 for each element in which a write of the tile buffer's registers counts
    """

    about: np.ndarray
    port_a: np.ndarray
    port_b: np.ndarray
    add_a: np.ndarray
    add_b: np.ndarray
    mul_a: np.ndarray
    mul_b: np.ndarray
    add_result: np.ndarray
    mul_result: np.ndarray
    add_written: np.ndarray
    mul_written: np.ndarray
    vector: np.ndarray
    second: np.ndarray
    loaded: np.ndarray
    mask: np.ndarray


def new_effects() -> Effects:
    """Of nothing."""
    return Effects(np.zeros(20, np.int64), *(np.zeros(ELEMENTS, np.int64) for _ in range(14)))
