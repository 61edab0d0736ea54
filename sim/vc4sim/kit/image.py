"""The memory of a question: the same bytes wherever they lie, but for addresses."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from ..asm import assemble

__all__ = ["ANSWER", "PAGE", "Address", "Image", "UNIFORMS", "Start", "image_of", "program_image"]

#: An image begins at a multiple of it.
PAGE = 4096
_WORD_BYTES = 4
#: Bytes; uniforms, buffers and the answer begin at a multiple of it, buffers of whole pages at a page.
_ALIGNMENT = 64
#: Where an image lies to find its addresses: only their highest byte differs from that at 0. And another place, to be sure.
_FAR, _ANYWHERE = 1 << 24, 0x1234_5000


class Start(Enum):
    """What the host starts."""

    PROGRAM = "program"  #: a program, with the address of its uniforms
    LIST = "list"  #: a rendering list, with its end


@dataclass(frozen=True, slots=True)
class Address:
    """A uniform: where something lies, and something that is added."""

    name: str
    plus: int = 0


#: What the uniforms are called as a place.
UNIFORMS = "uniforms"
#: Where the answer goes.
ANSWER = Address("answer")


@dataclass(frozen=True, kw_only=True)
class Image:
    """What is in memory when a question is asked.

    data : bytes, as they are at address 0; zeros follow
    size : of all of it, in bytes
    addresses : places of the words to which the address of the image is added; they may lie at any byte
    start : what the host starts
    first, second : program and uniforms, or begin and end of the list
    answer : the bytes of the answer
    """

    data: bytes
    size: int
    addresses: tuple[int, ...]
    start: Start
    first: int
    second: int
    answer: range

    @property
    def words(self) -> int:
        """How many the answer has."""
        return len(self.answer) // _WORD_BYTES

    def at(self, base: int) -> bytes:
        """All of it at an address, a multiple of `PAGE`."""
        data = bytearray(self.data.ljust(self.size, b"\0"))
        for place in self.addresses:
            (word,) = struct.unpack_from("<I", data, place)
            struct.pack_into("<I", data, place, word + base & 0xFFFF_FFFF)
        return bytes(data)

    @cached_property
    def padded(self) -> bytes:
        """`data` in whole words."""
        return self.data + bytes(-len(self.data) % _WORD_BYTES)


def image_of(make: Callable[[int], bytes], start: Start, first: int, second: int, answer: range) -> Image:
    """The image that `make` gives for any address, up to its last byte that is not 0; the answer lies at its end."""
    data = make(0)
    places = [number - 3 for number, (near, far) in enumerate(zip(data, make(_FAR), strict=True)) if near != far]
    image = Image(
        data=data.rstrip(b"\0"),
        size=max(len(data), answer.stop),
        addresses=tuple(places),
        start=start,
        first=first,
        second=second,
        answer=answer,
    )
    if image.at(_ANYWHERE) != make(_ANYWHERE).ljust(image.size, b"\0"):
        raise ValueError("an image has addresses that are no words")
    return image


def program_image(
    source: str, uniforms: Sequence[int | Address], words: int, buffers: Mapping[str, bytes] | None = None
) -> Image:
    """A program, its uniforms, buffers by name, and room for its answer."""
    code = assemble(source).code
    offsets = {UNIFORMS: _aligned(len(code))}
    end = offsets[UNIFORMS] + _WORD_BYTES * len(uniforms)
    for name, content in (buffers or {}).items():
        offsets[name] = _aligned(end, _ALIGNMENT if len(content) % PAGE else PAGE)
        end = offsets[name] + len(content)
    answer = range(_aligned(end), _aligned(end) + _WORD_BYTES * words)
    offsets[ANSWER.name] = answer.start

    def make(base: int) -> bytes:
        numbers = [
            one if isinstance(one, int) else base + offsets[one.name] + one.plus & 0xFFFF_FFFF for one in uniforms
        ]
        data = bytearray(answer.stop)
        data[: len(code)] = code
        struct.pack_into(f"<{len(numbers)}I", data, offsets[UNIFORMS], *numbers)
        for name, content in (buffers or {}).items():
            data[offsets[name] : offsets[name] + len(content)] = content
        return bytes(data)

    return image_of(make, Start.PROGRAM, 0, offsets[UNIFORMS], answer)


def _aligned(number: int, to: int = _ALIGNMENT) -> int:
    return -(-number // to) * to
