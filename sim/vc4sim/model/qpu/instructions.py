"""Decoded instructions as numbers, for kernels: a row each, found by the word."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vc4.config import BUILT_UNITS
from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, Condition, Mux, Pack, Signal, Unpack
from vc4.isa.registers import (
    ACCUMULATOR_BASE,
    ELEMENTS,
    ELEMENTWISE_WRITES,
    FILE_REGISTERS,
    READ,
    WRITE,
    write_address,
)
from vc4.isa.sfu_tables import SfuFunction
from vc4.records.tmu import TmuParameterName

from ..arith.pack import BYTE_ENABLES
from ..compiled import kernel
from ..unbuilt import FRAGMENT_UNITS
from .decoded import TMU_PARAMETERS, Decoded, Write, decoded
from .fragment_port import FRAGMENT_LOADS, FRAGMENT_READS, FRAGMENT_WRITES

__all__ = ["UNITS", "Instructions", "InstructionState", "find_row", "new_instructions", "units_mask"]

#: Services, a bit each.
UNITS = tuple(sorted(BUILT_UNITS | FRAGMENT_UNITS))

# Columns of a row.
OP_ADD, OP_MUL, ADD_A, ADD_B, MUL_A, MUL_B, ROTATION, SMALL, HAS_IMMEDIATE, SET_FLAGS, PM = range(11)
UNPACK, UNPACK_MUX, UNPACK_FLOAT, NEEDS, READ_A, READ_B, ADDRESS_A, ADDRESS_B = range(11, 19)
TAKES_UNIFORM, TAKES_VECTOR, TAKES_VARYING, TAKES_MUTEX, TAKES_SEMAPHORE, STARTS_DMA = range(19, 25)
TMU_UNIT, TMU_LETTER, TMU_LOAD, FRAGMENT_LOAD, ENDS, SWITCHES, UNLOCKS = range(25, 32)
IS_BRANCH, BRANCH_CONDITION, BRANCH_OFFSET, BRANCH_RELATIVE, BRANCH_REGISTER, WRITES = range(32, 38)
#: Columns of each of the two writes, from `WRITES` on.
CONDITION, KIND, NUMBER, FILE, ADDRESS, IS_PERFORMED, IS_ELEMENTWISE, PACK, COLOUR, IS_FLOAT, ENABLES = range(11)
WRITE_COLUMNS = 11
COLUMNS = WRITES + 2 * WRITE_COLUMNS

# What a port reads.
READS_LAST, READS_FILE, READS_UNIFORM, READS_VECTOR, READS_SMALL, READS_ELEMENT, READS_QPU = range(7)
READS_LOAD_BUSY, READS_STORE_BUSY, READS_FRAGMENT = range(7, 10)
_READS = {
    "unif": READS_UNIFORM,
    "vary": READS_VECTOR,
    "vpm": READS_VECTOR,
    "elem_num": READS_ELEMENT,
    "qpu_num": READS_QPU,
    "vr_busy": READS_LOAD_BUSY,
    "vw_busy": READS_STORE_BUSY,
}
# Where a result goes.
TO_NOTHING, TO_FILE, TO_ACCUMULATOR, TO_R5, TO_SFU, TO_TMU, TO_FRAGMENT, TO_OTHER = range(8)
OTHERS = (
    *("irq", "mutex", "tmu_noswap", "unif_addr", "unif_addr_rel"),
    *("vpm", "vr_setup", "vw_setup", "vr_addr", "vw_addr"),
)
#: Set-ups and addresses of the VPM, flags of fragments: one in each file, so that one instruction can write two of them.
_TWO_REGISTERS = {write_address(name) for name in ("vr_setup", "vr_addr", "ms_mask")}
#: Services that have no use for the address after a branch.
_NO_ADDRESSES = ("sfu", "tmu")
_ALL_BYTES = 0b1111


def units_mask(units: frozenset[str]) -> int:
    """Services as bits."""
    return sum(1 << number for number, name in enumerate(UNITS) if name in units)


class InstructionState(NamedTuple):
    """keys : two halves of a word, and its row plus one; 0 where there is none
    rows : [row, column]
    immediates : [row, element]
    """

    keys: np.ndarray
    rows: np.ndarray
    immediates: np.ndarray


_SLOTS = 1 << 14
_MOST = _SLOTS // 2


@kernel
def _slot(low: int, high: int) -> int:
    """Where the search for a word begins."""
    mixed = (low ^ high * 0x9E3B) * 0x85EB_CA6B & 0xFFFF_FFFF
    return mixed >> 16 & _SLOTS - 1


@kernel
def find_row(instructions: InstructionState, low: int, high: int) -> int:
    """The row of a word, or -1."""
    slot = _slot(low, high)
    while instructions.keys[slot, 2]:
        if instructions.keys[slot, 0] == low and instructions.keys[slot, 1] == high:
            return instructions.keys[slot, 2] - 1
        slot = (slot + 1) % _SLOTS
    return -1


def new_instructions() -> InstructionState:
    """None of them."""
    shapes = (_SLOTS, 3), (_MOST, COLUMNS), (_MOST, ELEMENTS)
    return InstructionState(*(np.zeros(shape, np.int64) for shape in shapes))


class Instructions:
    """All that have been met."""

    def __init__(self, arrays: InstructionState) -> None:
        self._arrays = arrays
        self._keys = memoryview(arrays.keys)
        self._count = 0

    def add(self, word: int) -> None:
        """One that `find_row` has not found."""
        if self._count == _MOST:
            self._arrays.keys[:] = 0
            self._count = 0
        low, high = word & 0xFFFF_FFFF, word >> 32
        self._arrays.rows[self._count], self._arrays.immediates[self._count] = _row(word)
        slot = _slot(low, high)
        while self._keys[slot, 2]:
            slot = (slot + 1) % _SLOTS
        self._count += 1
        self._arrays.keys[slot] = low, high, self._count


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


@lru_cache(_MOST)
def _row(word: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """An instruction as numbers."""
    todo, row = decoded(word), [0] * COLUMNS
    branch = todo.branch
    names = [READ.name(address, file) if address is not None else "" for file, address in enumerate(todo.raddr)]
    values = {
        OP_ADD: todo.op_add.value,
        OP_MUL: todo.op_mul.value,
        ROTATION: _or(todo.rotation, -1),
        SMALL: _or(todo.small_immediate, 0),
        HAS_IMMEDIATE: todo.immediate is not None,
        SET_FLAGS: todo.set_flags,
        PM: todo.pm,
        UNPACK: todo.unpack.value,
        UNPACK_MUX: -1 if todo.unpack is Unpack.NONE else (Mux.R4 if todo.pm else Mux.A).value,
        UNPACK_FLOAT: todo.unpack_float,
        NEEDS: units_mask(frozenset(todo.units)),
        READ_A: _reads(todo, 0),
        READ_B: _reads(todo, 1),
        ADDRESS_A: _or(todo.raddr[0], 0),
        ADDRESS_B: _or(todo.raddr[1], 0),
        TAKES_UNIFORM: "unif" in names,
        TAKES_VECTOR: "vpm" in names,
        TAKES_VARYING: "vary" in names,
        TAKES_MUTEX: "mutex" in names,
        TAKES_SEMAPHORE: "semaphore" in todo.units,
        TMU_UNIT: todo.tmu_write[0] if todo.tmu_write else -1,
        TMU_LETTER: TmuParameterName[todo.tmu_write[1].upper()].value if todo.tmu_write else 0,
        TMU_LOAD: _or(todo.tmu_load, -1),
        FRAGMENT_LOAD: FRAGMENT_LOADS.get(todo.signal, -1),
        ENDS: todo.signal in (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END),
        SWITCHES: todo.signal in (Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH),
        UNLOCKS: todo.signal is Signal.UNLOCK_SCOREBOARD,
        IS_BRANCH: branch is not None,
    }
    values |= {column: mux.value for column, mux in zip((ADD_A, ADD_B, MUL_A, MUL_B), todo.muxes, strict=True)}
    if branch:
        values |= {
            BRANCH_CONDITION: branch.condition.value,
            BRANCH_OFFSET: branch.offset,
            BRANCH_RELATIVE: branch.relative,
            BRANCH_REGISTER: _or(branch.register, -1),
        }
    for index in range(2):
        first = WRITES + index * WRITE_COLUMNS
        values |= {first + column: value for column, value in _write(todo, index).items()}
    dma = {write_address("vr_addr")}
    values[STARTS_DMA] = any(row_write.address in dma and row_write.unit for row_write in todo.writes)
    for column, value in values.items():
        row[column] = int(value)
    return np.array(row, np.int64), todo.immediate or (0,) * ELEMENTS


def _reads(todo: Decoded, file: int) -> int:
    """What a port reads."""
    address = todo.raddr[file]
    if file == 1 and todo.small_immediate is not None:
        return READS_SMALL
    if address is None:
        return READS_LAST
    if address < FILE_REGISTERS:
        return READS_FILE
    name = READ.name(address, file)
    if name in FRAGMENT_READS:
        return READS_FRAGMENT + FRAGMENT_READS.index(name)
    return _READS.get(name, (READS_ELEMENT, READS_QPU)[file])


def _write(todo: Decoded, index: int) -> dict[int, int]:
    """One of the two writes."""
    write = todo.writes[index]
    name = WRITE.name(write.address, write.file)
    if write.condition is Condition.NEVER or name in ("-", "quad_x", "quad_y"):
        return {CONDITION: write.condition.value, KIND: TO_NOTHING}
    kind, number = _target(write, name)
    both = todo.writes
    # A service takes one write an instruction: that of the mul ALU, if there are two.
    loses = index == 0 and both[0].unit is not None and both[0].unit == both[1].unit
    if all(each.address in _TWO_REGISTERS for each in both):
        loses = False
    if todo.branch is not None and write.unit in _NO_ADDRESSES:
        loses = True
    pack, colour, enables = _packs(todo, index, write)
    is_float = todo.op_mul in FLOAT_RESULT_MUL if index else todo.op_add in FLOAT_RESULT_ADD
    return {
        CONDITION: write.condition.value,
        KIND: kind,
        NUMBER: number,
        FILE: write.file,
        ADDRESS: write.address,
        IS_PERFORMED: not loses,
        IS_ELEMENTWISE: write.address in ELEMENTWISE_WRITES,
        PACK: pack,
        COLOUR: colour,
        IS_FLOAT: is_float,
        ENABLES: enables,
    }


def _target(write: Write, name: str) -> tuple[int, int]:
    """The kind of a register that is written, and its number among those of its kind."""
    if write.is_file:
        return TO_FILE, write.address
    if write.address < ACCUMULATOR_BASE + 4:
        return TO_ACCUMULATOR, write.address - ACCUMULATOR_BASE
    if name in ("r5quad", "r5rep"):
        return TO_R5, write.file
    if name in FRAGMENT_WRITES:
        return TO_FRAGMENT, FRAGMENT_WRITES.index(name)
    if name in TMU_PARAMETERS:
        unit, letter = TMU_PARAMETERS[name]
        return TO_TMU, 4 * unit + TmuParameterName[letter.upper()].value
    if write.unit == "sfu":
        return TO_SFU, SfuFunction[name.upper()].value
    return TO_OTHER, OTHERS.index(name)


def _packs(todo: Decoded, index: int, write: Write) -> tuple[int, int, int]:
    """Pack mode of file A, whether the mul ALU makes a colour, and the bytes that are written."""
    if todo.pm:
        if index == 0 or not todo.pack & 7:
            return 0, 0, _ALL_BYTES
        partial = todo.pack & 4 and (write.is_file or write.address < ACCUMULATOR_BASE + 4)
        return 0, 1, 1 << (todo.pack & 3) if partial else _ALL_BYTES
    if not todo.pack or not write.is_file or write.file != 0:
        return 0, 0, _ALL_BYTES
    return todo.pack, 0, BYTE_ENABLES[Pack(todo.pack).value]
