"""What a design has besides variables that are computed: what changes with the clock, and what must not happen then."""

from dataclasses import dataclass, field

__all__ = ["Array", "Check", "MemoryRead", "MemoryWrite", "Register"]


@dataclass(frozen=True, slots=True)
class Register:
    """A variable that takes the value of another one, `following`, with every clock; `inits` has what each of its parts begins with.

    Where the variable `reset` is 1, if there is one, it takes `values` instead.
    """

    name: str
    following: str
    inits: tuple[int, ...]
    reset: str = ""
    values: tuple[int, ...] = ()


@dataclass(slots=True)
class Array:
    """A memory; `init` has the words that are not 0."""

    name: str
    size: int
    init: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryRead:
    """`result` takes a word with every clock in which `enable` is not 0.

    full : there is a word at each address
    late : what is written in the same clock is there
    """

    memory: str
    address: str
    enable: str
    result: str
    full: bool
    late: bool


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """The bits that are set in `bits` are written."""

    memory: str
    address: str
    bits: str
    data: str


@dataclass(frozen=True, slots=True)
class Check:
    """`text` says what is wrong if `fails` is not 0."""

    fails: str
    text: str
