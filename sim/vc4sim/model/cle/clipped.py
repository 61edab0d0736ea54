"""Clipped primitive records in memory (guide, table 44)."""

from dataclasses import dataclass

from vc4.records.shaders import CLIPPED_VERTEX_BYTES, ClippedVertex

from ..memory import Memory, MemoryFault
from .control_records import ControlRecord, ListError
from .fields import ADDRESS_BITS, Fields, packing

__all__ = ["PlacedVertex", "read_clipped_vertices"]

_MOST_VERTICES = 3


@dataclass(frozen=True, slots=True)
class PlacedVertex:
    """A vertex that clipping has made, in place of vertex `number` of a primitive."""

    address: int
    number: int
    fields: Fields


def read_clipped_vertices(memory: Memory, record: ControlRecord) -> tuple[PlacedVertex, ...]:
    """The vertices that the record of a clipped primitive points to: one for each of its flags that is set.

    Raises `ListError` if they are not in memory.
    """
    flags, address = record.fields.clipped_vertices, record.fields.clipped_primitive_data_address
    pack, found = packing(ClippedVertex), []
    for number in (number for number in range(_MOST_VERTICES) if flags >> number & 1):
        place = (address + len(found) * CLIPPED_VERTEX_BYTES) % (1 << ADDRESS_BITS)
        try:
            bits = memory.read_int(place, CLIPPED_VERTEX_BYTES, "clipped vertex")
        except MemoryFault as fault:
            raise ListError(record.address, str(fault)) from None
        found.append(PlacedVertex(place, number, pack.unpack(bits)))
    return tuple(found)
