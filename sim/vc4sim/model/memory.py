"""Byte memory with bounds."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .compiled import Buffers, kernel

__all__ = [
    "BASE",
    "LOGGED",
    "WATCHED",
    "Memory",
    "MemoryFault",
    "MemoryState",
    "is_inside",
    "read_bytes",
    "write_bytes",
]

#: Bytes that kernels can write before somebody who watches must be told.
_LOG = 1 << 16
BASE, _SIZE, WATCHED, LOGGED = range(4)


class MemoryState(NamedTuple):
    """What kernels see of memory.

    bytes : uint8
    about : address of the first byte, how many there are; whether somebody watches writes, how many are in the log
    log : an address and a byte of each write, the byte in the low 8 bits
    """

    bytes: np.ndarray
    about: np.ndarray
    log: np.ndarray


@kernel
def is_inside(memory: MemoryState, address: int, length: int) -> bool:
    """Whether memory has these bytes."""
    offset = address - memory.about[BASE]
    return offset >= 0 and offset + length <= memory.about[_SIZE]


@kernel
def read_bytes(memory: MemoryState, address: int, count: int) -> int:
    """The number of one to seven bytes, little endian; memory must have them."""
    offset = address - memory.about[BASE]
    value = 0
    for byte in range(count):
        value |= int(memory.bytes[offset + byte]) << 8 * byte
    return value


@kernel
def write_bytes(memory: MemoryState, address: int, value: int, count: int) -> None:
    """Store the low bytes of a number; memory must have them."""
    offset = address - memory.about[BASE]
    for byte in range(count):
        new = value >> 8 * byte & 255
        memory.bytes[offset + byte] = new
        if memory.about[WATCHED] and memory.about[LOGGED] < _LOG:
            memory.log[memory.about[LOGGED]] = address + byte << 8 | new
            memory.about[LOGGED] += 1


class MemoryFault(Exception):
    """An access outside of memory: `address`, and what wanted it."""

    def __init__(self, address: int, access: str):
        super().__init__(f"{access} at {address:#010x} is outside of memory")
        self.address = address


class Memory:
    """`size` bytes from `base` on, at first `image` and then zeros, little endian. Raises `MemoryFault` outside of the range.

    data : all bytes
    state : the same, for kernels
    """

    def __init__(self, size: int, base: int = 0, image: bytes = b""):
        if len(image) > size:
            raise ValueError(f"an image of {len(image)} bytes does not fit {size} bytes of memory")
        self._take(bytearray(image) + bytearray(size - len(image)), base)

    @classmethod
    def around(cls, data: memoryview) -> "Memory":
        """From address 0 on, the bytes of somebody else, who can change them at any time."""
        memory = cls.__new__(cls)
        memory._take(data, 0)
        return memory

    def _take(self, data: bytearray | memoryview, base: int) -> None:
        self.base, self.data, self._size = base, data, len(data)
        about = np.array([base, len(data), 0, 0], np.int64)
        self.state = Buffers(MemoryState(np.frombuffer(self.data, np.uint8), about, np.zeros(_LOG, np.int64)))
        self._on_write: Callable[[int, bytes], None] | None = None

    @property
    def on_write(self) -> Callable[[int, bytes], None] | None:
        """Called with address and bytes of every write: for those of kernels by `tell`."""
        return self._on_write

    @on_write.setter
    def on_write(self, watcher: Callable[[int, bytes], None] | None) -> None:
        self._on_write = watcher
        self.state.arrays.about[WATCHED:] = watcher is not None, 0

    def tell(self) -> None:
        """Tell whoever watches what kernels have written: bytes that follow each other as one write."""
        about, log = self.state.arrays.about, self.state.arrays.log
        count = int(about[LOGGED])
        if not count or not self._on_write:
            return
        addresses, values = log[:count] >> 8, (log[:count] & 255).astype(np.uint8)
        ends = np.flatnonzero(np.diff(addresses, append=-1) != 1) + 1
        about[LOGGED] = 0
        for first, end in zip([0, *ends.tolist()], ends.tolist(), strict=False):
            self._on_write(int(addresses[first]), values[first:end].tobytes())

    def read(self, address: int, length: int, access: str = "read") -> bytes:
        """`length` bytes; `access` names the reader in a fault."""
        offset = address - self.base
        if not 0 <= offset <= self._size - length:
            raise MemoryFault(address, access)
        return bytes(self.data[offset : offset + length])

    def read_int(self, address: int, length: int, access: str = "read") -> int:
        """`length` bytes as an unsigned number."""
        return int.from_bytes(self.read(address, length, access), "little")

    def write(self, address: int, data: bytes, access: str = "write") -> None:
        """Store `data`; `access` names the writer in a fault."""
        offset = address - self.base
        if not 0 <= offset <= self._size - len(data):
            raise MemoryFault(address, access)
        self.data[offset : offset + len(data)] = data
        if self._on_write:
            self._on_write(address, data)
