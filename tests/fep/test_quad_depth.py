"""`QuadDepth` against the model's front end: Z of each pixel, and which are between the planes."""

import random

import pytest

from vc4.fep.quad_depth import QuadDepth
from vc4.records.samples import PIXEL
from vc4.records.state import Oversample
from vc4sim.model.fep.fep import ZS, Limits, Window
from vc4sim.model.pse.pse import set_up_triangle

from ..model.shapes import BOTH, bits, rasterise, vertex
from ..simulation import simulation_of
from .primitives import TILE, plane_of

PATIENCE = 200


def deepened(jobs, *, lanes, seed=1, gap=0.0, pause=0.0):
    """Quads of primitives, a list for each, how many had samples, and between the planes, and the clocks."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(QuadDepth, lanes)
    found, counts = [[]], {"clipped": 0, "between": 0, "clocks": 0}

    async def bench(ctx):
        quads = [(quad, number) for number, (_, quads) in enumerate(jobs) for quad in quads]
        left, waited = [plane for plane, _ in jobs], 0
        offered = dict.fromkeys(("i", "planes"), False)
        while len(found) <= len(jobs):
            for name, queue in (("i", quads), ("planes", left)):
                offered[name] = bool(queue) and (offered[name] or rng.random() >= gap)
                if offered[name]:
                    ctx.set(getattr(dut, name).payload, queue[0][0] if name == "i" else queue[0])
                ctx.set(getattr(dut, name).valid, offered[name])
            ctx.set(dut.o.ready, rng.random() >= pause)
            takes = {name: offered[name] and ctx.get(getattr(dut, name).ready) for name in offered}
            gives, quad = ctx.get(dut.o.valid) and ctx.get(dut.o.ready), ctx.get(dut.o.payload)
            for name in ("clipped", "between"):
                counts[name] += ctx.get(getattr(dut, name))
            await ctx.tick()
            counts["clocks"] += 1
            waited = 0 if gives or any(takes.values()) else waited + 1
            assert waited < PATIENCE
            for name, queue in (("i", quads), ("planes", left)):
                if takes[name]:
                    queue.pop(0)
                    offered[name] = False
            if gives:
                if any(quad.covered):
                    found[-1].append((quad.x, quad.y, tuple(quad.covered), tuple(quad.z)))
                if quad.ends:
                    found.append([])
        assert not left
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found[:-1], counts


def quads_of(primitive, window, limits=Limits()):
    quads = rasterise(primitive, window, Oversample.NONE, limits)
    return [
        (int(x[0]) % TILE // 2, int(y[0]) % TILE // 2, tuple(map(int, covered)), tuple(map(int, z)))
        for x, y, covered, z in zip(quads.x, quads.y, quads.covered, quads.z, strict=True)
    ]


def some_triangle(rng, reach):
    def corner():
        x, y = (rng.randrange(-reach, reach + TILE) * PIXEL + rng.randrange(PIXEL) for _ in range(2))
        return vertex(x, y, rng.choice((0.0, 1.0, rng.random(), rng.random())))

    offset = (bits(rng.choice((0.5, -2.0))) >> 16, bits(rng.choice((3.0, -700.0))) >> 16)
    return set_up_triangle([corner() for _ in range(3)], BOTH._replace(offset=rng.choice((None, offset))))


def job_of(primitive, window, planes=ZS):
    """The plane of a primitive, and its quads as they come from the rasteriser."""
    quads = quads_of(primitive, window)
    coming = [{"x": x, "y": y, "covered": covered, "ends": 0} for x, y, covered, _ in quads]
    if not coming or len(quads) % 3 == 0:  # what ends a primitive may have no samples
        coming.append({"x": 0, "y": 0, "covered": [0] * 4, "ends": 1})
    else:
        coming[-1]["ends"] = 1
    return plane_of(primitive, window, planes), coming


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize(
    "seeds", [range(4), pytest.param(range(4, 24), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_z_of_the_model(lanes, seeds):
    for seed in seeds:
        rng = random.Random(seed)
        x, y = TILE * rng.randrange(4), TILE * rng.randrange(4)
        window = Window(x, x + 20, y, y + 20)
        planes = rng.choice((ZS, (1 << 22, 3 << 22)))
        triangles = [some_triangle(rng, rng.choice((20, 300, 4000))) for _ in range(12)]
        triangles = [one for one in triangles if one]
        found, counts = deepened(
            [job_of(one, window, planes) for one in triangles],
            lanes=lanes,
            seed=seed,
            gap=rng.choice((0, 0.3)),
            pause=rng.choice((0, 0.3)),
        )
        wanted = [quads_of(one, window, Limits(planes)) for one in triangles]
        assert found == wanted
        assert counts["clipped"] + counts["between"] == sum(len(quads_of(one, window)) for one in triangles)
        assert counts["between"] == sum(map(len, wanted))


@pytest.mark.parametrize(("lanes", "clocks"), [(1, 4 * 36 + 10), (4, 36 + 7)])
def test_clocks(lanes, clocks):
    """A pixel a clock in each lane."""
    triangle = set_up_triangle([vertex(0, 0), vertex(64 * PIXEL, 0), vertex(0, 64 * PIXEL)], BOTH)
    job = job_of(triangle, Window(0, 12, 0, 12))
    assert deepened([job], lanes=lanes)[1]["clocks"] == clocks
