"""Primitives from the lists of control records: what the executor hands to the pipelines (guide, section 9).

A list is an iterator: each item is a primitive, or `None` where there was none, and the address where the control list goes
on, or `None` where that does not change. It raises `ListError`.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from vc4.records.control import ControlCode
from vc4.records.primitives import (
    TYPES,
    VG_END,
    VG_PAD,
    VG_TYPES,
    IndexType,
    PrimitiveData,
    PrimitiveMode,
    PrimitiveType,
    VgPrimitiveType,
)

from ..memory import Memory
from .compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat, read_item
from .control_records import ControlRecord, ListError
from .fields import ADDRESS_BITS

__all__ = ["LARGEST_INDEX", "Found", "Primitive", "count_of", "format_of", "primitives_of"]

#: Tile lists have no room for larger ones.
LARGEST_INDEX = 0xFFFF
_WORD_BYTES = 4


class Primitive(NamedTuple):
    """A point, line, triangle or RHT.

    vertices : indices, or coordinates with x in the low half
    clipped : the record that says which of its vertices clipping has made, if any
    """

    type: PrimitiveType
    vertices: tuple[int, ...]
    coordinates: bool = False
    clipped: ControlRecord | None = None


#: An item of a list.
Found = tuple[Primitive | None, int | None]

#: How many primitives a number of vertices makes.
_COUNTS: dict[PrimitiveMode | VgPrimitiveType, Callable[[int], int]] = {
    PrimitiveMode.POINTS: lambda vertices: vertices,
    PrimitiveMode.LINES: lambda vertices: vertices // 2,
    PrimitiveMode.LINE_LOOP: lambda vertices: vertices if vertices > 1 else 0,
    PrimitiveMode.LINE_STRIP: lambda vertices: max(vertices - 1, 0),
    PrimitiveMode.TRIANGLES: lambda vertices: vertices // 3,
    PrimitiveMode.TRIANGLE_STRIP: lambda vertices: max(vertices - 2, 0),
    PrimitiveMode.TRIANGLE_FAN: lambda vertices: max(vertices - 2, 0),
    VgPrimitiveType.RHTS: lambda vertices: vertices // 2,
    VgPrimitiveType.RHT_STRIP: lambda vertices: max(vertices - 1, 0),
    VgPrimitiveType.TRIANGLES: lambda vertices: vertices // 3,
    VgPrimitiveType.TRIANGLE_STRIP: lambda vertices: max(vertices - 2, 0),
    VgPrimitiveType.TRIANGLE_FAN: lambda vertices: max(vertices - 2, 0),
}


def _strip(n: int) -> tuple[int, int, int]:
    """Triangle `n` of a strip: they all turn the same way, and end with the vertex that is new."""
    return (n + 1, n, n + 2) if n % 2 else (n, n + 1, n + 2)


#: Which vertices primitive `n` of a list of `vertices` has.
_PLACES: dict[PrimitiveMode, Callable[[int, int], tuple[int, ...]]] = {
    PrimitiveMode.POINTS: lambda n, vertices: (n,),
    PrimitiveMode.LINES: lambda n, vertices: (2 * n, 2 * n + 1),
    PrimitiveMode.LINE_LOOP: lambda n, vertices: (n, (n + 1) % vertices),
    PrimitiveMode.LINE_STRIP: lambda n, vertices: (n, n + 1),
    PrimitiveMode.TRIANGLES: lambda n, vertices: (3 * n, 3 * n + 1, 3 * n + 2),
    PrimitiveMode.TRIANGLE_STRIP: lambda n, vertices: _strip(n),
    PrimitiveMode.TRIANGLE_FAN: lambda n, vertices: (0, n + 1, n + 2),
}


def count_of(record: ControlRecord) -> int:
    """Primitives of a list, 0 where that is known only at its end."""
    match record.code:
        case ControlCode.INDEXED_PRIMITIVE_LIST | ControlCode.VERTEX_ARRAY_PRIMITIVES:
            return _COUNTS[record.fields.primitive_mode](record.fields.length)
        case ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES:
            return _COUNTS[record.fields.primitive_type](record.fields.length)
        case _:
            return 0


def format_of(record: ControlRecord) -> ListFormat:
    """The format that a list, or a record that says so, gives to compressed lists after it. Raises `ListError`."""
    match record.code:
        case ControlCode.INDEXED_PRIMITIVE_LIST | ControlCode.VERTEX_ARRAY_PRIMITIVES:
            return ListFormat(TYPES[record.fields.primitive_mode])
        case ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES | ControlCode.VG_INLINE_PRIMITIVES:
            return ListFormat(VG_TYPES[record.fields.primitive_type], COORDINATE_BYTES)
        case _:
            coordinates = record.fields.data_type is PrimitiveData.COORDINATES
            form = ListFormat(record.fields.primitive_type, COORDINATE_BYTES if coordinates else INDEX_BYTES)
            if not form.codings:
                raise ListError(record.address, f"there are no lists of {form.type.name} with coordinates")
            return form


def primitives_of(record: ControlRecord, memory: Memory, form: ListFormat, fan: list[int]) -> Iterator[Found]:
    """The primitives of a list; see the module.

    form : what it holds, see `format_of`
    fan : with what a VG triangle fan goes on; this list changes it
    """
    if not _is_fan(record) or not record.fields.continuation_list:
        fan.clear()
    match record.code:
        case ControlCode.INDEXED_PRIMITIVE_LIST:
            return _assembled(record, _indices(record, memory))
        case ControlCode.VERTEX_ARRAY_PRIMITIVES:
            return _assembled(record, _counted(record))
        case ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES:
            words = _words(memory, record.fields.coordinate_array_address)
            found = _vg(record, words, fan)
            return ((primitive, None) for primitive, _ in islice(found, count_of(record)))
        case ControlCode.VG_INLINE_PRIMITIVES:
            return _vg(record, _words(memory, record.end), fan)
        case _:
            return _compressed(record, memory, form)


def _is_fan(record: ControlRecord) -> bool:
    return getattr(record.fields, "primitive_type", None) is VgPrimitiveType.TRIANGLE_FAN


def _assembled(record: ControlRecord, index: Callable[[int], int]) -> Iterator[Found]:
    """Primitives of OpenGL; `index` gives vertices by their place in the list."""
    mode, length = record.fields.primitive_mode, record.fields.length
    kind = TYPES[mode]
    for n in range(count_of(record)):
        yield Primitive(kind, tuple(index(place) for place in _PLACES[mode](n, length))), None


def _indices(record: ControlRecord, memory: Memory) -> Callable[[int], int]:
    fields, size = record.fields, 2 if record.fields.index_type is IndexType.BITS_16 else 1

    def index(place: int) -> int:
        address = fields.indices_list_address + place * size
        value = memory.read_int(address % (1 << ADDRESS_BITS), size, "index")
        if value > fields.maximum_index:
            raise ListError(record.address, f"index {value} is above the maximum index, {fields.maximum_index}")
        return value

    return index


def _counted(record: ControlRecord) -> Callable[[int], int]:
    def index(place: int) -> int:
        value = record.fields.index_of_first_vertex + place
        if value > LARGEST_INDEX:
            raise ListError(record.address, f"index {value} is above {LARGEST_INDEX}")
        return value

    return index


def _words(memory: Memory, address: int) -> Iterator[tuple[int, int]]:
    """Coordinates from `address` on, and where each of them ends."""
    while True:
        word = memory.read_int(address, _WORD_BYTES, "coordinates")
        address = (address + _WORD_BYTES) % (1 << ADDRESS_BITS)
        yield word, address


def _vg(record: ControlRecord, words: Iterator[tuple[int, int]], fan: list[int]) -> Iterator[Found]:
    """Primitives of VG, and dummies in place of them. `held` are the vertices that the next one begins with."""
    mode = record.fields.primitive_type
    kind = VG_TYPES[mode]
    is_fan = mode is VgPrimitiveType.TRIANGLE_FAN
    first = 1 if kind is PrimitiveType.RHTS else 2
    held = fan if is_fan else []
    turned = False
    for _ in range(len(held)):
        next(words)
    for word, address in words:
        if len(held) < first:
            if is_fan and held and word == VG_END:
                yield None, next(words)[1]
                return
            held.append(word)
            continue
        found = None if word in (VG_END, VG_PAD) else Primitive(kind, (*held[:: -1 if turned else 1], word), True)
        if mode in (VgPrimitiveType.RHTS, VgPrimitiveType.TRIANGLES):
            held.clear()
        elif found:
            held[:] = [held[0], word] if is_fan else [*held[1:], word]
            turned = not turned and mode is VgPrimitiveType.TRIANGLE_STRIP
        yield found, address
        if word == VG_END:
            return


def _compressed(record: ControlRecord, memory: Memory, form: ListFormat) -> Iterator[Found]:
    """Primitives of a compressed list."""
    clipped = record if record.code is ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST else None
    address, previous = record.end, form.origin
    while True:
        item = read_item(memory, address, form, previous)
        address = item.end
        if item.vertices:
            previous = item.vertices
            yield Primitive(form.type, previous, form.coordinates, clipped), address
            clipped = None
        else:
            yield None, address
        if item.last:
            return
