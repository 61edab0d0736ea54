"""Golden clocks of whole frames, beside those that the instructions of their programs take on the QPUs."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.isa.registers import QUADS
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.random_frames import compare_frame

from ..model.drawing import LIST, PLAIN, SIZE, WITH_Z, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
SIDE = 128
LONG = PLAIN.replace("mov tlbc", "nop\n" * 20 + "mov tlbc")

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def filled(source, double):
    """A frame that is filled, and filled again but for its rim."""
    drawing = Drawing(SIDE, SIDE, double_buffer_in_non_ms_mode=int(double))
    drawing.clear(7)
    drawing.configure(z=True)
    drawing.rectangle(source, 0, 0, SIDE, SIDE, colour=5)
    drawing.rectangle(source, 10, 10, SIDE - 10, SIDE - 10, colour=9)
    drawing.finish()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    return DrawJob(image=drawing.memory.read(0, SIZE), registers=registers, config=CONFIG, max_cycles=1_000_000)


@pytest.mark.parametrize(
    ("source", "double", "clocks"),
    [(PLAIN, False, 52_410), (WITH_Z, False, 55_994), (LONG, False, 123_930), (PLAIN, True, 45_462)],
    ids=["nine_instructions", "with_z", "long", "two_buffers"],
)
def test_clocks(source, double, clocks):
    """A tile is stored in a bus word a clock, 8,192 for all four; with two buffers beside the next one."""
    job = filled(source, double)
    run = run_draw(job)
    print(f"{QUADS * run.instructions // CONFIG.qpus} clocks of instructions")
    assert run.cycles == clocks


def test_two_buffers():
    compare_frame(filled(PLAIN, True))
