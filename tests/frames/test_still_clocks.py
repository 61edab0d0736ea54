"""How long nothing may move until a frame counts as one that does not come to its end."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import VgPrimitiveType
from vc4.records.state import CoverageUpdate, Oversample
from vc4sim.bench import draws
from vc4sim.frames.draw import DrawJob
from vc4sim.random_frames import compare_frame

from ..model.control_lists import words
from ..model.drawing import LIST, SIZE, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)

pytestmark = pytest.mark.usefixtures("compiler")


@pytest.mark.parametrize(
    ("on", "still", "sides"),
    [
        pytest.param("native", draws.STILL_CLOCKS, [64] * 8, marks=pytest.mark.thorough),
        pytest.param("pysim", 200, [10], marks=pytest.mark.slow),
    ],
)
def test_coverage_may_take_longer(monkeypatch, on, still, sides):
    """Quads of 16 samples that become no fragments are all that moves, each within 16 clocks."""
    monkeypatch.setattr(draws, "STILL_CLOCKS", still)
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure(oversample=Oversample.X16, coverage=CoverageUpdate.NONZERO)
    drawing.shader("mov tlbc, unif\n")
    for side in sides:
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLE_FAN)
        corners = (0, 0), (side, 0), (side, side), (0, side)
        drawing.draws.raw(words(*(y << 20 | x << 4 for x, y in corners), 0xBFFF_0000))
    drawing.finish()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    job = DrawJob(image=drawing.memory.read(0, SIZE), registers=registers, config=CONFIG, max_cycles=1_000_000)
    assert compare_frame(job, on) == 0
    assert 16 * sum((side // 2) ** 2 for side in sides) > still
