"""Control records against the guide's table 38, tables 44 to 47, and what drivers know beyond them."""

import struct

import pytest

from vc4.records.control import RECORDS, ControlCode, Threads
from vc4.records.primitives import IndexType, PrimitiveData, PrimitiveMode, PrimitiveType
from vc4.records.shaders import CLIPPED_VERTEX_BYTES, ClippedVertex
from vc4.records.state import BlockSize, CoverageUpdate, DepthTest, Oversample
from vc4.records.tile_buffer import DecimateMode, FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer
from vc4sim.clist import ListBuilder, gl_shader_record, nv_shader_record, vg_shader_record
from vc4sim.model.cle.control_records import ListError, read_record
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.shader_records import read_shader_record
from vc4sim.model.memory import Memory

B, R, BOTH = Threads.BINNING, Threads.RENDERING, Threads.BOTH

#: Length with the code, and threads, by code; as the table of the pipeline facts has them.
TABLE = {
    **dict.fromkeys((0, 1, 2, 3, 7, 8, 18), (1, BOTH)),
    **dict.fromkeys((4, 5, 6), (1, B)),
    **dict.fromkeys((16, 17), (5, BOTH)),
    **dict.fromkeys((24, 25), (1, R)),
    **dict.fromkeys((26, 27), (5, R)),
    **dict.fromkeys((28, 29), (7, R)),
    32: (14, BOTH),
    33: (10, BOTH),
    41: (10, BOTH),
    42: (2, BOTH),
    48: (1, BOTH),
    49: (5, R),
    56: (2, BOTH),
    **dict.fromkeys((64, 65, 66), (5, BOTH)),
    67: (9, BOTH),
    96: (4, BOTH),
    **dict.fromkeys((97, 98, 99, 101, 103), (5, BOTH)),
    100: (3, BOTH),
    **dict.fromkeys((102, 104), (9, BOTH)),
    **dict.fromkeys((105, 106), (9, B)),
    112: (16, B),
    113: (11, R),
    114: (14, R),
    115: (3, R),
}

#: A record as bytes, by the offsets of the table, and its fields; what is not named must be 0.
SAMPLES = [
    (struct.pack("<BI", 16, 0x12345678), {"absolute_branch_address": 0x12345678}),
    (
        struct.pack("<BI", 26, 0xABCDEF10 | 0b1010),
        {"tile_address": 0xABCDEF10, "last_tile_of_frame": 1, "disable_z_stencil_buffer_write": 1},
    ),
    (
        struct.pack("<BI", 26, 0b0101),
        {"disable_clear_on_write": 1, "disable_color_buffer_write": 1},
    ),
    (struct.pack("<BI", 27, 0x20 | 0b01), {"tile_address": 0x20, "disable_color_buffer_read": 1}),
    (
        struct.pack("<BHI", 28, 5 | 2 << 4 | 1 << 6 | 2 << 8 | 1 << 13, 0xFEDCBA90 | 0b1001),
        {
            "buffer_to_store": TileBuffer.FULL,
            "format": MemoryFormat.LT_FORMAT,
            "mode": DecimateMode.DECIMATE_X4,
            "pixel_color_format": PixelColorFormat.BGR565,
            "disable_color_buffer_clear": 1,
            "disable_color_buffer_dump": 1,
            "last_tile_of_frame": 1,
            "frame_address": 0xFEDCBA90,
        },
    ),
    (
        struct.pack("<BHI", 28, 1 << 12 | 1 << 14 | 1 << 15, 0b0110),
        {
            "disable_double_buffer_swap": 1,
            "disable_z_stencil_buffer_clear": 1,
            "disable_vg_mask_buffer_clear": 1,
            "disable_z_stencil_buffer_dump": 1,
            "disable_vg_mask_buffer_dump": 1,
        },
    ),
    (
        struct.pack("<BHI", 29, 1 | 1 << 4 | 1 << 8, 0x1000 | 0b101),
        {
            "buffer_to_load": TileBuffer.COLOR,
            "format": MemoryFormat.T_FORMAT,
            "pixel_color_format": PixelColorFormat.BGR565_DITHERED,
            "disable_color_buffer_load": 1,
            "disable_vg_mask_buffer_load": 1,
            "frame_address": 0x1000,
        },
    ),
    (
        struct.pack("<BBIII", 32, 5 | 1 << 4, 7, 0x00ABCDE1, 0xFFFF),
        {
            "primitive_mode": PrimitiveMode.TRIANGLE_STRIP,
            "index_type": IndexType.BITS_16,
            "length": 7,
            "indices_list_address": 0x00ABCDE1,
            "maximum_index": 0xFFFF,
        },
    ),
    (
        struct.pack("<BBII", 33, 6, 9, 3),
        {"primitive_mode": PrimitiveMode.TRIANGLE_FAN, "length": 9, "index_of_first_vertex": 3},
    ),
    (struct.pack("<BI", 49, 0x1238 | 0b101), {"clipped_vertices": 5, "clipped_primitive_data_address": 0x1238}),
    (b"\x38\x12", {"primitive_type": PrimitiveType.TRIANGLES, "data_type": PrimitiveData.INDEX_16}),
    (b"\x38\x32", {"primitive_type": PrimitiveType.TRIANGLES, "data_type": PrimitiveData.COORDINATES}),
    (
        struct.pack("<BI", 64, 0x1230 | 8 | 3),
        {"number_of_attribute_arrays": 3, "extended_shader_record": 1, "shader_record_address": 0x1230},
    ),
    (
        struct.pack("<BII", 67, 0x808 | 1, 0x444),
        {
            "single_threaded": 1,
            "fragment_shader_code_address": 0x808,
            "fragment_shader_uniforms_address": 0x444,
        },
    ),
    (
        b"\x60" + (2 | 1 << 3 | 1 << 6 | 2 << 9 | 1 << 11 | 3 << 12 | 1 << 16).to_bytes(3, "little"),
        {
            "enable_reverse_facing_primitive": 1,
            "enable_depth_offset": 1,
            "rasteriser_oversample_mode": Oversample.X4,
            "coverage_update_mode": CoverageUpdate.OR,
            "coverage_read_mode": 1,
            "depth_test_function": DepthTest.LESS_EQUAL,
            "early_z_enable": 1,
        },
    ),
    (struct.pack("<Bf", 98, 2.5), {"point_size": 0x40200000}),
    (struct.pack("<Bh", 100, -16), {"rht_primitive_x_boundary": -16}),
    (struct.pack("<BHH", 101, 0x3F80, 0xC000), {"depth_offset_factor": 0x3F80, "depth_offset_units": 0xC000}),
    (
        struct.pack("<BHHHH", 102, 1, 2, 3, 4),
        {
            "clip_window_left_pixel_coordinate": 1,
            "clip_window_bottom_pixel_coordinate": 2,
            "clip_window_width_in_pixels": 3,
            "clip_window_height_in_pixels": 4,
        },
    ),
    (struct.pack("<Bhh", 103, 1024, -8), {"viewport_centre_x_coordinate": 1024, "viewport_centre_y_coordinate": -8}),
    (
        struct.pack("<BIIIBBB", 112, 0x1000, 0x2000, 0x3000, 4, 5, 1 | 1 << 2 | 2 << 3 | 3 << 5),
        {
            "tile_allocation_memory_address": 0x1000,
            "tile_allocation_memory_size": 0x2000,
            "tile_state_data_array_address": 0x3000,
            "width": 4,
            "height": 5,
            "multisample_mode": 1,
            "auto_initialise_tile_state_data_array": 1,
            "tile_allocation_initial_block_size": BlockSize.BYTES_128,
            "tile_allocation_block_size": BlockSize.BYTES_256,
        },
    ),
    (
        struct.pack("<BIHHH", 113, 0x80000, 640, 480, 2 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 10 | 1 << 12),
        {
            "memory_address": 0x80000,
            "width": 640,
            "height": 480,
            "tile_buffer_64_bit_color_depth": 1,
            "frame_buffer_color_format": FrameColorFormat.RGBA8888,
            "decimate_mode": DecimateMode.DECIMATE_X4,
            "memory_format": MemoryFormat.T_FORMAT,
            "early_z_update_direction": 1,
            "double_buffer_in_non_ms_mode": 1,
        },
    ),
    (
        struct.pack("<BIIIB", 114, 1, 2, 0xAABBCCDD, 9),
        {
            "clear_color_0": 1,
            "clear_color_1": 2,
            "clear_zs": 0xBBCCDD,
            "clear_vg_mask": 0xAA,
            "clear_stencil": 9,
        },
    ),
    (b"\x73\x05\xff", {"tile_column_number": 5, "tile_row_number": 255}),
]


def test_codes_lengths_and_threads():
    assert {code: (record.length, record.threads) for code, record in RECORDS.items()} == TABLE


def test_every_code_has_a_record():
    assert {code.value for code in ControlCode} == set(RECORDS)


@pytest.mark.parametrize(("data", "fields"), SAMPLES, ids=lambda value: value.hex() if isinstance(value, bytes) else "")
class TestSample:
    def test_read(self, data, fields):
        record = read_record(Memory(len(data), 0x100, data), 0x100)
        found = {name: value for name, value in vars(record.fields).items() if getattr(value, "value", value)}
        assert found == {name: value for name, value in fields.items() if getattr(value, "value", value)}
        assert record.end == 0x100 + len(data)

    def test_written(self, data, fields):
        builder = ListBuilder(0)
        builder.add(ControlCode(data[0]), **fields)
        assert bytes(builder.data) == data


@pytest.mark.parametrize("code", sorted(set(range(256)) - set(TABLE)))
def test_reserved_codes(code):
    with pytest.raises(ListError, match=rf"^0x00000020: {code} is no control record$"):
        read_record(Memory(64, 0, bytes([code]) * 64), 0x20)


@pytest.mark.parametrize("code", [code for code, (length, _) in TABLE.items() if length > 1])
def test_a_record_that_is_cut_short(code):
    length = TABLE[code][0]
    with pytest.raises(ListError, match=r"^0x00000000: .* is outside of memory$"):
        read_record(Memory(length - 1, 0, bytes([code])), 0)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (bytes([32, 7]) + bytes(12), "INDEXED_PRIMITIVE_LIST: primitive_mode 7 is reserved"),
        (bytes([32, 0x20]) + bytes(12), "INDEXED_PRIMITIVE_LIST: index_type 2 is reserved"),
        (bytes([41, 0]) + bytes(8), "VG_COORDINATE_ARRAY_PRIMITIVES: primitive_type 0 is reserved"),
        (bytes([56, 0x22]), "PRIMITIVE_LIST_FORMAT: data_type 2 is reserved"),
        (bytes([28, 6]) + bytes(5), "STORE_TILE_BUFFER_GENERAL: buffer_to_store 6 is reserved"),
        (bytes([96, 0xC0, 0, 0]), "CONFIGURATION_BITS: rasteriser_oversample_mode 3 is reserved"),
    ],
)
def test_reserved_values(data, what):
    with pytest.raises(ListError) as caught:
        read_record(Memory(len(data), 0, data), 0)
    assert caught.value.what == what


def test_builder_says_what_does_not_fit():
    builder = ListBuilder(0)
    for code, fields, what in (
        (ControlCode.TILE_COORDINATES, {"tile_row_number": 256}, "tile_row_number cannot be 256"),
        (ControlCode.GL_SHADER_STATE, {"shader_record_address": 8}, "shader_record_address cannot be 8"),
        (ControlCode.RHT_X_BOUNDARY, {"rht_primitive_x_boundary": 2048.0}, "cannot be 32768"),
        (ControlCode.BRANCH, {"address": 0}, "there is no field address; there are absolute_branch_address"),
        (ControlCode.NOP, {"address": 0}, "NOP has no fields"),
        (ControlCode.POINT_SIZE, {"point_size": 1e39}, "too large for a float"),
    ):
        with pytest.raises(ValueError, match=what):
            builder.add(code, **fields)
    assert not builder.data


def test_builder_takes_numbers_and_can_replace():
    builder = ListBuilder(0x40)
    branch = builder.add(ControlCode.BRANCH)
    assert builder.add(ControlCode.POINT_SIZE, point_size=1.5) == 0x45
    builder.add(ControlCode.VIEWPORT_OFFSET, viewport_centre_x_coordinate=-1.25)
    builder.add(ControlCode.DEPTH_OFFSET, depth_offset_factor=-2.0)
    builder.replace(branch, absolute_branch_address=builder.here)
    expected = struct.pack("<BIBfBhhBHH", 16, 0x54, 98, 1.5, 103, -20, 0, 101, 0xC000, 0)
    assert bytes(builder.data) == expected
    memory = Memory(64, 0x40)
    builder.store(memory)
    assert memory.read(0x40, len(expected)) == expected


def shader_state(memory, code, **fields):
    builder = ListBuilder(memory.base)
    builder.add(code, **fields)
    builder.store(memory)
    return read_shader_record(memory, read_record(memory, memory.base))


def test_gl_shader_record():
    head = struct.pack("<HBBIIHBBIIHBBII", 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
    arrays = b"".join(struct.pack("<IBBBB", 0x100 * n, n, 10 + n, 20 + n, 30 + n) for n in range(3))
    record = shader_state(
        Memory(256, 0, bytes(16) + head + arrays),
        ControlCode.GL_SHADER_STATE,
        number_of_attribute_arrays=3,
        shader_record_address=16,
    )
    assert vars(record.fields) == {
        "fragment_shader_is_single_threaded": 0,
        "point_size_included": 1,
        "enable_clipping": 1,
        "fragment_shader_number_of_uniforms": 1,
        "fragment_shader_number_of_varyings": 2,
        "fragment_shader_code_address": 3,
        "fragment_shader_uniforms_address": 4,
        "vertex_shader_number_of_uniforms": 5,
        "vertex_shader_attribute_array_select_bits": 6,
        "vertex_shader_total_attributes_size": 7,
        "vertex_shader_code_address": 8,
        "vertex_shader_uniforms_address": 9,
        "coordinate_shader_number_of_uniforms": 10,
        "coordinate_shader_attribute_array_select_bits": 11,
        "coordinate_shader_total_attributes_size": 12,
        "coordinate_shader_code_address": 13,
        "coordinate_shader_uniforms_address": 14,
    }
    found = [(a.address, a.fields.base_memory_address, a.length, a.stride) for a in record.attributes]
    assert found == [(16 + 36 + 8 * n, 0x100 * n, n + 1, 10 + n) for n in range(3)]
    assert [a.fields.coordinate_shader_vpm_offset for a in record.attributes] == [30, 31, 32]


@pytest.mark.parametrize("extended", [False, True])
def test_gl_shader_record_with_eight_arrays(extended):
    strides = [0x1234500 * extended + n for n in range(8)]
    rows = [{"base_memory_address": 64 * n, "memory_stride": stride} for n, stride in enumerate(strides)]
    data = gl_shader_record(rows, extended=extended, fragment_shader_code_address=0x808)
    assert len(data) == (132 if extended else 100)
    record = shader_state(
        Memory(256, 0, bytes(32) + data),
        ControlCode.GL_SHADER_STATE,
        number_of_attribute_arrays=0,
        extended_shader_record=int(extended),
        shader_record_address=32,
    )
    assert record.fields.fragment_shader_code_address == 0x808
    assert [(a.fields.base_memory_address, a.stride) for a in record.attributes] == list(
        zip(range(0, 512, 64), strides, strict=True)
    )


def test_the_low_address_bits_of_other_shader_records_do_not_matter():
    nv = nv_shader_record(
        clip_coordinates_header_included=1, shaded_vertex_data_stride=12, shaded_vertex_data_address=64
    )
    assert nv == struct.pack("<BBBBIII", 8, 12, 0, 0, 0, 0, 64)
    record = shader_state(Memory(64, 0, bytes(16) + nv), ControlCode.NV_SHADER_STATE, shader_record_address=16 + 15)
    assert (record.address, record.fields.shaded_vertex_data_stride) == (16, 12)
    vg = vg_shader_record(fragment_shader_is_single_threaded=1, fragment_shader_uniforms_address=5)
    assert vg == struct.pack("<BBBBII", 1, 0, 0, 0, 0, 5)


def test_a_shader_record_outside_of_memory():
    with pytest.raises(ListError, match=r"^0x00000000: shader record at 0x00000040 is outside of memory$"):
        shader_state(Memory(64), ControlCode.NV_SHADER_STATE, shader_record_address=0x4F)


def test_clipped_vertex():
    fields = packing(ClippedVertex).unpack(int.from_bytes(struct.pack("<hh5fQ", -1, 2, 1, 2, 4, 8, 16, 0), "little"))
    floats = (0x3F800000, 0x40000000, 0x40800000, 0x41000000, 0x41800000)
    assert tuple(vars(fields).values()) == (-1, 2, *floats)
    assert packing(ClippedVertex).size == CLIPPED_VERTEX_BYTES * 8
