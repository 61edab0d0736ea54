"""Control records of the tile buffer: loads, stores, clears, and where a frame is (guide, table 38). Low bits first.

An address that is narrower than 32 bits lacks its low bits, which are 0. The name of every address ends in `address`.
"""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

__all__ = [
    "ClearColors",
    "DecimateMode",
    "FrameColorFormat",
    "LoadTileBufferGeneral",
    "MemoryFormat",
    "PixelColorFormat",
    "ReloadFullResolutionTileBuffer",
    "StoreFullResolutionTileBuffer",
    "StoreTileBufferGeneral",
    "TileBuffer",
    "TileCoordinates",
    "TileRenderingModeConfiguration",
]


class TileBuffer(enum.Enum, shape=unsigned(3)):
    """What a general store or load moves. Other values are reserved; a load has no `Z_ONLY`."""

    NONE = 0  #: nothing
    COLOR = 1  #: colours, means of samples
    Z_STENCIL = 2  #: Z in bits 31:8, stencil in 7:0
    Z_ONLY = 3  #: Z in bits 31:8
    VG_MASK = 4  #: alpha mask, 8 bits a pixel
    FULL = 5  #: all samples of all buffers


class MemoryFormat(enum.Enum, shape=unsigned(2)):
    """How pixels lie in memory. 3 is reserved."""

    RASTER = 0  #: row after row
    T_FORMAT = 1  #: tiles of 4 KiB
    LT_FORMAT = 2  #: tiles of 64 bytes, row after row


class DecimateMode(enum.Enum, shape=unsigned(2)):
    """What becomes of samples: the first one is stored, or the mean of some. 3 is reserved."""

    SAMPLE_0 = 0  #: the first sample
    DECIMATE_X4 = 1  #: mean of four samples
    DECIMATE_X16 = 2  #: mean of sixteen samples, those of two by two pixels


class PixelColorFormat(enum.Enum, shape=unsigned(2)):
    """Colours in memory, as general stores and loads number them. 3 is reserved."""

    RGBA8888 = 0  #: 32 bits a pixel, red in the lowest byte
    BGR565_DITHERED = 1  #: 16 bits a pixel, blue in the lowest bits, dithered
    BGR565 = 2  #: 16 bits a pixel, low bits cut off


class FrameColorFormat(enum.Enum, shape=unsigned(2)):
    """Colours in memory, as the configuration of a frame numbers them. 3 is reserved."""

    BGR565_DITHERED = 0  #: 16 bits a pixel, blue in the lowest bits, dithered
    RGBA8888 = 1  #: 32 bits a pixel, red in the lowest byte
    BGR565 = 2  #: 16 bits a pixel, low bits cut off


class StoreFullResolutionTileBuffer(data.Struct):
    """All samples of a tile, to an address that does not depend on the tile."""

    disable_color_buffer_write: unsigned(1)  #: 1: no colours
    disable_z_stencil_buffer_write: unsigned(1)  #: 1: neither Z nor stencil
    disable_clear_on_write: unsigned(1)  #: 1: no clear after the store
    last_tile_of_frame: unsigned(1)  #: 1: the frame ends
    tile_address: unsigned(28)  #: a multiple of 16


class ReloadFullResolutionTileBuffer(data.Struct):
    """All samples of a tile, from an address that does not depend on the tile."""

    disable_color_buffer_read: unsigned(1)  #: 1: no colours
    disable_z_stencil_buffer_read: unsigned(1)  #: 1: neither Z nor stencil
    unused: unsigned(2)
    tile_address: unsigned(28)  #: a multiple of 16


class StoreTileBufferGeneral(data.Struct):
    """A part of the tile buffer to its place in a frame."""

    buffer_to_store: TileBuffer  #: which buffer
    unused: unsigned(1)
    format: MemoryFormat  #: how pixels lie in memory
    mode: DecimateMode  #: of colours of 32 bits
    pixel_color_format: PixelColorFormat  #: of colours of 32 bits
    unused_10: unsigned(2)
    disable_double_buffer_swap: unsigned(1)  #: 1: the two tile buffers stay as they are
    disable_color_buffer_clear: unsigned(1)  #: 1: no clear of colours after the store
    disable_z_stencil_buffer_clear: unsigned(1)  #: 1: no clear of Z and stencil after the store
    disable_vg_mask_buffer_clear: unsigned(1)  #: 1: no clear of the alpha mask after the store
    disable_color_buffer_dump: unsigned(1)  #: of a full dump, as the next two
    disable_z_stencil_buffer_dump: unsigned(1)  #: 1: neither Z nor stencil
    disable_vg_mask_buffer_dump: unsigned(1)  #: 1: no alpha mask
    last_tile_of_frame: unsigned(1)  #: 1: the frame ends
    frame_address: unsigned(28)  #: of the frame, not of the tile; a multiple of 16


class LoadTileBufferGeneral(data.Struct):
    """A part of the tile buffer from its place in a frame."""

    buffer_to_load: TileBuffer  #: which buffer
    unused: unsigned(1)
    format: MemoryFormat  #: how pixels lie in memory
    unused_6: unsigned(2)
    pixel_color_format: PixelColorFormat  #: of colours of 32 bits
    unused_10: unsigned(6)
    disable_color_buffer_load: unsigned(1)  #: of a full reload, as the next two
    disable_z_stencil_buffer_load: unsigned(1)  #: 1: neither Z nor stencil
    disable_vg_mask_buffer_load: unsigned(1)  #: 1: no alpha mask
    unused_19: unsigned(1)
    frame_address: unsigned(28)  #: of the frame, not of the tile; a multiple of 16


class TileRenderingModeConfiguration(data.Struct):
    """The frame that is drawn."""

    memory_address: unsigned(32)  #: of the frame, a multiple of 16
    width: unsigned(16)  #: pixels
    height: unsigned(16)  #: pixels
    multisample_mode: unsigned(1)  #: four samples a pixel
    tile_buffer_64_bit_color_depth: unsigned(1)  #: colours of 64 bits, half floats: tiles are half as high
    frame_buffer_color_format: FrameColorFormat  #: of resolved stores
    decimate_mode: DecimateMode  #: of resolved stores
    memory_format: MemoryFormat  #: of resolved stores
    enable_vg_mask_buffer: unsigned(1)  #: changes nothing here: the buffer is always there
    select_coverage_mode: unsigned(1)  #: changes nothing here
    early_z_update_direction: unsigned(1)  #: 0: less, less or equal; 1: greater, greater or equal
    early_z_disable: unsigned(1)  #: early coverage, too
    double_buffer_in_non_ms_mode: unsigned(1)  #: two tile buffers of half the size, without multisampling
    unused: unsigned(3)


class ClearColors(data.Struct):
    """What the buffers are cleared to."""

    clear_color_0: unsigned(32)  #: even pixels, or red and green of 64 bits
    clear_color_1: unsigned(32)  #: odd pixels, or blue and alpha of 64 bits
    clear_zs: unsigned(24)  #: depth, Z
    clear_vg_mask: unsigned(8)  #: alpha mask
    clear_stencil: unsigned(8)  #: stencil


class TileCoordinates(data.Struct):
    """The tile that is drawn."""

    tile_column_number: unsigned(8)  #: from the left
    tile_row_number: unsigned(8)  #: from the first row in memory
