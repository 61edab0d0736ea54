"""Small frames that have shown a fault once."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import VgPrimitiveType
from vc4.records.state import CoverageUpdate, Oversample
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.random_frames import RandomFrame, compare_frame, frame_job
from vc4sim.random_frames.compare import drawn_by_model

from ..model.control_lists import words
from ..model.drawing import COLOUR, LIST, PLAIN, SIZE, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]
#: The bit VCMRE of ERRSTAT: the vertices of the renderer, or their shader record, are not to be had.
NO_RECORD = 1 << 13
SWITCHES = "nop; thrsw\nnop\nnop\nnop; lthrsw\nnop\nnop\n"


@pytest.fixture
def drawn(request):
    def draw(drawing):
        compare_frame(job_of(drawing), request.config.getoption("--engine"))

    return draw


def job_of(drawing):
    drawing.finish()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    return DrawJob(image=drawing.memory.read(0, SIZE), registers=registers, config=CONFIG, max_cycles=1_000_000)


def corners(*places):
    """Vertices of colour 7."""
    return [(*place, 0.5, 1.0, 7.0) for place in places]


def test_a_vector_goes_on_over_lists(drawn):
    """Its quads may be of primitives of two lists."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    drawing.shader(PLAIN, corners((1, 1), (5, 1), (1, 3), (21, 21), (25, 21), (21, 23)))
    drawing.draw(3)
    drawing.draw(3, first=3)
    drawn(drawing)


def test_a_set_up_of_the_stencil_does_not_wait_for_the_scoreboard(drawn):
    """It may be in front of the last thread switch: with both threads of a QPU there, one would wait for the other for ever."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    source = COLOUR + "mov stencil, unif\n" + SWITCHES + "nop; sbwait\nmov tlbz, rb15\nldi tlbc, 5\n"
    set_up = 0xC000_0000 | 0xFF | 1 << 8 | 7 << 16
    for _ in range(2):
        drawing.shader(source, corners((1, 1), (40, 1), (1, 40)), (set_up,))
        threaded(drawing)
        drawing.draw(3)
    drawn(drawing)


def threaded(drawing):
    """The last NV shader has two threads: its record lies right after those before."""
    record = drawing._next["record"] - 16
    flags = drawing.memory.read(record, 1)[0]
    drawing.memory.write(record, bytes([flags & ~1]))


def test_a_thread_behind_its_last_switch_waits_without_the_qpu(drawn):
    """The other thread goes on, and switches to itself."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    for _ in range(3):
        drawing.shader(
            COLOUR + 3 * "nop; thrsw\nnop\nnop\n" + SWITCHES + "nop; sbwait\nldi tlbc, 5\n",
            corners((1, 1), (30, 1), (1, 30)),
        )
        threaded(drawing)
        drawing.draw(3)
    drawn(drawing)


@pytest.mark.parametrize("vertices", [0, 1, 3])
def test_a_list_reads_its_shader_record(request, vertices):
    """Whether it has a primitive or not: there is none in memory, so nothing goes on, in the model neither."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    drawing.state(Code.NV_SHADER_STATE, shader_record_address=2 * SIZE)
    drawing.draw(vertices)
    job = job_of(drawing)
    run = run_draw(job, request.config.getoption("--engine"), read=("ERRSTAT",))
    assert not run.drawn
    assert run.read["ERRSTAT"] & NO_RECORD
    with pytest.raises(ValueError, match="shader record at 0x00100000 is outside of memory"):
        drawn_by_model(job)


@pytest.mark.parametrize("size", [2, 6, 11])
def test_places_that_repeat_a_quad_read_its_coverage(drawn, size):
    """Also if the read clears it."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure(oversample=Oversample.X16, coverage=CoverageUpdate.NONZERO)
    drawing.shader("nop\nnop\nnop; loadcv\nmov r1, r4\nnop; loadcv\nmov tlbc, r1\n")
    triangle = words(0, size << 4, size << 20, 1, 1, 0xBFFF_0000)
    for configuration in ({}, None):
        if configuration is None:
            drawing.configure(coverage_read_mode=0)
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
        drawing.draws.raw(triangle)
    drawn(drawing)


@pytest.mark.parametrize("product", ["vary, 8.0", "8.0, vary", "vary, 2.0", "vary, vary"])
def test_a_varying_beside_a_small_immediate(drawn, product):
    """8.0 has the number among immediates that varyings have among registers."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    drawing.shader(
        f"nop\nnop\nnop; fmul r0, {product}\nfadd r0, r0, r5\nftoi tlbc, r0\n", corners((1, 1), (30, 1), (1, 30))
    )
    drawing.draw(3)
    drawn(drawing)


def test_coverage_does_not_wait_for_programs_that_have_unlocked_the_scoreboard(request):
    """Nor do the next fragments, so the model in lockstep must not either."""
    compare_frame(frame_job(RandomFrame(149), CONFIG), request.config.getoption("--engine"))


def test_coverage_of_nothing_waits_for_nobody(request):
    """Points in coverage mode that have no sample, in front of fragments whose program begins at once."""
    compare_frame(frame_job(RandomFrame(20261361), CONFIG), request.config.getoption("--engine"))


def test_a_program_that_never_touches_the_tile_buffer_may_end_before_its_fragments_have_their_turn(drawn):
    """Its thread gets no others until they have: the slow vector in front of them has the same place."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    place = corners((1, 1), (5, 1), (1, 5))
    for source in ("nop\n" * 300 + PLAIN, *["nop\n"] * 4, PLAIN):
        drawing.shader(source, place)
        drawing.draw(3)
    drawn(drawing)
