"""What a register and a field are."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from vc4.config import V3DConfig

__all__ = ["WORD_BITS", "Access", "Field", "Reads", "Register", "Writes", "each_qpu", "each_slice"]

WORD_BITS = 32


class Reads(Enum):
    """Where the value comes from that a field reads."""

    RESET = "the reset value"
    HELD = "what was written last"
    LIVE = "what the block says"
    ZERO = "0"


class Writes(Enum):
    """What a write does."""

    NOTHING = "nothing"
    HELD = "the value is kept"
    VALUE = "the block gets the value"
    ONES = "each 1 tells the block to act"
    LOWEST = "a 1 in the lowest bit tells the block to act"


class Access(Enum):
    """How the host reaches a field: the guide's type, where reads come from, what writes do."""

    CONSTANT = ("R", Reads.RESET, Writes.NOTHING, "fixed by the configuration")
    READ_ONLY = ("R", Reads.LIVE, Writes.NOTHING, "state of the hardware")
    READ_WRITE = ("R/W", Reads.HELD, Writes.HELD, "keeps what is written")
    LOAD = ("R/W", Reads.LIVE, Writes.VALUE, "state of the hardware; a write gives it a new value")
    WRITE_ONLY = ("W", Reads.ZERO, Writes.VALUE, "a value for the hardware; reads 0")
    STROBE = ("W", Reads.ZERO, Writes.ONES, "each 1 acts; reads 0")
    WRITE_1_SETS = ("R/W", Reads.LIVE, Writes.ONES, "state of the hardware; each 1 sets, a 0 does nothing")
    WRITE_1_CLEARS = ("R/W", Reads.LIVE, Writes.ONES, "state of the hardware; each 1 clears, a 0 does nothing")
    COUNT = ("R/W", Reads.LIVE, Writes.LOWEST, "a count of the hardware; a 1 in its lowest bit clears all of it")

    def __init__(self, guide: str, reads: Reads, writes: Writes, description: str):
        self.guide = guide
        self.reads = reads
        self.writes = writes
        self.description = description


def each_qpu(config: V3DConfig) -> int:
    """One bit for each QPU."""
    return config.qpus


def each_slice(config: V3DConfig) -> int:
    """One bit for each slice."""
    return config.slices


@dataclass(frozen=True)
class Field:
    """Some bits of a register.

    name : the guide's; of a row of bits that are alike, what their names have in common
    low, width : place; a field is `width` bits wide wherever it is described
    access : see `Access`
    description : what it means
    reset : what it reads after a reset, where that depends on it as a function of the configuration
    bits : how many of its bits a configuration has, from the lowest on; the others read 0. `None`: all
    """

    name: str
    low: int
    width: int
    access: Access
    description: str
    reset: int | Callable[[V3DConfig], int] = 0
    bits: Callable[[V3DConfig], int] | None = None

    @property
    def high(self) -> int:
        """The highest bit."""
        return self.low + self.width - 1

    @property
    def mask(self) -> int:
        """All its bits, at their place."""
        return ((1 << self.width) - 1) << self.low

    def width_in(self, config: V3DConfig) -> int:
        """Bits that the configuration has."""
        return self.width if self.bits is None else min(self.width, self.bits(config))

    def reset_in(self, config: V3DConfig) -> int:
        """What the field reads after a reset."""
        return self.reset(config) if callable(self.reset) else self.reset


@dataclass(frozen=True)
class Register:
    """A word of 32 bits.

    name : the guide's, without V3D_
    offset : in bytes
    description : what it is for
    fields : from the lowest bit on; bits of no field read 0, and writes to them do nothing
    extension : the chip does not have it
    exists : whether a configuration has it
    """

    name: str
    offset: int
    description: str
    fields: tuple[Field, ...]
    extension: bool = False
    exists: Callable[[V3DConfig], bool] = lambda config: True

    def reset_in(self, config: V3DConfig) -> int:
        """What the register reads after a reset."""
        return sum(field.reset_in(config) << field.low for field in self.fields)
