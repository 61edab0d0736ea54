"""Clocks from the start of the binning thread to the last primitive, which is taken at once."""

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import IndexType, PrimitiveMode
from vc4sim.asm import assemble
from vc4sim.clist import ListBuilder, gl_shader_record, nv_shader_record
from vc4sim.cxxrtl.build import find_compiler
from vc4sim.frames.front import run_front
from vc4sim.frames.job import FrontJob
from vc4sim.model.memory import Memory

from .test_frames import CONFIG

SIZE = 1 << 18
LIST, RECORD, PROGRAM, INDICES, VERTICES = 0x1000, 0x2000, 0x3000, 0x4000, 0x1_0000
COUNT = 1000
#: Hands the first four attributes on, and three times the last one.
PASSES = "mov vr_setup, 0x401a00\nmov vw_setup, 0x1a00\n" + 4 * "mov r0, vpm\nmov vpm, r0\n" + 3 * "mov vpm, r0\n"
END = "thrend\nnop\nnop\n"

pytestmark = pytest.mark.thorough


def draws(shader, code, draw, *, latency=1, **fields):
    """A run of a list."""
    find_compiler()
    memory, out = Memory(SIZE), ListBuilder(LIST)
    program = assemble(PASSES + END).code
    for address, data in ((RECORD, shader), (PROGRAM, program), (INDICES, bytes(range(16)) * (COUNT // 16 + 1))):
        memory.write(address, data)
    out.add(Code.TILE_BINNING_MODE_CONFIGURATION)
    out.add(
        code,
        shader_record_address=RECORD,
        **({"number_of_attribute_arrays": 1} if code is Code.GL_SHADER_STATE else {}),
    )
    out.add(draw, **fields)
    out.store(memory)
    registers = (("CT0CA", LIST), ("CT0EA", out.here))
    run = run_front(
        FrontJob(image=memory.read(0, SIZE), registers=registers, config=CONFIG, latency=latency, reads=False)
    )
    assert run.rests
    return run


def gl(length):
    """A record with one attribute of so many bytes."""
    array = {"base_memory_address": VERTICES, "number_of_bytes_minus_1": length - 1, "memory_stride": length}
    return gl_shader_record(
        [array],
        coordinate_shader_attribute_array_select_bits=1,
        coordinate_shader_code_address=PROGRAM,
        coordinate_shader_uniforms_address=PROGRAM,
    )


NV = nv_shader_record(
    clip_coordinates_header_included=1, shaded_vertex_data_stride=32, shaded_vertex_data_address=VERTICES
)


@pytest.mark.parametrize(
    ("shader", "code", "mode", "expected"),
    [
        # A batch has sixteen vertices, two of them from the one before. It takes 60 clocks, as each of two QPUs has one for 120:
        # 64 for its sixteen instructions, and what it writes waits for attributes at the one way into the VPM.
        pytest.param(gl(16), Code.GL_SHADER_STATE, PrimitiveMode.TRIANGLE_STRIP, 4300, id="strip"),
        pytest.param(gl(16), Code.GL_SHADER_STATE, PrimitiveMode.TRIANGLES, 4550, id="triangles"),
        pytest.param(gl(16), Code.GL_SHADER_STATE, PrimitiveMode.POINTS, 3771, id="points"),
        # 1,000 times 64 bytes are 8,000 words of the bus.
        pytest.param(gl(64), Code.GL_SHADER_STATE, PrimitiveMode.POINTS, 8312, id="long"),
        # 1,144 times 28 bytes are 4,576 words.
        pytest.param(NV, Code.NV_SHADER_STATE, PrimitiveMode.TRIANGLE_STRIP, 4714, id="shaded"),
    ],
)
def test_a_thousand_vertices(shader, code, mode, expected):
    assert draws(shader, code, Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=COUNT).cycles == expected


def test_the_same_sixteen_vertices():
    """They are shaded once for all primitives."""
    fields = {"index_type": IndexType.BITS_8, "length": COUNT, "indices_list_address": INDICES, "maximum_index": 255}
    code = Code.INDEXED_PRIMITIVE_LIST
    run = draws(gl(16), Code.GL_SHADER_STATE, code, primitive_mode=PrimitiveMode.TRIANGLE_STRIP, **fields)
    assert run.cycles == 3320


def test_a_slow_memory_starves_the_thread_with_a_list():
    """It waits once for the first line of the list, and the other thread for nothing."""
    fields = {"primitive_mode": PrimitiveMode.POINTS, "length": COUNT}
    runs = [draws(NV, Code.NV_SHADER_STATE, Code.VERTEX_ARRAY_PRIMITIVES, latency=n, **fields).stalls for n in (1, 101)]
    assert runs[1]["binning_list"] - runs[0]["binning_list"] == 100
    assert [run["rendering_list"] for run in runs] == [0, 0]
