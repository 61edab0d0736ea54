"""The L2C between a client with several tags and a memory that answers its tags in any order."""

import random
from collections import defaultdict, deque

import pytest

from vc4.l2c.l2c import L2c
from vc4sim.bench.streams import collect, feed, watch

WORD = 8
PATIENCE = 5000  # clocks until a word counts as lost


class Memory:
    """Answers each request after `latency` clocks, or later and the words of its tags mixed if there are gaps.

    bus : the port
    base, data : where it is, and what it holds; elsewhere it answers 0 and an error
    changes : how often its contents have changed; each time every bit of it is inverted
    """

    def __init__(self, bus, rng, *, base, data, latency, gap):
        self.bus, self.rng, self.base, self.data, self.latency, self.gap = bus, rng, base, data, latency, gap
        self.changes = 0
        self.lines = []  # addresses that were asked for, in order
        self.most = 0  # requests on the way at once

    def word(self, address, changes):
        """Value and error of a word after so many changes."""
        offset = address - self.base
        if not 0 <= offset < len(self.data):
            return 0, 1
        return int.from_bytes(self.data[offset : offset + WORD], "little") ^ -(changes % 2) & (1 << 8 * WORD) - 1, 0

    def _choose(self, waiting, clock):
        """The tag whose word is offered next, if any."""
        ripe = [tag for tag, (due, _, _) in waiting.items() if due <= clock]
        if not ripe or self.rng.random() < self.gap:
            return None
        return self.rng.choice(ripe) if self.gap else ripe[0]

    async def bench(self, ctx):
        requests, responses = self.bus.requests, self.bus.responses
        waiting = {}  # of each tag: clock from which it may be answered, address, words left
        offered, clock = None, 0
        channels = (requests.valid, requests.ready, requests.payload, responses.ready)
        while True:
            if offered is None:
                offered = self._choose(waiting, clock)
                ctx.set(responses.valid, offered is not None)
                if offered is not None:
                    _, address, left = waiting[offered]
                    value, error = self.word(address, self.changes)
                    ctx.set(responses.payload, {"tag": offered, "data": value, "last": left == 1, "error": error})
            ctx.set(requests.ready, self.rng.random() >= self.gap)
            _, _, valid, ready, asked, taken = await ctx.tick().sample(*channels)
            clock += 1
            if offered is not None and taken:
                due, address, left = waiting.pop(offered)
                if left > 1:
                    waiting[offered] = (due, address + WORD, left - 1)
                    if not self.gap:  # it stays the first one
                        waiting = {offered: waiting.pop(offered), **waiting}
                offered = None
            if valid and ready:
                assert asked.tag not in waiting, "a tag is used twice at once"
                assert not asked.write
                waiting[asked.tag] = (clock + self.latency - 1, asked.address, asked.beats + 1)
                self.lines.append(asked.address)
                self.most = max(self.most, len(waiting))


class Traffic:
    """Requests of a client, and the check of what it gets.

    requests : of address, beats, tag; `None`: the next one is sent when all words have come
    """

    def __init__(self, dut, memory, requests):
        self.dut, self.memory, self.requests = dut, memory, requests
        self.changes = 0  # of memory, as far as requests from now on must know of them
        self.expected = defaultdict(deque)  # of each tag: address, whether it is the last one, changes known then
        self.order = []  # tags of requests, in the order in which their last words came
        self.asked, self.clocks = [], []  # clock of each request, and of each word

    async def ask(self, ctx, rng, gap):
        """Sends the requests."""
        for one in self.requests:
            if one:
                await feed(ctx, self.dut.client.requests, [{**one, "write": 0}], rng=rng, gap=gap)
            else:
                await ctx.tick()
                while any(self.expected.values()):
                    await ctx.tick()

    async def expect(self, ctx):
        """Notes the words of each request that is taken."""
        asked = self.dut.client.requests
        async for _, _, valid, ready, one in ctx.tick().sample(asked.valid, asked.ready, asked.payload):
            if valid and ready:
                self.expected[one.tag].extend(
                    (one.address + WORD * beat, beat == one.beats, self.changes) for beat in range(one.beats + 1)
                )

    async def check(self, ctx, rng, gap, note):
        """Takes every word, and compares it with that of memory: those of a tag come in the order of its requests."""
        responses = self.dut.client.responses
        for _ in range(sum(one["beats"] + 1 for one in self.requests if one)):
            (got,) = await collect(ctx, responses, 1, rng=rng, gap=gap, limit=PATIENCE)
            address, last, changes = self.expected[got.tag].popleft()
            possible = [self.memory.word(address, after) for after in range(changes, self.memory.changes + 1)]
            assert (got.data, got.error) in possible, f"{note}: {address:#x}"
            assert got.last == last, note
            if last:
                self.order.append(got.tag)


@pytest.fixture
def run(simulate):
    """`run(requests, ...)`: an L2C with requests of a client; returns the traffic and the counters.

    during : a coroutine beside, with the context, the device and the traffic
    """

    def start(requests, *, seed=1, latency=4, gap=0.0, client_gap=0.0, base=0, data=b"", during=None, **sizes):
        rng = random.Random(seed)
        dut = L2c(**{"size": 1024, "ways": 4, "tag_bits": 2, **sizes})
        memory = Memory(dut.bus, random.Random(seed + 1), base=base, data=data, latency=latency, gap=gap)
        traffic = Traffic(dut, memory, requests)
        traffic.hits = traffic.misses = 0
        note = f"seed {seed}, latency {latency}, gaps {gap} and {client_gap}"

        async def ask(ctx):
            ctx.set(dut.enable, 1)
            await traffic.ask(ctx, rng, client_gap)

        async def check(ctx):
            await traffic.check(ctx, random.Random(seed + 2), client_gap, note)

        async def count(ctx):
            async for _, _, hit, miss in ctx.tick().sample(dut.hit, dut.miss):
                traffic.hits += hit
                traffic.misses += miss

        async def clocks(ctx):
            clock = 0
            streams = (dut.client.requests, dut.client.responses)
            channels = [one for channel in streams for one in (channel.valid, channel.ready)]
            async for _, _, asks, ready, comes, taken in ctx.tick().sample(*channels):
                if asks and ready:
                    traffic.asked.append(clock)
                if comes and taken:
                    traffic.clocks.append(clock)
                clock += 1

        def stable(channel):
            async def body(ctx):
                await watch(ctx, channel)

            return body

        background = [
            memory.bench,
            traffic.expect,
            count,
            clocks,
            stable(dut.bus.requests),
            stable(dut.client.responses),
        ]
        if during:

            async def beside(ctx):
                await during(ctx, dut, traffic)

            background.append(beside)
        simulate(dut, ask, check, background=background)
        return traffic

    return start
