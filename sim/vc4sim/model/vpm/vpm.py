"""Vertex pipe memory, and what its DMA engines do to it and to memory (guide, section 7; QPU facts, 8.4 to 8.6)."""

from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS, MOST_VPM_ROWS
from vc4.isa.registers import ELEMENTS
from vc4.isa.timing import READ_AHEAD, READ_SETUPS
from vc4.regs.table import register

from ..compiled import kernel
from ..memory import MemoryFault, MemoryState, is_inside, read_bytes, write_bytes
from .addressing import (
    ROW_BYTES,
    element_bytes,
    load_address,
    load_length,
    load_mode,
    load_place,
    load_rows,
    store_address,
    store_length,
    store_mode,
    store_place,
    store_rows,
)

__all__ = [
    "BASE_ERROR",
    "BINNER_ERROR",
    "BINNER_LIMIT_ERROR",
    "ERRORS",
    "FAULT",
    "READ_ERRORS",
    "RENDERER_ERROR",
    "RENDERER_LIMIT_ERROR",
    "SHADER_ROWS",
    "SIZE_ERROR",
    "USER_ROWS",
    "VpmState",
    "dma_fault",
    "dma_load",
    "dma_store",
    "new_vpm",
    "read_element",
    "reserve",
    "set_error",
    "use_as_program",
    "use_as_shader",
    "write_element",
]

_BLOCK_ROWS = 4
_MOST_BLOCKS = (1 << register("VPMBASE").fields[0].width) - 1
_WORD = 0xFFFF_FFFF
#: Bits of ERRSTAT, by their numbers here: of reads and of writes, a row that the VPM does not have, and one that is not
#: reserved for user programs; of loads and stores, what is not in memory; VPMBASE has changed while a program ran; a batch of
#: vertices needs more rows than there are, or than binner or renderer may have; binner or renderer never gets its vertices.
ERRORS = (
    *("VPMERR", "VPMERNA", "VPMEWR", "VPMEWNA", "VCDE", "VDWE", "VPAEABB"),
    *("VPAERGS", "VPAEBRGL", "VPAERRGL", "VCMBE", "VCMRE"),
)
READ_ERROR, WRITE_ERROR, LOAD_ERROR, STORE_ERROR, BASE_ERROR = 0, 2, 4, 5, 6
SIZE_ERROR, BINNER_LIMIT_ERROR, RENDERER_LIMIT_ERROR, BINNER_ERROR, RENDERER_ERROR = range(7, 12)
#: Errors of vectors that are read: whether one that nobody takes is fetched before the program ends is chance.
READ_ERRORS = frozenset(ERRORS[:2])
#: Rows that a set-up of vectors can name. So many has each QPU for attributes and for results of shaders, which reach them
#: as rows from 0 on.
SHADER_ROWS = 64
_ROWS, USER_ROWS, _ERRORS, FAULT, _LOADED = range(5)
_READ_BASE, _WRITE_BASE, IS_SHADER = range(3)


class VpmState(NamedTuple):
    """The rows, what each QPU has set up, and what was fetched for it.

    bytes : of all rows, then those of shaders, attributes and results of each QPU
    about : rows; how many from 0 on programs reach; errors, a bit each; address of the first access of DMA outside of
        memory, or -1, and whether it was a load
    windows : of each QPU, the first row that it reads, the first that it writes, whether it runs a shader
    writes : set-up of the vectors that are written: ADDR, bytes of an element or 0, laned, horizontal, stride
    reads : of each set-up of vectors that are read the same, then vectors to fetch, and to read
    blocks : the last words for stores, for their stride, for loads, for their pitch
    queue : set-ups of reads, vectors that are fetched, place of the first of these
    fetched : vectors
    """

    bytes: np.ndarray
    about: np.ndarray
    windows: np.ndarray
    writes: np.ndarray
    reads: np.ndarray
    blocks: np.ndarray
    queue: np.ndarray
    fetched: np.ndarray


def new_vpm(rows: int) -> VpmState:
    """All of it 0. Programs reach all that the host can reserve, until it does, see `reserve`."""
    vpm = VpmState(
        bytes=np.zeros((MOST_VPM_ROWS + 2 * SHADER_ROWS * MAX_QPUS) * ROW_BYTES, np.uint8),
        about=np.array([rows, 0, 0, -1, 0], np.int64),
        windows=np.zeros((MAX_QPUS, 3), np.int64),
        writes=np.zeros((MAX_QPUS, 5), np.int64),
        reads=np.zeros((MAX_QPUS, READ_SETUPS, 7), np.int64),
        blocks=np.zeros((MAX_QPUS, 4), np.int64),
        queue=np.zeros((MAX_QPUS, 3), np.int64),
        fetched=np.zeros((MAX_QPUS, READ_AHEAD, ELEMENTS), np.int64),
    )
    vpm.writes[:] = 0, 1, 0, 0, SHADER_ROWS  # what a word of 0 says
    reserve(vpm, _MOST_BLOCKS)
    return vpm


def reserve(vpm: VpmState, blocks: int) -> None:
    """A write of VPMBASE: `blocks` times 256 bytes are for user programs, as far as there are so many."""
    vpm.about[USER_ROWS] = min(blocks * _BLOCK_ROWS, vpm.about[_ROWS])


@kernel
def use_as_program(vpm: VpmState, qpu: int) -> None:
    """A QPU gets a user program."""
    vpm.windows[qpu, _READ_BASE] = 0
    vpm.windows[qpu, _WRITE_BASE] = 0
    vpm.windows[qpu, IS_SHADER] = 0


@kernel
def use_as_shader(vpm: VpmState, qpu: int) -> None:
    """A QPU gets a batch of vertices: row 0 is that of the first attribute to it, or of the first result."""
    first = MOST_VPM_ROWS + 2 * SHADER_ROWS * qpu
    vpm.windows[qpu, _READ_BASE] = first
    vpm.windows[qpu, _WRITE_BASE] = first + SHADER_ROWS
    vpm.windows[qpu, IS_SHADER] = 1


@kernel
def set_error(vpm: VpmState, error: int) -> None:
    """A bit of ERRSTAT is set."""
    vpm.about[_ERRORS] |= 1 << error


@kernel
def _is_reached(vpm: VpmState, qpu: int, place: int, error: int) -> bool:
    """Whether a program reaches a place; if not, which of two bits it sets."""
    row = place // ROW_BYTES
    if vpm.windows[qpu, IS_SHADER] or row < vpm.about[USER_ROWS]:
        return True
    set_error(vpm, error if row >= vpm.about[_ROWS] else error + 1)
    return False


@kernel
def read_element(vpm: VpmState, qpu: int, place: int, width: int) -> int:
    """An element; 0 where programs do not reach."""
    if not _is_reached(vpm, qpu, place, READ_ERROR):
        return 0
    value, first = 0, vpm.windows[qpu, _READ_BASE] * ROW_BYTES + place
    for byte in range(width):
        value |= int(vpm.bytes[first + byte]) << 8 * byte
    return value


@kernel
def write_element(vpm: VpmState, qpu: int, place: int, width: int, value: int) -> None:
    """The low bytes of an element; they are lost where programs do not reach."""
    if _is_reached(vpm, qpu, place, WRITE_ERROR):
        first = vpm.windows[qpu, _WRITE_BASE] * ROW_BYTES + place
        for byte in range(width):
            vpm.bytes[first + byte] = value >> 8 * byte & 255


@kernel
def _is_in_memory(vpm: VpmState, memory: MemoryState, address: int, error: int) -> bool:
    """Whether memory has a byte; if not, that is an error, and a fault for those who run programs."""
    if is_inside(memory, address, 1):
        return True
    set_error(vpm, error)
    if vpm.about[FAULT] < 0:
        vpm.about[FAULT] = address
        vpm.about[_LOADED] = 1 if error == LOAD_ERROR else 0
    return False


@kernel
def dma_load(vpm: VpmState, memory: MemoryState, qpu: int, load: int, extended: int, address: int) -> None:
    """Memory to the VPM, row after row. Bytes that lie outside of memory are lost."""
    width, length = element_bytes(load_mode(load)), load_length(load)
    for row in range(load_rows(load)):
        first = load_address(load, extended, address, row)
        for element in range(length):
            place = load_place(load, row, element)
            for byte in range(width):
                source = first + element * width + byte & _WORD
                if _is_in_memory(vpm, memory, source, LOAD_ERROR):
                    write_element(vpm, qpu, place + byte, 1, read_bytes(memory, source, 1))


@kernel
def dma_store(vpm: VpmState, memory: MemoryState, qpu: int, store: int, stride: int, address: int) -> None:
    """The VPM to memory, row after row. Bytes that lie outside of memory are lost. MODEW must not be reserved."""
    width, depth = element_bytes(store_mode(store)), store_length(store)
    for unit in range(store_rows(store)):
        first = store_address(store, stride, address, unit)
        for element in range(depth):
            value = read_element(vpm, qpu, store_place(store, stride, unit, element), width)
            for byte in range(width):
                target = first + element * width + byte & _WORD
                if _is_in_memory(vpm, memory, target, STORE_ERROR):
                    write_bytes(memory, target, value >> 8 * byte & 255, 1)


def dma_fault(vpm: VpmState) -> MemoryFault | None:
    """The first access of DMA outside of memory: programs do not see it, so it is for those who run them to stop."""
    address = int(vpm.about[FAULT])
    return None if address < 0 else MemoryFault(address, "DMA load" if vpm.about[_LOADED] else "DMA store")


class Vpm:
    """What Python sees of it."""

    def __init__(self, state: VpmState):
        self._state = state
        rows = int(state.about[_ROWS])
        words = state.bytes.view("<u4").reshape(-1, ELEMENTS)
        #: All words, [row, column].
        self.words = words[:rows]
        self._windows = words[MOST_VPM_ROWS:].reshape(MAX_QPUS, 2, SHADER_ROWS, ELEMENTS)

    def attributes(self, qpu: int) -> np.ndarray:
        """The rows that a shader reads, [row, column]."""
        return self._windows[qpu, 0]

    def results(self, qpu: int) -> np.ndarray:
        """Those that it writes."""
        return self._windows[qpu, 1]

    def set_error(self, error: int) -> None:
        """A bit of ERRSTAT is set."""
        set_error(self._state, error)

    @property
    def errors(self) -> set[str]:
        """Names of the bits of ERRSTAT that are set."""
        return {name for number, name in enumerate(ERRORS) if self._state.about[_ERRORS] >> number & 1}
