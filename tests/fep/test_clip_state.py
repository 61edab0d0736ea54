"""`ClipState` and `DepthLimit` against the model's state and window."""

import random

import pytest

from vc4.fep.clip_state import ClipState
from vc4.fep.depth_limit import DepthLimit
from vc4.vcm.structs import VcmKind
from vc4sim.model.pse.pse import Z_FRACTION, z_of

from ..model.shapes import bits
from ..simulation import Simulation
from .sequences import Sequence

EDGES = (0, 1, 0x8000_0000, 0x7F_FFFF, 0x80_0000, 0x3F7F_FFFF, 0x3F80_0000, 0x3F80_0001, 0x7F80_0000, 0xFFC0_0000)
LONGEST = 26


def test_depth_limits():
    rng = random.Random(1)
    words = [*EDGES, *(exponent << 23 | rng.getrandbits(23) for exponent in range(95, 130))]
    words += [rng.getrandbits(32) for _ in range(50)] + [bits(rng.random()) for _ in range(50)]
    dut = DepthLimit(77)

    async def bench(ctx):
        assert (ctx.get(dut.z), ctx.get(dut.busy)) == (77, 0)
        for word in words:
            ctx.set(dut.value, {"fraction": word & 0x7F_FFFF, "exponent": word >> 23 & 255, "sign": word >> 31})
            ctx.set(dut.stb, 1)
            await ctx.tick()
            ctx.set(dut.stb, 0)
            clocks = 1
            while ctx.get(dut.busy):
                await ctx.tick()
                clocks += 1
            assert clocks <= LONGEST
            assert ctx.get(dut.z) == z_of(word) >> Z_FRACTION, hex(word)

    Simulation(dut).run(bench)


@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(3, 40), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_window(seeds):
    """After any records, as soon as it is settled."""
    dut = ClipState()
    rig = Simulation(dut)
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        sequence = Sequence()
        sequence.begin_tile(rng)
        jobs, sent = [], 0
        for _ in range(60):
            for item in sequence.items[sent:]:
                jobs.append((item, None))
            sent = len(sequence.items)
            jobs.append((None, sequence.model.window))
            rng.choice((sequence.configure, sequence.begin_tile, sequence.state, sequence.state))(rng)

        async def bench(ctx, jobs=jobs):
            for item, wanted in jobs:
                if wanted is None:
                    if item["kind"] is VcmKind.RECORD:
                        ctx.set(dut.record, item["body"]["record"])
                        ctx.set(dut.stb, 1)
                        await ctx.tick()
                        ctx.set(dut.stb, 0)
                    continue
                while not ctx.get(dut.settled):
                    await ctx.tick()
                window, limits = ctx.get(dut.window), ctx.get(dut.limits)
                found = (window.left, window.right, window.low, window.high)
                assert (found, (window.tile_x, window.tile_y)) == wanted[:2]
                assert (limits.nearest, limits.farthest) == wanted[2]

        rig.run(bench)
