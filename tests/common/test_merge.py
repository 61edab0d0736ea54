"""`Merge`: the items of each stream in their order, in turn."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.common.merge import Merge
from vc4sim.bench.streams import collect, feed, watch


@pytest.mark.parametrize(("count", "gap", "taker_gap", "seed"), [(1, 0.3, 0.3, 1), (2, 0, 0.5, 2), (5, 0.6, 0.2, 3)])
def test_random_gaps(count, gap, taker_gap, seed):
    rng = random.Random(seed)
    dut = Merge(32, count)
    each = 100
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    for number, port in enumerate(dut.i):

        async def feeds(ctx, number=number, port=port):
            await feed(ctx, port, [number << 16 | item for item in range(each)], rng=rng, gap=gap)

        simulator.add_testbench(feeds)

    async def takes(ctx):
        items = await collect(ctx, dut.o, count * each, rng=rng, gap=taker_gap)
        for number in range(count):
            assert [item & 0xFFFF for item in items if item >> 16 == number] == list(range(each)), f"seed {seed}"

    async def stable(ctx):
        await watch(ctx, dut.o)

    simulator.add_testbench(takes)
    simulator.add_testbench(stable, background=True)
    simulator.run()


@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_turns(count):
    """One after the other while all have items, one in every clock; and one that is alone has every clock."""
    dut = Merge(8, count)

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for port in dut.i:
            ctx.set(port.valid, 1)
        # It is the turn of the first one before anybody has anything.
        for expected in [0, *range(count), *range(count)]:
            assert [number for number, port in enumerate(dut.i) if ctx.get(port.ready)] == [expected]
            assert ctx.get(dut.o.valid)
            await ctx.tick()
        for port in list(dut.i)[:-1]:
            ctx.set(port.valid, 0)
        await ctx.tick()
        for _ in range(10):
            assert ctx.get(dut.i[count - 1].ready)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
