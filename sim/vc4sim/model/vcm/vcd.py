"""Vertex data from memory (guide, sections 7 and 9; pipeline facts, 3.1 and 3.4)."""

from collections.abc import Iterator, Sequence

import numpy as np

from vc4.isa.registers import ELEMENTS

from ..cle.fields import ADDRESS_BITS
from ..cle.shader_records import Attribute, ShaderRecord
from ..memory import Memory
from ..vpm.vpm import SHADER_ROWS

__all__ = ["load_attributes", "load_shaded", "selected_attributes"]

_WORD_BYTES = 4
#: What an NV vertex has in front if there is a header: Xc, Yc, Zc, Wc.
_HEADER_WORDS = 4


def selected_attributes(shader: ShaderRecord, coordinate: bool) -> Iterator[tuple[int, Attribute]]:
    """Attributes that a shader selects, in their order, each with its first byte in a column."""
    selected, offset = "vertex_shader_attribute_array_select_bits", "vertex_shader_vpm_offset"
    if coordinate:
        selected, offset = "coordinate_shader_attribute_array_select_bits", "coordinate_shader_vpm_offset"
    mask = getattr(shader.fields, selected)
    for number, attribute in enumerate(shader.attributes):
        if mask >> number & 1:
            yield getattr(attribute.fields, offset), attribute


def load_attributes(
    memory: Memory, shader: ShaderRecord, coordinate: bool, indices: Sequence[int], rows: np.ndarray
) -> None:
    """The attributes that a shader selects, of up to sixteen vertices: each vertex fills a column of `rows` from its first row on.

    Attributes go in their order, so that the last one stays where they overlap; what does not fit into the rows is lost.
    Raises `MemoryFault`.
    """
    room = len(rows) * _WORD_BYTES
    columns = bytearray(ELEMENTS * room)
    for first, attribute in selected_attributes(shader, coordinate):
        base = attribute.fields.base_memory_address
        stride, length = attribute.stride, attribute.length
        for column, index in enumerate(indices):
            data = memory.read((base + index * stride) % (1 << ADDRESS_BITS), length, "attribute")[
                : max(room - first, 0)
            ]
            start = column * room + first
            columns[start : start + len(data)] = data
    rows[:] = np.frombuffer(columns, "<u4").reshape(ELEMENTS, -1).T


def load_shaded(
    memory: Memory, shader: ShaderRecord, words: int, indices: Sequence[int], coordinate: bool
) -> list[tuple[int, ...]]:
    """Vertices of an NV shader record: `words` of each, 0 from row 64 on. Raises `MemoryFault`.

    coordinate : with Xc, Yc, Zc and Wc, which are 0 if the record has no header
    """
    fields, found = shader.fields, []
    header = bool(fields.clip_coordinates_header_included)
    skipped = _HEADER_WORDS * _WORD_BYTES if header and not coordinate else 0
    lacking = _HEADER_WORDS if coordinate and not header else 0
    fetched = min(words, SHADER_ROWS)
    for index in indices:
        address = fields.shaded_vertex_data_address + index * fields.shaded_vertex_data_stride + skipped
        data = memory.read(address % (1 << ADDRESS_BITS), (fetched - lacking) * _WORD_BYTES, "shaded vertex")
        found.append((0,) * lacking + tuple(np.frombuffer(data, "<u4").tolist()) + (0,) * (words - fetched))
    return found
