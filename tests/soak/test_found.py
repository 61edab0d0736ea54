"""What random episodes have found once."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.soak import SoakJob, compare_episode
from vc4sim.soak.acts import Spoiling
from vc4sim.soak.episode import Asked

from ..model.drawing import COLOUR, LIST, SIZE, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]
#: Behind the frame: programs, their uniforms, and what they store.
PROGRAMS, ROOM = SIZE, 0x4000
CODE, UNIFORMS, OUTPUT = PROGRAMS, PROGRAMS + 0x1000, PROGRAMS + 0x2000
#: Kinds that a QPU does not run.
NOTHING, ALL = 0, 0xF
END = "\nthrend\nnop\nnop"


@pytest.fixture
def compared(request):
    def compare(image, frames, programs=(), **more):
        """Frames by their registers; programs with the clocks at which they are asked for."""
        memory = bytearray(image.ljust(PROGRAMS + ROOM, b"\0"))
        asked = []
        for number, (source, frame, clock) in enumerate(programs):
            code, pc = assemble(source).code, CODE + 0x100 * number
            memory[pc : pc + len(code)] = code
            asked.append(Asked(frame, clock, Launch(pc, UNIFORMS)))
        job = SoakJob(
            image=bytes(memory),
            registers=frames[0],
            then=tuple(frames[1:]),
            config=CONFIG,
            asked=tuple(asked),
            programs=PROGRAMS,
            **{"reserved": (NOTHING, ALL), **more},
        )
        return compare_episode(job, request.config.getoption("--engine"))

    return compare


def triangle():
    """A frame with vertices that a program shades; its memory, and what starts it."""
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    drawing.shader(COLOUR + "mov tlbc, unif\n", [(1, 1, 0.5, 1.0, 7.0), (40, 1, 0.5, 1.0, 7.0), (1, 40, 0.5, 1.0, 7.0)])
    drawing.draw(3)
    drawing.finish()
    return drawing.memory.read(0, SIZE), (("CT1CA", LIST), ("CT1EA", drawing.list.here))
