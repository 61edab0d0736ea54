"""A triangle with a colour at each corner: its control lists, its shader and its vertices, written into a folder.

`python docs/tutorials/triangle.py triangle` makes the folder, and `vc4 render triangle -o triangle.png` draws it.
"""

import struct
import sys
from pathlib import Path

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveData, PrimitiveMode, PrimitiveType
from vc4.records.state import DepthTest
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat, TileBuffer
from vc4sim.asm import assemble
from vc4sim.clist import ListBuilder, nv_shader_record, save_capture
from vc4sim.model.memory import Memory

__all__ = ["triangle"]

SIZE, TILE = 128, 64  # pixels
TILES = SIZE // TILE

# Where things lie in memory.
BINNING, RENDERING, SHADER, CODE, UNIFORMS, VERTICES = 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000
TILE_STATES, TILE_LISTS, PICTURE = 0x1_0000, 0x2_0000, 0x8_0000
MEMORY, TILE_LIST_BYTES, FIRST_BLOCK = 0x10_0000, 0x4_0000, 32

# Red, green and blue of a vertex are varyings: of each, the product with W and then the sum with r5 is the value here.
FRAGMENT = """
nop; fmul r0, vary, ra15
fadd r1, r0, r5; fmul r2, vary, ra15
fadd r3, r2, r5; mov r0.8a, r1  # red, from 0 to 1, becomes a byte
mov r0.8b, r3
nop; fmul r2, vary, ra15
fadd r1, r2, r5
mov r0.8c, r1
mov r0.8d, 1.0
mov tlbc, r0                    # the colour of the pixel
thrend
nop
nop; sbdone
"""

# X and Y in pixels from the middle of the frame, Z, 1/W, and the colour.
CORNERS = (
    (-52, -40, 0.5, 1.0, 1.0, 0.0, 0.0),
    (52, -40, 0.5, 1.0, 0.0, 1.0, 0.0),
    (0, 50, 0.5, 1.0, 0.0, 0.0, 1.0),
)


def vertices() -> bytes:
    """As a vertex shader would leave them: X and Y in sixteenths of a pixel, then floats."""
    return b"".join(struct.pack("<2h5f", round(16 * x), round(16 * y), *floats) for x, y, *floats in CORNERS)


def shader() -> bytes:
    """What the lists say of shader and vertices."""
    return nv_shader_record(
        fragment_shader_is_single_threaded=1,
        fragment_shader_number_of_varyings=3,
        fragment_shader_code_address=CODE,
        fragment_shader_uniforms_address=UNIFORMS,
        shaded_vertex_data_address=VERTICES,
        shaded_vertex_data_stride=24,
    )


def binning() -> ListBuilder:
    """Sorts the triangle into tiles."""
    lists = ListBuilder(BINNING)
    lists.add(
        Code.TILE_BINNING_MODE_CONFIGURATION,
        tile_allocation_memory_address=TILE_LISTS,
        tile_allocation_memory_size=TILE_LIST_BYTES,
        tile_state_data_array_address=TILE_STATES,
        width=TILES,
        height=TILES,
        auto_initialise_tile_state_data_array=1,
    )
    lists.add(Code.START_TILE_BINNING)
    lists.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.INDEX_16)
    lists.add(Code.CLIP_WINDOW, clip_window_width_in_pixels=SIZE, clip_window_height_in_pixels=SIZE)
    lists.add(
        Code.CONFIGURATION_BITS,
        enable_forward_facing_primitive=1,
        enable_reverse_facing_primitive=1,
        depth_test_function=DepthTest.ALWAYS,
    )
    lists.add(Code.VIEWPORT_OFFSET, viewport_centre_x_coordinate=SIZE / 2, viewport_centre_y_coordinate=SIZE / 2)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=SHADER)
    lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.TRIANGLES, length=len(CORNERS))
    lists.add(Code.INCREMENT_SEMAPHORE)
    lists.add(Code.FLUSH)
    return lists


def rendering() -> ListBuilder:
    """Draws tile after tile."""
    lists = ListBuilder(RENDERING)
    lists.add(
        Code.TILE_RENDERING_MODE_CONFIGURATION,
        memory_address=PICTURE,
        width=SIZE,
        height=SIZE,
        frame_buffer_color_format=FrameColorFormat.RGBA8888,
        memory_format=MemoryFormat.RASTER,
    )
    lists.add(Code.CLEAR_COLORS, clear_color_0=0xFF40_3020, clear_color_1=0xFF40_3020, clear_zs=0xFF_FFFF)
    # A store clears the tile buffer, so the first tile has one before it.
    lists.add(Code.TILE_COORDINATES)
    lists.add(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.NONE)
    lists.add(Code.WAIT_ON_SEMAPHORE)
    for tile in range(TILES * TILES):
        lists.add(Code.TILE_COORDINATES, tile_column_number=tile % TILES, tile_row_number=tile // TILES)
        lists.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=TILE_LISTS + tile * FIRST_BLOCK)
        last = tile == TILES * TILES - 1
        store = Code.STORE_RESOLVED_TILE_COLOR_BUFFER
        lists.add(Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME if last else store)
    return lists


def triangle(folder: Path) -> None:
    """Write the frame into a folder, as `vc4 render` takes it."""
    memory = Memory(MEMORY)
    memory.write(CODE, assemble(FRAGMENT).code)
    memory.write(VERTICES, vertices())
    memory.write(SHADER, shader())
    registers = {}
    for thread, lists in enumerate((binning(), rendering())):
        lists.store(memory)
        registers |= {f"CT{thread}CA": lists.base, f"CT{thread}EA": lists.here}
    save_capture(
        folder,
        bytes(memory.data),
        registers,
        description="a triangle with a colour at each corner",
        check={"addr": PICTURE, "tiling": "raster", "format": "RGBA8888", "width": SIZE, "height": SIZE},
    )


if __name__ == "__main__":
    triangle(Path(sys.argv[1]))
