"""Frames on a GPU with errata, in lockstep with a model with the same ones, and as they are without."""

import dataclasses

import numpy as np
import pytest

from vc4.config import preset
from vc4.errata import Erratum
from vc4sim.frames.binned import binned
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.lockstep import Difference
from vc4sim.model.memory import Memory
from vc4sim.random_frames import RandomFrame, compare_frame, frame_job
from vc4sim.random_frames.compare import drawn_by_model

from ..model.binning import LISTS, bin_sizes
from ..model.binning import SIZE as BINNING_SIZE
from ..model.drawing import PLAIN, SIZE
from ..model.host.test_renderer_errata import BACK, FRONT, NO_VARYING, ONE_TEST, coverage_behind, two_sides
from ..model.ptb.test_ptb_errata import POINTS, STARTS

#: With early Z: tests of that find the same GPU compiled.
CONFIG = dataclasses.replace(preset("gpu"), early_z=True, errata="bcm2835", trace=True)

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def job_of(drawing, **options):
    """Drawings of these tests have a GPU of their own, without errata."""
    registers = (("CT1CA", drawing.list.base), ("CT1EA", drawing.list.here))
    image = drawing.memory.read(0, SIZE)
    return DrawJob(image=image, registers=registers, config=CONFIG, max_cycles=1_000_000, **options)


def without(job, erratum):
    """What the model draws, and itself, if it lacks one."""
    return drawn_by_model(
        dataclasses.replace(job, config=dataclasses.replace(CONFIG, errata=CONFIG.faults - {erratum}))
    )


@pytest.mark.parametrize("order", [(FRONT, BACK), (BACK, FRONT)])
def test_both_sides_in_a_vector(order, request):
    job = job_of(two_sides(order, ONE_TEST))
    compare_frame(job, request.config.getoption("--engine"))
    assert (drawn_by_model(job)[0] != without(job, Erratum.HW_2924)[0]).any()


def test_coverage_goes_on_behind_fragments_without_varyings(request):
    compare_frame(job_of(coverage_behind(PLAIN, NO_VARYING)), request.config.getoption("--engine"))


def test_coverage_behind_varyings_locks_up(request):
    """RTL and model; a reset of the renderer unlocks it."""
    engine = request.config.getoption("--engine")
    first = coverage_behind(PLAIN)
    second = coverage_behind(behind=first)
    job = job_of(first)
    assert drawn_by_model(job)[1].renderer.locked
    assert not without(job, Erratum.HW_2885)[1].renderer.locked
    assert not run_draw(job, engine).drawn
    compare_frame(job, engine)
    resets = (("PCS", 1 << 5), ("CT1CS", 1 << 15), ("CT1CA", second.list.base), ("CT1EA", second.list.here))
    run = run_draw(dataclasses.replace(job, later=tuple((20_000, *write) for write in resets)), engine)
    assert run.drawn
    wanted, _ = drawn_by_model(job_of(second))
    assert (np.frombuffer(run.memory[: len(wanted)], np.uint8) == wanted).all()


@pytest.mark.parametrize(
    ("widths", "has", "text"),
    [
        ((8, 16), False, "a program starts that nobody has asked for"),
        ((8,), False, "the frame comes to its end"),
        ((8,), True, "the frame does not come to its end"),
    ],
)
def test_a_lock_of_one_of_them_is_a_difference(widths, has, text, request):
    """Whether it is the RTL that `has` the erratum, or the model; after the first one a program reads the coverage."""
    configs = [dataclasses.replace(CONFIG, errata=(), early_z=False), CONFIG]
    job = dataclasses.replace(job_of(coverage_behind(PLAIN, widths=widths)), config=configs[not has])

    def draw(_, *arguments, **options):
        return run_draw(dataclasses.replace(job, config=configs[has]), *arguments, **options)

    with pytest.raises(Difference, match=text):
        compare_frame(job, request.config.getoption("--engine"), draw=draw)


def test_a_count_that_wraps(request):
    """Every byte of the lists of a binning list alone."""
    memory = Memory(BINNING_SIZE)
    registers = (("CT0CA", LISTS), ("CT0EA", bin_sizes(memory, STARTS, POINTS)))
    job = DrawJob(image=memory.read(0, BINNING_SIZE), registers=registers, config=CONFIG, max_cycles=1_000_000)
    run = run_draw(job, request.config.getoption("--engine"))
    assert run.drawn
    wanted = binned(job).gpu.memory.read(0, BINNING_SIZE)
    assert run.memory[:BINNING_SIZE] == wanted
    assert binned(dataclasses.replace(job, config=preset("gpu"))).gpu.memory.read(0, BINNING_SIZE) != wanted


@pytest.mark.parametrize("seed", [60, 111, 115, 180])
def test_random_frames_that_lock_up(seed, request):
    job = frame_job(RandomFrame(seed), CONFIG)
    assert drawn_by_model(job)[1].renderer.locked
    compare_frame(job, request.config.getoption("--engine"))


@pytest.mark.parametrize("seed", [7, 147, 181, 381])
def test_random_frames_with_both_sides_in_a_vector(seed, request):
    job = frame_job(RandomFrame(seed), CONFIG)
    assert (drawn_by_model(job)[0] != without(job, Erratum.HW_2924)[0]).any()
    compare_frame(job, request.config.getoption("--engine"))


@pytest.mark.parametrize("first", [0, 20])
def test_random_frames(first, request):
    """With all errata, whether they matter or not."""
    for seed in range(first, first + 20):
        compare_frame(frame_job(RandomFrame(seed), CONFIG), request.config.getoption("--engine"))
