"""Compressed primitive lists, an item at a time (guide, tables 39 to 43).

Vertices are numbers of two or three bytes, indices, or of four: coordinates, x in the low half. Differences are modulo
the width of an index, or of x and y. In front of the first primitive of a list all vertices are 0.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from vc4.records.compressed import (
    ABSOLUTE,
    BRANCH,
    BRANCH_BYTES,
    BRANCH_UNIT,
    CODINGS,
    COORDINATE_CODINGS,
    EDGES,
    END,
    VERTICES,
    Coding,
)
from vc4.records.primitives import PrimitiveType

from ..memory import Memory, MemoryFault
from .control_records import ListError
from .fields import ADDRESS_BITS, Fields, packing

__all__ = ["COORDINATE_BYTES", "INDEX_BYTES", "Item", "ListFormat", "encode_branch", "encode_primitive", "read_item"]

INDEX_BYTES, COORDINATE_BYTES = 2, 4
_LOW_HALF = 0xFFFF


class ListFormat(NamedTuple):
    """What a compressed list holds: a type of primitives, with vertices of two, three or four bytes."""

    type: PrimitiveType
    vertex_bytes: int = INDEX_BYTES

    @property
    def vertices(self) -> int:
        """Vertices of a primitive."""
        return VERTICES[self.type]

    @property
    def coordinates(self) -> bool:
        """Whether vertices are coordinates, not indices."""
        return self.vertex_bytes == COORDINATE_BYTES

    @property
    def codings(self) -> tuple[Coding, ...]:
        """Its codings; none if there are no such lists."""
        return (COORDINATE_CODINGS if self.coordinates else CODINGS).get(self.type, ())

    @property
    def origin(self) -> tuple[int, ...]:
        """The vertices that stand in front of the first primitive."""
        return (0,) * self.vertices


class Item(NamedTuple):
    """Something in a compressed list.

    end : address where the list goes on
    form : what the list holds
    vertices : of a primitive; empty: a branch, or the end of the list
    last : the list ends here
    """

    address: int
    end: int
    form: ListFormat
    vertices: tuple[int, ...] = ()
    last: bool = False


def read_item(memory: Memory, address: int, form: ListFormat, previous: tuple[int, ...]) -> Item:
    """The item at `address`, after a primitive with the vertices `previous`. Raises `ListError`."""
    try:
        first = memory.read_int(address, 1, "compressed list")
        if first == END:
            return Item(address, _wrap(address + 1), form, last=True)
        if first == BRANCH:
            blocks = memory.read_int(address + 1, BRANCH_BYTES - 1, "compressed list")
            blocks -= blocks >> 15 << 16
            return Item(address, _wrap(address // BRANCH_UNIT * BRANCH_UNIT + blocks * BRANCH_UNIT), form)
        width = form.vertex_bytes
        if first == ABSOLUTE:
            data = memory.read(address + 1, form.vertices * width, "compressed list")
            vertices = tuple(_number(data[start : start + width]) for start in range(0, len(data), width))
            return Item(address, _wrap(address + 1 + len(data)), form, vertices)
        coding = _coding(form, first)
        if coding is None:
            raise ListError(address, f"{first} begins no primitive of a compressed list of {form.type.name}")
        length = coding.length + (width if coding.vertex_follows else 0)
        data = memory.read(address, length, "compressed list")
    except MemoryFault as fault:
        raise ListError(address, str(fault)) from None
    fields = packing(coding.layout).unpack(_number(data[: coding.length]))
    vertices = _decode(form, fields, previous, _number(data[coding.length :]))
    return Item(address, _wrap(address + length), form, vertices)


def _wrap(address: int) -> int:
    return address % (1 << ADDRESS_BITS)


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _coding(form: ListFormat, first: int) -> Coding | None:
    """The coding that a first byte stands for; `None` if it is reserved."""
    for coding in form.codings:
        if first & coding.mask == coding.value:
            return coding if coding.layout else None
    return None


def _decode(form: ListFormat, fields: Fields, previous: tuple[int, ...], vertex: int) -> tuple[int, ...]:
    """The vertices of a primitive that is coded as `fields`, with `vertex` after them if the coding has one."""
    count, values = form.vertices, vars(fields)
    if f"delta_{count - 1}_0" in values or f"delta_{count - 1}_0_y" in values:
        return (vertex, *(_moved(form, vertex, values, f"delta_{index}_0") for index in range(1, count)))
    if count > 1 and "edge" in values:
        shared = EDGES[count][fields.edge]
        last = count - 1
        return (*(previous[index] for index in shared), _moved(form, previous[last], values, f"delta_{last}"))
    return tuple(_moved(form, old, values, f"delta_{index}") for index, old in enumerate(previous))


def _moved(form: ListFormat, vertex: int, values: dict[str, int], name: str) -> int:
    """`vertex`, moved by a difference."""
    if not form.coordinates:
        return (vertex + values[name]) % (1 << 8 * form.vertex_bytes)
    x = values[f"{name}_x"] if f"{name}_x" in values else values[f"{name}_x_high"] * 2 + values[f"{name}_x_low"]
    y = values[f"{name}_y"]
    return (vertex + x & _LOW_HALF) | ((vertex >> 16) + y & _LOW_HALF) << 16


@cache
def _shortest_first(form: ListFormat) -> list[Coding]:
    """The codings that a list may have."""
    found = [coding for coding in form.codings if coding.layout]
    return sorted(found, key=lambda coding: coding.length + coding.vertex_follows * form.vertex_bytes)


def encode_primitive(form: ListFormat, vertices: tuple[int, ...], previous: tuple[int, ...] | None = None) -> bytes:
    """A primitive in as few bytes as it can be, after one with the vertices `previous`; `None`: as they are."""
    for coding in _shortest_first(form) if previous is not None else ():
        for data in _encoded(form, coding, vertices, previous):
            return data
    return bytes([ABSOLUTE]) + b"".join(vertex.to_bytes(form.vertex_bytes, "little") for vertex in vertices)


def encode_branch(address: int, target: int) -> bytes:
    """A branch that lies at `address`. Raises `ValueError` if it cannot reach `target`."""
    blocks, rest = divmod(target - address // BRANCH_UNIT * BRANCH_UNIT, BRANCH_UNIT)
    if rest or not -(1 << 15) <= blocks < 1 << 15:
        raise ValueError(f"a branch at {address:#010x} does not reach {target:#010x}")
    return bytes([BRANCH]) + (blocks & _LOW_HALF).to_bytes(BRANCH_BYTES - 1, "little")


def _encoded(form: ListFormat, coding: Coding, vertices: tuple[int, ...], previous: tuple[int, ...]) -> Iterator[bytes]:
    """What `coding` can make of a primitive: nothing, or one or more ways that are equally long."""
    pack, count = packing(coding.layout), form.vertices
    last = count - 1
    for edge in range(len(EDGES.get(count, ())) if "edge" in pack.fields else 1):
        values = {"code": coding.value} if "code" in pack.fields else {}
        if "edge" in pack.fields:
            if tuple(previous[index] for index in EDGES[count][edge]) != vertices[:last]:
                continue
            values |= {"edge": edge} | _difference(form, pack.fields, f"delta_{last}", vertices[last], previous[last])
        elif coding.vertex_follows:
            for index in range(1, count):
                values |= _difference(form, pack.fields, f"delta_{index}_0", vertices[index], vertices[0])
        else:
            for index in range(count):
                values |= _difference(form, pack.fields, f"delta_{index}", vertices[index], previous[index])
        try:
            bits = pack.pack(**values)
        except ValueError:  # a difference that does not fit
            continue
        data = bits.to_bytes(coding.length, "little")
        if data[0] not in (END, ABSOLUTE, BRANCH) and _coding(form, data[0]) is coding:
            yield data + (vertices[0].to_bytes(form.vertex_bytes, "little") if coding.vertex_follows else b"")


def _difference(form: ListFormat, fields, name: str, new: int, old: int) -> dict[str, int]:
    """The fields of a difference between two vertices."""
    if not form.coordinates:
        return {name: _signed(new - old, 8 * form.vertex_bytes)}
    x, y = _signed(new - old, 16), _signed((new >> 16) - (old >> 16), 16)
    if f"{name}_x" in fields:
        return {f"{name}_x": x, f"{name}_y": y}
    return {f"{name}_x_high": x >> 1, f"{name}_x_low": x & 1, f"{name}_y": y}


def _signed(value: int, width: int) -> int:
    """`value` modulo two to the `width`, as near to 0 as it can be."""
    half = 1 << width - 1
    return (value + half) % (2 * half) - half
