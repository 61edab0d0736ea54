"""Whole frames on the model: what each part of the pipeline does to pictures, registers, counters, and errors."""

import random

import numpy as np
import pytest

from vc4.config import PRESETS
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode, VgPrimitiveType
from vc4.records.state import CoverageUpdate, DepthTest, Oversample
from vc4.records.tile_buffer import DecimateMode, MemoryFormat, TileBuffer
from vc4.regs.counters import SOURCES
from vc4sim.damaged import whole_frame as gl_frame
from vc4sim.model.cle.cle import Rest
from vc4sim.model.v3d import V3D

from ..control_lists import words
from ..drawing import PICTURE, PLAIN, SIZE, STEPS, WITH_Z, Drawing


def drawn(drawing, **rest):
    """The picture of a drawing that comes to its end."""
    assert drawing.finish(**rest).run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.thread.error is None
    return np.array(drawing.picture())


def test_a_rectangle_over_tiles():
    drawing = Drawing(100, 80)
    drawing.clear(7)
    drawing.configure()
    drawing.rectangle(PLAIN, 30, 20, 90, 70, colour=9)
    wanted = np.full((80, 100), 7)
    wanted[20:70, 30:90] = 9
    assert (drawn(drawing) == wanted).all()
    assert drawing.frame.renderer.tiles == {(0, 0), (1, 0), (0, 1), (1, 1)}


@pytest.mark.thorough
def test_later_primitives_are_on_top():
    """Also where they share quads: many small triangles over each other, one after the other."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    rng = np.random.default_rng(1)
    wanted = np.zeros((64, 64), int)
    corners = []
    for colour in range(1, 60):
        x, y = rng.integers(0, 56, 2).tolist()
        a, b, c, d = (x, y), (x + 7, y), (x + 7, y + 5), (x, y + 5)
        corners += [(a, b, c, 0.5, colour), (a, c, d, 0.5, colour)]
        wanted[y : y + 5, x : x + 7] = colour
    drawing.triangles(PLAIN, *corners)
    assert (drawn(drawing) == wanted).all()


def test_depth():
    drawing = Drawing()
    drawing.clear()
    for colour, z, depth, updates in (
        (1, 0.5, DepthTest.LESS, True),
        (2, 0.7, DepthTest.LESS, True),
        (3, 0.3, DepthTest.LESS, False),
        (4, 0.4, DepthTest.GREATER_EQUAL, True),
        (5, 0.5, DepthTest.EQUAL, True),
    ):
        drawing.configure(depth=depth, z=updates, early_z_enable=1)
        drawing.rectangle(WITH_Z, 8 * colour, 0, 64, 64, z, colour)
    picture = drawn(drawing)[0]
    assert picture[[0, 8, 16, 24, 32, 40, 63]].tolist() == [0, 1, 1, 3, 3, 5, 5]


@pytest.mark.thorough
def test_early_z_changes_no_picture():
    pictures = []
    for disable in (0, 1):
        drawing = Drawing(64, 64, early_z_disable=disable)
        drawing.clear()
        drawing.configure(depth=DepthTest.LESS, z=True, early_z_enable=1)
        for colour, z in ((1, 0.4), (2, 0.6), (3, 0.2)):
            drawing.rectangle(WITH_Z, 10 * colour, 5, 60, 60, z, colour)
        pictures.append(drawn(drawing).tolist())
        assert (drawing.frame.renderer.events["FEP_QUADS_CLIPPED"] > 0) == (not disable)
    assert pictures[0] == pictures[1]


def test_early_z_knows_what_has_just_been_drawn():
    """A draw without a test moves Z away; what comes next, with one, is in front of it. Drivers clear a part of Z like that."""
    drawing = Drawing()
    drawing.clear()
    for colour, z, depth in ((1, 0.2, DepthTest.LESS), (2, 0.9, DepthTest.ALWAYS), (3, 0.5, DepthTest.LESS)):
        drawing.configure(depth=depth, z=True, early_z_enable=int(depth is DepthTest.LESS))
        drawing.rectangle(WITH_Z, 0, 0, 64, 64, z, colour)
    assert (drawn(drawing) == 3).all()


def test_stencil():
    """A mask, then only where it is: with the set-up that a driver writes."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    replace = 3 << 30 | 3 << 28 | 2 << 22 | 7 << 16 | 5 << 8 | 0xFF
    equal = 3 << 30 | 3 << 28 | 1 << 25 | 1 << 22 | 1 << 19 | 2 << 16 | 5 << 8 | 0xFF
    source = "nop\nnop\nmov r0, vary\nfadd r0, r5, 0\nftoi r0, r0\nmov stencil, unif\nmov tlbz, rb15\nmov tlbc, r0\n"
    drawing.rectangle(source, 10, 10, 30, 30, colour=1, uniforms=(replace,))
    drawing.rectangle(source, 20, 0, 64, 64, colour=2, uniforms=(equal,))
    wanted = np.zeros((64, 64), int)
    wanted[10:30, 10:30] = 1
    wanted[10:30, 20:30] = 2
    assert (drawn(drawing) == wanted).all()


def test_discarded_fragments_leave_everything():
    """A condition on the writes of Z and colour: the left half of the rectangle."""
    drawing = Drawing()
    drawing.clear(3)
    drawing.configure(depth=DepthTest.LESS, z=True)
    source = "nop\nldi r1, 32\nmov r0, vary\nfadd r0, r5, 0\nftoi r0, r0\nsub.setf -, x_coord, r1\n"
    drawing.rectangle(source + "mov.ifn tlbz, rb15\nmov.ifn tlbc, r0\n", 0, 0, 64, 64, 0.2, 8)
    drawing.configure(depth=DepthTest.LESS, z=True)
    drawing.rectangle(WITH_Z, 0, 0, 64, 32, 0.4, 9)
    picture = drawn(drawing)
    assert (picture[:, :32] == 8).all()
    assert (picture[:32, 32:] == 9).all()
    assert (picture[32:, 32:] == 3).all()


def test_multisampling():
    """A half covered pixel is the mean of its samples; a read in front of a write brings each of them."""
    drawing = Drawing(32, 32, multisample_mode=1, decimate_mode=DecimateMode.DECIMATE_X4)
    drawing.clear(0)
    drawing.configure(oversample=Oversample.X4)
    drawing.rectangle(PLAIN, 4.5, 4, 10, 10, colour=200)
    add = "nop\nmov r0, vary\nfadd r0, r5, 0\nftoi r0, r0\nldi r2, 40\nnop; loadc\n"
    add += "add tlbm, r4, r2; loadc\n" * 3 + "add tlbm, r4, r2\n"
    drawing.rectangle(add, 4, 4, 10, 10)
    picture = drawn(drawing)
    assert picture[4:10, 4].tolist() == [140] * 6
    assert (picture[4:10, 5:10] == 240).all()
    assert np.count_nonzero(picture) == 36


def test_points_lines_and_their_varyings():
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    square = "nop\nnop\nmov r0, vary\nfadd r0, r5, r0\nmov r1, vary\nfadd r1, r5, r1\nmov r3, vary\nfadd r3, r5, r3\n"
    square += "ldi r2, 16.0\nfmul r0, r0, r2\nfmul r1, r1, r2\nftoi r0, r0\nftoi r1, r1\nshl r1, r1, 8\n"
    square += "or r0, r0, r1\nftoi r3, r3\nshl r3, r3, 8\nshl r3, r3, 8\nor tlbc, r0, r3\n"
    drawing.shader(square, [(20, 20, 0.5, 1.0, 16.0, 5.0)], point_size=1)
    drawing.draw(1, PrimitiveMode.POINTS)
    drawing.state(Code.LINE_WIDTH, line_width=4.0)
    across = "nop\nnop\nmov r0, vary\nfadd r0, r5, r0\nldi r2, 4.0\nfmul r0, r0, r2\nmov r1, vary\nftoi tlbc, r0\n"
    drawing.shader(across, [(4, 50, 0.5, 1.0, 0.0), (60, 50, 0.5, 1.0, 0.0)])
    drawing.draw(2, PrimitiveMode.LINES)
    picture = drawn(drawing)
    for y in range(12, 28):
        for x in range(12, 28):
            assert picture[y, x] == 5 << 16 | (27 - y) << 8 | x - 12
    assert (picture[48:52, 4:60] == np.arange(4)[:, None]).all()


def test_clip_window_and_viewport():
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    window = {"left_pixel_coordinate": 5, "bottom_pixel_coordinate": 7, "width_in_pixels": 20, "height_in_pixels": 10}
    drawing.state(Code.CLIP_WINDOW, **{f"clip_window_{name}": value for name, value in window.items()})
    drawing.state(Code.VIEWPORT_OFFSET, viewport_centre_x_coordinate=10.0, viewport_centre_y_coordinate=-3.5)
    drawing.rectangle(PLAIN, 0, 0, 40, 14, colour=4)
    picture = drawn(drawing)
    rows, columns = np.nonzero(picture)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (7, 9, 10, 24)
    assert np.count_nonzero(picture) == 3 * 15


@pytest.mark.parametrize(("width", "height"), [(0, 10), (20, 0), (0, 0)])
def test_a_clip_window_of_no_width_or_height_cuts_nothing_off_there(width, height):
    """What a scissor outside of the frame becomes: piglit's gl-1.0-scissor-offscreen, of which a chip shows something."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    drawing.state(Code.CLIP_WINDOW, clip_window_width_in_pixels=width, clip_window_height_in_pixels=height)
    drawing.rectangle(PLAIN, 0, 0, 40, 14, colour=4)
    assert np.count_nonzero(drawn(drawing)) == min(width or 40, 40) * min(height or 14, 14)


@pytest.mark.parametrize("times", [1, 2])
def test_coverage_of_a_path(times):
    """A triangle with sixteen samples into the coverage, then a shader that reads it, once."""
    drawing = Drawing()
    drawing.clear(0, z=0)
    drawing.configure(oversample=Oversample.X16, coverage=CoverageUpdate.NONZERO)
    cover = "nop\nnop\nnop; loadcv\nmov tlbc, r4\n"
    drawing.shader(cover)
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    path = [(8, 8), (40, 8), (8, 40)]
    box = [(0, 0), (128, 0), (0, 128)]
    drawing.draws.raw(words(*(y << 20 | x << 4 for x, y in path), 1, 1, 0xBFFF_0000))
    for _ in range(times):
        drawing.configure()
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
        drawing.draws.raw(words(*(y << 20 | x << 4 for x, y in box), 1, 1, 0xBFFF_0000))
    picture = drawn(drawing)
    if times == 1:
        assert (picture[8:24, 8:24] == 0xFFFF_FFFF).all()
        # Across the hypotenuse a pixel has about half of its samples.
        halves = {int(picture[8 + n, 39 - n]) & 255 for n in range(32)}
        assert len(halves) == 1
        assert 100 < halves.pop() < 150
    else:
        assert not picture.any()  # the second read found nothing any more
    assert drawing.frame.renderer.events["TLB_QUADS_COVERED"] > 100


@pytest.mark.parametrize(("mode", "inside"), [(CoverageUpdate.NONZERO, 255), (CoverageUpdate.ODD, 0)])
def test_fill_rules(mode, inside):
    """Two squares that overlap, of which the eight bit levels are seen."""
    drawing = Drawing()
    drawing.clear(0, z=0)
    drawing.configure(oversample=Oversample.X16, coverage=mode)
    drawing.shader("nop\nnop\nnop; loadcv\nmov tlbc, r4\n")
    for left in (8, 20):
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLE_FAN)
        square = [(left, 8), (left + 24.5, 8), (left + 24.5, 32), (left, 32)]
        drawing.draws.raw(words(*(y * 16 << 16 | int(x * 16) for x, y in square), 0xBFFF_0000))
    drawing.configure()
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    drawing.draws.raw(words(0, 128 << 4, 128 << 20, 1, 1, 0xBFFF_0000))
    row = drawn(drawing)[20] & 0xFF
    assert row[[0, 7, 8, 19, 43, 45, 60]].tolist() == [0, 0, 255, 255, 255, 0, 0]
    assert set(row[20:32]) == {inside}
    assert row[44] in (127, 128)


def test_loads_wait_for_the_next_tile():
    """A frame is loaded, drawn over, stored again; Z comes back from where it was stored."""
    z_image = PICTURE + 0x8000
    first = Drawing()
    first.clear(1)
    first.configure(z=True)
    first.rectangle(WITH_Z, 0, 0, 32, 64, 0.25, 2)
    keep = {"disable_color_buffer_clear": 1, "disable_z_stencil_buffer_clear": 1}
    store = {"buffer_to_store": TileBuffer.Z_STENCIL, "format": MemoryFormat.LT_FORMAT, "frame_address": z_image}
    drawn(first, stores=[(Code.STORE_TILE_BUFFER_GENERAL, store | keep)])
    second = Drawing()
    second.memory.write(PICTURE, first.memory.read(PICTURE, SIZE - PICTURE))
    second.clear(9)
    second.configure(depth=DepthTest.LESS, z=True)
    second.rectangle(WITH_Z, 0, 0, 64, 32, 0.5, 3)
    loads = [
        (Code.LOAD_TILE_BUFFER_GENERAL, {"buffer_to_load": TileBuffer.COLOR, "frame_address": PICTURE}),
        (
            Code.LOAD_TILE_BUFFER_GENERAL,
            {"buffer_to_load": TileBuffer.Z_STENCIL, "format": MemoryFormat.LT_FORMAT, "frame_address": z_image},
        ),
    ]
    picture = drawn(second, before=loads)
    assert (picture[:, :32] == 2).all()
    assert (picture[:32, 32:] == 3).all()
    assert (picture[32:, 32:] == 1).all()


def test_registers_of_a_frame():
    drawing = Drawing(128, 64)
    frame = drawing.frame
    frame.write("INTENA", 0xFF)
    assert frame.read("INTENA") == frame.read("INTDIS") == 0xF
    numbers = {source.name: source.number for source in SOURCES}
    for counter, name in enumerate(("FEP_PRIMITIVES", "FEP_QUADS", "TLB_QUADS_WRITTEN", "PSE_PRIMITIVES_REVERSED")):
        frame.write(f"PCTRS{counter}", numbers[name])
    frame.write("PCTRE", 1 << 31 | 0b1011)
    drawing.clear()
    drawing.configure(back=0)
    drawing.rectangle(PLAIN, 0, 0, 128, 64)
    drawn(drawing)
    assert frame.interrupt
    assert frame.read("INTCTL") == 1
    assert frame.read("RFC") == 1
    assert [frame.read(f"PCTR{counter}") for counter in range(4)] == [4, 32 * 64 + 64, 0, 0]
    frame.write("PCTRC", 1)
    assert frame.read("PCTR0") == 0
    frame.write("INTCTL", 1)
    assert not frame.interrupt
    frame.write("INTDIS", 1)
    assert frame.read("INTENA") == 0xE


def test_registers_of_binning():
    """A frame that needs more memory than it has, as the host sees it; interrupts are levels, or stay until they are cleared."""
    memory, end = gl_frame.frame(random.Random(2))
    frame = V3D(PRESETS["bcm2835"], memory)
    frame.write("INTENA", 0b1110)
    frame.write("CT0CA", gl_frame.LISTS)
    frame.write("CT0EA", end)
    assert frame.advance(STEPS) is Rest.WAITING
    for _ in range(2):
        assert (frame.read("INTCTL"), frame.interrupt) == (0b0100, True)
        assert frame.read("PCS") == 1 << 8 | 1
        frame.write("INTCTL", 0b0100)
    assert frame.read("BPCS") < 4096
    frame.write("BPOA", gl_frame.OVERSPILL)
    frame.write("BPOS", gl_frame.OVERSPILL_BYTES)
    assert frame.advance(STEPS) is Rest.STOPPED
    assert frame.read("INTCTL") == 0b1010
    assert (frame.read("BFC"), frame.read("BPOS"), frame.read("PCS")) == (1, 0, 0)
    assert gl_frame.OVERSPILL < frame.read("BPCA") <= gl_frame.OVERSPILL + gl_frame.OVERSPILL_BYTES
    frame.write("INTCTL", 0b0010)
    assert (frame.read("INTCTL"), frame.interrupt) == (0b1000, True)
    frame.write("INTDIS", 0b1000)
    assert not frame.interrupt
    assert frame.read("L2CACTL") == 1
    assert frame.read("SLCACTL") == 0


def test_culled_primitives_are_counted():
    drawing = Drawing()
    drawing.clear()
    drawing.configure(front=0)
    drawing.rectangle(PLAIN, 0, 0, 64, 64)
    assert not drawn(drawing).any()
    assert drawing.frame.renderer.events["PSE_PRIMITIVES_REVERSED"] == 2


HANGS = {
    "branch": ("here:\nbrr -, :here\nnop\nnop\nnop\n", "does not end within"),
    "vpm": ("nop\nnop\nmov r0, vpm\n", "vpm_read"),
    "nothing to load": ("nop\nnop\nnop; ldtmu0\n", "waits for tmu0"),
}


@pytest.mark.parametrize("name", HANGS)
def test_shaders_that_hang(name):
    """The pipeline waits for ever and says why; a reset frees it."""
    source, why = HANGS[name]
    drawing = Drawing()
    drawing.frame.fragment_shader.limit = 1000
    drawing.configure()
    drawing.rectangle(source, 0, 0, 64, 64)
    assert drawing.finish().run() is Rest.WAITING
    assert why in drawing.thread.waits
    assert "fragment shader at 0x" in drawing.thread.waits
    drawing.frame.write("PCS", 1 << 5)
    drawing.frame.write("CT1CS", 1 << 15)
    assert drawing.frame.renderer.error is None


def test_stores_outside_of_memory_hang():
    drawing = Drawing(64, 64)
    drawing.clear()
    stores = [(Code.STORE_TILE_BUFFER_GENERAL, {"buffer_to_store": TileBuffer.COLOR, "frame_address": SIZE - 0x100})]
    assert drawing.finish(stores=stores).run() is Rest.WAITING
    assert "colour store" in drawing.thread.waits


@pytest.mark.parametrize("vertices", [0, 1, 3])
def test_a_list_reads_its_shader_record(vertices):
    """Whether it has a primitive or not, as the binner does."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    drawing.state(Code.NV_SHADER_STATE, shader_record_address=2 * SIZE)
    drawing.draw(vertices)
    assert drawing.finish().run() is Rest.WAITING
    assert "shader record at 0x00100000 is outside of memory" in drawing.thread.waits


def test_only_one_tile():
    drawing = Drawing(128, 64)
    drawing.clear(5)
    drawing.configure()
    drawing.rectangle(PLAIN, 0, 0, 128, 64, colour=6)
    drawing.frame.renderer.only = (1, 0)
    picture = drawn(drawing)
    assert not picture[:, :64].any()
    assert (picture[:, 64:] == 6).all()


def test_end_of_program_without_anything():
    """The shortest shader; and nothing is drawn with a window beside the frame."""
    drawing = Drawing()
    drawing.clear(2)
    drawing.configure()
    drawing.rectangle("", 0, 0, 64, 64)
    window = {"clip_window_width_in_pixels": 64, "clip_window_height_in_pixels": 64}
    drawing.state(Code.CLIP_WINDOW, clip_window_left_pixel_coordinate=64, **window)
    drawing.rectangle(PLAIN, 0, 0, 64, 64)
    assert (drawn(drawing) == 2).all()
