"""The way of one QPU into the VPM: set-ups, vectors, and what is fetched ahead (guide, section 7; QPU facts, 8.4).

What a QPU says is carried out in the order of the program. Vectors are fetched when their read is set up, as long as fewer
than `READ_AHEAD` are there, and else one for each that the program reads: what the program writes in between is seen by those
that are fetched after it.
"""

from amaranth.lib import data

from vc4.isa.registers import ELEMENTS
from vc4.isa.timing import READ_AHEAD, READ_SETUPS
from vc4.records.vpm import DmaMode, SetupId, VdrBasicSetup, VpmReadSetup, VpmSize, VpmWriteSetup

from ..compiled import kernel
from ..memory import MemoryState
from .addressing import load_mode, store_mode, vector_place
from .vpm import (
    READ_ERROR,
    STORE_ERROR,
    WRITE_ERROR,
    VpmState,
    dma_load,
    dma_store,
    read_element,
    set_error,
    write_element,
)

__all__ = [
    "clear_port",
    "forget_reads",
    "load",
    "next_vector",
    "no_vector",
    "read_setup",
    "restart_port",
    "store",
    "write_setup",
    "write_vector",
]

_STRIDES = 64
_COUNTS = 16
_ADDRESSES = 256
_ADDRESS, _WIDTH, _LANED, _HORIZONTAL, _STRIDE, _UNFETCHED, _UNREAD = range(7)
_SETUPS, _FETCHED, _FIRST = range(3)
_STORE, _STORE_STRIDE, _LOAD, _LOAD_PITCH = range(4)
_WRITE_ID, _RESERVED_ID, _STORE_ID, _STRIDE_ID = (kind.value for kind in SetupId)
_RESERVED_SIZE, _EXTENDED = VpmSize.RESERVED_3.value, DmaMode.EXTENDED.value
_fields = data.Layout.cast(VpmReadSetup)
_SIZE_LOW, _LANED_LOW, _HORIZONTAL_LOW, _STRIDE_LOW, _COUNT_LOW = (
    _fields[name].offset for name in ("size", "laned", "horizontal", "stride", "count")
)
assert all(data.Layout.cast(VpmWriteSetup)[name] == _fields[name] for name in ("size", "laned", "horizontal", "stride"))
_IS_LOAD = 1 << data.Layout.cast(VdrBasicSetup)["id"].offset


@kernel
def _width(word: int) -> int:
    """Bytes of an element, or 0 if SIZE is reserved."""
    size = word >> _SIZE_LOW & 3
    return 0 if size == _RESERVED_SIZE else 1 << size


@kernel
def write_setup(vpm: VpmState, qpu: int, word: int) -> None:
    """A write of `vw_setup`: its top two bits say what it sets up; a word of an unknown kind is ignored."""
    kind = word >> 30
    if kind == _STORE_ID:
        vpm.blocks[qpu, _STORE] = word
    elif kind == _STRIDE_ID:
        vpm.blocks[qpu, _STORE_STRIDE] = word
    elif kind == _RESERVED_ID:
        set_error(vpm, WRITE_ERROR)
    else:
        vpm.writes[qpu, _ADDRESS] = word & _ADDRESSES - 1
        vpm.writes[qpu, _WIDTH] = _width(word)
        vpm.writes[qpu, _LANED] = word >> _LANED_LOW & 1
        vpm.writes[qpu, _HORIZONTAL] = word >> _HORIZONTAL_LOW & 1
        vpm.writes[qpu, _STRIDE] = word >> _STRIDE_LOW & _STRIDES - 1 or _STRIDES


@kernel
def read_setup(vpm: VpmState, qpu: int, word: int) -> None:
    """A write of `vr_setup`: reads of vectors, or one of the words of a DMA load; a word of an unknown kind is ignored.

    So are reads while `READ_SETUPS` others have vectors left that were not read.
    """
    number = vpm.queue[qpu, _SETUPS]
    if word & _IS_LOAD:
        vpm.blocks[qpu, _LOAD_PITCH if load_mode(word) == _EXTENDED else _LOAD] = word
    elif word >> 30:
        set_error(vpm, READ_ERROR)
    elif number < READ_SETUPS:
        count = word >> _COUNT_LOW & _COUNTS - 1 or _COUNTS
        vpm.reads[qpu, number, _ADDRESS] = word & _ADDRESSES - 1
        vpm.reads[qpu, number, _WIDTH] = _width(word)
        vpm.reads[qpu, number, _LANED] = word >> _LANED_LOW & 1
        vpm.reads[qpu, number, _HORIZONTAL] = word >> _HORIZONTAL_LOW & 1
        vpm.reads[qpu, number, _STRIDE] = word >> _STRIDE_LOW & _STRIDES - 1 or _STRIDES
        vpm.reads[qpu, number, _UNFETCHED] = count
        vpm.reads[qpu, number, _UNREAD] = count
        vpm.queue[qpu, _SETUPS] = number + 1
        _fetch(vpm, qpu)


@kernel
def _fetch(vpm: VpmState, qpu: int) -> None:
    """Fetch vectors while there is room for them."""
    for setup in range(vpm.queue[qpu, _SETUPS]):
        while vpm.reads[qpu, setup, _UNFETCHED] and vpm.queue[qpu, _FETCHED] < READ_AHEAD:
            vpm.reads[qpu, setup, _UNFETCHED] -= 1
            _fetch_vector(vpm, qpu, setup, (vpm.queue[qpu, _FIRST] + vpm.queue[qpu, _FETCHED]) % READ_AHEAD)
            vpm.queue[qpu, _FETCHED] += 1


@kernel
def _fetch_vector(vpm: VpmState, qpu: int, setup: int, to: int) -> None:
    """The next vector of a set-up; 0 if SIZE is reserved."""
    width, address = vpm.reads[qpu, setup, _WIDTH], vpm.reads[qpu, setup, _ADDRESS]
    laned, horizontal = vpm.reads[qpu, setup, _LANED], vpm.reads[qpu, setup, _HORIZONTAL]
    if not width:
        set_error(vpm, READ_ERROR)
    for element in range(ELEMENTS):
        value = 0
        if width:
            value = read_element(vpm, qpu, vector_place(address, width, laned, horizontal, element), width)
        vpm.fetched[qpu, to, element] = value
    if width:
        vpm.reads[qpu, setup, _ADDRESS] = (address + vpm.reads[qpu, setup, _STRIDE]) % _ADDRESSES


@kernel
def no_vector(vpm: VpmState, qpu: int) -> bool:
    """Whether a read of `vpm` waits: nothing but its program could set up a read."""
    return vpm.queue[qpu, _FETCHED] == 0


@kernel
def next_vector(vpm: VpmState, qpu: int, into: list[int]) -> None:
    """A read of `vpm`: the next vector, which must be there; one more is fetched in its place."""
    first = vpm.queue[qpu, _FIRST]
    for element in range(ELEMENTS):
        into[element] = vpm.fetched[qpu, first, element]
    vpm.queue[qpu, _FIRST] = (first + 1) % READ_AHEAD
    vpm.queue[qpu, _FETCHED] -= 1
    vpm.reads[qpu, 0, _UNREAD] -= 1
    if not vpm.reads[qpu, 0, _UNREAD]:
        vpm.queue[qpu, _SETUPS] -= 1
        for setup in range(vpm.queue[qpu, _SETUPS]):
            for field in range(_UNREAD + 1):
                vpm.reads[qpu, setup, field] = vpm.reads[qpu, setup + 1, field]
    _fetch(vpm, qpu)


@kernel
def clear_port(vpm: VpmState, qpu: int) -> None:
    """Forget all set-ups."""
    restart_port(vpm, qpu)
    for number in range(_LOAD_PITCH + 1):
        vpm.blocks[qpu, number] = 0


@kernel
def restart_port(vpm: VpmState, qpu: int) -> None:
    """A batch of vertices begins: the set-up of writes is that after reset. Those of DMA stay, for programs after it."""
    forget_reads(vpm, qpu)
    write_setup(vpm, qpu, 0)


@kernel
def forget_reads(vpm: VpmState, qpu: int) -> None:
    """The program has ended: what it has not read is forgotten."""
    vpm.queue[qpu, _SETUPS] = 0
    vpm.queue[qpu, _FETCHED] = 0


@kernel
def write_vector(vpm: VpmState, qpu: int, vector: list[int]) -> None:
    """A write of `vpm`: the low bytes of the sixteen elements to where the set-up says."""
    width, address = vpm.writes[qpu, _WIDTH], vpm.writes[qpu, _ADDRESS]
    laned, horizontal = vpm.writes[qpu, _LANED], vpm.writes[qpu, _HORIZONTAL]
    if not width:
        set_error(vpm, WRITE_ERROR)
        return
    for element in range(ELEMENTS):
        write_element(vpm, qpu, vector_place(address, width, laned, horizontal, element), width, vector[element])
    vpm.writes[qpu, _ADDRESS] = (address + vpm.writes[qpu, _STRIDE]) % _ADDRESSES


@kernel
def load(vpm: VpmState, memory: MemoryState, qpu: int, address: int) -> None:
    """A write of `vr_addr`: the block that is set up comes from memory."""
    dma_load(vpm, memory, qpu, vpm.blocks[qpu, _LOAD], vpm.blocks[qpu, _LOAD_PITCH], address)


@kernel
def store(vpm: VpmState, memory: MemoryState, qpu: int, address: int) -> None:
    """A write of `vw_addr`: the block that is set up goes to memory, unless MODEW is reserved."""
    if store_mode(vpm.blocks[qpu, _STORE]) == _EXTENDED:
        set_error(vpm, STORE_ERROR)
    else:
        dma_store(vpm, memory, qpu, vpm.blocks[qpu, _STORE], vpm.blocks[qpu, _STORE_STRIDE], address)
