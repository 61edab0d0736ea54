"""What random episodes have found once."""

import dataclasses
import struct

import pytest

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.random_frames import FrameImage, RandomFrame
from vc4sim.random_frames.things import Shader
from vc4sim.soak import SoakJob, compare_episode
from vc4sim.soak.episode import Asked

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]
#: After a frame: programs, their uniforms, and what they store.
UNIFORMS, OUTPUT, ROOM = 0x1000, 0x2000, 0x3000
#: Kinds of programs that the two QPUs do not run: the first one runs all.
ON_ONE_QPU = (0, 0xF)
END = "\nthrend\nnop\nnop"


def has_shaded_vertices(frame):
    return any(isinstance(one, Shader) and one.vertices and one.vertices.program for one in frame.things)


def compared(engine, times, programs):
    """A frame with vertices that a program shades, so many times, and programs with the numbers of frames in front of them."""
    frame = next(one for one in map(RandomFrame, range(99)) if has_shaded_vertices(one) and one.clears)
    image, base = FrameImage(frame), frame.end
    memory = bytearray(image.bytes) + bytearray(ROOM)
    memory[base + UNIFORMS : base + UNIFORMS + 4] = struct.pack("<I", base + OUTPUT)
    asked = []
    for number, (source, drawn) in enumerate(programs):
        code, pc = assemble(source + END).code, base + 0x100 * number
        memory[pc : pc + len(code)] = code
        asked.append(Asked(drawn, 0, Launch(pc, base + UNIFORMS)))
    job = SoakJob(
        image=bytes(memory),
        registers=image.registers,
        then=(image.registers,) * (times - 1),
        config=CONFIG,
        asked=tuple(asked),
        reserved=ON_ONE_QPU,
        programs=base,
    )
    return compare_episode(job, engine)


def test_set_ups_of_dma_stay_when_vertices_are_shaded(request):
    """The second program stores with the stride of the first one."""
    stride = "ldi vw_setup, 0xc0000040"
    store = (
        "ldi vw_setup, 0x1a00\nmov vpm, elem_num\nmov vpm, 7\nldi vw_setup, 0x81104000\nmov vw_addr, unif\nread vw_wait"
    )
    found = compared(request.config.getoption("--engine"), 3, [(stride, 0), (store, 2)])
    assert (found.frames, found.programs) == (3, 2)
