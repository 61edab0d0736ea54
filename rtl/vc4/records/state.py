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

    NONE = 0
    X4 = 1
    X16 = 2


class CoverageUpdate(enum.Enum, shape=unsigned(2)):
    """What a primitive does to the coverage of the samples in it."""

    NONZERO = 0
    ODD = 1
    OR = 2
    ZERO = 3


class DepthTest(enum.Enum, shape=unsigned(3)):
    """What the new Z must be, compared with the one that is there."""

    NEVER = 0
    LESS = 1
    EQUAL = 2
    LESS_EQUAL = 3
    GREATER = 4
    NOT_EQUAL = 5
    GREATER_EQUAL = 6
    ALWAYS = 7


class BlockSize(enum.Enum, shape=unsigned(2)):
    """Bytes of a block of a tile list."""

    BYTES_32 = 0
    BYTES_64 = 1
    BYTES_128 = 2
    BYTES_256 = 3


class GlShaderState(data.Struct):
    """A shader record with vertex, coordinate and fragment shader."""

    number_of_attribute_arrays: unsigned(3)  # 0: 8
    extended_shader_record: unsigned(1)  # strides of 26 bits; all 8 attribute arrays
    shader_record_address: unsigned(28)


class NvShaderState(data.Struct):
    """A shader record for vertices that are shaded already."""

    shader_record_address: unsigned(32)  # a multiple of 16


class VgShaderState(data.Struct):
    """A shader record with a fragment shader only."""

    shader_record_address: unsigned(32)  # a multiple of 16


class VgInlineShaderRecord(data.Struct):
    """A fragment shader."""

    single_threaded: unsigned(1)
    unused: unsigned(2)
    fragment_shader_code_address: unsigned(29)
    fragment_shader_uniforms_address: unsigned(32)


class ConfigurationBits(data.Struct):
    """Faces, depth and coverage."""

    enable_forward_facing_primitive: unsigned(1)
    enable_reverse_facing_primitive: unsigned(1)
    clockwise_primitives: unsigned(1)
    enable_depth_offset: unsigned(1)
    antialiased_points_and_lines: unsigned(1)  # not supported
    coverage_read_type: unsigned(1)  # 0: level of 8 bits, four times; 1: mask of 16 bits
    rasteriser_oversample_mode: Oversample
    coverage_pipe_select: unsigned(1)
    coverage_update_mode: CoverageUpdate
    coverage_read_mode: unsigned(1)  # 0: clear on read; 1: leave
    depth_test_function: DepthTest
    z_updates_enable: unsigned(1)
    early_z_enable: unsigned(1)
    early_z_updates_enable: unsigned(1)
    unused: unsigned(6)


class FlatShadeFlags(data.Struct):
    """One bit for each varying."""

    flat_shading_flags: unsigned(32)


class PointSize(data.Struct):
    """Diameter of points, in pixels."""

    point_size: Float32


class LineWidth(data.Struct):
    """Width of lines, in pixels."""

    line_width: Float32


class RhtXBoundary(data.Struct):
    """The X to which RHTs reach."""

    rht_primitive_x_boundary: Fixed12_4


class DepthOffset(data.Struct):
    """What is added to Z."""

    depth_offset_factor: Float16
    depth_offset_units: Float16


class ClipWindow(data.Struct):
    """Where pixels are drawn."""

    clip_window_left_pixel_coordinate: unsigned(16)
    clip_window_bottom_pixel_coordinate: unsigned(16)
    clip_window_width_in_pixels: unsigned(16)
    clip_window_height_in_pixels: unsigned(16)


class ViewportOffset(data.Struct):
    """The middle of the viewport."""

    viewport_centre_x_coordinate: Fixed12_4
    viewport_centre_y_coordinate: Fixed12_4


class ZClippingPlanes(data.Struct):
    """The range of Z."""

    minimum_zw: Float32
    maximum_zw: Float32


class ClipperXYScaling(data.Struct):
    """From clip coordinates to sixteenths of a pixel."""

    viewport_half_width: Float32
    viewport_half_height: Float32


class ClipperZScaleAndOffset(data.Struct):
    """From Z in clip coordinates to Z on the screen."""

    viewport_z_scale: Float32
    viewport_z_offset: Float32


class TileBinningModeConfiguration(data.Struct):
    """Tiles of a frame, and memory for their lists."""

    tile_allocation_memory_address: unsigned(32)
    tile_allocation_memory_size: unsigned(32)  # bytes
    tile_state_data_array_address: unsigned(32)  # a multiple of 16
    width: unsigned(8)  # tiles
    height: unsigned(8)  # tiles
    multisample_mode: unsigned(1)  # four samples a pixel
    tile_buffer_64_bit_color_depth: unsigned(1)
    auto_initialise_tile_state_data_array: unsigned(1)
    tile_allocation_initial_block_size: BlockSize
    tile_allocation_block_size: BlockSize
    double_buffer_in_non_ms_mode: unsigned(1)
