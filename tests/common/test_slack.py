"""`Slack` against a Python list."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.common.slack import Slack
from vc4sim.bench.streams import collect, feed, watch

_ITEMS = 200


def simulate(dut, *benches, background=()):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    for bench in benches:
        simulator.add_testbench(bench)
    for bench in background:
        simulator.add_testbench(bench, background=True)
    simulator.run()


@pytest.mark.parametrize("full_rate", [False, True], ids=["half rate", "full rate"])
@pytest.mark.parametrize("gaps", [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)])
def test_items_come_out_in_order(full_rate, gaps):
    rng = random.Random(int(10 * sum(gaps)))
    items = [rng.randrange(1 << 11) for _ in range(_ITEMS)]
    dut = Slack(11, full_rate=full_rate)
    out = []

    async def drive(ctx):
        await feed(ctx, dut.i, items, rng=rng, gap=gaps[0])

    async def take(ctx):
        out.extend(await collect(ctx, dut.o, len(items), rng=rng, gap=gaps[1]))

    async def stable(ctx):
        await watch(ctx, dut.o)

    simulate(dut, drive, take, background=[stable])
    assert out == items


@pytest.mark.parametrize(("full_rate", "clocks"), [(False, 2 * _ITEMS), (True, _ITEMS)])
def test_rate(full_rate, clocks):
    dut = Slack(11, full_rate=full_rate)
    taken = []

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        for _ in range(clocks):
            taken.append(ctx.get(dut.i.ready))
            await ctx.tick()

    simulate(dut, bench)
    assert sum(taken) == _ITEMS


@pytest.mark.parametrize("full_rate", [False, True], ids=["half rate", "full rate"])
def test_ready_does_not_depend_on_what_is_behind(full_rate):
    dut = Slack(11, full_rate=full_rate)

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        await ctx.tick()
        assert not ctx.get(dut.i.ready)
        ctx.set(dut.o.ready, 1)
        assert not ctx.get(dut.i.ready)

    simulate(dut, bench)
