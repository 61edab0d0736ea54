"""Executed instructions as columns: one array a field, so that a group of cells is counted with a few numpy operations."""

from functools import cached_property

import numpy as np
from amaranth.lib import data

from vc4.isa.immediates import ROTATE_FIRST
from vc4.isa.ops import (
    ADD_OPERANDS,
    FLOAT_INPUT_ADD,
    FLOAT_INPUT_MUL,
    MUL_OPERANDS,
    AddOp,
    BranchCondition,
    Condition,
    MulOp,
    Mux,
    Signal,
)
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, SWITCH_SLOTS
from vc4.isa.word import AluWord, BranchWord, LoadWord

__all__ = ["ADD", "MUL", "PLACES", "Columns", "before"]

#: Index of each ALU.
ADD, MUL = 0, 1
#: Where an instruction can be; a branch comes before a switch.
PLACES = ("free", *(f"delay slot {slot + 1}" for slot in range(DELAY_SLOTS)), "slot of a switch")

_SWITCHES = (Signal.THREAD_SWITCH.value, Signal.LAST_THREAD_SWITCH.value)
_ALL = 0xFFFF


def _table(operations: type, value) -> np.ndarray:
    return np.array([value(operation) for operation in operations])


_OPERANDS = (_table(AddOp, ADD_OPERANDS.get), _table(MulOp, MUL_OPERANDS.get))
_IS_FLOAT = (_table(AddOp, FLOAT_INPUT_ADD.__contains__), _table(MulOp, FLOAT_INPUT_MUL.__contains__))


def before(values: np.ndarray, distance: int) -> np.ndarray:
    """The values `distance` rows before, false where there is no such row; at least 1."""
    moved = np.zeros_like(values)
    moved[distance:] = values[:-distance]
    return moved


class Columns:
    """Instructions that one thread has executed in this order.

    words : their words
    nzc : the flags before each, a row of three numbers of sixteen bits

    All columns have a row for every instruction, whatever form it has; `is_alu`, `is_load` and `is_branch` say for which
    rows the fields of a form mean something.
    """

    def __init__(self, words: list[int], nzc: list[tuple[int, int, int]]):
        self.words = np.array(words, np.uint64)
        self._nzc = np.array(nzc, np.int64).reshape(-1, 3)
        signal = self.field(AluWord, "signal")
        self.signal = signal
        self.is_load = signal == Signal.LOAD_IMMEDIATE.value
        self.is_branch = signal == Signal.BRANCH.value
        self.is_alu = ~(self.is_load | self.is_branch)
        self.is_small = signal == Signal.SMALL_IMMEDIATE.value

    def field(self, layout: type[data.Struct], name: str) -> np.ndarray:
        """A field of a form of instruction."""
        field = data.Layout.cast(layout)[name]
        return (self.words >> np.uint64(field.offset) & np.uint64((1 << field.width) - 1)).astype(np.int64)

    def alu(self, name: str) -> np.ndarray:
        """A field of ALU instructions; some are in load immediates and branches too."""
        return self.field(AluWord, name)

    def load(self, name: str) -> np.ndarray:
        """A field of load immediates."""
        return self.field(LoadWord, name)

    def branch(self, name: str) -> np.ndarray:
        """A field of branches."""
        return self.field(BranchWord, name)

    def operation(self, alu: int) -> np.ndarray:
        """The operation of an ALU."""
        return self.alu(("op_add", "op_mul")[alu])

    def operands(self, alu: int) -> tuple[np.ndarray, np.ndarray]:
        """The sources of both operands of an ALU."""
        name = ("add", "mul")[alu]
        return self.alu(f"{name}_a"), self.alu(f"{name}_b")

    def takes(self, alu: int, operand: int) -> np.ndarray:
        """Where an ALU computes with an operand."""
        return self.is_alu & (_OPERANDS[alu][self.operation(alu)] > operand)

    def is_float(self, alu: int) -> np.ndarray:
        """Where the operands of an ALU are floats."""
        return _IS_FLOAT[alu][self.operation(alu)].astype(np.int64)

    def condition(self, alu: int) -> np.ndarray:
        """Under which condition the result of an ALU is written; that of a branch always."""
        return np.where(self.is_branch, 1, self.alu(("cond_add", "cond_mul")[alu]))

    def writes(self, alu: int) -> np.ndarray:
        """Where an ALU writes its result in any element; a nop of the add ALU has none."""
        nothing = self.is_alu & (_OPERANDS[ADD][self.operation(ADD)] == 0) & (alu == ADD)
        return (self.condition(alu) != Condition.NEVER.value) & ~nothing

    def file(self, alu: int) -> np.ndarray:
        """The file to which an ALU writes, 0: A."""
        return self.alu("ws") ^ alu

    def address(self, alu: int) -> np.ndarray:
        """The write address of an ALU."""
        return self.alu(("waddr_add", "waddr_mul")[alu])

    def pack(self) -> np.ndarray:
        """The pack, from 16 on the ones with the pm bit."""
        return self.alu("pm") << 4 | self.alu("pack")

    def rotates(self) -> np.ndarray:
        """Where the result of the mul ALU is rotated."""
        return self.is_small & (self.alu("raddr_b") >= ROTATE_FIRST)

    def reads(self, mux: Mux) -> np.ndarray:
        """Where any operand that counts comes from `mux`."""
        found = np.zeros(len(self.words), bool)
        for alu in (ADD, MUL):
            for operand, source in enumerate(self.operands(alu)):
                found |= self.takes(alu, operand) & (source == mux.value)
        return found

    @cached_property
    def _in_switch(self) -> np.ndarray:
        """The slots of thread switches; a switch in the slots of another one is none."""
        switch = self.is_alu & np.isin(self.signal, _SWITCHES)
        slots = np.zeros(len(self.words), bool)
        end = 0
        for row in np.flatnonzero(switch):
            if row >= end:
                end = row + 1 + SWITCH_SLOTS
                slots[row + 1 : end] = True
        return slots

    @cached_property
    def place(self) -> np.ndarray:
        """Where each instruction is, an index of `PLACES`."""
        place = np.where(self._in_switch, len(PLACES) - 1, 0)
        for distance in range(DELAY_SLOTS, 0, -1):
            place[before(self.is_branch, distance)] = distance
        return place

    @cached_property
    def is_taken(self) -> np.ndarray:
        """Where a branch is taken."""
        condition = self.branch("condition")
        flags = self._nzc[np.arange(len(self.words)), np.array((1, 0, 2, 0))[condition >> 2]]
        flags = np.where(condition & 1, ~flags & _ALL, flags)
        holds = np.where(condition & 2, flags != 0, flags == _ALL)
        reserved = condition >= BranchCondition.RESERVED_12.value
        holds = np.where(reserved, condition == BranchCondition.ALWAYS.value, holds)
        lost = self._in_switch.copy()
        for distance in range(1, BRANCH_DISTANCE):
            lost |= before(self.is_branch, distance)
        return self.is_branch & holds & ~lost
