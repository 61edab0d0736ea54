"""Compares what the model has done with the record of the instruction."""

import numpy as np

from vc4.isa.registers import ELEMENTS

from ..model.compiled import kernel
from ..model.machine import Machine
from ..model.qpu import state as _s
from . import fields as _f
from .fields import bits
from .follower import CONTEXT, NOTED, FollowerState

__all__ = ["is_same"]


@kernel
def is_same(machine: Machine, state: FollowerState, at: int, q: int) -> bool:
    """Whether the model has done what a record says."""
    told, rows = machine.effects.about, state.records
    if told[_s.THREAD] != bits(rows, at, _f.THREAD, 1) or told[_s.PC] != bits(rows, at, _f.PC, _f.WORD_BITS):
        return False
    low, high = bits(rows, at, _f.WORD, _f.WORD_BITS), bits(rows, at, _f.WORD + _f.WORD_BITS, _f.WORD_BITS)
    if told[_s.WORD_LOW] != low or told[_s.WORD_HIGH] != high:
        return False
    for read, value, bit, place, width in (
        (_s.READS_UNIFORM, _s.UNIFORM, _f.READS_UNIFORM, _f.UNIFORM, _f.WORD_BITS),
        (_s.READS_LOAD_BUSY, _s.LOAD_BUSY, _f.READS_LOAD_BUSY, _f.LOAD_BUSY, 1),
        (_s.READS_STORE_BUSY, _s.STORE_BUSY, _f.READS_STORE_BUSY, _f.STORE_BUSY, 1),
    ):
        if told[read] != bits(rows, at, bit, 1) or (told[read] and told[value] != bits(rows, at, place, width)):
            return False
    effects = machine.effects
    if not _is_same_write(state, at, _f.ADD, _f.ADD_DATA, told, _s.ADD_REGISTER, effects.add_written):
        return False
    if not _is_same_write(state, at, _f.MUL, _f.MUL_DATA, told, _s.MUL_REGISTER, effects.mul_written):
        return False
    return _are_same_flags(machine, state, at, q) and _is_same_r4(machine, state, q)


@kernel
def _is_same_write(
    state: FollowerState, at: int, write: int, place: int, told: np.ndarray, first: int, values: np.ndarray
) -> bool:
    """The result of an ALU: its register, the elements and bytes that are written, and these."""
    elements = bits(state.records, at, write + _f.ELEMENT_MASK, ELEMENTS)
    enables = bits(state.records, at, write + _f.BYTES, _f.BYTE_BITS)
    name, own = -1, -1
    if elements:
        name = state.names[bits(state.records, at, write + _f.REGISTER, _f.REGISTER_BITS)]
    if told[first] != _s.NOTHING:
        own = state.names[told[first]]
    if name != own:
        return False
    if name < 0:
        return True
    if elements != told[first + 1] or enables != told[first + 2]:
        return False
    kept = 0
    for byte in range(_f.BYTE_BITS):
        kept |= (enables >> byte & 1) * 255 << 8 * byte
    for element in range(ELEMENTS):
        word = state.records[at, 1 + place // _f.WORD_BITS + element]
        if elements >> element & 1 and (word ^ values[element]) & kept:
            return False
    return True


@kernel
def _are_same_flags(machine: Machine, state: FollowerState, at: int, q: int) -> bool:
    """The flags of all elements afterwards, if it sets some."""
    sets = bits(state.records, at, _f.SETS_FLAGS, 1)
    if sets != machine.effects.about[_s.SETS_FLAGS]:
        return False
    if not sets:
        return True
    mask = bits(state.records, at, _f.FLAG_MASK, ELEMENTS)
    same = True
    for flag in range(3):
        new = bits(state.records, at, _f.N + flag * ELEMENTS, ELEMENTS)
        state.flags[q, flag] = state.flags[q, flag] & ~mask | new & mask
        same = same and state.flags[q, flag] == machine.qpus.flags[q, flag]
    return same


@kernel
def _is_same_r4(machine: Machine, state: FollowerState, q: int) -> bool:
    """What r4 becomes after it."""
    row = (state.about[NOTED] - 1) % (CONTEXT + 1)
    arrives = machine.effects.about[_s.ARRIVES]
    if (state.history_brings[row] != 0) != (arrives != 0):
        return False
    if arrives:
        for element in range(ELEMENTS):
            if machine.qpus.accumulators[q, 4, element] != state.history_r4[row, element]:
                return False
    return True
