"""What an instruction did, as RTL and model both tell it, and its text: one line an event, made for diff and grep."""

import struct
from functools import cache
from typing import NamedTuple

import numpy as np

from vc4.isa.registers import ELEMENTS

from .launch import Launch

__all__ = ["ALL_BYTES", "ALL_ELEMENTS", "Event", "MemoryWrite", "Retirement", "Start", "Write"]

ALL_ELEMENTS = (1 << ELEMENTS) - 1
ALL_BYTES = 0b1111
_WORDS = struct.Struct(f"<{ELEMENTS}I")


@cache
def _kept(elements: int, enables: int) -> np.ndarray:
    """Ones in the bits that are written."""
    word = sum(255 << 8 * byte for byte in range(4) if enables >> byte & 1)
    return np.array([word * (elements >> index & 1) for index in range(ELEMENTS)], np.uint32)


class Write(NamedTuple):
    """One result on its way to a register.

    register : the assembler's name
    elements : the elements written, one bit each
    bytes : the bytes written of each element, one bit each
    values : sixteen words of 32 bits, low byte first, 0 where nothing is written
    """

    register: str
    elements: int
    bytes: int
    values: bytes

    @classmethod
    def of(cls, register: str, elements: int, enables: int, values: np.ndarray) -> "Write":
        """A write of `values`, sixteen words, cleared wherever `elements` and `enables` write nothing."""
        if elements != ALL_ELEMENTS or enables != ALL_BYTES:
            values = values & _kept(elements, enables)
        return cls(register, elements, enables, values.tobytes())

    @classmethod
    def of_r4(cls, values: np.ndarray) -> "Write":
        """What arrives in r4: a result of the special function unit, a lookup, or a word of the tile buffer."""
        return cls.of("r4", ALL_ELEMENTS, ALL_BYTES, values)

    @property
    def words(self) -> tuple[int, ...]:
        """The values as integers."""
        return _WORDS.unpack(self.values)

    def __str__(self) -> str:
        digits = [self._digits(index, value) for index, value in enumerate(self.words)]
        same = len(set(digits)) == 1
        return f"{self.register}={digits[0] + '*16' if same else ','.join(digits)}"

    def _digits(self, index: int, value: int) -> str:
        if not self.elements >> index & 1:
            return "--------"
        digits = f"{value:08x}"
        pairs = (digits[6 - 2 * byte : 8 - 2 * byte] if self.bytes >> byte & 1 else "--" for byte in (3, 2, 1, 0))
        return "".join(pairs)


class Start(NamedTuple):
    """A program that begins on a QPU."""

    qpu: int
    launch: Launch

    def __str__(self) -> str:
        return f"{self.qpu} start {self.launch}"


class Retirement(NamedTuple):
    """An instruction that has done all its work.

    qpu, thread : where it ran
    pc, word : its byte address and its 64 bits
    reads : name and value of each value that came from outside the QPU (uniform, state of a DMA engine)
    writes : result of the add ALU, then of the mul ALU, as far as they write something, then what arrives in r4 for the next
        instruction
    flags : N, Z and C of all elements afterwards, one bit each, if it set flags
    """

    qpu: int
    thread: int
    pc: int
    word: int
    reads: tuple[tuple[str, int], ...] = ()
    writes: tuple[Write, ...] = ()
    flags: tuple[int, int, int] | None = None

    def effects(self) -> str:
        """Everything but the place and the word, as text."""
        parts = [f"{name}:{value:08x}" for name, value in self.reads]
        parts += [str(write) for write in self.writes]
        if self.flags is not None:
            parts.append("nzc={:04x},{:04x},{:04x}".format(*self.flags))
        return " ".join(parts)

    def __str__(self) -> str:
        from .asm import disassemble

        text = f"{self.qpu}.{self.thread} {self.pc:08x} {self.word:016x} {disassemble(self.word)}"
        return f"{text} | {self.effects()}".rstrip()


class MemoryWrite(NamedTuple):
    """Bytes that reached memory: the address of the first, and their values."""

    address: int
    data: bytes

    def __str__(self) -> str:
        return f"mem {self.address:08x} {self.data.hex()}"


#: What simulators tell of a run.
Event = Start | Retirement | MemoryWrite
