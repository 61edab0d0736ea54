"""`Rotate` for every amount."""

import random

from vc4.qpu.rotate import Rotate


def test_lanes_move_up_round_the_quad(simulate):
    rng = random.Random(7)
    dut = Rotate()

    async def bench(ctx):
        for amount in [0, 1, 2, 3] * 10:
            lanes = [
                {
                    "written": rng.getrandbits(32),
                    **{name: rng.randrange(2) for name in ("negative", "zero", "carry")},
                }
                for _ in range(4)
            ]
            ctx.set(dut.a1_amount, amount)
            await ctx.tick()
            ctx.set(dut.a2_i, lanes)
            for lane in range(4):
                out = ctx.get(dut.a2_o[(lane + amount) % 4])
                assert {name: getattr(out, name) for name in lanes[lane]} == lanes[lane], f"{amount=}, {lane=}"

    simulate(dut, bench)
