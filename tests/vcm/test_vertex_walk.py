"""`VertexWalk`: the vertices of primitives in their order, and once more after a restart."""

import random

import pytest

from vc4.records.compressed import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.vcm.vertex_walk import VertexWalk

from ..simulation import simulation_of

PATIENCE = 100


def walk(primitives, *, seed=1, gap=0.0, pause=0.0, restart=0.0, forget=0.0):
    """Takes all vertices of `primitives`, but those that are forgotten; returns the clocks.

    gap, pause : chance in each clock that no primitive comes, no vertex is taken
    restart, forget : chance in each clock that its primitive comes once more; that all is forgotten
    """
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(VertexWalk)
    clocks = [0]

    async def bench(ctx):
        left, on_way = list(primitives), []
        number = waited = 0
        offered = forgets = False
        while left or on_way or forgets:
            offered = bool(left) and (offered or rng.random() >= gap)
            forgets = (forgets and bool(ctx.get(dut.any))) or rng.random() < forget
            takes = rng.random() >= pause
            # With nothing on the way it means nothing.
            restarts = not takes and rng.random() < restart and (ctx.get(dut.o.valid) or not (on_way or number))
            if offered:
                fields = {"type": left[0][0], "indices": left[0][1], "clipped": left[0][2]}
                ctx.set(dut.i.payload, fields)
            ctx.set(dut.i.valid, offered and not forgets)
            ctx.set(dut.forgets, forgets)
            ctx.set(dut.o.ready, takes)
            ctx.set(dut.restarts, restarts)
            valid, vertex, enters = ctx.get(dut.o.valid), ctx.get(dut.o.payload), ctx.get(dut.i.ready)
            assert ctx.get(dut.any) or not valid
            await ctx.tick()
            clocks[0] += 1
            waited = 0 if valid or enters or forgets else waited + 1
            assert waited < PATIENCE
            if valid:
                type_, indices, clipped = on_way[0] if on_way else left[0]
                wanted = (indices[number], number, number == VERTICES[type_] - 1, type_, clipped)
                assert (vertex.index, vertex.number, vertex.is_last, vertex.type, vertex.clipped) == wanted
            if offered and enters:
                on_way.append(left.pop(0))
                offered = False
            if forgets:
                # A primitive that is being taken apart is gone, too: it is not offered again.
                if left and rng.random() < 0.5:
                    left.pop(0)
                on_way.clear()
                number, offered = 0, False
            elif restarts:
                number = 0
            elif valid and takes:
                number = 0 if vertex.is_last else number + 1
                if vertex.is_last:
                    on_way.pop(0)
        assert not ctx.get(dut.any)
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return clocks[0]


def some_primitives(rng, count):
    return [
        (rng.choice(list(PrimitiveType)), [rng.randrange(1 << 16) for _ in range(3)], rng.randrange(2))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 80), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_any_pauses_and_restarts(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        chances = {name: rng.choice((0, 0.3, 0.8)) for name in ("gap", "pause", "restart")}
        walk(some_primitives(rng, 40), seed=seed, forget=0.05 * (seed % 2), **chances)


@pytest.mark.parametrize("type_", list(PrimitiveType))
def test_a_vertex_a_clock(type_):
    """And two until the first one is there."""
    assert walk([(type_, [1, 2, 3], 0)] * 50) == 50 * VERTICES[type_] + 2
