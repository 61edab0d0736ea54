"""Captured frames with damage anywhere: binning and rendering end in a picture or an error, and write only what is theirs."""

import random
from collections import Counter
from pathlib import Path

import pytest

from vc4.config import preset
from vc4.records.control import Role
from vc4.records.shaders import TILE_STATE_BYTES
from vc4sim.clist import load_capture
from vc4sim.damaged import mutate
from vc4sim.model.cle.cle import Cle, Rest
from vc4sim.model.memory import Memory
from vc4sim.model.ptb.binner import Binner
from vc4sim.model.v3d import V3D
from vc4sim.render import picture_of

from .reach import reach

CASES = Path(__file__).parents[1] / "data/cases/gl"
NAMES = ("tri_flat", "tex_lt_small", "tri_clip", "points", "stencil", "scissor", "msaa4_pbuf", "tri_color_npot")
CONFIG = preset("bcm2835")
#: Steps until a frame counts as one that does not end, and instructions of a program; a frame as it is takes 500 and 80.
STEPS, INSTRUCTIONS = 3000, 200
OUT_OF_MEMORY = 4


class Watched(V3D):
    """A frame of whose writes each must lie in memory that a configuration, the host, or a store has given it."""

    def __init__(self, memory):
        super().__init__(CONFIG, memory)
        self.binner.shading.limit = self.renderer.screen.shading.limit = INSTRUCTIONS
        self.fragment_shader.limit = INSTRUCTIONS
        self._lists, self._store = [], None
        for owner, name, method in (
            (self.binner, "record", self._record),
            (self.renderer.transfers, "_store", self._stores),
        ):
            setattr(owner, name, self._around(getattr(owner, name), method))
        memory.on_write = self._check

    @staticmethod
    def _around(inner, outer):
        return lambda record: outer(inner, record)

    def _record(self, carry_out, record):
        if record.kind.role is Role.CONFIGURATION:
            fields = record.fields
            first, states = fields.tile_allocation_memory_address, fields.tile_state_data_array_address & ~15
            self._lists = [
                range(first, first + fields.tile_allocation_memory_size),
                range(states, states + fields.width * fields.height * TILE_STATE_BYTES),
            ]
        return carry_out(record)

    def _stores(self, carry_out, record):
        self._store = reach(self.renderer.transfers, record)
        try:
            carry_out(record)
        finally:
            self._store = None

    def _check(self, address, data):
        for part in [self._store] if self._store is not None else self._lists:
            # Addresses have 32 bits, also after the last one.
            if (address - part.start) % (1 << 32) + len(data) <= len(part):
                return
        raise AssertionError(f"a write to {address:#010x}")

    def supply(self, overspill):
        """Memory for tile lists, the same again and again."""
        self._lists.append(overspill)
        self.write("BPOA", overspill.start)
        self.write("BPOS", len(overspill))
        self.write("INTCTL", OUT_OF_MEMORY)


class Target:
    """The last job of a captured frame: its memory, with all that the jobs before had, and where that may be damaged."""

    def __init__(self, name):
        self.capture = load_capture(CASES / name)
        self.job = self.capture.jobs[-1]
        memory = Memory(self.capture.memory_size)
        pieces = []
        for job in self.capture.jobs:
            job.load(memory)
            pieces += [(address, address + len(data)) for address, data in job.updates]
        self.image = bytes(memory.data)
        self.lists = [tuple(self.job.registers[f"CT{n}{end}"] for end in ("CA", "EA")) for n in self.job.threads]
        self.regions = (*self.lists * 3, *pieces)
        self.overspill = range(0x1000, 0x9000)


def run(rng, target, image):
    """How a frame has ended."""
    memory = Memory(len(image), 0, image)
    frame = Watched(memory)
    for number, (start, end) in zip(target.job.threads, target.lists, strict=True):
        frame.write(f"CT{number}CA", start)
        frame.write(f"CT{number}EA", end)
    supplies = rng.randrange(3)
    while (rest := frame.advance(STEPS)) is Rest.WAITING and frame.binner.out_of_memory and supplies:
        assert frame.read("INTCTL") & OUT_OF_MEMORY
        supplies -= 1
        frame.supply(target.overspill)
    for name in (*Cle.registers, *Binner.registers, "INTCTL"):
        assert 0 <= frame.read(name) < 1 << 32
    assert all(count >= 0 for count in frame.events.values())
    for thread, pipeline in zip(frame.cle.threads, (frame.binner, frame.renderer), strict=True):
        assert pipeline.error is None or "\n" not in pipeline.error
        assert pipeline.error is None or thread.waits == pipeline.error
    picture_of(target.capture, memory)
    if any(thread.error for thread in frame.cle.threads):
        return "error of a list"
    if frame.binner.error or frame.renderer.error:
        return "error of a pipeline"
    if frame.binner.out_of_memory:
        return "out of memory"
    return "picture" if rest is Rest.STOPPED and frame.read("RFC") else rest.name


def fuzz(name, count):
    """Damage a captured frame so many times; how often each end was met."""
    seed, target = random.randrange(1 << 32), Target(name)
    print("seed", seed)
    assert run(random.Random(0), target, target.image) == "picture"
    ends = Counter()
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        try:
            ends[run(rng, target, mutate(rng, target.image, 0, target.regions))] += 1
        except BaseException:
            print(f'rng = random.Random("{seed} {number}") shows it')
            raise
    print(ends)
    return ends


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.thorough) for name in NAMES[1:])])
def test_damaged_captures(name):
    ends = fuzz(name, 40)
    assert ends["picture"]
    assert ends["picture"] < 40


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_many_damaged_captures(name):
    fuzz(name, 20_000 // len(NAMES))
