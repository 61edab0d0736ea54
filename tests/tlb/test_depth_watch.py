"""`DepthWatch` against the largest number."""

import random

from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS
from vc4.tlb.depth_watch import DepthWatch

from ..simulation import Simulation


def test_farthest():
    """Two clocks later, and nothing else comes."""
    dut, rng = DepthWatch(), random.Random(1)
    coming = []
    for _ in range(500):
        z = rng.getrandbits(DEPTH_BITS)
        zs = [max(0, z - rng.choice((0, 1, rng.getrandbits(20)))) for _ in range(QUAD_PIXELS)]
        place = {"x": rng.randrange(32), "y": rng.randrange(32), "buffer": rng.getrandbits(1)}
        coming.append((zs, place) if rng.random() < 0.7 else None)

    async def bench(ctx):
        for now, before in zip([*coming, None, None], [None, None, *coming], strict=True):
            ctx.set(dut.stb, now is not None)
            if now:
                ctx.set(dut.zs, now[0])
                ctx.set(dut.place, now[1])
            assert ctx.get(dut.o_stb) == (before is not None)
            if before:
                place = ctx.get(dut.o.place)
                assert (ctx.get(dut.o.z), place.x, place.y) == (max(before[0]), before[1]["x"], before[1]["y"])
            assert ctx.get(dut.busy) or not (now or before)
            await ctx.tick()

    Simulation(dut).run(bench)
