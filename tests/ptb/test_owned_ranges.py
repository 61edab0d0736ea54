"""`OwnedRanges` against the model's `TileMemory`: random ranges, and what lies in one of them."""

import random

from vc4.ptb.owned_ranges import RANGES, OwnedRanges
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.ptb import tile_memory
from vc4sim.model.ptb.tile_memory import TileMemory

from ..simulation import simulation_of

TOP = 1 << 32


class Anything(Memory):
    """Takes every write."""

    def write(self, address, data, access="write"):
        pass


async def ask(ctx, dut, strobe, address=0, length=0, near=False):
    ctx.set(dut.address, address)
    ctx.set(dut.length, length)
    ctx.set(dut.near, near)
    ctx.set(getattr(dut, strobe), 1)
    await ctx.tick()
    ctx.set(getattr(dut, strobe), 0)
    clocks = 1
    while ctx.get(dut.busy):
        await ctx.tick()
        clocks += 1
    return clocks


def test_as_many_as_the_model_has():
    assert RANGES == tile_memory.RANGES


def test_any_ranges(seeds):
    rig, dut = simulation_of(OwnedRanges)
    for seed in seeds(2):
        rng = random.Random(seed)

        async def bench(ctx, rng=rng):
            for _ in range(6):
                await ask(ctx, dut, "clear")
                model = TileMemory(Anything(0))
                begin, bounds = rng.choice((0, 0x4000_0000, TOP - 0x8000)), []
                for _ in range(rng.choice((1, 3, 15, 17, 24))):
                    size = rng.choice((0, 1, 100, 0x1000, 0x9000))
                    begin = rng.choice((begin, begin, begin + 0x10, rng.randrange(TOP))) % TOP
                    await ask(ctx, dut, "add", begin, size)
                    model._own(range(begin, begin + size))
                    bounds += [begin, begin + size]
                    begin += size
                    await check(ctx, model, bounds)
                for _ in range(20):
                    await check(ctx, model, bounds)

        async def check(ctx, model, bounds, rng=rng):
            """A piece near to a bound."""
            length = rng.choice((1, 2, 9, 96))
            address = rng.choice(bounds) + rng.choice((-length, -1, 0, 1, -2 * length, 1 - length))
            if not 0 <= address <= TOP:
                return
            try:
                model.write(address, bytes(length))
                wanted = True
            except MemoryFault:
                wanted = False
            await ask(ctx, dut, "check", address, length, near=True)
            assert wanted or not ctx.get(dut.found)
            await ask(ctx, dut, "check", address, length)
            assert ctx.get(dut.found) == wanted
            if wanted:
                # It is found at once from now on.
                assert await ask(ctx, dut, "check", address, length, near=True) == 2
                assert ctx.get(dut.found)

        rig.run(bench)
