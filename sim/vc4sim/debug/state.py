"""What the registers of a QPU hold, as numbers: arrays of sixteen words (uint32), one an element."""

import re
from collections.abc import Sequence

import numpy as np

from vc4.isa.registers import ELEMENTS, FILE_REGISTERS
from vc4.isa.timing import DELAY_SLOTS

from ..model.memory import MemoryFault
from ..model.qpu.sequencer import END, PC, RESUME, RUNNING, SINCE_BRANCH, SWITCH, THREAD, view_of
from ..model.slice.uniforms import is_at_end, next_address, pass_uniform
from ..model.v3d import V3D
from ..workload.compare import WORD_BYTES

__all__ = [
    "ACCUMULATORS",
    "FILES",
    "FLAGS",
    "flags",
    "in_slots",
    "is_register",
    "next_pc",
    "next_uniforms",
    "pc_of",
    "set_elements",
    "suspended_pc",
    "thread_of",
    "vector",
]

#: Names of registers.
ACCUMULATORS = tuple(f"r{number}" for number in range(6))
FILES = tuple(tuple(f"r{file}{number}" for number in range(FILE_REGISTERS)) for file in "ab")
FLAGS = ("n", "z", "c")
_REGISTER = re.compile(r"r([ab]?)(\d+)")
#: Numbers of `QpuState.late` for each write, and where their count is.
_LATE, _LATE_COUNT = 4, 8


def is_register(name: str) -> bool:
    """Whether `vector` knows a name."""
    return name in (*ACCUMULATORS, *FILES[0], *FILES[1], *FLAGS)


def vector(gpu: V3D, qpu: int, name: str) -> np.ndarray:
    """A register, or a flag with 0 or 1 in each element, of the thread that runs, as the instruction after the next one sees it.

    What the last instruction has written to a register file, which the next one does not see yet, is in it. Names are those of
    `ACCUMULATORS`, `FILES` and `FLAGS`; raises `KeyError` for others.
    """
    state = gpu.machine.qpus
    if name in FLAGS:
        bits = int(state.flags[qpu, FLAGS.index(name)])
        return np.array([bits >> element & 1 for element in range(ELEMENTS)], np.uint32)
    match = _REGISTER.fullmatch(name)
    if not match or not is_register(name):
        raise KeyError(name)
    number = int(match[2])
    if not match[1]:
        return state.accumulators[qpu, number].astype(np.uint32)
    file, place = "ab".index(match[1]), number ^ view_of(state.sequences, qpu)
    words = state.files[qpu, file, place].astype(np.uint32)
    late = state.late[qpu].tolist()
    for index in range(late[_LATE_COUNT]):
        to_file, register, elements, enables = late[_LATE * index : _LATE * (index + 1)]
        if (to_file, register) == (file, place):
            kept = np.uint32(sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1))
            new = words & ~kept | state.late_values[qpu, index].astype(np.uint32) & kept
            words = np.where([elements >> element & 1 for element in range(ELEMENTS)], new, words)
    return words


def set_elements(gpu: V3D, qpu: int, name: str, first: int, words: Sequence[int]) -> None:
    """Give words to elements of a register, or 0 and 1 to those of a flag, so that the next instruction sees them, and `vector`, too."""
    state = gpu.machine.qpus
    elements = slice(first, first + len(words))
    mask = (1 << len(words)) - 1 << first
    if name in FLAGS:
        bits = sum((word & 1) << first + number for number, word in enumerate(words))
        index = FLAGS.index(name)
        state.flags[qpu, index] = int(state.flags[qpu, index]) & ~mask | bits
        return
    match = _REGISTER.fullmatch(name)
    if not match or not is_register(name):
        raise KeyError(name)
    number = int(match[2])
    if not match[1]:
        state.accumulators[qpu, number, elements] = words
        return
    file, place = "ab".index(match[1]), number ^ view_of(state.sequences, qpu)
    state.files[qpu, file, place, elements] = words
    # What the last instruction has written there does not come after it.
    for index in range(int(state.late[qpu, _LATE_COUNT])):
        to_file, register, late, _ = state.late[qpu, _LATE * index : _LATE * (index + 1)].tolist()
        if (to_file, register) == (file, place):
            state.late[qpu, _LATE * index + 2] = late & ~mask


def flags(gpu: V3D, qpu: int) -> tuple[int, int, int]:
    """N, Z and C, one bit an element."""
    n, z, c = gpu.machine.qpus.flags[qpu].tolist()
    return n, z, c


def _sequence(gpu: V3D, qpu: int) -> np.ndarray:
    return gpu.machine.qpus.sequences[qpu]


def pc_of(gpu: V3D, qpu: int) -> int | None:
    """The address of the next instruction; `None` if the QPU runs nothing."""
    sequence = _sequence(gpu, qpu)
    return int(sequence[PC]) if sequence[RUNNING] else None


def suspended_pc(gpu: V3D, qpu: int) -> int | None:
    """Where the thread that does not run goes on; `None` if there is none."""
    sequence = _sequence(gpu, qpu)
    found = int(sequence[RESUME + 1 - sequence[THREAD]])
    return None if found < 0 else found


def next_pc(gpu: V3D, qpu: int) -> int | None:
    """The same, but if a program has ended and another thread is suspended, that of this one, which goes on next."""
    found = pc_of(gpu, qpu)
    return suspended_pc(gpu, qpu) if found is None else found


def thread_of(gpu: V3D, qpu: int) -> int:
    """The thread that runs, or has run."""
    return int(_sequence(gpu, qpu)[THREAD])


def in_slots(gpu: V3D, qpu: int) -> bool:
    """Whether the next instruction is in the delay slots of a branch, taken or not, of an end, or of a thread switch.

    To be asked after an instruction of this QPU: a program that has just begun looks as if it were in slots.
    """
    sequence = _sequence(gpu, qpu)
    if not sequence[RUNNING]:
        return False
    return bool(sequence[SINCE_BRANCH] <= DELAY_SLOTS or sequence[END] >= 0 or sequence[SWITCH] >= 0)


def next_uniforms(gpu: V3D, qpu: int, count: int) -> list[tuple[int, int]]:
    """Addresses and words of the next uniforms of the thread that runs, as many as there are."""
    uniforms, thread, found = gpu.machine.uniforms.copy(), thread_of(gpu, qpu), []
    while len(found) < count and not is_at_end(uniforms, qpu, thread):
        address = int(next_address(uniforms, qpu, thread))
        try:
            found.append((address, gpu.memory.read_int(address, WORD_BYTES)))
        except MemoryFault:
            break
        pass_uniform(uniforms, qpu, thread)
    return found
