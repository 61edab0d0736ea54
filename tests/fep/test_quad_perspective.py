"""`QuadPerspective` against the model's W."""

import random

import pytest

from vc4.fep.quad_perspective import QuadPerspective
from vc4sim.model.arith.float import WORD, itof
from vc4sim.model.slice.vri import partial_result, w_of

from ..model.shapes import bits
from ..simulation import simulation_of

SPECIAL = (0, 0x8000_0000, 1, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001, 0x7F7F_FFFF, 0x3F80_0000)


def some_float(rng):
    match rng.randrange(4):
        case 0:
            return rng.choice(SPECIAL)
        case 1:
            return rng.getrandbits(32)
        case _:
            return bits(rng.uniform(-1, 1) * 2.0 ** rng.randrange(-20, 4))


def some_planes(rng, count):
    """Planes, the distance of the tile's first pixel, and quads."""
    for _ in range(count):
        plane = {name: some_float(rng) for name in "abc"}
        place = [rng.randrange(-(1 << 16), 1 << 16) for _ in range(2)]
        yield plane, place, [(rng.randrange(32), rng.randrange(32)) for _ in range(rng.randrange(1, 6))]


def expected(plane, place, quad):
    found = []
    for pixel in range(4):
        dx, dy = (
            itof(start + 32 * at + 16 * (pixel >> axis & 1) & WORD)
            for axis, (start, at) in enumerate(zip(place, quad, strict=True))
        )
        found.append(w_of(partial_result(plane["a"], plane["b"], dx, dy), plane["c"]))
    return found


@pytest.mark.parametrize("lanes", [1, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("count", [60, pytest.param(150, marks=pytest.mark.thorough)], ids=["some", "many"])
def test_w_of_the_model(lanes, count):
    rng = random.Random(count)
    rig, dut = simulation_of(QuadPerspective, lanes)
    jobs = list(some_planes(rng, count))
    wanted = [word for plane, place, quads in jobs for quad in quads for word in expected(plane, place, quad)]
    found = []

    async def tick(ctx):
        """A clock; returns whether the quad was taken."""
        if ctx.get(dut.stb):
            assert ctx.get(dut.pixel) == len(found) % 4
            found.extend(ctx.get(dut.words))
        taken = ctx.get(dut.i.ready)
        await ctx.tick()
        return taken

    async def bench(ctx):
        for plane, place, quads in jobs:
            while ctx.get(dut.uses_plane):
                await tick(ctx)
            ctx.set(dut.plane, plane)
            for port, value in zip((dut.dx, dut.dy), place, strict=True):
                ctx.set(port, value & 0x3FFFF)
            for x, y in quads:
                ctx.set(dut.i.payload, {"x": x, "y": y})
                ctx.set(dut.i.valid, 1)
                while not await tick(ctx):
                    pass
                ctx.set(dut.i.valid, 0)
                while rng.random() < 0.2:
                    await tick(ctx)
        for _ in range(QuadPerspective.LATENCY + 4):
            await tick(ctx)

    rig.run(bench)
    assert found == wanted


@pytest.mark.parametrize(("lanes", "clocks"), [(1, 4), (4, 1)])
def test_clocks(lanes, clocks):
    """From one quad to the next, and from a quad to its words."""
    rig, dut = simulation_of(QuadPerspective, lanes)
    taken, came = [], []

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        for clock in range(QuadPerspective.LATENCY + 9):
            if ctx.get(dut.i.ready):
                taken.append(clock)
            if ctx.get(dut.stb):
                came.append(clock)
            await ctx.tick()
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    assert taken[:3] == [0, clocks, 2 * clocks]
    assert came[0] == QuadPerspective.LATENCY
