"""Binning lists on the RTL: every byte of tile lists, tile states and clipped vertices is the model's."""

import dataclasses
import random
from collections import Counter

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode
from vc4sim.clist import load_capture
from vc4sim.damaged import compare_binning as compare
from vc4sim.damaged import compare_damaged, damaged_job
from vc4sim.frames.job import FrontJob
from vc4sim.render import Host
from vc4sim.render.host import overspill_of

from ..often import often
from ..render.test_captures import NAMES
from .some_bins import some_bins

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]
#: Bytes of the pool beyond the initial blocks; what a host gives then comes in pieces of 4 KiB, with gaps between them or without.
POOLS = [0, 4096, 5 * 4096]

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
    """Leaves the first configuration of a list so much memory, and puts overspill after all; returns that."""
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
    [
        pytest.param(30, 400, marks=pytest.mark.thorough),
        *(pytest.param(count, 400, marks=pytest.mark.slow) for count in (250, 2500)),
    ],
    ids=["12_000", "1e5", "1e6"],
)
def test_random_primitives(frames, primitives, seeds, request, waves):
    """Of all kinds and sizes, with all state, and with any memory, which may not be enough."""
    ends = Counter()
    for seed in seeds(frames):
        run, model = compare(random_job(seed, primitives), request.config.getoption("--engine"), waves)
        ends["waits" if model.binner.out_of_memory else "flushed"] += 1
    assert often(ends["waits"], ends.total(), 1 / 10)
    assert often(ends["flushed"], ends.total(), 2 / 3)


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(100, marks=pytest.mark.thorough),
        *(pytest.param(count, marks=pytest.mark.slow) for count in (2000, 20_000)),
    ],
    ids=["100", "2_000", "20_000"],
)
def test_damaged_lists(frames, seeds, request, waves):
    """They end as on the model: flushed, at an error, waiting; and nothing is written that is not the binner's."""
    ends = Counter()
    for seed in seeds(frames):
        ends[compare_damaged(damaged_job(seed, CONFIG), request.config.getoption("--engine"), waves)] += 1
    print(ends)
    assert often(ends["flushed"], ends.total(), 1 / 3)
    assert often(ends["error of the binner"], ends.total(), 1 / 200)
