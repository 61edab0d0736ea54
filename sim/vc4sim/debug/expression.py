"""What people ask for: registers, memory, addresses, and what a run can stop at."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vc4.isa.registers import ELEMENTS, WRITE
from vc4.regs.scheduler import KINDS

from ..model.memory import MemoryFault
from ..model.v3d import V3D
from ..problem import BadInput
from ..workload.compare import WORD_BYTES
from ..workload.layout import number_of, word_of
from .changes import Change, ChangeMemory, ChangeRegister
from .conditions import FLAGS_NAME, AtAddress, Begins, Condition, Stalls, WritesMemory, WritesRegister
from .formats import Format
from .listing import Listing
from .state import FLAGS, is_register, next_uniforms, pc_of, vector

__all__ = ["Value", "change", "condition", "evaluate", "format_of", "memory_place", "with_format"]

_ELEMENT = re.compile(r"(\w+)\[(\d+)\]")
_MEMORY = re.compile(r"\[([^,\]]+)(?:,\s*(\w+))?\]")
#: Bytes of memory that are looked at, or watched, at once.
_MOST_SEEN, _MOST_WATCHED = 1 << 16, 1 << 32
_STALL, _START = "stall", "start"
_BITS = re.compile(f"[01]{{{ELEMENTS}}}")
#: What a unit brings: it comes again.
_NOT_CHANGED = "r4"
#: Registers that can be written, by their names in assembly.
_WRITTEN = {WRITE.name(address, file) for address in range(64) for file in range(2)} - {"-"} | {"r4", "r5"}


@dataclass(frozen=True, slots=True)
class Value:
    """Words (uint32), and where they lie if that is memory."""

    words: np.ndarray
    address: int | None = None


def evaluate(text: str, gpu: V3D, qpu: int, listing: Listing) -> Value:
    """The value of a register, `ra5`; of an element of it, `ra5[3]`; a flag; `pc`, the address of the next instruction; `unif`, the
    next uniform; memory, `[PLACE]` for sixteen words, or `[PLACE, BYTES]`; or a place, see `Listing.locate`.

    Raises `BadInput` if it has none.
    """
    if match := _ELEMENT.fullmatch(text):
        if int(match[2]) >= ELEMENTS:
            raise BadInput(f"{text}: a vector has {ELEMENTS} elements")
        return Value(evaluate(match[1], gpu, qpu, listing).words[int(match[2]) :][:1])
    if text.startswith("["):
        address, size = memory_place(text, listing, _MOST_SEEN)
        if "," not in text:  # as much as there is
            size = max(min(size, gpu.memory.base + len(gpu.memory.data) - address), 1)
        return Value(_words(gpu, address, size, text), address)
    if is_register(text):
        return Value(vector(gpu, qpu, text))
    if text == "pc":
        return Value(np.array([_pc(gpu, qpu)], np.uint32))
    if text == "unif":
        found = next_uniforms(gpu, qpu, 1)
        if not found:
            raise BadInput("unif: there is no uniform left")
        return Value(np.array([found[0][1]], np.uint32), found[0][0])
    return Value(np.array([listing.locate(text)], np.uint32))


def _pc(gpu: V3D, qpu: int) -> int:
    address = pc_of(gpu, qpu)
    if address is None:
        raise BadInput(f"pc: QPU {qpu} runs nothing")
    return address


def memory_place(text: str, listing: Listing, most: int = _MOST_WATCHED) -> tuple[int, int]:
    """Address and bytes, at most so many, of `[PLACE]` or `[PLACE, BYTES]`. Raises `BadInput` if `text` is neither."""
    match = _MEMORY.fullmatch(text)
    size = number_of(match[2] or str(ELEMENTS * WORD_BYTES)) if match else None
    if not match or size is None or not 1 <= size <= most:
        raise BadInput(f"{text}: must be [PLACE] or [PLACE, BYTES], with 1 to {most} bytes")
    return listing.locate(match[1].strip()), size


def _words(gpu: V3D, address: int, size: int, text: str) -> np.ndarray:
    """Words from an address on, the last one filled up with zeros."""
    try:
        data = gpu.memory.read(address, size)
    except MemoryFault as fault:
        raise BadInput(f"{text}: {fault}") from None
    return np.frombuffer(data + bytes(-size % WORD_BYTES), "<u4")


def format_of(name: str) -> Format:
    """The format of a name. Raises `BadInput` if there is none."""
    names = [each.value for each in Format]
    if name not in names:
        raise BadInput(f"{name}: a format is one of {', '.join(names)}")
    return Format(name)


def with_format(text: str) -> tuple[str, Format]:
    """What is asked for, and the format whose name follows it, or hexadecimal."""
    what, _, name = text.strip().rpartition(" ")
    if what and name in [each.value for each in Format]:
        return what.strip(), Format(name)
    return text.strip(), Format.HEX


def condition(text: str, listing: Listing, qpus: int) -> Condition:
    """What a run can stop at: `PLACE`, an instruction, see `Listing.locate`; `REGISTER` or `flags`, which an instruction writes;
    `[PLACE]` or `[PLACE, BYTES]`, memory that is written; `stall`, a QPU that cannot go on; `start`, a program that begins, or
    `start KIND`. `qpu N` may follow each of them. Raises `BadInput`.
    """
    what, qpu = text.strip(), None
    if match := re.fullmatch(r"(.*\S)\s+qpu\s+(\w+)", what):
        what, qpu = match[1], number_of(match[2])
        if qpu is None or not 0 <= qpu < qpus:
            raise BadInput(f"qpu {match[2]}: there are the QPUs 0 to {qpus - 1}")
    if not what:
        raise BadInput("it must be said what to stop at: a place, a register, [PLACE, BYTES], stall or start")
    if what.startswith("["):
        address, size = memory_place(what, listing)
        return WritesMemory(address=address, size=size, qpu=qpu)
    if what in listing.labels:
        return AtAddress(address=listing.labels[what], text=what, qpu=qpu)
    if what in _WRITTEN or what == FLAGS_NAME:
        return WritesRegister(register=what, qpu=qpu)
    if what in FLAGS:
        return WritesRegister(register=FLAGS_NAME, qpu=qpu)
    if what == _STALL:
        return Stalls(qpu=qpu)
    first, *kind = what.split()
    if first == _START and len(kind) <= 1:
        if kind and kind[0] not in KINDS:
            raise BadInput(f"{what}: a program is one of {', '.join(KINDS)}")
        return Begins(kind="".join(kind), qpu=qpu)
    return AtAddress(address=listing.locate(what), text=what, qpu=qpu)


def change(what: str, values: Sequence[str], gpu: V3D, qpu: int, listing: Listing) -> Change:
    """New values: of a register or flag of a QPU, `ra5`, one for all elements or one for each; of an element, `ra5[3]`; of memory,
    `[PLACE]`, as many words as there are values, or `[PLACE, BYTES]`. A value is an integer, a float with a dot, or `&` and a place;
    of a flag, 0 or 1, or all bits as they are shown. Raises `BadInput`.
    """
    if what.startswith("["):
        return _memory_change(what, values, gpu, listing)
    match = _ELEMENT.fullmatch(what)
    name, first = (match[1], int(match[2])) if match else (what, 0)
    if not is_register(name) or name == _NOT_CHANGED:
        raise BadInput(f"{what}: must be r0 to r3, r5, a register of a file, a flag, an element of these, or [PLACE]")
    if first >= ELEMENTS:
        raise BadInput(f"{what}: a vector has {ELEMENTS} elements")
    if name in FLAGS and len(values) == 1 and _BITS.fullmatch(values[0]):
        values = [*values[0]]
    words = tuple(_words_of(values, what, listing))
    if name in FLAGS and not set(words) <= {0, 1}:
        raise BadInput(f"{what}: a flag is 0 or 1 in each element")
    if len(words) not in ((1,) if match else (1, ELEMENTS)):
        raise BadInput(f"{what}: takes 1 value{'' if match else f' or {ELEMENTS}'}, not {len(words)}")
    return ChangeRegister(qpu, name, first, words if match or len(words) > 1 else words * ELEMENTS)


def _memory_change(what: str, values: Sequence[str], gpu: V3D, listing: Listing) -> ChangeMemory:
    address, size = memory_place(what, listing, _MOST_SEEN)
    words = [*_words_of(values, what, listing)]
    if "," in what and size != WORD_BYTES * len(words):
        raise BadInput(f"{what}: takes {size / WORD_BYTES:g} values, not {len(words)}")
    data = np.array(words, "<u4").tobytes()
    try:
        gpu.memory.read(address, len(data), "write")
    except MemoryFault as fault:
        raise BadInput(f"{what}: {fault}") from None
    return ChangeMemory(address, data)


def _words_of(values: Sequence[str], what: str, listing: Listing) -> Iterator[int]:
    if not values:
        raise BadInput(f"{what}: a value is missing")
    for value in values:
        yield int.from_bytes(word_of(value, listing.buffers | listing.labels, f"{what}:"), "little")
