"""`Fep` against the model's front end: all quads of primitives in tiles, in their order."""

import random

import pytest

from vc4.fep import Fep
from vc4.records.samples import PIXEL
from vc4.records.state import Oversample
from vc4sim.model.fep.fep import ZS, Limits, Window
from vc4sim.model.pse.pse import set_up_triangle

from ..model.shapes import BOTH, rasterise, vertex
from ..simulation import simulation_of
from .primitives import TILE, in_tile, payload, some_window, window_of
from .test_rasteriser import some_primitives

PATIENCE = 3000


def quads_of(jobs, *, lanes, seed=1, gap=0.0, pause=0.0):
    """The quads of (primitive, window, oversample, limits), a list for each that enters the tile, their counts, and the clocks."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(Fep, lanes)
    entering = sum(in_tile(primitive, window, oversample) is not None for primitive, window, oversample, _ in jobs)
    found, counts = [[]], {"clipped": 0, "between": 0, "clocks": 0}

    async def bench(ctx):
        left, offered, waited = list(jobs), False, 0
        while left or len(found) <= entering:
            offered = bool(left) and (offered or rng.random() >= gap)
            if offered:
                primitive, window, oversample, limits = left[0]
                ctx.set(dut.window, window_of(window))
                ctx.set(dut.limits, {"nearest": limits[0], "farthest": limits[1]})
                ctx.set(dut.i.payload, payload(primitive, oversample))
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.o.ready, rng.random() >= pause)
            takes, gives = offered and ctx.get(dut.i.ready), ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            quad = ctx.get(dut.o.payload)
            for name in ("clipped", "between"):
                counts[name] += ctx.get(getattr(dut, name))
            await ctx.tick()
            counts["clocks"] += 1
            waited = 0 if takes or gives else waited + 1
            assert waited < PATIENCE
            if takes:
                left.pop(0)
                offered = False
            if gives:
                if any(quad.covered):
                    found[-1].append((quad.x, quad.y, tuple(quad.covered), tuple(quad.z)))
                if quad.ends:
                    found.append([])
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found[:-1], counts


def expected(primitive, window, oversample, limits):
    quads = rasterise(primitive, window, oversample, Limits(limits))
    return [
        (int(x[0]) % TILE // 2, int(y[0]) % TILE // 2, tuple(map(int, covered)), tuple(map(int, z)))
        for x, y, covered, z in zip(quads.x, quads.y, quads.covered, quads.z, strict=True)
    ]


def some_jobs(rng, count):
    """State changes from one to the next."""
    found = []
    while len(found) < count:
        window, oversample = some_window(rng), rng.choice(list(Oversample))
        for primitive in filter(None, some_primitives(rng, window)):
            found.append((primitive, window, oversample, rng.choice((ZS, ZS, (1 << 22, 3 << 22)))))
    return found


@pytest.mark.parametrize("lanes", [1, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "seeds",
    [
        range(1),
        pytest.param(range(1, 5), marks=pytest.mark.thorough),
        pytest.param(range(5, 40), marks=pytest.mark.slow),
    ],
    ids=["some", "more", "many"],
)
def test_quads_of_the_model(seeds, lanes):
    for seed in seeds:
        rng = random.Random(seed)
        jobs = some_jobs(rng, 12)
        found, counts = quads_of(jobs, lanes=lanes, seed=seed, gap=rng.choice((0, 0.5)), pause=rng.choice((0, 0.3)))
        assert found == [expected(*job) for job in jobs if in_tile(*job[:3])]
        assert counts["between"] == sum(map(len, found))
        assert counts["clipped"] + counts["between"] == sum(len(expected(*job[:3], ZS)) for job in jobs)


@pytest.mark.parametrize(
    ("side", "count", "lanes", "quads", "clocks"),
    [
        pytest.param(128, 1, 4, 1024, 1055, id="a whole tile"),
        pytest.param(128, 1, 1, 1024, 4127, id="a whole tile, one lane"),
        pytest.param(8, 20, 4, 200, 622, id="twenty of ten quads"),
    ],
)
def test_clocks(side, count, lanes, quads, clocks):
    """Those of the quads, and what a primitive takes to enter the tile."""
    corners = (0, 0), (side, 0), (0, side)
    triangle = set_up_triangle([vertex(PIXEL * x, PIXEL * y) for x, y in corners], BOTH)
    found, counts = quads_of([(triangle, Window(0, TILE, 0, TILE), Oversample.NONE, ZS)] * count, lanes=lanes)
    assert (sum(map(len, found)), counts["clocks"]) == (quads, clocks)
