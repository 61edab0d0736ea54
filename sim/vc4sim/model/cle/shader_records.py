"""Shader records in memory, as control records point to them (guide, tables 45 to 47)."""

from typing import Any, NamedTuple

from vc4.records.control import ControlCode
from vc4.records.shaders import (
    ATTRIBUTE_ARRAYS,
    EXTENDED_STRIDES_OFFSET,
    AttributeArray,
    ExtendedStride,
    GlShaderRecord,
    NvShaderRecord,
    VgShaderRecord,
)

from ..memory import Memory, MemoryFault
from .control_records import ControlRecord, ListError
from .fields import ADDRESS_BITS, Fields, packing

__all__ = ["SHADER_LAYOUTS", "Attribute", "ShaderRecord", "ShaderRecordError", "read_shader_record"]

#: Layout of the record that each shader state points to.
SHADER_LAYOUTS = {
    ControlCode.GL_SHADER_STATE: GlShaderRecord,
    ControlCode.NV_SHADER_STATE: NvShaderRecord,
    ControlCode.VG_SHADER_STATE: VgShaderRecord,
}
#: Shader records are this well aligned; lower bits of their address are ignored.
_ALIGNMENT = 16


class ShaderRecordError(ListError):
    """A shader record is not in memory."""


class Attribute(NamedTuple):
    """An attribute array, and where the record describes it.

    stride : bytes from one vertex to the next one, all 32 bits of an extended one
    """

    address: int
    fields: Fields
    stride: int

    @property
    def length(self) -> int:
        """Bytes that each vertex has of it."""
        return self.fields.number_of_bytes_minus_1 + 1


class ShaderRecord(NamedTuple):
    """A shader record, with the attribute arrays of a GL one."""

    address: int
    layout: Any
    fields: Fields
    attributes: tuple[Attribute, ...] = ()


def read_shader_record(memory: Memory, state: ControlRecord) -> ShaderRecord:
    """The record that a shader state points to. Raises `ShaderRecordError` if it is not in memory."""
    address = state.fields.shader_record_address // _ALIGNMENT * _ALIGNMENT
    layout = SHADER_LAYOUTS[state.code]
    try:
        fields = _read(memory, address, layout)
        attributes = _attributes(memory, address, state) if layout is GlShaderRecord else ()
    except MemoryFault as fault:
        raise ShaderRecordError(state.address, str(fault)) from None
    return ShaderRecord(address, layout, fields, attributes)


def _read(memory: Memory, address: int, layout: Any) -> Fields:
    pack = packing(layout)
    return pack.unpack(memory.read_int(address % (1 << ADDRESS_BITS), pack.size // 8, "shader record"))


def _attributes(memory: Memory, address: int, state: ControlRecord) -> tuple[Attribute, ...]:
    extended = state.fields.extended_shader_record
    count = ATTRIBUTE_ARRAYS if extended else state.fields.number_of_attribute_arrays or ATTRIBUTE_ARRAYS
    first, size = packing(GlShaderRecord).size // 8, packing(AttributeArray).size // 8
    found = []
    for number in range(count):
        place = address + first + number * size
        fields = _read(memory, place, AttributeArray)
        stride = fields.memory_stride
        if extended:
            word = address + EXTENDED_STRIDES_OFFSET + number * packing(ExtendedStride).size // 8
            stride |= _read(memory, word, ExtendedStride).memory_stride_high << 8
        found.append(Attribute(place, fields, stride))
    return tuple(found)
