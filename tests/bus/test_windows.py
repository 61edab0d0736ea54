"""`Windows` in front of a memory: what is inside passes, what is outside is refused, and the order stays."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from vc4.bus.windows import Windows
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import collect, feed, watch

TAGS = 4
PAGES = 1 << 20


def open_windows(ctx, dut, *windows):
    """Sets both windows, in pages."""
    for number, (base, size) in enumerate(windows):
        ctx.set(dut.windows[number], {"base": base, "size": size})


@pytest.mark.parametrize(("latency", "gap", "client_gap"), [(1, 0, 0), (9, 0, 0.5), (3, 0.4, 0), (6, 0.3, 0.3)])
def test_random_traffic(simulate, traffic, latency, gap, client_gap):
    """A page of memory for each tag, two pages a window; refused requests go to the pages after the memory."""
    seed = 10 * latency + TAGS
    rng = random.Random(seed)
    wanted = traffic(rng, tags=TAGS, count=150, word_bytes=8, beyond=4096 * TAGS)
    m = Module()
    m.submodules.dut = dut = Windows(word_bytes=8, tag_bits=2)
    # The memory has the refused pages as well: what gets there is seen.
    memory = BenchMemory(2 * len(wanted.data), tag_bits=2, latency=latency, gap=gap, seed=seed)
    m.submodules.memory = memory
    wiring.connect(m, dut.bus, memory.bus)
    errors = []

    async def requests(ctx):
        open_windows(ctx, dut, (2, 2), (0, 2))
        await feed(ctx, dut.client.requests, wanted.requests, rng=rng, gap=client_gap)

    async def words(ctx):
        await feed(ctx, dut.client.writes, wanted.words, rng=rng, gap=client_gap)

    async def responses(ctx):
        wanted.check(await collect(ctx, dut.client.responses, wanted.responses, rng=rng, gap=client_gap))
        await ctx.tick()
        assert await memory.contents(ctx) == bytes(wanted.data).ljust(2 * len(wanted.data), b"\0"), f"seed {seed}"

    async def note_errors(ctx):
        async for _, _, stb, address in ctx.tick().sample(dut.error_stb, dut.error_address):
            if stb:
                errors.append(address)

    def stable(channel):
        async def run(ctx):
            await watch(ctx, channel)

        return run

    channels = (dut.bus.requests, dut.bus.writes, dut.client.responses)
    simulate(m, requests, words, responses, background=[note_errors, *map(stable, channels)])
    refused = [one["address"] for one in wanted.requests if one["address"] >= 4096 * TAGS]
    assert errors == refused


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0, 0), (0, 0)),
        ((0, PAGES - 1), (0, 0)),
        ((0x100, 0x10), (0x10F, 3)),
        ((PAGES - 2, 2), (5, 1)),
        ((PAGES - 2, 7), (5, 1)),
        ((1, PAGES - 1), (0, 1)),
    ],
)
def test_borders(simulate, first, second):
    """Pages at both ends of both windows, and any others; a window ends at the last address."""
    dut = Windows(word_bytes=8, tag_bits=1)
    rng = random.Random(first[0])
    near = [base + at for base, size in (first, second) for at in (-1, 0, 1, size - 1, size, size + 1)]
    pages = [page % PAGES for page in (*near, 0, PAGES - 1, *(rng.randrange(PAGES) for _ in range(10)))]

    async def bench(ctx):
        open_windows(ctx, dut, first, second)
        ctx.set(dut.client.responses.ready, 1)
        ctx.set(dut.bus.requests.ready, 1)
        for page in pages:
            address = page << 12 | rng.randrange(512) << 3
            await feed(ctx, dut.client.requests, [{"address": address, "write": 0, "beats": 0, "tag": 0}])
            _, _, passes, refused = await ctx.tick().sample(dut.bus.requests.valid, dut.error_stb)
            inside = any(base <= page < base + size for base, size in (first, second))
            assert (passes, refused) == (inside, not inside), hex(address)
            ctx.set(dut.bus.responses.payload, {"tag": 0, "data": 0, "last": 1, "error": 0})
            ctx.set(dut.bus.responses.valid, passes)
            await ctx.tick()
            ctx.set(dut.bus.responses.valid, 0)

    simulate(dut, bench)


def test_clocks(simulate):
    """A request takes one clock, and one a clock passes; a refused read gets a word a clock, all 0."""
    dut = Windows(word_bytes=8, tag_bits=1)

    async def bench(ctx):
        open_windows(ctx, dut, (0, 1), (0, 0))
        ctx.set(dut.bus.requests.ready, 1)
        ctx.set(dut.client.responses.ready, 1)
        ctx.set(dut.bus.responses.payload.data, 0xFFFF)
        ctx.set(dut.client.requests.valid, 1)
        ctx.set(dut.client.requests.payload, {"address": 4096, "write": 0, "beats": 3, "tag": 1})
        await ctx.tick()
        ctx.set(dut.client.requests.payload, {"address": 8, "write": 0, "beats": 0, "tag": 0})
        signals = (dut.client.responses.valid, dut.client.responses.payload, dut.bus.requests.valid)
        seen = []
        for _ in range(8):
            _, _, valid, payload, passes = await ctx.tick().sample(*signals)
            if valid:
                assert (payload.tag, payload.data, payload.error) == (1, 0, 1)
            seen.append((valid, payload.last if valid else 0, passes))
        assert seen == [(1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)]

    simulate(dut, bench)
