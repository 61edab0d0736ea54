# amaranth: UnusedElaboratable=no

"""`Queue` and `BlockQueue` against a Python list."""

import random

import pytest
from amaranth.hdl import unsigned
from amaranth.lib import data, enum
from amaranth.sim import Simulator

from vc4.common.block_queue import BlockQueue
from vc4.common.queue import Queue
from vc4sim.bench.streams import collect, feed, watch


class Colour(enum.Enum, shape=unsigned(2)):
    RED = 0
    GREEN = 1
    BLUE = 2
    WHITE = 3


class Item(data.Struct):
    number: unsigned(11)
    colour: Colour


def simulate(dut, *benches, background=()):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    for bench in benches:
        simulator.add_testbench(bench)
    for bench in background:
        simulator.add_testbench(bench, background=True)
    simulator.run()


@pytest.mark.parametrize(
    ("kind", "depth"),
    [*((Queue, depth) for depth in (1, 2, 3, 4, 7, 8)), *((BlockQueue, depth) for depth in (2, 3, 8, 16))],
)
@pytest.mark.parametrize("gaps", [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)])
def test_items_come_out_in_order(kind, depth, gaps):
    seed = depth * 100 + int(10 * sum(gaps))
    rng = random.Random(seed)
    items = [Item.const({"number": n, "colour": rng.choice(list(Colour))}) for n in range(200)]
    dut = kind(Item, depth)
    out = []

    async def drive(ctx):
        await feed(ctx, dut.i, items, rng=rng, gap=gaps[0])

    async def take(ctx):
        out.extend(await collect(ctx, dut.o, len(items), rng=rng, gap=gaps[1]))
        assert ctx.get(dut.level) == 0

    async def stable(ctx):
        await watch(ctx, dut.o)

    simulate(dut, drive, take, background=[stable])
    assert out == items, f"seed {seed}"


@pytest.mark.parametrize(
    ("kind", "depth", "first", "clocks"),
    [(Queue, 1, 1, 2 * 50), (Queue, 2, 1, 51), (Queue, 5, 1, 51), (BlockQueue, 3, 2, 52), (BlockQueue, 16, 2, 52)],
)
def test_clocks(kind, depth, first, clocks):
    dut = kind(unsigned(8), depth)
    taken = []

    async def drive(ctx):
        await feed(ctx, dut.i, range(50))

    async def take(ctx):
        ctx.set(dut.o.ready, 1)
        for clock in range(clocks):
            _, _, valid, payload = await ctx.tick().sample(dut.o.valid, dut.o.payload)
            if valid:
                taken.append((payload, clock))

    simulate(dut, drive, take)
    assert [payload for payload, _ in taken] == list(range(50))
    assert taken[0][1] == first
    assert taken[-1][1] == clocks - 1


@pytest.mark.parametrize(("kind", "depth"), [(Queue, 1), (Queue, 3), (Queue, 4), (BlockQueue, 2), (BlockQueue, 5)])
def test_fills_to_its_depth(kind, depth):
    dut = kind(unsigned(8), depth)

    async def fill(ctx):
        ctx.set(dut.i.valid, 1)
        for level in range(depth + 3):
            assert ctx.get(dut.level) == min(level, depth)
            assert ctx.get(dut.i.ready) == (level < depth)
            await ctx.tick()

    simulate(dut, fill)


def test_refuses_no_places():
    with pytest.raises(ValueError, match="at least one place"):
        Queue(unsigned(8), 0)
    with pytest.raises(ValueError, match="at least two places"):
        BlockQueue(unsigned(8), 1)
