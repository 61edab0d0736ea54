"""`AxiMaster` in front of an AXI4 slave: many tags, any latency and order, errors."""

import random

import pytest

from vc4.bus.axi_master import AxiMaster
from vc4sim.bench.streams import collect, feed, watch


@pytest.mark.parametrize(
    ("word_bytes", "tag_bits", "in_flight", "gap", "slave_gap"),
    [
        (8, 3, 2, 0.5, 0.3),
        (16, 1, 1, 0.3, 0.3),
        pytest.param(8, 2, 4, 0, 0, marks=pytest.mark.thorough),
        pytest.param(8, 2, 4, 0, 0.7, marks=pytest.mark.thorough),
        pytest.param(8, 1, 8, 0, 0.9, marks=pytest.mark.thorough),
    ],
)
def test_random_traffic(simulate, axi_slave, traffic, word_bytes, tag_bits, in_flight, gap, slave_gap):
    seed = 100 * word_bytes + 10 * tag_bits + in_flight
    rng = random.Random(seed)
    wanted = traffic(rng, tags=1 << tag_bits, count=100, word_bytes=word_bytes)
    dut = AxiMaster(word_bytes=word_bytes, tag_bits=tag_bits, in_flight=in_flight)
    slave = axi_slave(dut.m_axi, size=len(wanted.data), seed=seed, gap=slave_gap)
    errors = []

    async def requests(ctx):
        await feed(ctx, dut.memory.requests, wanted.requests, rng=rng, gap=gap)

    async def words(ctx):
        await feed(ctx, dut.memory.writes, wanted.words, rng=rng, gap=gap)

    async def responses(ctx):
        wanted.check(await collect(ctx, dut.memory.responses, wanted.responses, rng=rng, gap=gap))
        assert slave.data == wanted.data, f"seed {seed}"
        assert 0 < slave.most <= in_flight

    async def note_errors(ctx):
        signals = (
            dut.error_stb,
            dut.error_address,
            dut.memory.responses.payload.last,
            dut.memory.responses.payload.tag,
        )
        async for _, _, stb, address, last, tag in ctx.tick().sample(*signals):
            if stb and last:
                errors.append((tag, address))

    async def stable(ctx):
        await watch(ctx, dut.memory.responses)

    simulate(dut, requests, words, responses, background=[slave.bench, note_errors, stable])
    for tag, addresses in wanted.errors.items():
        assert [address for other, address in errors if other == tag] == addresses


def test_clocks(simulate, axi_slave):
    """A request shows one clock later; reads of 16 words with a slave that never pauses are a word a clock."""
    dut = AxiMaster(word_bytes=8, tag_bits=1)
    slave = axi_slave(dut.m_axi, size=4096)
    shows, words = [], []

    async def requests(ctx):
        read = {"address": 0, "write": 0, "beats": 15, "tag": 0}
        await feed(ctx, dut.memory.requests, [read] * 4)

    async def responses(ctx):
        ctx.set(dut.memory.responses.ready, 1)
        signals = (dut.m_axi.arvalid, dut.memory.responses.valid)
        for clock in range(80):
            _, _, address, word = await ctx.tick().sample(*signals)
            shows.extend([clock] * address)
            words.extend([clock] * word)

    simulate(dut, requests, responses, background=[slave.bench])
    assert shows == [1, 2, 3, 4]
    assert words == [*range(2, 66)]


def test_words_wait_for_their_request(simulate):
    dut = AxiMaster(word_bytes=8, tag_bits=1)

    async def bench(ctx):
        axi, memory = dut.m_axi, dut.memory
        ctx.set(axi.wready, 1)
        ctx.set(memory.writes.valid, 1)
        ctx.set(memory.writes.payload, {"data": 5, "strobes": 255, "last": 1})
        for _ in range(5):
            assert (ctx.get(axi.wvalid), ctx.get(memory.writes.ready)) == (0, 0)
            await ctx.tick()
        await feed(ctx, memory.requests, [{"address": 64, "write": 1, "beats": 0, "tag": 1}])
        assert (ctx.get(axi.awvalid), ctx.get(axi.wvalid)) == (1, 1), "the word does not wait for awready"
        await ctx.tick()
        assert (ctx.get(axi.awvalid), ctx.get(axi.wvalid)) == (1, 0), "one request, one burst"

    simulate(dut, bench)


def test_a_tag_that_waits_for_writes_does_not_read(simulate):
    """The order of responses of a tag is that of its requests; AXI does not keep it between reads and writes."""
    dut = AxiMaster(word_bytes=8, tag_bits=1)

    async def bench(ctx):
        axi, memory = dut.m_axi, dut.memory
        for name in ("awready", "wready", "arready"):
            ctx.set(getattr(axi, name), 1)
        ctx.set(memory.writes.valid, 1)
        ctx.set(memory.writes.payload, {"data": 5, "strobes": 255, "last": 1})
        await feed(ctx, memory.requests, [{"address": 64, "write": 1, "beats": 0, "tag": 1}])
        ctx.set(memory.requests.payload, {"address": 64, "write": 0, "beats": 0, "tag": 1})
        ctx.set(memory.requests.valid, 1)
        for _ in range(5):
            await ctx.tick()
            assert (ctx.get(memory.requests.ready), ctx.get(axi.arvalid)) == (0, 0)
        ctx.set(axi.bid, 1)
        ctx.set(axi.bvalid, 1)
        ctx.set(memory.responses.ready, 1)
        await ctx.tick()
        assert ctx.get(memory.requests.ready)

    simulate(dut, bench)


@pytest.mark.parametrize(("write", "in_flight"), [(0, 4), (1, 4), (0, 1), (1, 8)])
def test_so_many_are_under_way(simulate, write, in_flight):
    """With a slave that takes everything and answers nothing; a tag that is full holds up the others after it."""
    dut = AxiMaster(word_bytes=8, tag_bits=1, in_flight=in_flight)

    async def bench(ctx):
        axi, memory = dut.m_axi, dut.memory
        for name in ("awready", "wready", "arready"):
            ctx.set(getattr(axi, name), 1)
        ctx.set(memory.writes.valid, 1)
        ctx.set(memory.writes.payload, {"data": 5, "strobes": 255, "last": 1})
        ctx.set(memory.requests.valid, 1)
        taken = []
        for tag in (0, 1):
            ctx.set(memory.requests.payload, {"address": 8, "write": write, "beats": 0, "tag": tag})
            count = 0
            for _ in range(20):
                _, _, ready = await ctx.tick().sample(memory.requests.ready)
                count += ready
            taken.append(count)
        assert taken == [in_flight, in_flight]

    simulate(dut, bench)
