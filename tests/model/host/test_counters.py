"""Performance counters over their registers, on frames whose numbers are known from their lists."""

import pytest

from vc4.config import PRESETS
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode
from vc4.records.state import DepthTest
from vc4.regs.counters import SOURCES
from vc4sim.asm import assemble
from vc4sim.clist import ListBuilder, nv_shader_record
from vc4sim.model.cle.cle import Rest
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

from ..binning import LISTS, RECORDS, SIZE, configure, nv_vertex
from ..drawing import COLOUR, END, LIST, PLAIN, WITH_Z, Drawing

VERTICES = RECORDS + 0x100
#: The stencil test: never; with masks of all bits.
STENCIL = COLOUR + "mov stencil, unif\nmov tlbz, rb15\nmov tlbc, r0\n"
NEVER = 3 << 30 | 3 << 28 | 1 << 25 | 1 << 22 | 1 << 19 | 0xFF
#: Two general lookups of the list itself.
LOOKUPS = COLOUR + "ldi r1, 0x1000\nmov t0s, r1\nmov t1s, r1\nnop; ldtmu0\nnop; ldtmu1\nmov tlbc, r0\n"
#: Quads of a point eight pixels wide.
POINT = 16


def count(frame, *names):
    """Counters, from 0, for the sources with these names; more names than there are counters need more than one frame."""
    numbers = {source.name: source.number for source in SOURCES}
    for counter, name in enumerate(names):
        frame.write(f"PCTRS{counter}", numbers[name])
    frame.write("PCTRE", 1 << 31 | (1 << len(names)) - 1)


def counted(frame, *names):
    """What the counters of `count` have."""
    return {name: frame.read(f"PCTR{counter}") for counter, name in enumerate(names)}


def points(drawing, source, *places, uniforms=()):
    """Points that are eight pixels wide: x, y, Z."""
    drawing.shader(source, [(*place, 1.0, 8.0, 5.0) for place in places], uniforms, point_size=1)
    drawing.draw(len(places), PrimitiveMode.POINTS)


def run(drawing, wanted):
    """Draw, and compare all counters of `wanted`."""
    count(drawing.frame, *wanted)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    assert counted(drawing.frame, *wanted) == wanted


@pytest.mark.parametrize("early", [0, 1])
def test_front_end_set_up_and_tile_buffer(early):
    """Points of sixteen quads each, and triangles that turn to the wrong side or have no area."""
    drawing = Drawing()
    drawing.clear(z=0x70_0000)
    drawing.configure(depth=DepthTest.LESS, z=True, back=0, early_z_enable=early)
    drawing.state(Code.Z_CLIPPING_PLANES, minimum_zw=0.125, maximum_zw=0.875)
    points(drawing, WITH_Z, (8, 8, 0.25), (24, 8, 0.25), (8, 8, 0.1875))  # all of them are seen
    points(drawing, WITH_Z, (40, 24, 0.5))  # is behind what the tile begins with
    points(drawing, WITH_Z, (40, 8, 0.0), (40, 8, 1.0))  # in front of the near plane, behind the far one
    points(drawing, WITH_Z, (90, 8, 0.5))  # beside the window
    points(drawing, STENCIL, (40, 40, 0.25), uniforms=(NEVER,))
    drawing.triangles(PLAIN, ((0, 0), (0, 8), (8, 0), 0.5, 1), ((0, 0), (8, 8), (16, 16), 0.5, 1))
    run(
        drawing,
        {
            "FEP_PRIMITIVES": 8,
            "FEP_PRIMITIVES_EMPTY": 3,
            "FEP_QUADS": 5 * POINT,
            "FEP_QUADS_CLIPPED": (2 + early) * POINT,
            "PSE_PRIMITIVES_REVERSED": 2,
            "TLB_QUADS_STENCIL_FAILED": POINT,
            "TLB_QUADS_Z_FAILED": (2 - early) * POINT,
            "TLB_QUADS_Z_PASSED": 3 * POINT,
            "TLB_QUADS_WRITTEN": 3 * POINT,
            "TLB_QUADS_COVERED": 0,
            "TLB_QUADS_UNCOVERED": 0,
        },
    )


def test_primitives_count_once_for_each_tile():
    drawing = Drawing(128, 64)
    drawing.clear()
    drawing.configure(back=0)
    points(drawing, PLAIN, (64, 8, 0.5), (8, 8, 0.5))
    drawing.triangles(PLAIN, ((0, 0), (0, 8), (8, 0), 0.5, 1))
    run(
        drawing,
        {"FEP_PRIMITIVES": 4, "FEP_PRIMITIVES_EMPTY": 1, "FEP_QUADS": 2 * POINT, "PSE_PRIMITIVES_REVERSED": 2},
    )


def test_coverage():
    """A square of eight by eight pixels, read in a rectangle of sixteen by eight."""
    drawing = Drawing()
    drawing.clear(0, z=0)
    drawing.covered(8, 16)
    # Both triangles have quads on the diagonal, each with pixels of its own.
    quads, wide, diagonal, wide_diagonal = 16, 32, 4, 8
    run(
        drawing,
        {
            "FEP_QUADS": quads + diagonal + wide + wide_diagonal,
            "TLB_QUADS_COVERED": quads + wide_diagonal // 2,
            "TLB_QUADS_UNCOVERED": quads + wide_diagonal // 2,
            "TLB_QUADS_WRITTEN": wide + wide_diagonal,
        },
    )


def test_programs():
    """Lookups and instructions; two of the points share all their quads."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    points(drawing, LOOKUPS, (8, 8, 0.5), (24, 8, 0.5), (8, 8, 0.5))
    vectors = 3 * POINT // 4
    instructions = len(assemble(LOOKUPS + END).code) // 8
    run(drawing, {"TMU_QUADS": 2 * 4 * vectors, "QPU_CLOCKS_EXECUTING": 4 * instructions * vectors})


def test_binner():
    """Triangles inside of the volume, beyond one plane of it, and through one."""
    inside = ((0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0))
    outside = tuple((x, y, 2.0, w) for x, y, _, w in inside)
    across = (*inside[:2], (0.0, 0.5, 2.0, 1.0))
    memory, lists = Memory(SIZE), ListBuilder(LISTS)
    triangles = (inside, outside, outside, across, across, across)
    for number, position in enumerate(position for triangle in triangles for position in triangle):
        memory.write(VERTICES + 28 * number, nv_vertex(int(512 * position[0]), int(512 * position[1]), position))
    record = nv_shader_record(
        enable_clipping=1,
        clip_coordinates_header_included=1,
        shaded_vertex_data_stride=28,
        shaded_vertex_data_address=VERTICES,
    )
    memory.write(RECORDS, record)
    configure(lists)
    lists.add(Code.START_TILE_BINNING)
    lists.add(Code.CLIPPER_XY_SCALING, viewport_half_width=1024.0, viewport_half_height=1024.0)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=RECORDS)
    lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.TRIANGLES, length=3 * len(triangles))
    lists.add(Code.FLUSH)
    lists.store(memory)
    frame = V3D(PRESETS["bcm2835"], memory)
    names = ("PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED")
    count(frame, *names)
    frame.write("CT0CA", LISTS)
    frame.write("CT0EA", lists.here)
    assert frame.advance(10_000) is Rest.STOPPED
    assert counted(frame, *names) == dict(zip(names, (2, 3), strict=True))
    assert frame.read("INTCTL") == 2


def test_what_they_do_not_count():
    """Clocks, stalls and caches; and nothing while they are disabled, or after the last source."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    points(drawing, PLAIN, (8, 8, 0.5))
    for counter, source in enumerate((13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 25, 28, 29, 30, 31)):
        drawing.frame.write(f"PCTRS{counter}", source)
    drawing.frame.write("PCTRS15", 1)
    drawing.frame.write("PCTRE", 1 << 31 | 0x7FFF)
    assert drawing.finish().run() is Rest.STOPPED
    assert not any(drawing.frame.read(f"PCTR{counter}") for counter in range(16))
    assert drawing.frame.events["FEP_PRIMITIVES"] == 1


def test_control_of_counters():
    """They hold what they have while they are disabled; clearing and another source change nothing else."""
    drawing = Drawing()
    frame = drawing.frame
    count(frame, "FEP_PRIMITIVES", "FEP_QUADS")
    assert frame.read("PCTRE") == 1 << 31 | 0b11
    assert [frame.read(f"PCTRS{n}") for n in range(3)] == [1, 3, 0]
    drawing.clear()
    drawing.configure()
    points(drawing, PLAIN, (8, 8, 0.5))
    assert drawing.finish().run() is Rest.STOPPED
    frame.write("PCTRE", 0b11)  # without bit 31 none of them counts
    assert frame.read("PCTRE") == 0b11
    frame.write("PCTRC", 0b10)
    assert [frame.read("PCTR0"), frame.read("PCTR1")] == [1, 0]
    frame.write("CT1CA", LIST)
    frame.write("CT1EA", drawing.list.here)
    assert frame.advance(10_000) is Rest.STOPPED
    assert [frame.read("PCTR0"), frame.read("PCTR1")] == [1, 0]
    frame.write("PCTRE", 1 << 31 | 0b11)
    frame.write("PCTRS1", 1)
    frame.write("CT1CA", LIST)
    frame.write("CT1EA", drawing.list.here)
    assert frame.advance(10_000) is Rest.STOPPED
    assert [frame.read("PCTR0"), frame.read("PCTR1")] == [2, 1]
    frame.write("PCTRC", 0b01)
    assert [frame.read("PCTR0"), frame.read("PCTR1")] == [0, 1]
