"""A frame with everything that the binner knows: GL, NV and VG shaders, all lists, clipping, and little memory."""

import random
import struct

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import (
    VG_END,
    IndexType,
    PrimitiveData,
    PrimitiveMode,
    PrimitiveType,
    VgPrimitiveType,
)
from vc4.records.state import BlockSize

from ..asm.assembler import assemble
from ..clist import ListBuilder, compress, gl_shader_record, nv_shader_record, vg_shader_record
from ..model.cle.compressed import COORDINATE_BYTES, ListFormat
from ..model.memory import Memory

__all__ = [
    "ALLOCATION",
    "ALLOCATION_BYTES",
    "BASE",
    "CODE",
    "COORDINATE_SHADER",
    "INDICES",
    "LISTS",
    "OVERSPILL",
    "OVERSPILL_BYTES",
    "RECORDS",
    "SCALE",
    "SHADED",
    "SIZE",
    "STATES",
    "VERTEX_SHADER",
    "VERTICES",
    "frame",
]

BASE, SIZE = 0x1000, 0x1_0000
LISTS, RECORDS, CODE, UNIFORMS = BASE, BASE + 0x400, BASE + 0x800, BASE + 0xC00
VERTICES, SHADED, INDICES, COORDINATES = BASE + 0x1000, BASE + 0x2000, BASE + 0x3000, BASE + 0x3800
STATES, ALLOCATION, ALLOCATION_BYTES, OVERSPILL = BASE + 0x4000, BASE + 0x5000, 0x2000, BASE + 0x8000
OVERSPILL_BYTES = 0x7000

#: Half of the viewport, sixteenths of a pixel.
SCALE = 128 * 16
COUNT = 40

#: Reads X, Y, Z, W; computes the position on the screen, Z, and 1/W.
_POSITION = """
    ldi vw_setup, 0x00001a00
    mov r0, vpm
    mov r1, vpm
    mov r2, vpm
    mov r3, vpm
{clip}
    mov recip, r3
    fmul r0, r0, unif
    fmul r1, r1, unif
    fmul r0, r0, r4
    fmul r1, r1, r4
    ftoi r0, r0
    ftoi r1, r1
    ldi r3, 0xffff
    and r0, r0, r3
    shl r1, r1, 8
    shl r1, r1, 8
    or vpm, r0, r1
    fmul r2, r2, r4
    fmul r2, r2, 0.5
    fadd vpm, r2, 0.5
    mov vpm, r4
{rest}
    thrend
    nop
    nop
"""
_CLIP = "    mov vpm, r0\n    mov vpm, r1\n    mov vpm, r2\n    mov vpm, r3"
COORDINATE_SHADER = "    ldi vr_setup, 0x00401a00" + _POSITION.format(clip=_CLIP, rest="")
#: Passes one varying on.
VERTEX_SHADER = "    ldi vr_setup, 0x00501a00" + _POSITION.format(clip="", rest="    mov vpm, vpm")


def _records(memory: Memory) -> None:
    coordinate, vertex = (assemble(source).code for source in (COORDINATE_SHADER, VERTEX_SHADER))
    memory.write(CODE, coordinate)
    memory.write(CODE + 0x200, vertex)
    memory.write(UNIFORMS, struct.pack("<2f", SCALE, -SCALE))
    attributes = [
        {"base_memory_address": VERTICES, "number_of_bytes_minus_1": 15, "memory_stride": 20},
        {
            "base_memory_address": VERTICES + 16,
            "number_of_bytes_minus_1": 3,
            "memory_stride": 20,
            "vertex_shader_vpm_offset": 16,
        },
    ]
    values = {
        "enable_clipping": 1,
        "fragment_shader_number_of_varyings": 1,
        "vertex_shader_attribute_array_select_bits": 3,
        "vertex_shader_total_attributes_size": 20,
        "vertex_shader_code_address": CODE + 0x200,
        "vertex_shader_uniforms_address": UNIFORMS,
        "coordinate_shader_attribute_array_select_bits": 1,
        "coordinate_shader_total_attributes_size": 16,
        "coordinate_shader_code_address": CODE,
        "coordinate_shader_uniforms_address": UNIFORMS,
    }
    memory.write(RECORDS, gl_shader_record(attributes, **values))
    memory.write(RECORDS + 0x80, gl_shader_record(attributes, extended=True, **values))
    memory.write(
        RECORDS + 0x180,
        nv_shader_record(
            enable_clipping=1,
            clip_coordinates_header_included=1,
            point_size_included=1,
            shaded_vertex_data_stride=32,
            shaded_vertex_data_address=SHADED,
        ),
    )
    memory.write(RECORDS + 0x190, vg_shader_record())


def _vertices(memory: Memory, rng: random.Random) -> None:
    """Most are inside of the volume, some are far outside or behind the viewer."""
    for number in range(COUNT):
        reach = rng.choice((0.9, 0.9, 0.9, 3, 50))
        x, y, z = (rng.uniform(-reach, reach) for _ in range(3))
        w = rng.choice((1.0, 1.0, rng.uniform(0.1, 4), rng.uniform(-2, 2)))
        memory.write(VERTICES + 20 * number, struct.pack("<5f", x, y, z, w, number))
        screen = [max(min(int(value / w * SCALE), 32767), -32768) if w else 0 for value in (x, -y)]
        shaded = struct.pack("<4f2hfff", x, y, z, w, *screen, z / w / 2 + 0.5, 1 / w, rng.uniform(0.125, 30))
        memory.write(SHADED + 32 * number, shaded)


def _state(lists: ListBuilder) -> None:
    lists.add(Code.CLIP_WINDOW, clip_window_width_in_pixels=256, clip_window_height_in_pixels=256)
    lists.add(Code.CONFIGURATION_BITS, enable_forward_facing_primitive=1, enable_reverse_facing_primitive=1)
    lists.add(Code.POINT_SIZE, point_size=5.0)
    lists.add(Code.LINE_WIDTH, line_width=2.0)
    lists.add(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=32.0)
    lists.add(Code.VIEWPORT_OFFSET, viewport_centre_x_coordinate=128.0, viewport_centre_y_coordinate=128.0)
    lists.add(Code.CLIPPER_XY_SCALING, viewport_half_width=float(SCALE), viewport_half_height=-float(SCALE))
    lists.add(Code.CLIPPER_Z_SCALE_AND_OFFSET, viewport_z_scale=0.5, viewport_z_offset=0.5)


def _draws(lists: ListBuilder) -> None:
    shaders = (
        (Code.GL_SHADER_STATE, {"number_of_attribute_arrays": 2, "shader_record_address": RECORDS}),
        (Code.GL_SHADER_STATE, {"extended_shader_record": 1, "shader_record_address": RECORDS + 0x80}),
        (Code.NV_SHADER_STATE, {"shader_record_address": RECORDS + 0x180}),
    )
    for number, mode in enumerate(PrimitiveMode):
        code, values = shaders[number % 3]
        lists.add(code, **values)
        lists.add(
            Code.INDEXED_PRIMITIVE_LIST,
            primitive_mode=mode,
            index_type=IndexType.BITS_8,
            length=8,
            indices_list_address=INDICES,
            maximum_index=COUNT - 1,
        )
        lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=14, index_of_first_vertex=number)
        if number % 2:
            lists.add(Code.FLAT_SHADE_FLAGS, flat_shading_flags=number)
    lists.add(Code.VG_SHADER_STATE, shader_record_address=RECORDS + 0x190)
    lists.add(Code.VIEWPORT_OFFSET)
    for kind in VgPrimitiveType:
        lists.add(
            Code.VG_COORDINATE_ARRAY_PRIMITIVES, primitive_type=kind, length=9, coordinate_array_address=COORDINATES
        )
    lists.add(Code.VG_INLINE_SHADER_RECORD, single_threaded=1, fragment_shader_code_address=CODE)
    lists.add(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    lists.raw(struct.pack("<6h", 0, 0, 2000, 100, 100, 2000) + VG_END.to_bytes(4, "little") * 3)
    lists.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.COORDINATES)
    lists.add(Code.COMPRESSED_PRIMITIVE_LIST)
    lists.raw(
        compress(ListFormat(PrimitiveType.TRIANGLES, COORDINATE_BYTES), [(0, 900, 900 << 16), (900, 5, 900 << 16)])
    )


def frame(rng: random.Random, flush: Code = Code.FLUSH) -> tuple[Memory, int]:
    """The memory of a frame, and where its binning list, which begins at `LISTS`, ends."""
    memory = Memory(SIZE, BASE)
    _records(memory)
    _vertices(memory, rng)
    memory.write(INDICES, bytes(rng.randrange(COUNT) for _ in range(12)))
    memory.write(
        COORDINATES, b"".join(struct.pack("<hh", *(rng.randrange(-500, 4500) for _ in range(2))) for _ in range(9))
    )
    lists = ListBuilder(LISTS)
    lists.add(
        Code.TILE_BINNING_MODE_CONFIGURATION,
        tile_allocation_memory_address=ALLOCATION,
        tile_allocation_memory_size=ALLOCATION_BYTES,
        tile_state_data_array_address=STATES,
        width=4,
        height=4,
        auto_initialise_tile_state_data_array=1,
        tile_allocation_block_size=BlockSize.BYTES_64,
    )
    lists.add(Code.START_TILE_BINNING)
    _state(lists)
    _draws(lists)
    lists.add(Code.INCREMENT_SEMAPHORE)
    lists.add(flush)
    lists.store(memory)
    assert lists.here < RECORDS
    return memory, lists.here
