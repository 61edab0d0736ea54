"""Control records and what they lead to, as lines of text."""

from collections.abc import Iterator
from typing import Any

from vc4.records.shaders import AttributeArray, ClippedVertex, GlShaderRecord, NvShaderRecord

from ..model.cle.clipped import PlacedVertex
from ..model.cle.compressed import Item
from ..model.cle.control_records import ControlRecord
from ..model.cle.fields import Fields, packing
from ..model.cle.shader_records import Attribute, ShaderRecord
from .numbers import value_of
from .walk import Line, Note, PlacedPrimitive

__all__ = ["describe", "describe_fields"]

#: Fields whose bits say more than their value.
_HEXADECIMAL = {
    "clear_color_0",
    "clear_color_1",
    "clear_zs",
    "clear_vg_mask",
    "clear_stencil",
    "flat_shading_flags",
    "vertex_shader_attribute_array_select_bits",
    "coordinate_shader_attribute_array_select_bits",
}
_INDENT = "      "


def describe(line: Line) -> str:
    """One line: address, code of a control record, its name, its fields."""
    return f"{line.address:#010x}  {_text(line)}".rstrip()


def _text(line: Line) -> str:
    match line:
        case Note():
            return f"-- {line.text}"
        case ControlRecord():
            name = line.code.name.lower()
            fields = describe_fields(line.kind.layout, line.fields) if line.kind.layout else ""
            return f"{line.code.value:3} {name}  {fields}"
        case ShaderRecord():
            return f"{_INDENT}{_shader_name(line)}  {describe_fields(line.layout, line.fields)}"
        case Attribute():
            extended = f" stride={line.stride}" if line.stride != line.fields.memory_stride else ""
            return f"{_INDENT}attribute_array  {describe_fields(AttributeArray, line.fields)}{extended}"
        case PlacedVertex():
            return f"{_INDENT}clipped_vertex  vertex={line.number} {describe_fields(ClippedVertex, line.fields)}"
        case PlacedPrimitive():
            primitive = line.primitive
            return f"{_INDENT}{primitive.type.name.lower()}  {_vertices(primitive.vertices, primitive.coordinates)}"
        case Item():
            return f"{_INDENT}{_item(line)}"


def _shader_name(line: ShaderRecord) -> str:
    return {GlShaderRecord: "gl", NvShaderRecord: "nv"}.get(line.layout, "vg") + "_shader_record"


def _item(item: Item) -> str:
    if item.last:
        return "end of the compressed list"
    if not item.vertices:
        return f"relative branch to {item.end:#010x}"
    return f"{item.form.type.name.lower()}  {_vertices(item.vertices, item.form.coordinates)}"


def _vertices(vertices: tuple[int, ...], coordinates: bool) -> str:
    if not coordinates:
        return " ".join(map(str, vertices))
    return " ".join(f"({_pixels(word)}, {_pixels(word >> 16)})" for word in vertices)


def _pixels(half: int) -> str:
    """Sixteenths of a pixel in the low half of a word."""
    return f"{((half & 0xFFFF) ^ 0x8000) / 16 - 0x800:g}"


def describe_fields(layout: Any, fields: Fields) -> str:
    """All fields; of those with one bit only the names of the bits that are set."""
    return " ".join(_fields(layout, fields))


def _fields(layout: Any, fields: Fields) -> Iterator[str]:
    for name, field in packing(layout).fields.items():
        value = getattr(fields, name)
        number = value_of(field.shape, value) if not field.choices else None
        if field.width == 1:
            if value:
                yield name
        elif field.choices:
            yield f"{name}={value.name.lower()}"
        elif number is not None:
            yield f"{name}={number:g}"
        elif field.address:
            yield f"{name}={value:#010x}"
        else:
            yield f"{name}={value:#x}" if name in _HEXADECIMAL else f"{name}={value}"
