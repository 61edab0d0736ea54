"""Whatever is in memory, binning ends: done, at a defined error, or waiting; and it writes nothing but its own memory."""

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from vc4.records.control import ControlCode, Role
from vc4.records.shaders import TILE_STATE_BYTES
from vc4sim.clist.capture import load_capture
from vc4sim.damaged import mutate
from vc4sim.damaged import whole_frame as frames
from vc4sim.model.cle.cle import BINNING, Cle, Rest
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.memory import Memory
from vc4sim.model.ptb.binner import Binner
from vc4sim.model.v3d import V3D

from ..binning import CONFIG
from ..block_host import host_of

CASES = Path(__file__).parents[2] / "data/cases/gl"
#: Steps until a list counts as one that does not end, and instructions of a program; the frame as it is takes 1000 and 30.
LIMIT, INSTRUCTIONS = 3000, 300
#: Where bytes of the frame are worth to be changed.
REGIONS = (
    (frames.LISTS, frames.LISTS + 0x40),
    (frames.LISTS, frames.LISTS + 0x300),
    (frames.RECORDS, frames.RECORDS + 0x1A0),
    (frames.RECORDS, frames.RECORDS + 0x80),
    (frames.CODE, frames.CODE + 0x100),
    (frames.VERTICES, frames.VERTICES + 0x300),
    (frames.SHADED, frames.SHADED + 0x400),
    (frames.INDICES, frames.INDICES + 12),
    (frames.ALLOCATION, frames.ALLOCATION + 0x200),
)


@dataclass(frozen=True)
class Target:
    """A frame: its memory, its binning list, where bytes are worth to be changed, and memory that the host can supply."""

    base: int
    image: bytes
    start: int
    end: int
    regions: tuple[tuple[int, int], ...]
    overspill: range


def own_frame(rng):
    memory, end = frames.frame(rng, rng.choice((ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)))
    overspill = range(frames.OVERSPILL, frames.OVERSPILL + frames.OVERSPILL_BYTES)
    return Target(frames.BASE, bytes(memory.data), frames.LISTS, end, REGIONS, overspill)


def captured_frame(name):
    """The first job of a captured frame; all that its program has put into memory may be changed."""
    capture = load_capture(CASES / name)
    memory, job = Memory(capture.memory_size), capture.jobs[0]
    job.load(memory)
    lists = job.registers["CT0CA"], job.registers["CT0EA"]
    pieces = tuple((address, address + len(data)) for address, data in job.updates)
    overspill = range(0x1000, 0x9000)
    return Target(0, bytes(memory.data), *lists, (lists, lists, *pieces), overspill)


class Watched(Binner):
    """A binner of whose writes each must lie in memory that a configuration or the host has given it."""

    def __init__(self, memory):
        super().__init__(memory, V3D(CONFIG, memory).binner.shading)
        self.shading.limit = INSTRUCTIONS
        self.allowed = []
        memory.on_write = self.check

    def check(self, address, data):
        assert any(first <= address and address + len(data) <= last for first, last in self.allowed), hex(address)

    def record(self, record):
        if record.kind.role is Role.CONFIGURATION:
            fields = record.fields
            first, states = fields.tile_allocation_memory_address, fields.tile_state_data_array_address & ~15
            self.allowed = [
                (first, first + fields.tile_allocation_memory_size),
                (states, states + fields.width * fields.height * TILE_STATE_BYTES),
                self.overspill(),
            ]
        return super().record(record)

    def written(self, name, fields):
        super().written(name, fields)
        self.allowed.append(self.overspill())

    def overspill(self):
        """What the host has given and nobody has taken: that may have been before the frame was configured."""
        memory = self._ptb.memory
        return memory.overspill_address, memory.overspill_address + memory.overspill_size

    def supply(self, overspill):
        """Overspill, the same again and again."""
        host_of(self).write("BPOA", overspill.start)
        host_of(self).write("BPOS", len(overspill))


def run(rng, target, image):
    """How binning has ended."""
    memory = Memory(len(image), target.base, image)
    binner = Watched(memory)
    cle = Cle(memory, binner, Recorder())
    host_of(cle).write("CT0CA", target.start)
    host_of(cle).write("CT0EA", target.end)
    supplies = rng.randrange(3)
    while (rest := cle.run(LIMIT)) is Rest.WAITING and binner.out_of_memory and supplies:
        assert binner.error is None
        supplies -= 1
        binner.supply(target.overspill[rng.choice((0, 0, 1, 300)) :])
    thread = cle.threads[BINNING]
    for name in Binner.registers:
        assert 0 <= host_of(binner).read(name) <= 1 << 32
    found = "end"
    if binner.error is not None:
        assert binner.error
        assert "\n" not in binner.error
        assert rest is Rest.WAITING
        assert thread.waits == binner.error
        found = "error of the binner"
    elif binner.out_of_memory:
        assert thread.waits == "memory for tile lists"
        found = "out of memory"
    elif thread.error:
        found = "error of the list"
    elif rest is not Rest.STOPPED:
        found = "semaphore" if rest is Rest.WAITING else "on its way"
    recovers(cle, binner, memory)
    return found


def recovers(cle, binner, memory):
    """After a reset of both the frame can be binned."""
    memory.on_write = None
    host_of(cle).write("CT0CS", 1 << 15)
    host_of(cle).write("PCS", 1 << 4)
    assert binner.error is None
    assert not binner.out_of_memory


def fuzz(count, name=""):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    target = captured_frame(name) if name else own_frame(rng)
    assert run(random.Random(0), target, target.image) in ("end", "out of memory")
    ends = Counter(run(rng, target, mutate(rng, target.image, target.base, target.regions)) for _ in range(count))
    print(ends)
    return ends


@pytest.mark.thorough
def test_mutated_frames():
    ends = fuzz(200)
    assert ends["end"] > 20
    assert ends["error of the binner"] > 3
    assert ends["error of the list"] > 3


@pytest.mark.parametrize(
    "name", ["tri_clip", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("points", "lines"))]
)
def test_mutated_captures(name):
    ends = fuzz(60, name)
    assert ends["end"] > 5
    assert ends["end"] < 60


def test_the_host_does_anything_at_any_time():
    """Random writes of registers while a frame is binned; a reset brings it back."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    memory, end = frames.frame(rng)
    image = bytes(memory.data)
    for _ in range(20):
        memory = Memory(frames.SIZE, frames.BASE, image)
        binner = Watched(memory)
        cle = Cle(memory, binner, Recorder())
        host_of(cle).write("CT0CA", frames.LISTS)
        host_of(cle).write("CT0EA", end)
        for _ in range(30):
            for _ in range(rng.randrange(40)):
                cle.step()
            value = rng.choice((1 << 4, 1 << 5, 1 << 15, 1, 3, rng.randrange(1 << 32), frames.LISTS, end))
            if rng.random() < 0.5:
                host_of(cle).write(rng.choice(("CT0CS", "CT0CA", "CT0EA", "PCS", "PCS")), value)
            else:
                host_of(binner).write(rng.choice(Binner.registers), value)
        recovers(cle, binner, memory)
        for name, value in (("BPOA", 0), ("BPOS", 0), ("BXCF", 0)):
            host_of(binner).write(name, value)
        memory.write(frames.BASE, image)
        host_of(cle).write("CT0CA", frames.LISTS)
        host_of(cle).write("CT0EA", end)
        while cle.run(LIMIT) is not Rest.STOPPED:
            assert binner.out_of_memory
            binner.supply(range(frames.OVERSPILL, frames.OVERSPILL + frames.OVERSPILL_BYTES))
        assert cle.threads[BINNING].error is None


@pytest.mark.slow
def test_many_mutated_frames():
    fuzz(20_000)
