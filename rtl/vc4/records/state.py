"""Control records that set state (guide, table 38). Low bits first.

An address that is narrower than 32 bits lacks its low bits, which are 0. The name of every address ends in `address`.
"""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from .numbers import Fixed12_4, Float16, Float32

__all__ = [
    "BlockSize",
    "ClipWindow",
    "ClipperXYScaling",
    "ClipperZScaleAndOffset",
    "ConfigurationBits",
    "CoverageUpdate",
    "DepthOffset",
    "DepthTest",
    "FlatShadeFlags",
    "GlShaderState",
    "LineWidth",
    "NvShaderState",
    "Oversample",
    "PointSize",
    "RhtXBoundary",
    "TileBinningModeConfiguration",
    "VgInlineShaderRecord",
    "VgShaderState",
    "ViewportOffset",
    "ZClippingPlanes",
]


class Oversample(enum.Enum, shape=unsigned(2)):
    """Samples of the rasteriser. 3 is reserved."""

    NONE = 0  #: one sample a pixel
    X4 = 1  #: four
    X16 = 2  #: sixteen, for coverage


class CoverageUpdate(enum.Enum, shape=unsigned(2)):
    """What a primitive does to the coverage of the samples in it."""

    NONZERO = 0  #: counts crossings of edges with their direction: inside where they are not balanced
    ODD = 1  #: inside where an odd number of primitives lies
    OR = 2  #: covered by this one as well
    ZERO = 3  #: not covered any more


class DepthTest(enum.Enum, shape=unsigned(3)):
    """What the new Z must be, compared with the one that is there."""

    NEVER = 0  #: none passes
    LESS = 1  #: less
    EQUAL = 2  #: equal
    LESS_EQUAL = 3  #: less or equal
    GREATER = 4  #: greater
    NOT_EQUAL = 5  #: not equal
    GREATER_EQUAL = 6  #: greater or equal
    ALWAYS = 7  #: any


class BlockSize(enum.Enum, shape=unsigned(2)):
    """Bytes of a block of a tile list."""

    BYTES_32 = 0  #: 32 bytes
    BYTES_64 = 1  #: 64 bytes
    BYTES_128 = 2  #: 128 bytes
    BYTES_256 = 3  #: 256 bytes


class GlShaderState(data.Struct):
    """A shader record with vertex, coordinate and fragment shader."""

    number_of_attribute_arrays: unsigned(3)  #: 0: 8
    extended_shader_record: unsigned(1)  #: strides of 26 bits; all 8 attribute arrays
    shader_record_address: unsigned(28)  #: a multiple of 16


class NvShaderState(data.Struct):
    """A shader record for vertices that are shaded already."""

    shader_record_address: unsigned(32)  #: a multiple of 16


class VgShaderState(data.Struct):
    """A shader record with a fragment shader only."""

    shader_record_address: unsigned(32)  #: a multiple of 16


class VgInlineShaderRecord(data.Struct):
    """A fragment shader."""

    single_threaded: unsigned(1)  #: 1: the program has all registers, and no thread switch
    unused: unsigned(2)
    fragment_shader_code_address: unsigned(29)  #: of its first instruction, a multiple of 8
    fragment_shader_uniforms_address: unsigned(32)  #: of its first uniform


class ConfigurationBits(data.Struct):
    """Faces, depth and coverage."""

    enable_forward_facing_primitive: unsigned(1)  #: 1: primitives that are seen from the front are drawn
    enable_reverse_facing_primitive: unsigned(1)  #: 1: those that are seen from behind are drawn
    clockwise_primitives: unsigned(1)  #: 1: the front is where vertices follow each other clockwise
    enable_depth_offset: unsigned(1)  #: 1: Z of triangles gets the depth offset
    antialiased_points_and_lines: unsigned(1)  #: not supported
    coverage_read_type: unsigned(1)  #: 0: level of 8 bits, four times; 1: mask of 16 bits
    rasteriser_oversample_mode: Oversample  #: samples of a pixel
    coverage_pipe_select: unsigned(1)  #: 1: primitives change coverage, and are not shaded
    coverage_update_mode: CoverageUpdate  #: how they do so
    coverage_read_mode: unsigned(1)  #: 0: clear on read; 1: leave
    depth_test_function: DepthTest  #: what Z must be to be drawn
    z_updates_enable: unsigned(1)  #: 1: Z is written where it is drawn
    early_z_enable: unsigned(1)  #: 1: what cannot pass the depth test may be left out before it is shaded
    early_z_updates_enable: unsigned(1)  #: changes nothing here
    unused: unsigned(6)


class FlatShadeFlags(data.Struct):
    """One bit for each varying."""

    flat_shading_flags: unsigned(32)  #: 1: varying n has the value of the last vertex everywhere


class PointSize(data.Struct):
    """Diameter of points, in pixels."""

    point_size: Float32  #: pixels, if vertices have no size of their own


class LineWidth(data.Struct):
    """Width of lines, in pixels."""

    line_width: Float32  #: pixels


class RhtXBoundary(data.Struct):
    """The X to which RHTs reach."""

    rht_primitive_x_boundary: Fixed12_4  #: sixteenths of a pixel


class DepthOffset(data.Struct):
    """What is added to Z."""

    depth_offset_factor: Float16  #: times the larger gain of Z for a pixel
    depth_offset_units: Float16  #: times 2^-24 of the range of Z


class ClipWindow(data.Struct):
    """Where pixels are drawn."""

    clip_window_left_pixel_coordinate: unsigned(16)  #: first column
    clip_window_bottom_pixel_coordinate: unsigned(16)  #: first row
    clip_window_width_in_pixels: unsigned(16)  #: columns
    clip_window_height_in_pixels: unsigned(16)  #: rows


class ViewportOffset(data.Struct):
    """The middle of the viewport."""

    viewport_centre_x_coordinate: Fixed12_4  #: added to X of vertices, in sixteenths of a pixel
    viewport_centre_y_coordinate: Fixed12_4  #: added to Y of vertices, in sixteenths of a pixel


class ZClippingPlanes(data.Struct):
    """The range of Z."""

    minimum_zw: Float32  #: least Z, 0 to 1
    maximum_zw: Float32  #: greatest Z, 0 to 1


class ClipperXYScaling(data.Struct):
    """From clip coordinates to sixteenths of a pixel."""

    viewport_half_width: Float32  #: sixteenths of a pixel
    viewport_half_height: Float32  #: sixteenths of a pixel


class ClipperZScaleAndOffset(data.Struct):
    """From Z in clip coordinates to Z on the screen."""

    viewport_z_scale: Float32  #: factor of Zc / Wc
    viewport_z_offset: Float32  #: what is added then


class TileBinningModeConfiguration(data.Struct):
    """Tiles of a frame, and memory for their lists."""

    tile_allocation_memory_address: unsigned(32)  #: where tile lists begin
    tile_allocation_memory_size: unsigned(32)  #: bytes
    tile_state_data_array_address: unsigned(32)  #: a multiple of 16
    width: unsigned(8)  #: tiles
    height: unsigned(8)  #: tiles
    multisample_mode: unsigned(1)  #: four samples a pixel
    tile_buffer_64_bit_color_depth: unsigned(1)  #: colours of 64 bits: tiles are half as high
    auto_initialise_tile_state_data_array: unsigned(1)  #: 1: lists begin anew; 0: they go on where the array says
    tile_allocation_initial_block_size: BlockSize  #: of the first block of each list
    tile_allocation_block_size: BlockSize  #: of the blocks that follow
    double_buffer_in_non_ms_mode: unsigned(1)  #: two tile buffers of half the size, without multisampling
