"""`Hub` in front of `BenchMemory`: several clients at once."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from vc4.bus.hub import Hub
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import collect, feed, watch

REGION = 1024  # bytes of memory of each client


class Client:
    """Random requests of one client to its own part of the memory, and the answers it must get."""

    def __init__(self, rng, number, word_bytes, count):
        self.data = bytearray(REGION)
        self.requests, self.writes, self.responses = [], [], []
        for _ in range(count):
            first = rng.randrange(REGION // word_bytes)
            beats = rng.randrange(min(REGION // word_bytes - first, 6))
            write, tag = rng.randrange(2), rng.randrange(4)
            address = number * REGION + first * word_bytes
            self.requests.append({"address": address, "write": write, "beats": beats, "tag": tag})
            for beat in range(beats + 1):
                last = int(beat == beats)
                at = slice((first + beat) * word_bytes, (first + beat + 1) * word_bytes)
                if write:
                    self.data[at] = rng.randbytes(word_bytes)
                    word = int.from_bytes(self.data[at], "little")
                    self.writes.append({"data": word, "strobes": (1 << word_bytes) - 1, "last": last})
                else:
                    self.responses.append((tag, int.from_bytes(self.data[at], "little"), last))
            if write:
                self.responses.append((tag, None, 1))


def build(clients, word_bytes, **memory):
    hub = Hub(clients, word_bytes=word_bytes, client_tag_bits=2)
    tag_bits = hub.bus.signature.tag_bits
    bench = BenchMemory(REGION * clients, word_bytes=word_bytes, tag_bits=tag_bits, **memory)
    m = Module()
    m.submodules.hub = hub
    m.submodules.memory = bench
    wiring.connect(m, hub.bus, bench.bus)
    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    return simulator, hub, bench


@pytest.mark.parametrize("clients", [1, 3, *(pytest.param(clients, marks=pytest.mark.thorough) for clients in (2, 5))])
@pytest.mark.parametrize(
    ("word_bytes", "latency", "gap", "client_gap"),
    [
        (8, 1, 0, 0),
        (16, 6, 0.3, 0.3),
        pytest.param(8, 11, 0, 0.5, marks=pytest.mark.thorough),
        pytest.param(4, 3, 0.4, 0, marks=pytest.mark.thorough),
    ],
)
def test_random_traffic(clients, word_bytes, latency, gap, client_gap):
    seed = clients * 1000 + word_bytes * 10 + latency
    rng = random.Random(seed)
    simulator, hub, bench = build(clients, word_bytes, latency=latency, gap=gap, seed=seed)
    finished = []
    traffic = [Client(rng, number, word_bytes, 40) for number in range(clients)]

    def add(port, client):
        async def requests(ctx):
            await feed(ctx, port.requests, client.requests, rng=rng, gap=client_gap)

        async def writes(ctx):
            await feed(ctx, port.writes, client.writes, rng=rng, gap=client_gap)

        async def responses(ctx):
            found = await collect(ctx, port.responses, len(client.responses), rng=rng, gap=client_gap)
            for response, (tag, word, last) in zip(found, client.responses, strict=True):
                assert (response.tag, response.last, response.error) == (tag, last, 0), f"seed {seed}"
                assert word in (None, response.data), f"seed {seed}"
            finished.append(port)

        for testbench in (requests, writes, responses):
            simulator.add_testbench(testbench)

    for number, client in enumerate(traffic):
        add(hub.clients[number], client)

    for channel in (hub.bus.requests, hub.bus.writes):

        async def stable(ctx, channel=channel):
            await watch(ctx, channel)

        simulator.add_testbench(stable, background=True)

    async def compare(ctx):
        while len(finished) < clients:
            await ctx.tick()
        assert await bench.contents(ctx) == b"".join(client.data for client in traffic), f"seed {seed}"

    simulator.add_testbench(compare)
    simulator.run()


def test_nobody_starves():
    """Three clients that always ask get the same share."""
    simulator, hub, _ = build(3, 8)
    served = [0, 0, 0]

    async def bench(ctx):
        for client in hub.clients:
            ctx.set(client.requests.valid, 1)
            ctx.set(client.responses.ready, 1)
        for _ in range(300):
            _, _, *moved = await ctx.tick().sample(*(client.responses.valid for client in hub.clients))
            served[:] = [count + more for count, more in zip(served, moved, strict=True)]

    simulator.add_testbench(bench)
    simulator.run()
    assert sum(served) >= 295
    assert max(served) - min(served) <= 1


def test_clocks():
    """A read of 16 words passes in 16 clocks; request and response take a clock each through the hub."""
    simulator, hub, _ = build(2, 8)
    clocks = []
    client = hub.clients[1]

    async def requests(ctx):
        await feed(ctx, client.requests, [{"address": 0, "write": 0, "beats": 15, "tag": 0}] * 2)

    async def responses(ctx):
        ctx.set(client.responses.ready, 1)
        for clock in range(50):
            _, _, valid = await ctx.tick().sample(client.responses.valid)
            if valid:
                clocks.append(clock)

    simulator.add_testbench(requests)
    simulator.add_testbench(responses)
    simulator.run()
    assert clocks == list(range(3, 35))


def test_a_write_without_words_does_not_hold_up_reads():
    simulator, hub, _ = build(2, 8)
    writer, reader = hub.clients

    async def bench(ctx):
        ctx.set(writer.requests.payload, {"address": 0, "write": 1, "beats": 0, "tag": 0})
        ctx.set(writer.requests.valid, 1)
        ctx.set(reader.responses.ready, 1)
        accepted = 0
        for _ in range(20):
            _, _, moved = await ctx.tick().sample(writer.requests.ready)
            accepted += moved
        assert accepted == 4
        ctx.set(writer.writes.payload, {"data": 1, "strobes": 255, "last": 1})
        ctx.set(writer.writes.valid, 1)
        ctx.set(writer.requests.valid, 0)
        await feed(ctx, reader.requests, [{"address": 1024, "write": 0, "beats": 0, "tag": 0}])
        answers = 0
        for _ in range(20):
            _, _, moved = await ctx.tick().sample(reader.responses.valid)
            answers += moved
        assert answers == 0, "the writer holds its responses, and they come first"
        ctx.set(writer.responses.ready, 1)
        for _ in range(20):
            _, _, moved = await ctx.tick().sample(reader.responses.valid)
            answers += moved
        assert answers == 1

    simulator.add_testbench(bench)
    simulator.run()
