"""Memory for tile lists: initial blocks, the pool, and overspill (guide, tables 58 to 61; pipeline facts, 2.1 and 2.6)."""

from collections.abc import Iterator

from vc4.records.state import BlockSize

from ..cle.fields import ADDRESS_BITS
from ..memory import Memory, MemoryFault

__all__ = ["CHUNK", "RANGES", "TileMemory", "block_bytes"]

#: What blocks and clipped vertices take from the pool at a time; overspill that is smaller is refused.
CHUNK = 4096
#: Ranges of memory that the binner tells apart, beside the tile state data array.
RANGES = 16
#: A pool begins at a multiple of this.
_ALIGNMENT = 256
_SMALLEST_BLOCK = 32


def _aligned(address: int) -> int:
    """Up to where a pool can begin."""
    return -(-address // _ALIGNMENT) * _ALIGNMENT


def block_bytes(size: BlockSize) -> int:
    """Bytes of a block."""
    return _SMALLEST_BLOCK << size.value


def _possible(part: range) -> range:
    """What there is of it: nothing after the last address."""
    return range(part.start, min(part.stop, 1 << ADDRESS_BITS))


class TileMemory:
    """What the binner may write to, and where it takes blocks from.

    States may be written to the tile state data array, everything else to ranges of memory: that of the configuration, and the
    overspill that was taken. Chosen: there are `RANGES` of them. One that begins where the newest one ends makes that one
    longer; when there are as many as can be, the newest one becomes the smallest range that has both.

    pool_address, pool_size : BPCA, BPCS
    overspill_address : BPOA
    out_of_memory : it waits for overspill
    interrupts : names of the bits of INTCTL that it has set
    """

    def __init__(self, memory: Memory):
        self.pool_address = self.pool_size = 0
        self.overspill_address = self._overspill_size = 0
        self.out_of_memory = False
        self.interrupts: set[str] = set()
        self._memory = memory
        self._states = range(0)
        self._owned: list[range] = []
        #: What is left of the chunks that blocks and clipped vertices come from.
        self._chunks = {"blocks": range(0), "vertices": range(0)}

    def begin(self, pool: range, first_free: int, states: range) -> None:
        """A frame: `pool` is all of the memory, from `first_free` on nothing is used; `states` is the tile state data array.

        Raises `MemoryFault` if the initial blocks do not fit: they have taken all of the pool then.
        """
        self.release()
        self._use(range(min(first_free, pool.stop), pool.stop))
        if first_free > pool.stop:
            raise MemoryFault(pool.stop, "an initial block of a tile list")
        self._states = _possible(states)
        self._own(pool)

    def release(self) -> None:
        """The frame is done, or given up: nothing may be written."""
        self._states = range(0)
        self._owned.clear()
        self._chunks = dict.fromkeys(self._chunks, range(0))
        self.out_of_memory = False

    def _own(self, part: range) -> None:
        part = _possible(part)
        if not part:
            return
        newest = self._owned[-1] if self._owned else range(0)
        if newest and newest.stop == part.start:
            self._owned[-1] = range(newest.start, part.stop)
        elif len(self._owned) < RANGES:
            self._owned.append(part)
        else:
            self._owned[-1] = range(min(newest.start, part.start), max(newest.stop, part.stop))

    def _use(self, free: range) -> None:
        """A new pool."""
        first = min(_aligned(free.start), free.stop)
        self.pool_address, self.pool_size = first % (1 << ADDRESS_BITS), free.stop - first

    def take(self, what: str, size: int) -> Iterator[str]:
        """As an iterator, `size` bytes for "blocks" or "vertices": its value is their address, its items what it waits for."""
        if len(self._chunks[what]) < size:
            if self.pool_size < CHUNK:
                yield from self._take_overspill()
            self._chunks[what] = range(self.pool_address, self.pool_address + CHUNK)
            self._use(range(self.pool_address + CHUNK, self.pool_address + self.pool_size))
        chunk = self._chunks[what]
        self._chunks[what] = chunk[size:]
        return chunk.start % (1 << ADDRESS_BITS)

    def _take_overspill(self) -> Iterator[str]:
        """A new pool."""
        self.out_of_memory = not self._suffices
        while self.out_of_memory:
            self.interrupts.add("INT_OUTOMEM")
            yield "memory for tile lists"
        self._own(self._overspill)
        self._use(self._overspill)
        self.overspill_size = 0
        self.interrupts.add("INT_SPILLUSE")

    @property
    def overspill_size(self) -> int:
        """BPOS. Overspill that was refused stays so until this is written: the host writes BPOA first."""
        return self._overspill_size

    @overspill_size.setter
    def overspill_size(self, size: int) -> None:
        self._overspill_size = size
        self.out_of_memory = self.out_of_memory and not self._suffices

    @property
    def _suffices(self) -> bool:
        return self._overspill.stop - _aligned(self._overspill.start) >= CHUNK

    @property
    def _overspill(self) -> range:
        return range(self.overspill_address, self.overspill_address + self.overspill_size)

    def read(self, address: int, length: int) -> bytes:
        """State of a tile. Raises `MemoryFault`."""
        return self._memory.read(address, length, "tile state")

    def write(self, address: int, data: bytes) -> None:
        """Store a piece of a list, or vertices. Raises `MemoryFault` for what is not in one of the ranges."""
        self._write(address, data, self._owned, "a write of the binner")

    def write_state(self, address: int, data: bytes) -> None:
        """Store the state of a tile. Raises `MemoryFault` for what is not of the array."""
        self._write(address, data, [self._states], "a write of the binner to a state")

    def _write(self, address: int, data: bytes, allowed: list[range], access: str) -> None:
        end = address + len(data)
        if not any(part.start <= address and end <= part.stop for part in allowed):
            raise MemoryFault(address, access)
        self._memory.write(address, data, access)
