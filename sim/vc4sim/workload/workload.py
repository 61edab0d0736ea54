"""A program with its memory, and what is expected of it."""

from dataclasses import dataclass

import numpy as np

from ..asm import SourceMap
from ..backends.base import Launch

__all__ = ["ROW_BYTES", "WORD_BYTES", "Buffer", "Check", "Workload"]

#: Words of memory as programs see them, and a row of a buffer: one vector.
WORD_BYTES = 4
ROW_BYTES = 16 * WORD_BYTES


@dataclass(frozen=True, slots=True)
class Buffer:
    """A named region of memory that is shown after the run; `rows` names its rows, as far as it goes."""

    name: str
    address: int
    size: int
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """The bytes that a region must hold at the end.

    region : its name in messages
    address : of the first byte
    expected : the bytes
    atol, rtol : if not `None`, the region holds floats, and |difference| <= atol + rtol * |expected| is good enough;
        infinities must be equal
    """

    region: str
    address: int
    expected: bytes
    atol: float | None = None
    rtol: float = 0.0

    def difference(self, memory: bytes, base: int) -> str:
        """The first difference in `memory`, whose first byte lies at `base`; nothing if there is none."""
        start = self.address - base
        got = memory[start : start + len(self.expected)]
        wrong = self._wrong(got)
        if not wrong.any():
            return ""
        item = WORD_BYTES if self.atol is not None else 1
        first = int(wrong.argmax()) * item
        first -= (self.address + first) % WORD_BYTES
        first = max(first, 0)
        shown = slice(first, first + WORD_BYTES)
        return (
            f"{self.region}, {self.address + first:#010x}: "
            f"expected {_digits(self.expected[shown])}, got {_digits(got[shown])}"
        )

    def _wrong(self, got: bytes) -> np.ndarray:
        """Which bytes, or floats, are wrong."""
        if self.atol is None:
            return np.frombuffer(got, np.uint8) != np.frombuffer(self.expected, np.uint8)
        wanted, found = (np.frombuffer(data, "<f4").astype(np.float64) for data in (self.expected, got))
        same = np.frombuffer(got, "<u4") == np.frombuffer(self.expected, "<u4")
        with np.errstate(invalid="ignore"):
            near = np.abs(found - wanted) <= self.atol + self.rtol * np.abs(wanted)
        return ~(same | (near & np.isfinite(wanted) & np.isfinite(found)))


def _digits(data: bytes) -> str:
    """Hexadecimal, the last byte first, as words are written."""
    return data[::-1].hex()


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """Something to run.

    name, description : for people
    image, base : the memory at the start, and the address of its first byte
    launches : programs, in the order in which they begin
    qpus : how many of them must be able to run at the same time
    buffers : what is shown afterwards
    checks : what is compared afterwards
    origin : where the expected bytes come from, in words
    source : of the program, which lies at `base`, if it has one
    """

    name: str
    description: str = ""
    image: bytes
    base: int
    launches: tuple[Launch, ...]
    qpus: int = 1
    buffers: tuple[Buffer, ...] = ()
    checks: tuple[Check, ...] = ()
    origin: str = ""
    source: SourceMap | None = None

    def bytes_of(self, buffer: Buffer, memory: bytes) -> bytes:
        """What `memory` holds in `buffer`."""
        start = buffer.address - self.base
        return memory[start : start + buffer.size]

    def difference(self, memory: bytes) -> str:
        """The first difference between `memory` and what is expected; nothing if there is none."""
        return next(filter(None, (check.difference(memory, self.base) for check in self.checks)), "")
