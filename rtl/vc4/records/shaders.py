"""What control records point to: shader records, clipped vertices, tile state (guide, tables 44 to 47)."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data

from .numbers import Fixed12_4, Float32

__all__ = [
    "ATTRIBUTE_ARRAYS",
    "CLIPPED_VERTEX_BYTES",
    "EXTENDED_STRIDES_OFFSET",
    "TILE_POINTER_BITS",
    "TILE_STATE_BYTES",
    "AttributeArray",
    "ClippedVertex",
    "ExtendedStride",
    "GlShaderRecord",
    "NvShaderRecord",
    "VgShaderRecord",
]

#: The most attribute arrays; an extended record always has room for that many.
ATTRIBUTE_ARRAYS = 8
#: Where `ExtendedStride` begins, one for each attribute array.
EXTENDED_STRIDES_OFFSET = 100
CLIPPED_VERTEX_BYTES = 32
#: State of a tile in the tile state data array; its contents are the binner's own.
TILE_STATE_BYTES = 48
#: Width of an address in there; the bits above are those of the array's address.
TILE_POINTER_BITS = 28


class GlShaderRecord(data.Struct):
    """Vertex, coordinate and fragment shader (table 45). The attribute arrays follow."""

    fragment_shader_is_single_threaded: unsigned(1)  #: 1: the program has all registers, and no thread switch
    point_size_included: unsigned(1)  #: in shaded vertex data
    enable_clipping: unsigned(1)  #: 1: primitives are clipped at the view volume
    unused: unsigned(13)
    fragment_shader_number_of_uniforms: unsigned(8)  #: not used
    fragment_shader_number_of_varyings: unsigned(8)  #: floats of each vertex that are interpolated
    fragment_shader_code_address: unsigned(32)  #: of its first instruction
    fragment_shader_uniforms_address: unsigned(32)  #: of its first uniform
    vertex_shader_number_of_uniforms: unsigned(16)  #: not used
    vertex_shader_attribute_array_select_bits: unsigned(8)  #: a bit for each attribute array that it takes
    vertex_shader_total_attributes_size: unsigned(8)  #: bytes
    vertex_shader_code_address: unsigned(32)  #: of its first instruction
    vertex_shader_uniforms_address: unsigned(32)  #: of its first uniform
    coordinate_shader_number_of_uniforms: unsigned(16)  #: not used
    coordinate_shader_attribute_array_select_bits: unsigned(8)  #: a bit for each attribute array that it takes
    coordinate_shader_total_attributes_size: unsigned(8)  #: bytes
    coordinate_shader_code_address: unsigned(32)  #: of its first instruction
    coordinate_shader_uniforms_address: unsigned(32)  #: of its first uniform


class AttributeArray(data.Struct):
    """An attribute of each vertex in memory."""

    base_memory_address: unsigned(32)  #: of the attribute of vertex 0
    number_of_bytes_minus_1: unsigned(8)  #: size of the attribute, less 1
    memory_stride: unsigned(8)  #: bytes; the low bits of an extended stride
    vertex_shader_vpm_offset: unsigned(8)  #: bytes
    coordinate_shader_vpm_offset: unsigned(8)  #: bytes


class ExtendedStride(data.Struct):
    """The high bits of the stride of an attribute array."""

    unused: unsigned(8)
    memory_stride_high: unsigned(24)  #: bits 31:8


class NvShaderRecord(data.Struct):
    """Shaded vertices, and a fragment shader (table 46)."""

    fragment_shader_is_single_threaded: unsigned(1)  #: 1: the program has all registers, and no thread switch
    point_size_included: unsigned(1)  #: in shaded vertex data, as the next but one
    enable_clipping: unsigned(1)  #: 1: primitives are clipped at the view volume
    clip_coordinates_header_included: unsigned(1)  #: 1: vertices begin with Xc, Yc, Zc, Wc
    unused: unsigned(4)
    shaded_vertex_data_stride: unsigned(8)  #: bytes
    fragment_shader_number_of_uniforms: unsigned(8)  #: not used
    fragment_shader_number_of_varyings: unsigned(8)  #: floats of each vertex that are interpolated
    fragment_shader_code_address: unsigned(32)  #: of its first instruction
    fragment_shader_uniforms_address: unsigned(32)  #: of its first uniform
    shaded_vertex_data_address: unsigned(32)  #: of vertex 0


class VgShaderRecord(data.Struct):
    """A fragment shader (table 47)."""

    fragment_shader_is_single_threaded: unsigned(1)  #: 1: the program has all registers, and no thread switch
    unused: unsigned(15)
    fragment_shader_number_of_uniforms: unsigned(8)  #: not used
    fragment_shader_number_of_varyings: unsigned(8)  #: floats of each vertex that are interpolated
    fragment_shader_code_address: unsigned(32)  #: of its first instruction
    fragment_shader_uniforms_address: unsigned(32)  #: of its first uniform


class ClippedVertex(data.Struct):
    """A vertex that clipping has made (table 44); those of a primitive that are not clipped are left out."""

    xs: Fixed12_4  #: X, in sixteenths of a pixel from the middle of the viewport
    ys: Fixed12_4  #: Y, the same
    zs: Float32  #: depth, Z
    reciprocal_wc: Float32  #: 1/Wc
    vertex_0_coefficient: Float32  #: weight of vertex 0 of the primitive in all varyings
    vertex_1_coefficient: Float32  #: weight of vertex 1
    vertex_2_coefficient: Float32  #: of triangles
    unused: unsigned(64)


for _layout, _bytes in (
    (GlShaderRecord, EXTENDED_STRIDES_OFFSET - 8 * ATTRIBUTE_ARRAYS),
    (AttributeArray, 8),
    (ExtendedStride, 4),
    (NvShaderRecord, 16),
    (VgShaderRecord, 12),
    (ClippedVertex, CLIPPED_VERTEX_BYTES),
):
    assert Shape.cast(_layout).width == 8 * _bytes
