"""What fragment shaders can read and write, and what they get of primitives of all kinds: small frames."""

import struct

import numpy as np
import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveData, PrimitiveType, VgPrimitiveType
from vc4.records.state import CoverageUpdate, Oversample
from vc4sim.asm import assemble
from vc4sim.clist import compress
from vc4sim.model.cle.cle import Rest
from vc4sim.model.cle.compressed import ListFormat

from ..control_lists import words
from ..drawing import COLOUR, END, PICTURE, SIZE, Drawing

#: Where a clipped vertex, code and uniforms lie that the tests place themselves.
CLIPPED, INLINE_CODE, INLINE_UNIFORMS = SIZE - 0x100, SIZE - 0x400, SIZE - 0x200


def drawn(drawing):
    """The picture of a drawing that comes to its end."""
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.thread.error is None
    return np.array(drawing.picture())


def square(source, **configuration):
    """A drawing of eight by eight pixels of colour 5 in the corner."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure(**configuration)
    drawing.rectangle(source, 0, 0, 8, 8, colour=5)
    return drawing


def test_varyings_behind_the_last_one():
    picture = drawn(square(COLOUR + "ldi r1, 7.0\nfadd r1, vary, r1\nftoi r1, r1\nfadd r2, r5, 0\nadd tlbc, r0, r1\n"))
    assert (picture[:8, :8] == 12).all()


@pytest.mark.parametrize(("element", "wanted"), [(0, 1), (1, 0)])
def test_rev_flag_is_that_of_the_first_element(element, wanted):
    """Written where `element` has a 1, and for all elements of a vector."""
    source = COLOUR + f"mov r1, elem_num\nsub.setf -, r1, {element}\nmov r2, 0\nmov.ifz r2, 1\nmov rev_flag, r2\nnop\n"
    picture = drawn(square(source + "mov r3, rev_flag\nadd tlbc, r3, 8\n"))
    assert (picture[:8, :8] == 8 + wanted).all()


def test_flags_of_pixels_can_be_taken_away():
    source = COLOUR + "and.setf -, x_coord, 1\nmov.ifnz ms_mask, 0\nnop\nmov tlbc, r0\n"
    picture = drawn(square(source))
    assert (picture[:8, 0:8:2] == 5).all()
    assert not picture[:8, 1:8:2].any()


def test_both_registers_of_one_address_are_written():
    """Address 42 of either file, by one instruction: the vendor's compiler begins every two-sided shader like this."""
    source = (
        COLOUR + "mov r2, 1\nand.setf -, x_coord, 1\nmov rev_flag, r2; mov.ifnz ms_mask, 0\nnop\nmov r3, rev_flag\n"
    )
    picture = drawn(square(source + "add tlbc, r3, 8\n"))
    assert (picture[:8, 0:8:2] == 9).all()
    assert not picture[:8, 1:8:2].any()


def test_alpha_mask():
    """Written by one rectangle, read by the next one: the low byte, in all four."""
    drawing = square(COLOUR + "mov r1, x_coord\nldi r2, 0x4500\nor tlbam, r1, r2\n")
    drawing.rectangle(COLOUR + "nop; loadam\nmov tlbc, r4\n", 0, 0, 10, 8)
    picture = drawn(drawing)
    assert (picture[:8, :8] == np.arange(8) * 0x0101_0101).all()
    assert not picture[:, 8:].any()


@pytest.mark.parametrize("leave", [0, 1])
@pytest.mark.parametrize("mask", [0, 1])
def test_coverage_reads(mask, leave):
    """Level or mask; a second read finds the coverage again if the first one has left it there."""
    drawing = Drawing()
    drawing.clear(0, z=0)
    drawing.configure(coverage=CoverageUpdate.OR, oversample=Oversample.X16)
    drawing.shader("nop\nnop\nnop; loadcv\nmov r1, r4\nnop; loadcv\nshr r2, r4, 1\nxor tlbc, r1, r2\n")
    # The left half of a column of pixels; then all of it.
    for width in (8, 16):
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLE_FAN)
        corners = [(0, 0), (width, 0), (width, 16), (0, 16)]
        drawing.draws.raw(words(*(y << 16 | x for x, y in corners), 0xBFFF_0000))
        drawing.configure(coverage_read_type=mask, coverage_read_mode=leave)
    picture = drawn(drawing)
    found = 0x3333 if mask else 0x8080_8080  # samples in columns 0 and 1 of four; 255 / 2, rounded up
    assert picture[0, 0] == found ^ (found >> 1 if leave else 0)


def test_rhts():
    """From the edge to the boundary, on both sides of it."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    drawing.shader("nop\nnop\nldi tlbc, 9\n")
    drawing.state(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=20.0)
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.RHTS)
    ends = [(8, 4), (8, 12), (30, 20), (30, 28)]
    drawing.draws.raw(words(*(y << 20 | x << 4 for x, y in ends), 0, 0xBFFF_0000))
    picture = drawn(drawing)
    assert (picture[4:12, 8:20] == 9).all()
    assert (picture[20:28, 20:30] == 9).all()
    assert np.count_nonzero(picture) == 8 * 12 + 8 * 10


@pytest.mark.parametrize("single", [0, 1])
def test_an_inline_shader(single):
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    drawing.memory.write(INLINE_CODE, assemble("nop\nnop\nmov tlbc, unif\n" + END).code)
    drawing.memory.write(INLINE_UNIFORMS, words(0x1234_5678))
    drawing.state(
        Code.VG_INLINE_SHADER_RECORD,
        single_threaded=single,
        fragment_shader_code_address=INLINE_CODE,
        fragment_shader_uniforms_address=INLINE_UNIFORMS,
    )
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    drawing.draws.raw(words(0, 16 << 4, 16 << 20, 0, 0xBFFF_0000, 0xBFFF_0000))
    picture = drawn(drawing)
    assert np.count_nonzero(picture == 0x1234_5678) == sum(range(16))


def test_colours_of_64_bits():
    """Two writes a pixel, and two loads; half as many rows in a tile."""
    drawing = Drawing(16, 40, tile_buffer_64_bit_color_depth=1)
    drawing.clear(0)
    drawing.configure()
    drawing.rectangle(COLOUR + "mov tlbc, r0\nadd tlbc, r0, 1\n", 0, 0, 16, 20, colour=5)
    add = COLOUR + "nop; loadc\nmov r1, r4\nnop; loadc\nadd tlbc, r1, r0\nadd tlbc, r4, r0\n"
    drawing.rectangle(add, 0, 0, 8, 20, colour=3)
    drawing.finish()
    assert drawing.run() is Rest.STOPPED, drawing.thread.waits
    rows = [struct.unpack("<32I", drawing.memory.read(PICTURE + 128 * row, 128)) for row in range(32)]
    for row in range(20):
        assert rows[row] == (8, 9) * 8 + (5, 6) * 8
    assert not any(any(row) for row in rows[20:])


@pytest.mark.parametrize("flags", range(1, 8))
def test_vertices_that_clipping_has_made(flags):
    """Their varyings are sums of the original ones: here all of them make the same plane, 2 x + 1."""
    corners = [(2.0, 2.0), (40.0, 2.0), (2.0, 40.0)]
    middle = [(3 / 4, 1 / 8, 1 / 8), (1 / 8, 3 / 4, 1 / 8), (1 / 8, 1 / 8, 3 / 4)]
    placed, data = list(corners), b""
    for number in (number for number in range(3) if flags >> number & 1):
        placed[number] = tuple(
            sum(weight * corner[axis] for weight, corner in zip(middle[number], corners, strict=True))
            for axis in (0, 1)
        )
        position = (round(16 * value) for value in placed[number])
        data += struct.pack("<2h5f8x", *position, 0.5, 1.0, *middle[number])
    drawing = Drawing()
    drawing.memory.write(CLIPPED, data)
    drawing.clear()
    drawing.configure()
    drawing.shader(COLOUR.replace("mov r0, vary", "fmul r0, vary, ra15").replace("r5, 0", "r5, r0") + "mov tlbc, r0\n", [
        (x, y, 0.5, 1.0, 2 * x + 1) for x, y in corners
    ])  # fmt: skip
    drawing.state(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.TRIANGLES, data_type=PrimitiveData.INDEX_16)
    drawing.state(
        Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST,
        clipped_vertices=flags,
        clipped_primitive_data_address=CLIPPED,
    )
    drawing.draws.raw(compress(ListFormat(PrimitiveType.TRIANGLES), [(0, 1, 2)]))
    picture = drawn(drawing)
    (x0, y0), (x1, y1), (x2, y2) = placed
    area = ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2
    rows, columns = np.nonzero(picture)
    assert abs(len(rows) - area) < 0.2 * area + 5
    assert np.abs(picture[rows, columns] - (2 * (columns + 0.5) + 1)).max() <= 1


def test_a_line_has_no_third_vertex():
    """A flag for one changes nothing."""
    pictures = []
    for flags in (0b001, 0b101):
        drawing = Drawing()
        drawing.memory.write(CLIPPED, struct.pack("<2h5f8x", 16 * 4, 16 * 6, 0.5, 1.0, 1.0, 0.0, 0.0) * 2)
        drawing.clear()
        drawing.configure()
        drawing.shader("nop\nnop\nldi tlbc, 3\n", [(20, 6, 0.5, 1.0, 0.0), (30, 6, 0.5, 1.0, 0.0)])
        drawing.state(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.LINES, data_type=PrimitiveData.INDEX_16)
        drawing.state(
            Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST,
            clipped_vertices=flags,
            clipped_primitive_data_address=CLIPPED,
        )
        drawing.draws.raw(compress(ListFormat(PrimitiveType.LINES), [(0, 1)]))
        pictures.append(drawn(drawing))
    assert (pictures[0] == pictures[1]).all()
    assert np.count_nonzero(pictures[0]) == 26


def test_clipped_vertices_outside_of_memory():
    """An error at the record, when the primitive is drawn."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    drawing.shader("nop\nnop\nldi tlbc, 3\n", [(20, 6, 0.5, 1.0, 0.0), (30, 6, 0.5, 1.0, 0.0)])
    drawing.state(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.LINES, data_type=PrimitiveData.INDEX_16)
    drawing.state(
        Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST, clipped_vertices=1, clipped_primitive_data_address=SIZE
    )
    drawing.draws.raw(compress(ListFormat(PrimitiveType.LINES), [(0, 1)]))
    assert drawing.finish().run() is Rest.WAITING
    assert "clipped vertex" in drawing.thread.waits
