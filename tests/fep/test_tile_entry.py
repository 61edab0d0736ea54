"""`TileEntry` against plain Python: edges and plane of a primitive at its first quad in a window."""

import random

import pytest

from vc4.fep.tile_entry import TileEntry
from vc4.records.state import Oversample

from ..simulation import simulation_of
from .primitives import in_tile, payload, plane_of, some_window, window_of
from .test_rasteriser import some_primitives

PATIENCE = 30


def read(value):
    """Numbers of a `RasterPrimitive` or a `DepthPlane`."""
    found = {}
    for name, _ in value.shape():
        one = getattr(value, name)
        if name == "edges":
            one = [{key: getattr(edge, key) for key in "abc"} for edge in one]
        found[name] = {key: getattr(one, key) for key in ("nearest", "farthest")} if name == "limits" else one
    return found


def entered(jobs, *, seed=1, gap=0.0, pause=0.0):
    """What comes out for (window, primitive, limits)."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(TileEntry)
    found = {"o": [], "planes": []}

    async def bench(ctx):
        left, offered, waited = list(jobs), False, 0
        while waited < PATIENCE:
            offered = bool(left) and (offered or rng.random() >= gap)
            if offered:
                window, primitive, limits = left[0]
                ctx.set(dut.window, window_of(window))
                ctx.set(dut.limits, {"nearest": limits[0], "farthest": limits[1]})
                ctx.set(dut.i.payload, primitive)
            ctx.set(dut.i.valid, offered)
            moves = {}
            for name in found:
                port = getattr(dut, name)
                ctx.set(port.ready, rng.random() >= pause)
                moves[name] = ctx.get(port.valid) and ctx.get(port.ready), ctx.get(port.payload)
            takes = offered and ctx.get(dut.i.ready)
            await ctx.tick()
            waited = 0 if takes or any(move for move, _ in moves.values()) else waited + 1
            if takes:
                left.pop(0)
                offered = False
            for name, (move, value) in moves.items():
                if move:
                    found[name].append(read(value))
        assert not left

    rig.run(bench)
    return found["o"], found["planes"]


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 30), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_edges_and_planes(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        jobs, edges, planes = [], [], []
        while len(jobs) < 30:
            window, oversample = some_window(rng), rng.choice(list(Oversample))
            for primitive in filter(None, some_primitives(rng, window)):
                limits = rng.randrange(1 << 24), rng.randrange(1 << 24)
                jobs.append((window, payload(primitive, oversample), limits))
                wanted = in_tile(primitive, window, oversample)
                if wanted:
                    edges.append(wanted)
                    planes.append(plane_of(primitive, window, limits))
        assert len(edges) < len(jobs)
        found = entered(jobs, seed=seed, gap=rng.choice((0, 0.5)), pause=rng.choice((0, 0.3)))
        for got, wanted in zip(found, (edges, planes), strict=True):
            assert len(got) == len(wanted)
            for number, pair in enumerate(zip(got, wanted, strict=True)):
                assert pair[0] == pair[1], number
