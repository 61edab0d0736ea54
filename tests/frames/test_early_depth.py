"""Early Z in lockstep: what the hardware hides the model leaves out, too."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.state import DepthTest
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.frames.draw_lockstep import DrawLockstep
from vc4sim.lockstep import Difference
from vc4sim.random_frames import compare_frame

from ..model.drawing import LIST, SIZE, WITH_Z, Drawing
from .test_errata import CONFIG

CHIP = dataclasses.replace(preset("bcm2835"), trace=True)
#: Quads of the rectangle in front, and of each of two after it; those on the diagonal are of two triangles.
QUADS, OF_ONE = 32 * 33, 20 * 21
pytestmark = pytest.mark.usefixtures("compiler")


def job(*, config=CONFIG, depth=DepthTest.LESS, **configuration):
    """A near rectangle, and twice one after it."""
    drawing = Drawing(64, 64, **configuration)
    drawing.clear()
    drawing.configure(depth=depth, z=True, early_z_enable=1)
    drawing.rectangle(WITH_Z, 0, 0, 64, 64, 0.2, 1)
    for colour in (2, 3):
        drawing.rectangle(WITH_Z, 8, 8, 48, 48, 0.6, colour)
    drawing.finish()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    image = drawing.memory.read(0, SIZE)
    return DrawJob(image=image, registers=registers, config=config, max_cycles=1_000_000)


def hidden(job, engine):
    """What the hardware hides, when the model has drawn the same."""
    runs = []

    def draw(*arguments, **options):
        runs.append(run_draw(*arguments, **options))
        return runs[-1]

    compare_frame(job, engine, draw=draw)
    return runs[0].hidden


@pytest.fixture
def engine(request):
    return request.config.getoption("--engine")


@pytest.mark.parametrize(
    "config", [pytest.param(CONFIG, marks=pytest.mark.thorough), pytest.param(CHIP, marks=pytest.mark.slow)]
)
def test_hidden_quads_are_left_out(engine, config):
    """The last ones at the latest, whose Z has been told by then."""
    found = hidden(job(config=config), engine)
    assert len(found) == QUADS + 2 * OF_ONE
    assert not any(found[:QUADS])
    assert all(found[-OF_ONE // 2 :])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "other", [{"early_z_disable": 1}, {"early_z_update_direction": 1}, {"depth": DepthTest.NOT_EQUAL}]
)
def test_nothing_is_hidden(engine, other):
    assert not any(hidden(job(**other), engine))


def replayed(job, engine, change):
    """Lockstep that is told something else of quads."""
    beside = DrawLockstep(job)
    run = run_draw(job, engine, follow=beside)
    beside.compare_memory(dataclasses.replace(run, hidden=change(run.hidden)))


@pytest.mark.thorough
@pytest.mark.parametrize("change", [lambda told: bytes(len(told)), lambda told: bytes([1]) + told[1:]])
def test_another_choice_is_a_difference(engine, change):
    """None are hidden, or the first one is."""
    with pytest.raises(Difference):
        replayed(job(), engine, change)


@pytest.mark.thorough
def test_a_quad_that_must_not_be_hidden(engine):
    with pytest.raises(Difference, match="early Z hides quads"):
        replayed(job(early_z_disable=1), engine, lambda told: bytes([1]) + told[1:])
