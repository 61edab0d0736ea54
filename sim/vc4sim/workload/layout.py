"""Where things lie in the memory of an example or a program of the user.

The program lies at 0x00010000, behind it the uniforms of each launch, behind them the buffers in their order; each begins
at a multiple of 64 bytes. What has an address of its own lies there.
"""

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vc4.isa.word import WORD_BYTES as INSTRUCTION_BYTES

from ..asm import Program
from ..backends.base import Launch
from ..problem import BadInput
from .compare import WORD_BYTES
from .files import MAX_BYTES
from .workload import Buffer, Workload

__all__ = ["ALIGNMENT", "PROGRAM", "PROGRAM_ADDRESS", "Region", "Start", "lay_out", "number_of"]

PROGRAM_ADDRESS = 0x1_0000
#: Name of the program among the places.
PROGRAM = "program"
ALIGNMENT = 64
_ADDRESSES = 1 << 32

_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?")
_PLACE = re.compile(r"&([A-Za-z_]\w*)(?:([+-])(\w+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Start:
    """A launch as it is written.

    pc : where it begins: a label, an address, or a place like `&name+8`
    place : where its uniforms lie, an address or a place; without it, they are `uniforms`
    uniforms : each an integer, a float with a dot, or a place for its address
    """

    pc: str = f"&{PROGRAM}"
    place: str = ""
    uniforms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes in memory: shown at the end or not, at an address or wherever there is room."""

    name: str
    content: bytes
    address: int | None = None
    shown: bool = True
    rows: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The address behind it, when it has one."""
        return (self.address or 0) + len(self.content)


def lay_out(
    name: str, program: Program, starts: Sequence[Start], regions: Sequence[Region], base: int = PROGRAM_ADDRESS
) -> Workload:
    """A workload that runs `program`, which lies at the address `base`, with the launches `starts`, all at once.

    Raises `BadInput` if there is no code, a launch makes no sense, things lie above each other, or all this is too large.
    """
    if not program.code:
        raise BadInput(f"{name}: there are no instructions")
    end = base + _room(len(program.code))
    lists = []
    for start in starts:
        lists.append(end)
        end += _room(WORD_BYTES * len(start.uniforms))
    placed = []
    for region in regions:
        if region.address is None:
            region = Region(region.name, region.content, end, region.shown, region.rows)
            end += _room(len(region.content))
        placed.append(region)
    places = {label: base + offset for label, offset in program.labels.items()}
    places |= {PROGRAM: base} | {region.name: region.address or 0 for region in placed if region.shown}
    words = [b"".join(_uniform(text, places) for text in start.uniforms) for start in starts]
    image, first = _image(
        name,
        [
            Region("the program", program.code, base),
            *(Region("uniforms", data, address) for data, address in zip(words, lists, strict=True) if data),
            *placed,
        ],
    )
    launches = tuple(
        _launch(start, address, places, first, image) for start, address in zip(starts, lists, strict=True)
    )
    return Workload(
        name=name,
        image=image,
        base=first,
        launches=launches,
        qpus=len(launches),
        code=range(base, base + len(program.code)),
        buffers=tuple(
            Buffer(region.name, region.address or 0, len(region.content), region.rows)
            for region in placed
            if region.shown
        ),
    )


def _image(name: str, regions: Sequence[Region]) -> tuple[bytes, int]:
    """The memory with all of `regions`, and the address of its first byte."""
    ordered = sorted(regions, key=lambda region: region.address or 0)
    for one, other in pairwise(ordered):
        if one.end > (other.address or 0):
            raise BadInput(f"{name}: {one.name} and {other.name} both want {other.address:#010x}")
    base = (ordered[0].address or 0) // ALIGNMENT * ALIGNMENT
    size = _room(ordered[-1].end - base)
    if size > MAX_BYTES or base + size > _ADDRESSES:
        raise BadInput(f"{name}: program and buffers together are larger than {MAX_BYTES} bytes")
    image = bytearray(size)
    for region in ordered:
        start = (region.address or 0) - base
        image[start : start + len(region.content)] = region.content
    return bytes(image), base


def _room(size: int) -> int:
    """What `size` bytes take, up to where the next thing may begin."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def _launch(start: Start, uniforms: int, places: Mapping[str, int], base: int, image: bytes) -> Launch:
    pc = places[start.pc] if start.pc in places else _address(start.pc, places, "launch")
    if pc % INSTRUCTION_BYTES or not base <= pc <= base + len(image) - INSTRUCTION_BYTES:
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
    if value is None or not 0 <= value < _ADDRESSES:
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


def _uniform(text: str, places: Mapping[str, int]) -> bytes:
    """The four bytes of a uniform."""
    if text.startswith("&"):
        value = _place(text, places, "uniform")
    else:
        try:
            if _FLOAT.fullmatch(text):
                return struct.pack("<f", float(text))
            value = int(text, 0)
        except (ValueError, OverflowError):
            raise BadInput(f"uniform {text}: must be an integer, a float with a dot, or & and a buffer") from None
    if not -(1 << 31) <= value < 1 << 32:
        raise BadInput(f"uniform {text}: must fit into 32 bits")
    return struct.pack("<I", value & 0xFFFF_FFFF)
