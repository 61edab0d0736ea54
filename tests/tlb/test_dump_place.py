"""`DumpPlace`: any tile of any frame."""

import random

from vc4.tlb.dump_place import DumpPlace

from ..simulation import simulation_of

CLOCKS = 17


def test_addresses():
    rng = random.Random(1)
    rig, dut = simulation_of(DumpPlace)
    largest = {"base": 0xFFFF_FFF0, "row": 255, "column": 255, "across": 2048, "units": 72}
    some = [{name: rng.randrange(value + 1) for name, value in largest.items()} for _ in range(50)]

    async def bench(ctx):
        for one in [largest, *some]:
            for name, value in one.items():
                ctx.set(getattr(dut, name), value)
            ctx.set(dut.starts, 1)
            await ctx.tick()
            ctx.set(dut.starts, 0)
            for _ in range(CLOCKS):
                assert not ctx.get(dut.done)
                await ctx.tick()
            assert ctx.get(dut.done)
            number = one["row"] * one["across"] + one["column"]
            assert ctx.get(dut.address) == (one["base"] + 512 * number * one["units"]) % (1 << 32)
            await ctx.tick()

    rig.run(bench)
