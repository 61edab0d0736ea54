"""Captured frames with damage anywhere, rendered by RTL and model: the same picture, or the same error at the same record."""

import dataclasses
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from vc4.config import preset
from vc4.records.control import RECORDS, ControlCode
from vc4sim.clist import load_capture
from vc4sim.damaged import mutate
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.model.cle.cle import RENDERING, Cle, Rest
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.render import Host

CASES = Path(__file__).parents[1] / "data/cases/gl"
NAMES = ("tri_flat", "tri_clip", "points", "stencil", "scissor", "lines")
CONFIG = dataclasses.replace(preset("gpu"), trace=True)
#: Steps of the list until it counts as one that does not end, instructions of a program; clocks until the RTL is given up.
STEPS, INSTRUCTIONS, CLOCKS = 20_000, 1000, 400_000
#: An instruction that does nothing, without its signal: every program has some.
NOTHING = bytes.fromhex("00709e00e70900")

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.slow]


class Target:
    """The last job of a captured frame that is rendered, its tile lists in memory, and what may be damaged of that."""

    def __init__(self, name):
        capture = load_capture(CASES / name)
        host = Host(capture, preset("bcm2835"))
        *before, job = [job for job in capture.jobs if RENDERING in job.threads]
        for one in before:
            for _ in host.run(one):
                pass
        job.load(host.memory)
        loaded = np.frombuffer(host.memory.read(0, capture.memory_size), np.uint8)
        host.bin(job)
        self.image = host.memory.read(0, capture.memory_size)
        binned = np.flatnonzero(loaded != np.frombuffer(self.image, np.uint8))
        self.starts = tuple((name, job.registers[name]) for name in ("CT1CA", "CT1EA"))
        lists = (job.registers["CT1CA"], job.registers["CT1EA"])
        self._wait_for_nothing(*lists)
        # Damaged programs read registers that nobody has written: what these hold depends on who ran where.
        pieces = [(address, address + len(data)) for address, data in job.updates if NOTHING not in data]
        tiles = (int(binned[0]), int(binned[-1]) + 1)
        self.inputs = [lists, tiles, *((address, address + len(data)) for address, data in job.updates)]
        self.regions = [lists] * 3 + [tiles] * 3 + pieces

    def _wait_for_nothing(self, address, end):
        """Tile lists are there: only the list that renders runs, so its waits for the other one go."""
        image = bytearray(self.image)
        while address < end:
            if image[address] == ControlCode.WAIT_ON_SEMAPHORE.value:
                image[address] = ControlCode.NOP.value
            address += RECORDS[image[address]].length
        self.image = bytes(image)


def drawn_alone(target, image):
    """How the model renders it: memory at the end, whether there was a frame, why the list waits, why the model rests."""
    memory = Memory(len(image), 0, image)
    gpu = V3D(CONFIG, memory)
    gpu.fragment_shader.limit = gpu.renderer.screen.shading.limit = INSTRUCTIONS
    cle = Cle(memory, Recorder(), gpu.renderer)
    for name, value in target.starts:
        thread = cle.threads[int(name[2])]
        (thread.set_current if name.endswith("CA") else thread.set_end)(value)
    rest = cle.run(STEPS)
    thread = cle.threads[RENDERING]
    why = str(thread.error or thread.waits or "")
    return np.frombuffer(memory.read(0, len(image)), np.uint8), cle.frame_count > 0, why, rest


def compare(target, image, engine):
    """Returns how the frame has ended."""
    model, is_drawn, why, rest = drawn_alone(target, image)
    if rest is Rest.LIMIT or "does not end" in why:
        return "no end"
    # The hardware goes on: memory answers with an error, and other QPUs shade other vectors.
    if "outside of memory" in why or "shader" in why:
        return "goes on"
    # Caches need not see what a frame stores over its own lists, vertices and programs.
    if any(model[first:end].tobytes() != image[first:end] for first, end in target.inputs):
        return "overwrites itself"
    job = DrawJob(image=image, registers=target.starts, config=CONFIG, max_cycles=CLOCKS)
    run = run_draw(job, engine)
    rtl = np.frombuffer(bytes(run.memory[: len(image)]), np.uint8)
    different = np.flatnonzero(rtl != model)
    assert not len(different), f"{len(different)} bytes differ, from {different[0]:#x} on; the model: {why or 'draws'}"
    assert run.drawn == is_drawn, why
    return "drawn" if is_drawn else "error" if why else "no frame"


@pytest.mark.parametrize("name", NAMES)
def test_damaged_frames(name, request, seeds):
    target, ends, engine = Target(name), Counter(), request.config.getoption("--engine")
    assert compare(target, target.image, engine) == "drawn"
    for seed in seeds(12):
        ends[compare(target, mutate(random.Random(seed), target.image, 0, target.regions), engine)] += 1
    print(ends)
