"""Binning lists on the RTL: every byte of tile lists, tile states and clipped vertices is the model's."""

import dataclasses
import random
from collections import Counter

import numpy as np
import pytest

from vc4.config import preset
from vc4.records.control import ControlCode
from vc4sim.clist import load_capture
from vc4sim.frames.binned import binned
from vc4sim.frames.expected import FrontModel
from vc4sim.frames.job import FrontJob
from vc4sim.model.cle.cle import BINNING, Rest
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.render import Host
from vc4sim.render.host import overspill_of

from ..model import gl_frame
from ..model.mutation import mutate
from ..model.ptb import test_ptb_fuzz
from ..render.test_captures import NAMES
from .binning import compare
from .some_bins import some_bins

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Bytes of the pool beyond the initial blocks; what a host gives then comes in pieces of 4 KiB, with gaps between them or without.
POOLS = [0, 4096, 5 * 4096]
#: Of damaged frames: steps until a list counts as one that does not end, and instructions of a program.
STEPS, INSTRUCTIONS = 3000, 300

pytestmark = pytest.mark.usefixtures("compiler")


def binning_jobs(folder, pool=None, **options):
    """Each binning list of a captured frame; with a smaller pool if one is named."""
    capture = load_capture(folder)
    host = Host(capture, preset("bcm2835"))
    for job in capture.jobs:
        if 0 in job.threads:
            job.load(host.memory)
            image = bytearray(host.memory.read(0, capture.memory_size))
            overspill = overspill_of(job)
            if pool is not None:
                overspill = shrink(image, job.registers["CT0CA"], pool)
            registers = tuple(write for write in job.starts if write[0].startswith("CT0"))
            yield FrontJob(
                image=bytes(image), registers=registers, overspill=overspill, config=CONFIG, bins=True, **options
            )
        for _ in host.run(job):
            pass


def shrink(image, start, pool):
    """Leaves the first configuration of a list so much memory, and puts overspill behind all; returns that."""
    assert image[start] == ControlCode.TILE_BINNING_MODE_CONFIGURATION.value
    width, height, flags = image[start + 13 : start + 16]
    initial = 32 << (flags >> 3 & 3)
    image[start + 5 : start + 9] = (width * height * initial + pool).to_bytes(4, "little")
    first = -(-len(image) // 4096) * 4096
    sizes = [4096, 4096, 4096 + 512, 4096] + 60 * [0x8000]
    pieces = []
    for number, size in enumerate(sizes):
        pieces.append((first, size))
        first += size + (256 if number % 3 == 2 else 0)
    image.extend(bytes(first - len(image)))
    return tuple(pieces)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_captured_frames(recorded, name):
    for job in binning_jobs(recorded / "cases/gl" / name):
        run, model = compare(job)
        assert model.binner.error is None
        assert run.read["BFC"] == 1


@pytest.mark.thorough
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", ["overflow", "mesh_depth", "tri_clip"])
def test_small_pools(recorded, name, pool):
    """Overspill is asked for; the binner waits for it, and goes on."""
    given = 0
    for job in binning_jobs(recorded / "cases/gl" / name, pool):
        run, model = compare(job)
        assert model.binner.error is None
        assert run.read["BFC"] == 1
        given += run.read["BPOA"] != 0
    assert given or pool


@pytest.mark.slow
@pytest.mark.parametrize("pool", [None, *POOLS])
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("name", NAMES)
def test_all_memories(recorded, name, latency, gap, pool):
    for job in binning_jobs(recorded / "cases/gl" / name, pool, latency=latency, gap=gap):
        run, model = compare(job)
        assert model.binner.error is None
        assert run.read["BFC"] == 1


def random_job(seed, primitives):
    rng = random.Random(seed)
    image, registers, overspill = some_bins(rng, primitives)
    latency, gap = rng.choice(MEMORIES)
    return FrontJob(
        image=image,
        registers=registers,
        overspill=overspill[: rng.choice((0, 2, 100, 100, 100))],
        config=CONFIG,
        bins=True,
        latency=latency,
        gap=gap,
        seed=seed,
        max_cycles=8_000_000,
    )


@pytest.mark.parametrize(
    ("frames", "primitives"),
    [pytest.param(250, 400, marks=pytest.mark.thorough), pytest.param(2500, 400, marks=pytest.mark.slow)],
    ids=["1e5", "1e6"],
)
def test_random_primitives(frames, primitives, seeds, request, waves, is_one):
    """Of all kinds and sizes, with all state, and with any memory, which may not be enough."""
    ends = Counter()
    for seed in seeds(frames):
        run, model = compare(random_job(seed, primitives), request.config.getoption("--engine"), waves)
        ends["waits" if model.binner.out_of_memory else "flushed"] += 1
    if not is_one:
        assert ends["waits"] > frames / 100
        assert ends["flushed"] > frames / 2


def own_frame(rng):
    """A small frame with everything, where it may be damaged, and what is its memory."""
    memory, end = gl_frame.frame(rng, rng.choice((ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)))
    image = bytes(gl_frame.BASE) + bytes(memory.data)
    return image, (("CT0CA", gl_frame.LISTS), ("CT0EA", end))


#: What programs do that are damaged depends on who runs them.
REGIONS = tuple(part for part in test_ptb_fuzz.REGIONS if part[0] != gl_frame.CODE)


def damaged_job(seed):
    """A frame with damage anywhere, tile states among it: sometimes the list does not initialise them."""
    rng = random.Random(seed)
    image, registers = own_frame(rng)
    image = mutate(rng, image, 0, REGIONS)
    overspill = range(gl_frame.OVERSPILL, gl_frame.OVERSPILL + gl_frame.OVERSPILL_BYTES)
    supplies = (overspill[rng.choice((0, 0, 1, 300)) :] for _ in range(rng.randrange(3)))
    return FrontJob(
        image=image,
        registers=registers,
        overspill=tuple((one.start, len(one)) for one in supplies),
        config=CONFIG,
        bins=True,
        max_cycles=8_000_000,  # of 255 by 255 tiles
    )


def goes_on(why, size):
    """Whether hardware does, as memory answers with an error, or a program never ends; the model says why it has stopped."""
    if why.startswith(("a write of the binner", "an initial block")):
        return int(why.split(" at ")[1].split()[0], 16) >= size
    return any(what in why for what in ("outside of memory", "program", "shader at"))


def shading_goes_on(job):
    """Whether it does where nobody bins: hardware shades ahead of a binner that has stopped, as far as there is room."""
    front = FrontModel(job.config, Memory(len(job.image), 0, job.image))
    front.gpu.binner.shading.limit = INSTRUCTIONS
    rest = front.run(job.registers, STEPS)
    return rest is Rest.LIMIT or goes_on(str(front.fronts[BINNING].error or ""), len(job.image))


@pytest.mark.parametrize(
    "frames",
    [pytest.param(2000, marks=pytest.mark.thorough), pytest.param(20_000, marks=pytest.mark.slow)],
    ids=["two_thousand", "twenty_thousand"],
)
def test_damaged_lists(frames, seeds, request, waves, is_one):
    """They end as on the model: flushed, at an error, waiting; and nothing is written that is not the binner's."""
    ends = Counter()
    for seed in seeds(frames):
        ends[damaged(damaged_job(seed), request.config.getoption("--engine"), waves)] += 1
    print(ends)
    if not is_one:
        assert ends["flushed"] > frames / 4
        assert ends["error of the binner"] > frames / 200


class Apart(Memory):
    """Tile lists, clipped vertices and states of tiles have bytes of their own, which nobody else sees.

    lists : these
    in_lists, in_states : which bytes are written of lists, and read or written of states; a flag each
    """

    def __init__(self, image, lists):
        super().__init__(len(image), 0, image)
        self.lists = Memory(len(lists), 0, lists)
        self.in_lists, self.in_states = np.zeros((2, len(lists)), bool)

    def read(self, address, length, access="read"):
        if access != "tile state":
            return super().read(address, length, access)
        self.in_states[address : address + length] = True
        return self.lists.read(address, length, access)

    def write(self, address, data, access="write"):
        if not access.startswith("a write of the binner"):
            return super().write(address, data, access)
        (self.in_states if access.endswith("state") else self.in_lists)[address : address + len(data)] = True
        return self.lists.write(address, data, access)


def reads_what_it_writes(job, done):
    """Whether vertices or states of tiles, say, lie in memory for tile lists: then it matters what the binner has written when they
    are read; on the model all that comes before, on hardware perhaps less, or more.
    """
    after = bytes(done.gpu.memory.data)
    for seen in job.image, after:
        memory = Apart(seen, job.image)
        again = binned(job, V3D(job.config, memory), steps=STEPS, instructions=INSTRUCTIONS)
        found, wanted = (np.frombuffer(data, np.uint8)[done.written] for data in (memory.lists.data, after))
        if again.gpu.events != done.gpu.events or (found != wanted).any() or (memory.in_lists & memory.in_states).any():
            return True
    return False


def begins_elsewhere(job):
    """Whether a program does: results that it leaves out are 0 on the model, and on hardware what is left in the VPM."""
    gpu, begins = V3D(job.config, Memory(len(job.image), 0, job.image)), set()
    shaders = gpu.binner.shading.shaders
    run = shaders.run

    def note(kind, launch, *rest):
        begins.add(launch.pc)
        run(kind, launch, *rest)

    shaders.run = note
    binned(job, gpu, steps=STEPS, instructions=INSTRUCTIONS)
    return not begins <= {gl_frame.CODE, gl_frame.CODE + 0x200}


def damaged(job, engine, waves):
    """How it has ended."""
    done = binned(job, steps=STEPS, instructions=INSTRUCTIONS)
    model, rest, _ = done
    thread = model.cle.threads[BINNING]
    if rest is Rest.LIMIT or goes_on(str(model.binner.error or thread.error or ""), len(job.image)):
        return "goes on"
    if (model.binner.error or model.binner.out_of_memory) and shading_goes_on(job):
        return "goes on"
    if done.written[: gl_frame.STATES].any():  # When it is read is another matter.
        return "overwrites itself"
    try:
        compare(job, engine, waves, done)
    except AssertionError:
        if reads_what_it_writes(job, done):  # When is another matter, too.
            return "overwrites itself"
        if begins_elsewhere(job):
            return "shades with another program"
        raise
    if thread.error:
        return "error of the list"
    if model.binner.error:
        return "error of the binner"
    return "waits" if model.binner.out_of_memory else "flushed" if model.read("BFC") else "ended"
