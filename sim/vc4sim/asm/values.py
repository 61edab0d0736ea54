"""What expressions evaluate to: numbers, registers, labels and one value per element."""

import struct
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from vc4.isa.ops import Mux
from vc4.isa.registers import ACCUMULATOR_BASE, ELEMENTS, READ, WRITE

from .errors import Problem

__all__ = [
    "BY_R5",
    "Bank",
    "Label",
    "RawRegister",
    "Register",
    "Value",
    "describe",
    "element_word",
    "float_bits",
    "integer",
    "move_register",
    "order",
    "word_bits",
]

#: Rotation of a register by the value of r5.
BY_R5 = ELEMENTS


class Bank(Enum):
    """What the number of a register counts, by its name."""

    ACCUMULATOR = "accumulator"
    FILE_A = "register of file A"
    FILE_B = "register of file B"
    IO = "I/O register"
    ACQUIRE = "semaphore to acquire"
    RELEASE = "semaphore to release"


_NUMBERS = {
    Bank.ACCUMULATOR: range(6),
    Bank.FILE_A: range(64),
    Bank.FILE_B: range(64),
    Bank.IO: range(32, 64),
    Bank.ACQUIRE: range(16),
    Bank.RELEASE: range(16),
}


#: What stands before the number in the name of a register.
_PREFIXES = {
    Bank.ACCUMULATOR: "r",
    Bank.FILE_A: "ra",
    Bank.FILE_B: "rb",
    Bank.ACQUIRE: "sacq",
    Bank.RELEASE: "srel",
}

_KINDS = {Bank.ACQUIRE: 16, Bank.RELEASE: 32}
_FILE_KINDS, _READ_KIND, _WRITE_KIND = (1, 2), 4, 8


@dataclass(frozen=True, slots=True, order=True)
class RawRegister:
    """The fields of a register as numbers, `:[number, kind, rotation, pack]` of vc4asm; registers are ordered so.

    `kind` has a bit each for file A (1), file B (2), reading (4), writing (8), semaphores to acquire (16) and to release
    (32). An accumulator has the number that writes it, and is not read through a file.
    """

    kind: int
    rotation: int
    number: int
    pack: int

    @classmethod
    def of(cls, number: int = 0, kind: int = 0, rotation: int = 0, pack: int = 0) -> "RawRegister":
        """The fields in the order in which they are written; all but the rotation are bytes."""
        return cls(kind & 0xFF, rotation, number & 0xFF, pack & 0xFF)

    def masked(self, mask: "RawRegister") -> "RawRegister":
        """The bits of the fields that are set in `mask`, too."""
        return RawRegister(
            self.kind & mask.kind, self.rotation & mask.rotation, self.number & mask.number, self.pack & mask.pack
        )


@dataclass(frozen=True, slots=True)
class Register:
    """A register as written: where it lies and what is asked of it.

    `read_files` and `write_files` hold the register files (0: A, 1: B) through which it can be accessed; an accumulator
    is read without a file. `suffixes` are packs, conditions and the like, `rotation` is the count after `<<` (negative
    for `>>`, `BY_R5` for r5).
    """

    bank: Bank
    number: int
    read_files: tuple[int, ...] = ()
    write_files: tuple[int, ...] = ()
    suffixes: tuple[str, ...] = ()
    rotation: int = 0

    def __str__(self) -> str:
        """The name, without suffixes and rotation."""
        if self.bank in _PREFIXES:
            return f"{_PREFIXES[self.bank]}{self.number}"
        port, files = (READ, self.read_files) if self.read_files else (WRITE, self.write_files)
        return port.name(self.number, files[0])

    def is_accumulator(self, mux: Mux) -> bool:
        """Whether this is the accumulator that `mux` selects."""
        return self.bank is Bank.ACCUMULATOR and self.number == mux.value

    @property
    def semaphore(self) -> bool:
        """Whether this stands for an operation on a semaphore."""
        return self.bank in (Bank.ACQUIRE, Bank.RELEASE)

    @property
    def write_address(self) -> int:
        """The address that writes the register in any of `write_files`."""
        return self.number + (ACCUMULATOR_BASE if self.bank is Bank.ACCUMULATOR else 0)

    @property
    def raw(self) -> RawRegister:
        """The register as numbers."""
        files = (0, 1) if self.bank is Bank.ACCUMULATOR else {*self.read_files, *self.write_files}
        kind = _KINDS.get(self.bank, 0) + sum(_FILE_KINDS[file] for file in files)
        kind += _READ_KIND * bool(self.read_files) + _WRITE_KIND * bool(self.write_files)
        rotation = self.rotation if self.rotation == BY_R5 else self.rotation % ELEMENTS
        return RawRegister.of(self.write_address, kind, rotation)


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """A place in the program, in bytes from its start."""

    address: int


Value = int | float | tuple[int, ...] | Register | RawRegister | Label


def describe(value: Value) -> str:
    """What `value` is, for messages."""
    match value:
        case Register():
            return f"{'an' if value.bank.value[0] in 'aI' else 'a'} {value.bank.value}"
        case RawRegister():
            return "the numbers of a register"
        case Label():
            return "a label"
        case tuple():
            return "a list"
        case float():
            return f"the float {value}"
        case _:
            return f"the integer {value}"


def element_word(values: tuple[int, ...]) -> int:
    """The immediate of a load per element: element *i* takes bit *i* as its low and bit 16 + *i* as its high bit."""
    return sum((value & 1) << i | (value >> 1 & 1) << ELEMENTS + i for i, value in enumerate(values))


def order(value: Value) -> tuple[Any, ...]:
    """A key that orders values of different sorts as vc4asm does: numbers, lists, registers, labels.

    Lists with negative values come first and those with 2 or 3 last, each in the order of their immediates as signed
    numbers. Semaphores are registers, and come after the others.
    """
    match value:
        case tuple():
            word = element_word(value)
            return 1 + (min(value, default=0) >= 0) + (max(value, default=0) > 1), word - (word >> 31 << 32), value
        case Register():
            return 4, value.raw
        case RawRegister():
            return 4, value
        case Label():
            return 5, value
        case _:
            return 0, value


def move_register(register: Register, distance: int, column: int) -> Register:
    """The register `distance` numbers further in the same bank; `Problem` if there is none."""
    number = register.number + distance
    if number not in _NUMBERS[register.bank]:
        raise Problem(column, f"there is no {register.bank.value} with number {number}")
    if register.bank is Bank.ACCUMULATOR:
        return replace(register, number=number, write_files=(0, 1) if number < 4 else ())
    return replace(register, number=number)


def integer(value: Value, column: int, what: str) -> int:
    """`value` if it is an integer or a label; `Problem` that says `what` was expected otherwise."""
    if isinstance(value, Label):
        return value.address
    if not isinstance(value, int):
        raise Problem(column, f"expected {what}, not {describe(value)}")
    return value


def float_bits(value: float, column: int) -> int:
    """The 32-bit pattern of the float nearest to `value`; `Problem` if it is too large."""
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        raise Problem(column, f"{value} is too large for a 32-bit float") from None


def word_bits(value: Value, column: int, what: str) -> int:
    """The 32 bits of a number: an integer, signed or not, a label or a float. `Problem` for anything else."""
    if isinstance(value, float):
        return float_bits(value, column)
    number = integer(value, column, what)
    if not -(1 << 31) <= number < 1 << 32:
        raise Problem(column, f"{number} does not fit into 32 bits")
    return number & 0xFFFF_FFFF
