"""A client of a memory, for tests."""

import random

from vc4sim.bench.streams import collect, feed, watch

__all__ = ["carry_out"]


def carry_out(simulate, dut, requests, writes, count, gap, *benches, background=()):
    """Gives the memory `dut` requests and words of writes, and takes `count` responses, all with gaps, beside other `benches`.

    Returns the responses, and the addresses that it has told as errors.
    """
    found, errors = [], []

    async def ask(ctx):
        await feed(ctx, dut.bus.requests, requests, rng=random.Random(4), gap=gap)

    async def give(ctx):
        await feed(ctx, dut.bus.writes, writes, rng=random.Random(5), gap=gap)

    async def take(ctx):
        found.extend(await collect(ctx, dut.bus.responses, count, rng=random.Random(6), gap=gap))

    async def look(ctx):
        async for _, _, error, address in ctx.tick().sample(dut.error_stb, dut.error_address):
            if error:
                errors.append(address)

    async def check(ctx):
        await watch(ctx, dut.bus.responses)

    simulate(dut, *benches, ask, give, take, background=[look, check, *background])
    return found, errors
