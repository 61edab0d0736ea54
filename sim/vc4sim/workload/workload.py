"""A program with its memory, and what is expected of it."""

from dataclasses import dataclass

import numpy as np

from ..asm import SourceMap
from ..backends.base import Launch
from .array_check import ArrayCheck, ArrayDifference
from .array_type import ELEMENTS, ArrayType
from .compare import WORD_BYTES, Check, Difference

__all__ = ["ROW_BYTES", "Buffer", "Workload"]

#: A row of a buffer: one vector.
ROW_BYTES = 16 * WORD_BYTES


@dataclass(frozen=True, slots=True)
class Buffer:
    """A named region of memory that is shown after the run.

    name, address, size : in bytes
    rows : names of its rows, as far as they go
    type : what it is, if somebody has said it
    """

    name: str
    address: int
    size: int
    rows: tuple[str, ...] = ()
    type: ArrayType | None = None

    @property
    def array_type(self) -> ArrayType:
        """What it is; bytes, if nobody has said it."""
        return self.type or ArrayType(ELEMENTS["u8"], (self.size,))


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """Something to run.

    name, description : for people
    image, base : the memory at the start, and the address of its first byte
    launches : programs, in the order in which they begin
    qpus : how many of them must be able to run at the same time
    buffers : what is shown afterwards
    code : addresses of the program
    checks : what is compared afterwards
    origin : where the expected bytes come from, in words
    source : where its instructions are in the source, by offsets from `base`, if there is one
    """

    name: str
    description: str = ""
    image: bytes
    base: int
    launches: tuple[Launch, ...]
    qpus: int = 1
    code: range = range(0)
    buffers: tuple[Buffer, ...] = ()
    checks: tuple[Check | ArrayCheck, ...] = ()
    origin: str = ""
    source: SourceMap | None = None

    def bytes_of(self, buffer: Buffer, memory: bytes) -> bytes:
        """What `memory` holds in `buffer`."""
        start = buffer.address - self.base
        return memory[start : start + buffer.size]

    def array_of(self, buffer: Buffer, memory: bytes) -> np.ndarray:
        """What `memory` holds in `buffer`, as an array; bytes, if nobody has said what it is."""
        return buffer.array_type.array(self.bytes_of(buffer, memory))

    def differences(self, memory: bytes) -> list[Difference | ArrayDifference]:
        """What differs between `memory` and what is expected, region by region."""
        return [found for check in self.checks if (found := check.difference(memory, self.base))]
