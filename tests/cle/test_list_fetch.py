"""`ListFetch`: every byte of a list once and in order, whatever memory does, and no line that is not needed."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.cle.list_fetch import LINE_BYTES, ListFetch
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import watch

BASE, SIZE = 0x2000, 0x1000
PATIENCE = 1000
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]


class Reader:
    """Takes the bytes of lists, and knows which they are."""

    def __init__(self, ctx, dut, rng, contents):
        self.ctx, self.dut, self.rng, self.contents = ctx, dut, rng, contents
        self.address = self.clocks = 0

    async def start(self, address, end=None):
        """Restarts; nothing is known of an end if it is `None`."""
        self.address = address
        for port, value in (
            ("address", address),
            ("limited", end is not None),
            ("end", end or 0),
            ("restart", 1),
        ):
            self.ctx.set(getattr(self.dut, port), value)
        self.ctx.set(self.dut.window.take, 0)
        await self.ctx.tick()
        self.ctx.set(self.dut.restart, 0)
        self.clocks += 1

    async def take(self, count, most=8, pause=0.0):
        """Takes so many bytes, up to `most` in a clock."""
        waited = 0
        while count:
            there = self.ctx.get(self.dut.window.available).bit_count()
            taken = 0 if self.rng.random() < pause else min(there, count, most)
            window = self.ctx.get(self.dut.window.bytes)
            expected = self.contents[self.address - BASE :][:there]
            assert window & (1 << 8 * there) - 1 == int.from_bytes(expected, "little"), f"bytes at {self.address:#x}"
            self.ctx.set(self.dut.window.take, taken)
            await self.ctx.tick()
            self.clocks += 1
            self.address += taken
            count -= taken
            waited = 0 if taken else waited + 1
            assert waited < PATIENCE, f"{self.address:#x} never came"
        self.ctx.set(self.dut.window.take, 0)


@pytest.fixture
def run(simulate):
    """`run(script, seed, latency, gap)`: the script with its `Reader`; returns the lines that were asked for."""

    def start(script, seed=1, latency=1, gap=0.0):
        print(f"seed {seed}")
        rng = random.Random(seed)
        contents = rng.randbytes(SIZE)
        m = Module()
        m.submodules.dut = dut = ListFetch()
        m.submodules.memory = memory = BenchMemory(SIZE, base=BASE, init=contents, latency=latency, gap=gap, seed=seed)
        connect(m, dut.port, memory.bus)
        lines = []

        async def bench(ctx):
            await script(Reader(ctx, dut, rng, contents))

        async def count(ctx):
            request = dut.port.requests
            async for _, _, valid, ready, asked in ctx.tick().sample(request.valid, request.ready, request.payload):
                if valid and ready:
                    assert asked.address // LINE_BYTES == (asked.address + 8 * asked.beats) // LINE_BYTES
                    assert (asked.address + 8 * asked.beats + 8) % LINE_BYTES == 0
                    lines.append(asked.address // LINE_BYTES * LINE_BYTES)

        async def stable(ctx):
            await watch(ctx, dut.port.requests)

        simulate(m, bench, background=[count, stable])
        return lines

    return start


@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
def test_any_list(run, latency, gap):
    """Lists of any length at any address follow each other, some of them left before a byte has come."""

    async def script(reader):
        rng = reader.rng
        for _ in range(25):
            address = BASE + rng.randrange(SIZE - 300)
            await reader.start(address, rng.choice((None, address + 300)))
            await reader.take(rng.choice((0, 1, 5, rng.randrange(300))), rng.choice((1, 3, 8)), rng.choice((0, 0.5)))

    for seed in range(3):
        run(script, seed, latency, gap)


@pytest.mark.parametrize("end", [1, 63, 64, 65, 128, 200])
def test_no_line_after_the_end(run, end):
    async def script(reader):
        await reader.start(BASE, BASE + end)
        await reader.take(end)
        await reader.ctx.tick().repeat(50)

    assert run(script) == list(range(BASE, BASE + end, LINE_BYTES))


def test_the_end_moves(run):
    """A driver adds to a list, and moves its end: what is fetched again goes on after it."""

    async def script(reader):
        await reader.start(BASE + 5, BASE + 64)
        await reader.take(59)
        await reader.ctx.tick().repeat(30)
        await reader.start(BASE + 64, BASE + 130)
        await reader.take(66)
        await reader.ctx.tick().repeat(30)

    assert run(script) == [BASE, BASE + 64, BASE + 128]


def test_more_than_the_end_allows(run):
    """A record that reaches beyond the end is read, a line at a time."""

    async def script(reader):
        await reader.start(BASE, BASE + 60)
        await reader.take(64)
        await reader.ctx.tick().repeat(30)
        reader.ctx.set(reader.dut.starves, 1)
        await reader.take(1)
        reader.ctx.set(reader.dut.starves, 0)
        await reader.ctx.tick().repeat(30)

    assert run(script) == [BASE, BASE + 64]


def test_enough(run):
    """Nothing is asked for."""

    async def script(reader):
        reader.ctx.set(reader.dut.enough, 1)
        await reader.start(BASE)
        await reader.ctx.tick().repeat(30)
        assert reader.ctx.get(reader.dut.ahead) == 0
        reader.ctx.set(reader.dut.enough, 0)
        await reader.take(64)
        reader.ctx.set(reader.dut.enough, 1)
        await reader.ctx.tick().repeat(30)

    assert run(script) == [BASE, BASE + 64]


def test_two_lines_ahead(run):
    async def script(reader):
        await reader.start(BASE)
        await reader.ctx.tick().repeat(100)
        await reader.take(64)
        await reader.ctx.tick().repeat(100)

    assert run(script) == [BASE, BASE + 64, BASE + 128]


def test_a_list_that_leaves_memory(run):
    """What is there can be taken; then it says that there is no more."""

    async def script(reader):
        await reader.start(BASE + SIZE - 13)
        await reader.take(13, 5)
        assert (reader.ctx.get(reader.dut.window.available), reader.ctx.get(reader.dut.window.error)) == (0, 1)
        await reader.start(BASE + 3)
        await reader.take(7)
        assert reader.ctx.get(reader.dut.window.error) == 0

    run(script)


@pytest.mark.parametrize(("latency", "clocks"), [(1, 260), (20, 489), (100, 1769)])
def test_clocks(run, latency, clocks):
    """A list of 2,048 bytes, in words."""
    found = []

    async def script(reader):
        await reader.start(BASE)
        await reader.take(2048)
        found.append(reader.clocks)

    run(script, latency=latency)
    assert found == [clocks]
