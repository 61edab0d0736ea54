"""Where things lie in the memory of an example or a program of the user.

The program lies at 0x00010000, after it the uniforms of each launch, after them the buffers in their order; each begins
at a multiple of 64 bytes. What has an address of its own lies there.
"""

import operator
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vc4.isa.word import WORD_BYTES as INSTRUCTION_BYTES

from ..asm import Program
from ..backends.base import Launch
from ..problem import BadInput
from .array_type import ArrayType
from .compare import WORD_BYTES
from .memory import ADDRESSES, PROGRAM_ADDRESS, GpuMemory
from .workload import Buffer, Workload

__all__ = [
    "PROGRAM",
    "HasAddress",
    "Region",
    "Start",
    "Uniform",
    "launches_of",
    "lay_out",
    "lists_of",
    "number_of",
    "places_of",
    "word_of",
]

#: Name of the program among the places.
PROGRAM = "program"

_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?")
_PLACE = re.compile(r"&([A-Za-z_]\w*)(?:([+-])(\w+))?", re.ASCII)


class HasAddress(Protocol):
    """Something in memory."""

    @property
    def address(self) -> int:
        """Of its first byte."""
        ...


#: A word that a program gets: a number, of 32 bits, the address of something, or a text that says one of both, see `Start`.
Uniform = int | float | np.number | str | HasAddress


@dataclass(frozen=True, slots=True)
class Start:
    """A launch as it is written.

    pc : where it begins: a label, an address, or a place like `&name+8`
    place : where its uniforms lie, an address or a place; without it, they are `uniforms`
    uniforms : each a number or something with an address; or as text an integer, a float with a dot, or a place for its address
    """

    pc: str = f"&{PROGRAM}"
    place: str = ""
    uniforms: Sequence[Uniform] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes in memory: shown at the end or not, at an address or wherever there is room.

    rows : names of the rows of sixteen words
    type : what they are, if somebody has said it
    """

    name: str
    content: bytes
    address: int | None = None
    shown: bool = True
    rows: tuple[str, ...] = ()
    type: ArrayType | None = None


def lay_out(
    name: str, program: Program, starts: Sequence[Start], regions: Sequence[Region], base: int = PROGRAM_ADDRESS
) -> Workload:
    """A workload that runs `program`, which lies at the address `base`, with the launches `starts`, all at once.

    Raises `BadInput` if there is no code, a launch makes no sense, things lie above each other, or all this is too large.
    """
    if not program.code:
        raise BadInput(f"{name}: there are no instructions")
    memory = GpuMemory(base)
    memory.place("the program", program.code, base)
    fixed = [None if one.address is None else memory.place(one.name, one.content, one.address) for one in regions]
    lists = lists_of(starts, memory)
    addresses = [
        memory.place(one.name, one.content) if place is None else place
        for one, place in zip(regions, fixed, strict=True)
    ]
    buffers = tuple(
        Buffer(one.name, address, len(one.content), one.rows, one.type)
        for one, address in zip(regions, addresses, strict=True)
        if one.shown
    )
    places = places_of(program, base) | {buffer.name: buffer.address for buffer in buffers}
    return Workload(
        name=name,
        launches=launches_of(starts, lists, places, memory),
        image=memory.data.tobytes(),
        base=memory.base,
        qpus=len(starts),
        code=range(base, base + len(program.code)),
        buffers=buffers,
    )


def places_of(program: Program, address: int) -> dict[str, int]:
    """Addresses of a program that lies there, and of its labels, by name."""
    return {label: address + offset for label, offset in program.labels.items()} | {PROGRAM: address}


def lists_of(starts: Sequence[Start], memory: GpuMemory) -> list[int]:
    """Room in memory for the uniforms of each launch; returns where."""
    return [memory.place("uniforms", WORD_BYTES * len(start.uniforms)) for start in starts]


def launches_of(
    starts: Sequence[Start], lists: Sequence[int], places: Mapping[str, int], memory: GpuMemory
) -> tuple[Launch, ...]:
    """The launches, whose uniforms are put into `memory`, at `lists`; `places` has the addresses of names.

    Raises `BadInput` if one makes no sense.
    """
    for start, address in zip(starts, lists, strict=True):
        memory.write(address, b"".join(word_of(value, places, "uniform") for value in start.uniforms))
    return tuple(_launch(start, address, places, memory) for start, address in zip(starts, lists, strict=True))


def _launch(start: Start, uniforms: int, places: Mapping[str, int], memory: GpuMemory) -> Launch:
    pc = places[start.pc] if start.pc in places else _address(start.pc, places, "launch")
    if pc % INSTRUCTION_BYTES or not memory.base <= pc <= memory.base + len(memory) - INSTRUCTION_BYTES:
        raise BadInput(f"launch {start.pc}: there is no instruction at {pc:#010x}")
    if start.place and start.uniforms:
        raise BadInput(f"launch {start.pc}: its uniforms lie at {start.place}, so it takes no others")
    if start.place:
        uniforms = _address(start.place, places, "launch")
    if uniforms % WORD_BYTES:
        raise BadInput(f"launch {start.pc}: uniforms begin at a multiple of {WORD_BYTES}, not at {uniforms:#010x}")
    return Launch(pc, uniforms)


def number_of(text: str) -> int | None:
    """The integer that `text` is, if it is one."""
    try:
        return int(text, 0)
    except ValueError:
        return None


def _address(text: str, places: Mapping[str, int], what: str) -> int:
    """The address that `text` is, or that of the place."""
    value = _place(text, places, what) if text.startswith("&") else number_of(text)
    if value is None or not 0 <= value < ADDRESSES:
        raise BadInput(f"{what} {text}: must be an address, & and the name of a place, or a label of the program")
    return value


def _place(text: str, places: Mapping[str, int], what: str) -> int:
    match = _PLACE.fullmatch(text)
    distance = number_of(match[3] or "0") if match else None
    if match is None or distance is None:
        raise BadInput(f"{what} {text}: must be & and a name, and perhaps + or - and a number of bytes")
    if match[1] not in places:
        raise BadInput(f"{what} {text}: there is no buffer of this name")
    return places[match[1]] + (-distance if match[2] == "-" else distance)


def word_of(value: Uniform, places: Mapping[str, int], what: str) -> bytes:
    """The four bytes of a word that somebody gives. Raises `BadInput`, which says `what` it is, if it is none."""
    number = _number(value, places, what) if isinstance(value, str) else getattr(value, "address", value)
    try:
        if isinstance(number, float | np.floating):
            return struct.pack("<f", number)
        number = operator.index(number)
    except (TypeError, OverflowError):
        raise BadInput(f"{what} {value}: must be an integer, a float or something in memory, of 32 bits") from None
    if not -(1 << 31) <= number < 1 << 32:
        raise BadInput(f"{what} {value}: must fit into 32 bits")
    return struct.pack("<I", number & 0xFFFF_FFFF)


def _number(text: str, places: Mapping[str, int], what: str) -> int | float:
    """What a word says that is text."""
    if text.startswith("&"):
        return _place(text, places, what)
    try:
        return float(text) if _FLOAT.fullmatch(text) else int(text, 0)
    except ValueError:
        raise BadInput(f"{what} {text}: must be an integer, a float with a dot, or & and a buffer") from None
