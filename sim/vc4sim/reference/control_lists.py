"""The page of control lists and what they point to."""

from vc4.records.compressed import CODINGS, COORDINATE_CODINGS, EDGES, Coding
from vc4.records.control import RECORDS, Record
from vc4.records.primitives import (
    IndexType,
    PrimitiveData,
    PrimitiveMode,
    PrimitiveType,
    VgPrimitiveType,
)
from vc4.records.shaders import (
    EXTENDED_STRIDES_OFFSET,
    AttributeArray,
    ClippedVertex,
    ExtendedStride,
    GlShaderRecord,
    NvShaderRecord,
    VgShaderRecord,
)
from vc4.records.state import BlockSize, CoverageUpdate, DepthTest, Oversample
from vc4.records.tile_buffer import DecimateMode, FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer

from .markdown import fields, layouts, section, table, values
from .texts import docs_of, fields_of, member_texts

__all__ = ["page"]

_INTRODUCTION = """\
# Records of control lists

A control list is a sequence of records: a byte that says which, and the fields of its layout after that byte. A frame has one
list for binning and one for rendering. [Control lists](../user/clist.md) says how to print, write and run them, [binning and
rendering](rendering.md) what they do, rule by rule. This page is made from `rtl/vc4/records`.

Bits are counted from the byte after the code. An address that is narrower than 32 bits lacks its low bits, which are 0. Numbers
called float are floats of 32 bits or, where they have 16, the upper halves of such floats; positions are sixteenths of a pixel
in two's complement. Bits that are not listed are ignored.

## All records

| code | record | bytes | lists | meaning |
|---|---|---|---|---|
"""

_SHADERS = """\
What `gl_shader_state`, `nv_shader_state` and `vg_shader_state` point to, and what the binner writes beside its lists. A record
of GL is followed by eight bytes for each attribute array, and from byte {strides} on by an extended stride for each of eight,
if the state says that it has them."""

_COMPRESSED = """\
A compressed list holds primitives of one kind, each coded against the one before; drivers write none, but the binner does.
Which coding a primitive has is seen from its first byte: 128 ends the list; 129 is followed by all of its vertices; 130 is a
branch; of all others the first coding in these tables counts whose bits are there. `edge` says which vertices of the primitive
before are the first ones of this. `delta_2` is the difference from vertex 2 of the primitive before, `delta_1_0` that of vertex
1 from vertex 0 of the same primitive, all in two's complement."""


def _anchor(record: Record) -> str:
    return f"{record.code.name.lower()}-{record.code.value}"


def _summary(record: Record) -> str:
    name = record.code.name.lower()
    text = member_texts(type(record.code))[record.code.name]
    link = f"[`{name}`](#{_anchor(record)})" if record.layout else f"`{name}`"
    length = f"{record.length} and more" if record.follows else f"{record.length}"
    return f"| {record.code.value} | {link} | {length} | {record.threads} | {text} |"


def _vertices(numbers: tuple[int, ...]) -> str:
    return " and ".join(f"vertex {number}" for number in numbers)


def _coding(coding: Coding) -> tuple[str, str, str]:
    bits = f"{coding.value:0{coding.mask.bit_length()}b}" if coding.mask else "any"
    if coding.layout is None:
        return bits, "", "reserved"
    follows = "; vertex 0 follows, as it is" if coding.vertex_follows else ""
    said = ", ".join(f"{one.place} `{one.name}`" for one in fields_of(coding.layout))
    return bits, f"{coding.length}", said + follows


def page() -> str:
    """The page, in Markdown."""
    lines = [_INTRODUCTION.rstrip(), *(_summary(record) for record in RECORDS.values()), ""]
    lines += section("Fields")
    for record in RECORDS.values():
        if record.layout:
            title = f"{record.code.name.lower()} ({record.code.value})"
            lines += [*section(title, docs_of(record.layout), 3), *fields(record.layout)]
    lines += section("Values", "What the values of fields are called.")
    lines += values(PrimitiveMode, IndexType, VgPrimitiveType, PrimitiveType, PrimitiveData, BlockSize)
    lines += values(DepthTest, Oversample, CoverageUpdate, TileBuffer, MemoryFormat, DecimateMode, PixelColorFormat)
    lines += values(FrameColorFormat)
    lines += section("Shader records and vertices", _SHADERS.format(strides=EXTENDED_STRIDES_OFFSET))
    lines += layouts(GlShaderRecord, AttributeArray, ExtendedStride, NvShaderRecord, VgShaderRecord, ClippedVertex)
    lines += section("Compressed primitives", _COMPRESSED)
    head = ("edge", "first vertex of a line", "first vertices of a triangle")
    lines += table(
        head, ((f"{edge}", *map(_vertices, kinds)) for edge, kinds in enumerate(zip(*EDGES.values(), strict=True)))
    )
    for what, codings in (("indices", CODINGS), ("coordinates", COORDINATE_CODINGS)):
        for kind, ways in codings.items():
            lines += section(f"{kind.name} with {what}", level=3)
            lines += table(("low bits of the first byte", "bytes", "fields"), (_coding(way) for way in ways))
    return "\n".join(lines).rstrip() + "\n"
