"""Vertices: attributes from memory, programs, what they leave; and batches of primitives."""

import random
import struct

import numpy as np
import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveType
from vc4sim.asm.assembler import assemble
from vc4sim.clist import ListBuilder, gl_shader_record, nv_shader_record
from vc4sim.damaged import whole_frame as frames
from vc4sim.model.cle.control_records import read_record
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.cle.shader_records import read_shader_record
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.v3d import V3D
from vc4sim.model.vcm.vcd import load_attributes
from vc4sim.model.vcm.vcm import Vcm
from vc4sim.model.vcm.vertices import BATCH, ShaderKind, ShadingError, clips, vertex_words
from vc4sim.model.vpm.vpm import SHADER_ROWS

from ..binning import CONFIG

STATE, RECORD, CODE, DATA, SIZE = 0x100, 0x200, 0x400, 0x1000, 0x4000
#: Ends a program.
END = "\nthrend\nnop\nnop\n"
COPY = "ldi vr_setup, 0x00201a00\nldi vw_setup, 0x00001a00\nmov vpm, vpm\nmov vpm, vpm" + END


def memory_with(record, code=Code.GL_SHADER_STATE, program=COPY, **state):
    """Memory with a shader record, and that record."""
    memory = Memory(SIZE)
    lists = ListBuilder(STATE)
    lists.add(code, shader_record_address=RECORD, **state)
    lists.store(memory)
    memory.write(RECORD, record)
    memory.write(CODE, assemble(program).code)
    memory.write(DATA, bytes(range(256)) * 4)
    return memory, read_shader_record(memory, read_record(memory, STATE))


def gl_record(*attributes, extended=False, **values):
    mask = (1 << len(attributes)) - 1
    values = {
        "vertex_shader_attribute_array_select_bits": mask,
        "coordinate_shader_attribute_array_select_bits": mask,
        "vertex_shader_code_address": CODE,
        "coordinate_shader_code_address": CODE,
    } | values
    return gl_shader_record([attribute_of(*row) for row in attributes], extended=extended, **values)


def attribute_of(address, size, stride, vertex_offset, coordinate_offset):
    return {
        "base_memory_address": address,
        "number_of_bytes_minus_1": size - 1,
        "memory_stride": stride,
        "vertex_shader_vpm_offset": vertex_offset,
        "coordinate_shader_vpm_offset": coordinate_offset,
    }


def loaded(record, indices, *, coordinate=False, **state):
    """The columns of the VPM, as bytes."""
    memory, shader = memory_with(record, **state)
    rows = np.zeros((SHADER_ROWS, BATCH), "<u4")
    load_attributes(memory, shader, coordinate, indices, rows)
    return [rows[:, column].tobytes() for column in range(BATCH)]


class TestAttributes:
    def test_each_vertex_has_a_column(self):
        columns = loaded(gl_record((DATA, 4, 8, 0, 0), (DATA + 4, 3, 5, 4, 4)), [0, 3, 1])
        for column, index in zip(columns, (0, 3, 1), strict=False):
            first, second = 8 * index, 4 + 5 * index
            assert column[:8] == bytes(range(first, first + 4)) + bytes(range(second, second + 3)) + b"\0"
            assert not any(column[8:])
        assert not any(columns[3])

    def test_offsets_and_selection_of_both_shaders(self):
        record = gl_record((DATA, 4, 4, 8, 0), (DATA + 16, 4, 0, 0, 4), coordinate_shader_attribute_array_select_bits=2)
        assert loaded(record, [1])[0][:12] == bytes([16, 17, 18, 19, 0, 0, 0, 0, 4, 5, 6, 7])
        assert loaded(record, [1], coordinate=True)[0][:12] == bytes([0, 0, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0])

    def test_the_later_one_of_two_that_overlap_wins(self):
        record = gl_record((DATA, 8, 0, 0, 0), (DATA + 32, 4, 0, 2, 0))
        assert loaded(record, [0])[0][:8] == bytes([0, 1, 32, 33, 34, 35, 6, 7])

    def test_an_extended_stride(self):
        record = gl_record((DATA - 0x500, 4, 0x510, 0, 0), extended=True)
        assert loaded(record, [1], extended_shader_record=1)[0][:4] == bytes([16, 17, 18, 19])

    def test_what_does_not_fit_is_lost(self):
        record = gl_record((DATA, 256, 0, 200, 0))
        assert loaded(record, [0])[0] == bytes(200) + bytes(range(56))

    def test_addresses_go_round(self):
        record = gl_record((DATA - 0xFFFF * 0x10001 & 0xFFFF_FFFF, 4, 0x10001, 0, 0), extended=True)
        assert loaded(record, [0xFFFF], extended_shader_record=1)[0][:4] == bytes([0, 1, 2, 3])

    def test_outside_of_memory(self):
        with pytest.raises(MemoryFault, match="attribute at 0x00004000"):
            loaded(gl_record((SIZE - 16, 4, 4, 0, 0)), [0, 4])


class TestPrograms:
    def shade(self, program, *, kind=ShaderKind.VERTEX, indices=(0,), limit=1000, **values):
        record = gl_record((DATA, 4, 4, 0, 0), (DATA + 0x100, 4, 4, 4, 4), **values)
        memory, shader = memory_with(record, number_of_attribute_arrays=2, program=program)
        self.shading = V3D(CONFIG, memory).binner.shading
        self.shading.limit = limit
        self.shader = shader
        return self.shading.vertices(shader, kind, indices)

    def test_more_vertices_than_a_batch(self):
        indices = [random.randrange(64) for _ in range(40)]
        vertices = self.shade(COPY, indices=indices)
        assert len(vertices) == 40
        for index, vertex in zip(indices, vertices, strict=True):
            word = int.from_bytes(bytes(range(4 * index, 4 * index + 4)), "little")
            assert vertex == (word, word, 0)
        assert self.shading.shaded == 40
        assert self.shading.shaders.instructions == 3 * 7

    def test_words_of_a_vertex(self):
        for kind, point_size, expected in (
            (ShaderKind.VERTEX, 0, 8),
            (ShaderKind.VERTEX, 1, 9),
            (ShaderKind.COORDINATE, 0, 7),
            (ShaderKind.COORDINATE, 1, 8),
        ):
            values = {"fragment_shader_number_of_varyings": 5, "point_size_included": point_size}
            (vertex,) = self.shade(COPY, kind=kind, **values)
            assert len(vertex) == vertex_words(self.shader, kind) == expected

    def test_results_have_rows_of_their_own(self):
        """What is written to row 0 does not change the attribute there."""
        program = "ldi vr_setup, 0x00101a00\nldi vw_setup, 0x00001a00\nldi vpm, 7\nmov vpm, vpm" + END
        assert self.shade(program, indices=[1])[0][:2] == (7, 0x0706_0504)

    def test_nothing_comes_from_the_batch_before(self):
        """A second batch that writes less has zeros: element 0 of both has index 0 and 16."""
        program = """
            ldi vr_setup, 0x00101a00
            ldi vw_setup, 0x00001a00
            mov.setf r0, vpm
            brr.anyz -, r:less
            nop
            nop
            nop
            ldi vpm, 5
            ldi vpm, 6
        :less
            nop
        """
        record = gl_record((DATA, 4, 4, 0, 0))
        memory, shader = memory_with(record, program=program + END, number_of_attribute_arrays=1)
        memory.write(DATA, struct.pack("<I", 0) + struct.pack("<I", 1) * 40)
        shading = V3D(CONFIG, memory).binner.shading
        both = shading.vertices(shader, ShaderKind.VERTEX, range(1, 17)) + shading.vertices(
            shader, ShaderKind.VERTEX, [0]
        )
        assert both[0] == (5, 6, 0)
        assert both[16] == (0, 0, 0)

    def test_registers_and_lookups_do_not_come_from_it_either(self):
        program = "ldi vw_setup, 0x00001a00\nldi t0s, 0\nmov vpm, r3\nmov vpm, ra7\nldi r3, 5\nldi ra7, 6" + END
        memory, shader = memory_with(gl_record(), program=program)
        shading = V3D(CONFIG, memory).binner.shading
        for _ in range(2):
            assert shading.vertices(shader, ShaderKind.VERTEX, range(2)) == [(0, 0, 0)] * 2
        load = "ldi vw_setup, 0x00001a00\nnop; ldtmu0\nmov vpm, r4" + END
        memory.write(shader.fields.vertex_shader_code_address, assemble(load).code)
        with pytest.raises(ShadingError, match="tmu0"):
            shading.vertices(shader, ShaderKind.VERTEX, [0])
        assert (shading.shaded, shading.shaders.lookups) == (4, 2)

    def test_programs_of_the_frame(self):
        memory, _ = frames.frame(random.Random(1))
        lists = ListBuilder(0)
        lists.add(Code.GL_SHADER_STATE, number_of_attribute_arrays=2, shader_record_address=frames.RECORDS)
        state = Memory(16)
        lists.store(state)
        shader = read_shader_record(memory, read_record(state, 0))
        shading = V3D(CONFIG, memory).binner.shading
        coordinate = shading.vertices(shader, ShaderKind.COORDINATE, range(frames.COUNT))
        vertex = shading.vertices(shader, ShaderKind.VERTEX, range(frames.COUNT))
        assert clips(shader)
        for index in range(frames.COUNT):
            data = memory.read(frames.VERTICES + 20 * index, 20)
            x, y, z, w, varying = struct.unpack("<5f", data)
            assert coordinate[index][:4] == struct.unpack("<4I", data[:16])
            assert coordinate[index][4:] == vertex[index][:3]
            assert vertex[index][3] == struct.unpack("<I", struct.pack("<f", varying))[0]
            depth, one_over_w = np.array(coordinate[index][5:], np.uint32).view(np.float32)
            assert one_over_w == pytest.approx(1 / w, rel=1e-3)
            assert depth == pytest.approx(z / w / 2 + 0.5, rel=1e-2, abs=1e-3)
            screen = struct.unpack("<hh", struct.pack("<I", coordinate[index][4]))
            if max(abs(x / w), abs(y / w)) < 15:
                assert screen == pytest.approx((x / w * frames.SCALE, -y / w * frames.SCALE), rel=1e-3, abs=1.5)

    @pytest.mark.parametrize(
        ("program", "words"),
        [
            (":a\nbrr -, r:a\nnop\nnop\nnop", "does not end within 1000 instructions"),
            ("mov r0, vpm" + END, "no read is set up"),
            ("ldi vw_addr, 0" + END, "programs of this kind have no vdw"),
            ("ldi vr_addr, 0" + END, "programs of this kind have no vdr"),
            ("mov r0, vw_wait" + END, "programs of this kind have no vdw"),
        ],
    )
    def test_programs_that_cannot_be_run(self, program, words):
        with pytest.raises(ShadingError, match=words):
            self.shade(program)

    def test_goes_on_after_an_error(self):
        record = gl_record((DATA, 4, 4, 0, 0), (DATA, 4, 4, 4, 4))
        memory, shader = memory_with(record, number_of_attribute_arrays=2, program="mov r0, vpm" + END)
        shading = V3D(CONFIG, memory).binner.shading
        with pytest.raises(ShadingError, match="vertex shader at 0x00000400"):
            shading.vertices(shader, ShaderKind.VERTEX, [0])
        memory.write(CODE, assemble(COPY).code)
        assert shading.vertices(shader, ShaderKind.VERTEX, [0]) == [(0x0302_0100, 0x0302_0100, 0)]

    def test_attributes_outside_of_memory(self):
        with pytest.raises(ShadingError, match="attribute at"):
            self.shade(COPY, indices=[0xFFFF])


class TestShadedVertices:
    """NV shader records."""

    @pytest.mark.parametrize("header", [0, 1])
    @pytest.mark.parametrize("point_size", [0, 1])
    def test_forms(self, header, point_size):
        record = nv_shader_record(
            clip_coordinates_header_included=header,
            point_size_included=point_size,
            enable_clipping=1,
            fragment_shader_number_of_varyings=2,
            shaded_vertex_data_stride=48,
            shaded_vertex_data_address=DATA,
        )
        memory, shader = memory_with(record, Code.NV_SHADER_STATE)
        for word in range(48):
            memory.write(DATA + 4 * word, struct.pack("<I", word))
        shading = V3D(CONFIG, memory).binner.shading
        first, words = 12 * 2 + 4 * header, 5 + point_size
        assert shading.vertices(shader, ShaderKind.VERTEX, [2]) == [tuple(range(first, first + words))]
        coordinates = tuple(range(24, 28)) if header else (0, 0, 0, 0)
        wanted = coordinates + tuple(range(first, first + 3 + point_size))
        assert shading.vertices(shader, ShaderKind.COORDINATE, [2]) == [wanted]
        assert clips(shader) == bool(header)
        assert not shading.shaded

    def test_outside_of_memory(self):
        record = nv_shader_record(shaded_vertex_data_stride=255, shaded_vertex_data_address=DATA)
        memory, shader = memory_with(record, Code.NV_SHADER_STATE)
        with pytest.raises(ShadingError, match="shaded vertex at"):
            V3D(CONFIG, memory).binner.shading.vertices(shader, ShaderKind.COORDINATE, [0, 0xFFFF])


class TestBatches:
    class Shading:
        """Gives each vertex its index, and keeps the batches."""

        def __init__(self):
            self.batches = []

        def vertices(self, shader, kind, indices):
            assert shader == "record"
            self.batches.append(list(indices))
            return [(index,) for index in indices]

    def run(self, lists):
        shading = self.Shading()
        vcm = Vcm(shading, ShaderKind.COORDINATE)
        vcm.shader = "record"
        found = []
        for vertices in lists:
            found += vcm.add(Primitive(PrimitiveType(len(vertices) - 1), tuple(vertices)))
        found += vcm.finish()
        assert [primitive.vertices for primitive, _ in found] == [tuple(vertices) for vertices in lists]
        for primitive, words in found:
            assert words == [(index,) for index in primitive.vertices]
        return shading.batches

    def test_a_strip(self):
        batches = self.run([(n, n + 1, n + 2) for n in range(20)])
        assert batches == [list(range(16)), [14, 15, 16, 17, 18, 19, 20, 21]]

    def test_vertices_are_shaded_once(self):
        assert self.run([(0, 1, 2), (2, 1, 0), (1, 1, 1), (5, 5, 2)]) == [[0, 1, 2, 5]]

    def test_points(self):
        assert [len(batch) for batch in self.run([(n,) for n in range(40)])] == [16, 16, 8]

    def test_any_primitives(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        rng = random.Random(seed)
        for _ in range(100):
            lists = [
                [rng.randrange(rng.choice((10, 1000))) for _ in range(rng.choice((1, 2, 3)))]
                for _ in range(rng.randrange(60))
            ]
            for batch in self.run(lists):
                assert len(batch) == len(set(batch)) <= BATCH
