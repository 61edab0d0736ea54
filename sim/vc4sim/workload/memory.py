"""The memory in front of which a GPU runs programs."""

from bisect import insort
from typing import NamedTuple

import numpy as np

from ..problem import BadInput
from .files import MAX_BYTES

__all__ = ["ADDRESSES", "ALIGNMENT", "PROGRAM_ADDRESS", "GpuMemory"]

#: Where things begin to lie.
PROGRAM_ADDRESS = 0x1_0000
#: What has no address of its own begins at a multiple of so many bytes.
ALIGNMENT = 64
#: How many there are.
ADDRESSES = 1 << 32


class _Place(NamedTuple):
    """Bytes that are taken."""

    address: int
    end: int
    name: str


def _room(size: int) -> int:
    """What `size` bytes take, up to where the next thing may begin."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class GpuMemory:
    """Memory that grows with what is placed in it, from the lowest thing to the highest; what nobody has written is 0.

    start : where things lie that have no address of their own: each as near after it as there is room
    """

    def __init__(self, start: int = PROGRAM_ADDRESS):
        self._start = start
        self._places: list[_Place] = []
        self._bytes = np.zeros(0, np.uint8)
        self.base = start

    def __len__(self) -> int:
        """Bytes, from `base` on."""
        return len(self._bytes)

    @property
    def data(self) -> memoryview:
        """All bytes, which may be changed; those of now: memory that has grown has others."""
        return memoryview(self._bytes)

    def copy(self) -> "GpuMemory":
        """Another one that has the same in it."""
        other = GpuMemory(self._start)
        other._places, other._bytes, other.base = list(self._places), self._bytes.copy(), self.base
        return other

    def place(self, name: str, content: bytes | int, address: int | None = None) -> int:
        """Put bytes into memory, or so many zeros, at an address or wherever there is room; returns where they lie.

        name : what they are called in errors

        Raises `BadInput` if others lie there, or memory gets larger than 64 MiB.
        """
        size = content if isinstance(content, int) else len(content)
        if address is None:
            address = self._free(size)
        if not 0 <= address < ADDRESSES:
            raise BadInput(f"{name} must lie at an address of 32 bits, not at {address:#x}")
        place = _Place(address, address + size, name)
        if size:
            for other in self._places:
                if place.address < other.end and other.address < place.end:
                    lower, upper = sorted((place, other))
                    raise BadInput(f"{lower.name} and {upper.name} both want {upper.address:#010x}")
            self._grow(place)
            insort(self._places, place)
            self.view(address, size)[:] = 0 if isinstance(content, int) else np.frombuffer(content, np.uint8)
        return address

    def _free(self, size: int) -> int:
        """The lowest address where there is room for `size` bytes."""
        address = self._start
        for place in self._places:
            if address + max(size, 1) <= place.address:
                break
            address = max(address, _room(place.end))
        return address

    def _grow(self, place: _Place) -> None:
        first = place.address // ALIGNMENT * ALIGNMENT
        base = min(self.base, first) if self._places else first
        size = max(_room(place.end - base), self.base - base + len(self))
        if size > MAX_BYTES or base + size > ADDRESSES:
            raise BadInput(f"with {place.name} at {place.address:#010x} memory gets larger than {MAX_BYTES} bytes")
        grown = np.zeros(size, np.uint8)
        grown[self.base - base :][: len(self)] = self._bytes
        self._bytes, self.base = grown, base

    def view(self, address: int, size: int) -> np.ndarray:
        """Bytes of memory, which may be changed, see `data`. Raises `BadInput` if memory does not have them."""
        first = address - self.base
        if not 0 <= first <= first + size <= len(self):
            raise BadInput(f"memory has no {size} bytes at {address:#010x}")
        return self._bytes[first : first + size]

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes. Raises `BadInput` if memory does not have them."""
        return self.view(address, size).tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Change bytes. Raises `BadInput` if memory does not have them."""
        if data:
            self.view(address, len(data))[:] = np.frombuffer(data, np.uint8)
