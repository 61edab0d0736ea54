"""`Rasteriser` against the model's front end: the same quads with the same samples, in the same order."""

import random

import pytest

from vc4.fep.rasteriser import Rasteriser
from vc4.records.samples import PIXEL
from vc4.records.state import Oversample
from vc4sim.model.fep.fep import Window
from vc4sim.model.pse.pse import set_up_triangle
from vc4sim.model.pse.pse_shapes import set_up_line, set_up_point, set_up_rht

from ..model.shapes import BOTH, bits, rasterise, vertex
from ..simulation import simulation_of
from .primitives import TILE, in_tile, some_window

PATIENCE = 2000


def rasterised(jobs, *, seed=1, gap=0.0, pause=0.0):
    """The quads of primitives, a list each, and the clocks."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(Rasteriser)
    found, clocks = [[]], [0]

    async def bench(ctx):
        left, offered, waited = list(jobs), False, 0
        while len(found) <= len(jobs):
            offered = bool(left) and (offered or rng.random() >= gap)
            if offered:
                ctx.set(dut.i.payload, left[0])
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.o.ready, rng.random() >= pause)
            takes, gives = offered and ctx.get(dut.i.ready), ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            quad = ctx.get(dut.o.payload)
            await ctx.tick()
            clocks[0] += 1
            waited = 0 if takes or gives else waited + 1
            assert waited < PATIENCE
            if takes:
                left.pop(0)
                offered = False
            if gives:
                covered = tuple(quad.covered)
                assert any(covered) or quad.ends
                if any(covered):
                    found[-1].append((quad.x, quad.y, covered))
                if quad.ends:
                    found.append([])
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found[:-1], clocks[0]


def expected(primitive, window, oversample):
    quads = rasterise(primitive, window, oversample)
    return [
        (int(x[0]) % TILE // 2, int(y[0]) % TILE // 2, tuple(map(int, covered)))
        for x, y, covered in zip(quads.x, quads.y, quads.covered, strict=True)
    ]


def some_primitives(rng, window):
    """A primitive, or two of an RHT, near the window most of the time."""
    reach = rng.choice((PIXEL, 4 * PIXEL, TILE * PIXEL, 1 << 15))

    def place():
        centre = (PIXEL * window.left, PIXEL * window.low)
        x, y = (min(max(one + rng.randrange(-reach, reach + 512), -(1 << 16)), (1 << 16) - 1) for one in centre)
        return (x & ~0xF, y & ~0xF) if rng.random() < 0.2 else (x, y)

    kind = rng.randrange(8)
    if kind == 0:
        return [set_up_point(vertex(*place()), bits(rng.choice((1.0, 3.3, 40.0))))]
    if kind == 1:
        state = BOTH._replace(line_width=bits(rng.choice((1.0, 2.5, 17.0))))
        return [set_up_line((vertex(*place()), vertex(*place())), state)]
    if kind == 2:
        return set_up_rht((vertex(*place()), vertex(*place())), BOTH._replace(rht_boundary=place()[0]))
    return [set_up_triangle([vertex(*place()) for _ in range(3)], BOTH)]


def some_jobs(rng, count):
    """Jobs, and what comes of each."""
    found = []
    while len(found) < count:
        window, oversample = some_window(rng), rng.choice(list(Oversample))
        for primitive in some_primitives(rng, window):
            job = primitive and in_tile(primitive, window, oversample)
            if job:
                found.append((job, expected(primitive, window, oversample)))
    return found


@pytest.mark.parametrize(
    "seeds",
    [
        range(2),
        pytest.param(range(2, 4), marks=pytest.mark.thorough),
        pytest.param(range(4, 100), marks=pytest.mark.slow),
    ],
    ids=["some", "more", "many"],
)
def test_quads_of_the_model(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        jobs = some_jobs(rng, 15)
        found, _ = rasterised([job for job, _ in jobs], seed=seed, gap=rng.choice((0, 0.5)), pause=rng.choice((0, 0.3)))
        for got, (job, wanted) in zip(found, jobs, strict=True):
            assert got == wanted, job


def triangle(*corners):
    return set_up_triangle([vertex(PIXEL * x, PIXEL * y) for x, y in corners], BOTH)


@pytest.mark.parametrize(
    ("corners", "oversample", "quads", "clocks"),
    [
        pytest.param(((0, 0), (128, 0), (0, 128)), Oversample.NONE, 1024, 1037, id="a whole tile"),
        pytest.param(((0, 0), (64, 0), (0, 64)), Oversample.NONE, 528, 541, id="half of it"),
        pytest.param(
            ((0, 0), (2, 0), (0, 128)), Oversample.NONE, 32, 169, id="a quad in each row"
        ),  # five clocks to find one
        pytest.param(((0, 0), (4, 0), (0, 4)), Oversample.NONE, 3, 24, id="two rows"),
        pytest.param(((0, 0), (128, 0), (0, 128)), Oversample.X4, 1024, 4109, id="four samples"),
        pytest.param(((0, 0), (32, 0), (0, 32)), Oversample.X16, 136, 2205, id="sixteen samples"),
    ],
)
def test_clocks(corners, oversample, quads, clocks):
    """A quad a clock, or a sample of one."""
    job = in_tile(triangle(*corners), Window(0, TILE, 0, TILE), oversample)
    found, took = rasterised([job])
    assert (len(found[0]), took) == (quads, clocks)
