"""Control lists of whole frames, for tests of the executor: every record and every kind of list is in one of them."""

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import (
    VG_END,
    VG_PAD,
    IndexType,
    PrimitiveData,
    PrimitiveMode,
    PrimitiveType,
    VgPrimitiveType,
)
from vc4.records.state import BlockSize, DepthTest
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat, TileBuffer
from vc4sim.clist import ListBuilder, compress, gl_shader_record, nv_shader_record, vg_shader_record
from vc4sim.clist.primitives import compress_into
from vc4sim.model.cle.compressed import COORDINATE_BYTES, ListFormat
from vc4sim.model.memory import Memory

__all__ = [
    "BASE",
    "BINNING",
    "BINNING_END",
    "INDICES",
    "RENDERING",
    "RENDERING_END",
    "SHADERS",
    "SIZE",
    "TILE_LISTS",
    "configure",
    "frame",
    "words",
]

BASE, SIZE = 0x1_0000, 0x4000
#: Where things lie in the frame.
BINNING, SUB_LIST, RENDERING = BASE, BASE + 0x600, BASE + 0x800
SHADERS, INDICES, COORDINATES = BASE + 0x1000, BASE + 0x1200, BASE + 0x1300
TILE_LISTS, BLOCKS = BASE + 0x2000, BASE + 0x3000
TILE_BYTES, TILES = 64, 4
#: Triangle n of tile t begins with vertex n * (1 + t), below this.
STRIP = 28

TRIANGLES_16 = ListFormat(PrimitiveType.TRIANGLES)
TRIANGLES_XY = ListFormat(PrimitiveType.TRIANGLES, COORDINATE_BYTES)


def words(*values: int) -> bytes:
    """Words, little endian."""
    return b"".join(value.to_bytes(4, "little") for value in values)


def configure(lists: ListBuilder) -> None:
    """What a binning list begins with."""
    lists.add(
        Code.TILE_BINNING_MODE_CONFIGURATION,
        tile_allocation_memory_address=TILE_LISTS,
        tile_allocation_memory_size=0x1000,
        tile_state_data_array_address=BLOCKS,
        width=2,
        height=2,
        auto_initialise_tile_state_data_array=1,
        tile_allocation_initial_block_size=BlockSize.BYTES_64,
    )


def _state(lists: ListBuilder) -> None:
    lists.add(Code.CLIP_WINDOW, clip_window_width_in_pixels=128, clip_window_height_in_pixels=128)
    lists.add(Code.CONFIGURATION_BITS, enable_forward_facing_primitive=1, depth_test_function=DepthTest.ALWAYS)
    lists.add(Code.FLAT_SHADE_FLAGS)
    lists.add(Code.POINT_SIZE, point_size=1.0)
    lists.add(Code.LINE_WIDTH, line_width=1.5)
    lists.add(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=32.0)
    lists.add(Code.DEPTH_OFFSET, depth_offset_factor=1.0)
    lists.add(Code.VIEWPORT_OFFSET, viewport_centre_x_coordinate=64.0)
    lists.add(Code.Z_CLIPPING_PLANES, maximum_zw=1.0)


def _binning() -> ListBuilder:
    lists = ListBuilder(BINNING)
    configure(lists)
    lists.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.INDEX_16)
    lists.add(Code.START_TILE_BINNING)
    _state(lists)
    lists.add(Code.CLIPPER_XY_SCALING, viewport_half_width=1024.0, viewport_half_height=1024.0)
    lists.add(Code.CLIPPER_Z_SCALE_AND_OFFSET, viewport_z_scale=0.5, viewport_z_offset=0.5)
    lists.add(Code.MARKER)
    lists.add(Code.GL_SHADER_STATE, number_of_attribute_arrays=2, shader_record_address=SHADERS)
    for mode in PrimitiveMode:
        lists.add(
            Code.INDEXED_PRIMITIVE_LIST,
            primitive_mode=mode,
            index_type=IndexType.BITS_16 if mode.value % 2 else IndexType.BITS_8,
            length=6,
            indices_list_address=INDICES,
            maximum_index=0x0F0F,
        )
        lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=5, index_of_first_vertex=3)
    lists.add(Code.GL_SHADER_STATE, extended_shader_record=1, shader_record_address=SHADERS + 0x80)
    lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.TRIANGLES, length=3)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=SHADERS + 0x40)
    lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.TRIANGLE_FAN, length=4)
    lists.add(Code.VG_SHADER_STATE, shader_record_address=SHADERS + 0x60)
    for kind in VgPrimitiveType:
        lists.add(
            Code.VG_COORDINATE_ARRAY_PRIMITIVES, primitive_type=kind, length=6, coordinate_array_address=COORDINATES
        )
    lists.add(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    lists.raw(words(1, 2, 3, 4, 5, VG_PAD, 6, 7, 8, 9, 10, VG_END))
    lists.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=SUB_LIST)
    lists.add(Code.RESET_MARKER_COUNT)
    lists.add(Code.INCREMENT_SEMAPHORE)
    lists.add(Code.FLUSH)
    return lists


def _sub_list() -> ListBuilder:
    lists = ListBuilder(SUB_LIST)
    lists.add(Code.NOP)
    lists.add(Code.VG_INLINE_SHADER_RECORD, single_threaded=1, fragment_shader_code_address=SHADERS)
    lists.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.COORDINATES)
    lists.add(Code.COMPRESSED_PRIMITIVE_LIST)
    lists.raw(compress(TRIANGLES_XY, [(0x10, 0x20, 0x100010), (0x10, 0x100010, 0x200020)]))
    lists.add(Code.RETURN_FROM_SUB_LIST)
    return lists


def _rendering() -> ListBuilder:
    lists = ListBuilder(RENDERING)
    lists.add(
        Code.TILE_RENDERING_MODE_CONFIGURATION,
        memory_address=BASE,
        width=128,
        height=128,
        frame_buffer_color_format=FrameColorFormat.RGBA8888,
        memory_format=MemoryFormat.T_FORMAT,
    )
    lists.add(Code.CLEAR_COLORS, clear_color_0=0xFF00FF00, clear_color_1=0xFF00FF00, clear_zs=0xFFFFFF)
    lists.add(Code.WAIT_ON_SEMAPHORE)
    for tile in range(TILES):
        lists.add(Code.RELOAD_FULL_RESOLUTION_TILE_BUFFER, tile_address=BASE, disable_color_buffer_read=1)
        lists.add(Code.LOAD_TILE_BUFFER_GENERAL, buffer_to_load=TileBuffer.COLOR, frame_address=BASE)
        lists.add(Code.TILE_COORDINATES, tile_column_number=tile % 2, tile_row_number=tile // 2)
        lists.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=TILE_LISTS + TILE_BYTES * tile)
        lists.add(Code.STORE_FULL_RESOLUTION_TILE_BUFFER, tile_address=BASE, disable_clear_on_write=1)
        lists.add(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.Z_STENCIL, frame_address=BASE)
        if tile == TILES - 1:
            lists.add(Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)
        else:
            lists.add(Code.STORE_RESOLVED_TILE_COLOR_BUFFER)
    return lists


def _tile_list(memory: Memory, tile: int) -> None:
    lists = ListBuilder(TILE_LISTS + TILE_BYTES * tile)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=SHADERS + 0x40)
    lists.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.INDEX_16)
    if tile % 2:
        lists.add(
            Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST,
            clipped_vertices=3,
            clipped_primitive_data_address=SHADERS,
        )
    else:
        lists.add(Code.COMPRESSED_PRIMITIVE_LIST)
    lists.store(memory)
    strip = [(n, n + 1, n + 2) for n in range(0, STRIP, 1 + tile)]
    blocks = [range(lists.here, lists.base + TILE_BYTES - 8)]
    blocks += [range(start, start + 31) for start in range(BLOCKS + 0x400 * tile, BLOCKS + 0x400 * (tile + 1), 64)]
    end = compress_into(memory, TRIANGLES_16, strip, blocks)
    memory.write(end, bytes([Code.RETURN_FROM_SUB_LIST.value]))


def frame() -> Memory:
    """A frame in memory: binning list, rendering list, tile lists of several blocks."""
    memory = Memory(SIZE, BASE)
    lists = _binning()
    lists.store(memory)
    assert lists.here < SUB_LIST
    _sub_list().store(memory)
    rendering = _rendering()
    rendering.store(memory)
    assert rendering.here < SHADERS
    memory.write(SHADERS, gl_shader_record([{"memory_stride": 8}, {"memory_stride": 4}]))
    memory.write(SHADERS + 0x40, nv_shader_record(shaded_vertex_data_stride=12))
    memory.write(SHADERS + 0x60, vg_shader_record())
    memory.write(SHADERS + 0x80, gl_shader_record([{"memory_stride": 0x1234}], extended=True))
    memory.write(INDICES, bytes([5, 0, 4, 1, 3, 2, 0, 1, 2, 3, 4, 5]))
    memory.write(COORDINATES, words(*(n << 20 | n << 4 for n in range(8))))
    for tile in range(TILES):
        _tile_list(memory, tile)
    return memory


#: Ends of the lists in `frame`.
BINNING_END, RENDERING_END = _binning().here, _rendering().here
