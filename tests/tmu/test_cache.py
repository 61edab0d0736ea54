"""`TmuCache`: every address is answered with its word, in order, whatever memory does."""

import random

import pytest

from vc4.tmu.cache import TmuCache
from vc4sim.bench.streams import feed, watch

BASE, SIZE = 0x1_0000, 0x4000
WORD, LINE = 8, 64


class Memory:
    """Answers whole lines after `latency` clocks, several at once and their words mixed, with gaps."""

    def __init__(self, bus, rng, contents, latency, gap):
        self.bus, self.rng, self.contents, self.latency, self.gap = bus, rng, contents, latency, gap
        self.lines = []  # addresses, in their order
        self.most = 0

    async def bench(self, ctx):
        requests, responses = self.bus.requests, self.bus.responses
        waiting, clock = {}, 0
        ctx.set(requests.ready, 1)
        while True:
            ripe = [tag for tag, (due, _) in waiting.items() if due <= clock]
            chosen = self.rng.choice(ripe) if ripe and self.rng.random() >= self.gap else None
            ctx.set(responses.valid, chosen is not None)
            if chosen is not None:
                address = waiting[chosen][1].pop(0)
                inside = BASE <= address < BASE + SIZE
                word = int.from_bytes(self.contents[address - BASE :][:WORD], "little") if inside else 0xBAD
                last = not waiting[chosen][1]
                ctx.set(responses.payload, {"tag": chosen, "data": word, "last": last, "error": not inside})
                if last:
                    del waiting[chosen]
            _, _, valid, ready, asked = await ctx.tick().sample(requests.valid, requests.ready, requests.payload)
            if valid and ready:
                assert (asked.beats, asked.write, asked.address % LINE) == (LINE // WORD - 1, 0, 0)
                assert asked.tag not in waiting
                self.lines.append(asked.address)
                waiting[asked.tag] = clock + self.latency, list(range(asked.address, asked.address + LINE, WORD))
                self.most = max(self.most, len(waiting))
            clock += 1
            ctx.set(requests.ready, self.rng.random() >= self.gap)


def addresses(rng, kind):
    """Four addresses: near each other, in one set, anywhere, or outside of memory."""
    if kind == "near":
        first = BASE + rng.randrange(0x800)
        return [first + rng.randrange(2 * LINE) for _ in range(4)]
    if kind == "one set":
        return [BASE + rng.randrange(SIZE // 1024) * 1024 + rng.randrange(LINE) for _ in range(4)]
    return [rng.choice((BASE + rng.randrange(SIZE), rng.getrandbits(32))) for _ in range(4)]


def bench(simulate, count, *, seed, latency, gap, draw, wanted=None, clears=False):
    """Looks up `count` requests that `draw(rng)` makes; returns memory and the clocks from the first to the last answer."""
    rng = random.Random(seed)
    print(f"seed {seed}")
    contents = rng.randbytes(SIZE)
    dut = TmuCache(16)
    memory = Memory(dut.bus, rng, contents, latency, gap)
    items = [
        {"addresses": draw(rng), "wanted": wanted or rng.choice((15, 15, rng.getrandbits(4)))} for _ in range(count)
    ]
    items = [item | {"note": number} for number, item in enumerate(items)]
    clocks = []

    async def check(ctx):
        clock = 0
        for number, item in enumerate(items):
            while True:
                _, _, stb, answer = await ctx.tick().sample(dut.o_stb, dut.o)
                clock += 1
                if stb:
                    break
                assert clock - (clocks[-1] if clocks else 0) < 1000, f"no answer to {number}"
            clocks.append(clock)
            assert answer.note == number
            for lane, address in enumerate(item["addresses"]):
                if item["wanted"] >> lane & 1:
                    offset = (address & -WORD) - BASE
                    inside = 0 <= offset < SIZE
                    word = int.from_bytes(contents[offset:][:WORD], "little") if inside else 0
                    assert (answer.words[lane], answer.bytes[lane]) == (word, address % WORD), (number, lane)

    async def send(ctx):
        await feed(ctx, dut.i, items, rng=rng, gap=gap)

    async def clear(ctx):
        while clears:
            ctx.set(dut.clear, rng.random() < 1 / 150)
            await ctx.tick()

    async def stable(ctx):
        await watch(ctx, dut.bus.requests)

    simulate(dut, check, background=[send, memory.bench, clear, stable])
    return memory, clocks[-1] - clocks[0], items


@pytest.mark.parametrize(
    "kind", ["one set", *(pytest.param(kind, marks=pytest.mark.thorough) for kind in ("near", "anywhere"))]
)
@pytest.mark.parametrize(
    ("latency", "gap"), [(30, 0.4), *(pytest.param(latency, 0.0, marks=pytest.mark.thorough) for latency in (1, 20))]
)
def test_random_addresses(simulate, kind, latency, gap):
    bench(simulate, 120, seed=latency, latency=latency, gap=gap, draw=lambda rng: addresses(rng, kind))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["one set", "near"])
def test_with_clears(simulate, kind):
    bench(simulate, 150, seed=7, latency=9, gap=0.2, draw=lambda rng: addresses(rng, kind), clears=True)


def test_a_request_a_clock_on_hits(simulate):
    """The first one fetches two lines; after it one comes every clock, wherever its four addresses lie in them."""
    memory, clocks, items = bench(
        simulate,
        200,
        seed=3,
        latency=5,
        gap=0.0,
        wanted=15,
        draw=lambda rng: [BASE, BASE + LINE, *rng.sample(range(BASE, BASE + 128), 2)],
    )
    assert sorted(memory.lines) == [BASE, BASE + LINE]
    assert clocks == len(items) - 1


def test_eight_lines_are_on_their_way(simulate):
    """Each request misses; hits and misses after the first one go on."""
    line = iter(range(BASE, BASE + SIZE, LINE))

    def draw(rng):
        return [next(line)] * 4

    memory, clocks, items = bench(simulate, 100, seed=4, latency=60, gap=0.0, draw=draw)
    assert memory.most == 8
    # Eight lines in a little more than the latency and their words.
    assert clocks < len(items) / 8 * (60 + 8 * 8)
