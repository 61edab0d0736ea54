"""`UniformCache` against pointers into memory."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.slice.uniform_cache import UniformCache
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import watch

BASE, SIZE, LINE = 0x3000, 0x800, 64
PATIENCE = 3000  # clocks until a uniform counts as lost


class Reader:
    """Reads uniforms of two threads and moves their addresses, as the instructions of a QPU do."""

    def __init__(self, ctx, port, rng, contents, gap, note):
        self.ctx, self.port, self.rng, self.contents, self.gap, self.note = ctx, port, rng, contents, gap, note
        self.thread = 0
        self.addresses = [0, 0]
        self.ends = [0, 0]  # after the last uniform; `None`: there is no limit
        self.clocks = 0

    def expected(self):
        """Value and error of the next uniform."""
        address = self.addresses[self.thread]
        offset = address - BASE
        if address == self.ends[self.thread] or not 0 <= offset < SIZE:
            return 0, 1
        return int.from_bytes(self.contents[offset : offset + 4], "little"), 0

    async def clock(self, ready):
        """One clock; the uniform that it brought, if any."""
        ctx, uniforms = self.ctx, self.port.uniforms
        ctx.set(uniforms.ready, ready)
        _, _, valid, uniform = await ctx.tick().sample(uniforms.valid, uniforms.payload)
        ctx.set(uniforms.ready, 0)
        self.clocks += 1
        return uniform if ready and valid else None

    async def take(self, count):
        """The next uniforms, each as it stands in memory."""
        for _ in range(count):
            for _ in range(PATIENCE):
                uniform = await self.clock(self.rng.random() >= self.gap)
                if uniform is not None:
                    break
            else:
                raise AssertionError(f"{self.note}: {self.addresses[self.thread]:#x} never came")
            assert (uniform.value, uniform.error) == self.expected(), (
                f"{self.note}: thread {self.thread}, {self.addresses[self.thread]:#x}"
            )
            if self.addresses[self.thread] != self.ends[self.thread]:
                self.addresses[self.thread] = (self.addresses[self.thread] + 4) & 0xFFFF_FFFF

    async def start(self, thread, address, length=0, enters=True):
        """A program begins, and takes the QPU or waits."""
        self.ctx.set(self.port.start, {"thread": thread, "address": address, "length": length})
        self.ctx.set(self.port.start_stb, 1)
        self.addresses[thread] = address & 0xFFFF_FFFC
        self.ends[thread] = self.addresses[thread] + 4 * length if 0 < length < 1024 else None
        if self.addresses[thread] == 0:
            self.ends[thread] = 0
        await (self.enter(thread) if enters else self.clock(0))
        self.ctx.set(self.port.start_stb, 0)

    async def enter(self, thread):
        """One clock in which a thread enters."""
        self.ctx.set(self.port.enter, thread)
        self.ctx.set(self.port.enter_stb, 1)
        await self.clock(0)
        self.ctx.set(self.port.enter_stb, 0)
        self.thread = thread

    async def move(self, address, relative=0):
        """One clock with a move."""
        self.ctx.set(self.port.move, {"relative": relative, "address": address & 0xFFFF_FFFF})
        self.ctx.set(self.port.move_stb, 1)
        await self.clock(0)
        self.ctx.set(self.port.move_stb, 0)
        target = self.addresses[self.thread] + 4 * address if relative else address
        self.addresses[self.thread] = target & 0xFFFF_FFFC
        self.ends[self.thread] = None


@pytest.fixture
def run(simulate, image):
    """`run([script, ...], seed, latency, gap)`: a script for each reader; returns the lines that were asked for."""

    def start(scripts, seed=1, latency=1, gap=0.0, during=None):
        contents = image(seed, SIZE)
        m = Module()
        m.submodules.dut = dut = UniformCache(len(scripts), size=512)
        m.submodules.memory = memory = BenchMemory(
            SIZE, base=BASE, init=contents, latency=latency, gap=gap, seed=seed, tag_bits=2
        )
        connect(m, dut.bus, memory.bus)
        lines = []

        async def note(ctx):
            asked = dut.bus.requests
            async for _, _, valid, ready, payload in ctx.tick().sample(asked.valid, asked.ready, asked.payload):
                if valid and ready:
                    assert (payload.address % LINE, payload.beats, payload.write) == (0, LINE // 8 - 1, 0)
                    lines.append(payload.address)

        async def stable(ctx):
            await watch(ctx, dut.bus.requests)

        def bench(number, script):
            async def body(ctx):
                text = f"reader {number}, seed {seed}, latency {latency}, gap {gap}"
                await script(Reader(ctx, dut.qpus[number], random.Random(seed + number), contents, gap, text))

            return body

        background = [note, stable]
        if during:

            async def beside(ctx):
                await during(ctx, dut, random.Random(seed))

            background.append(beside)
        simulate(m, *(bench(number, script) for number, script in enumerate(scripts)), background=background)
        return lines

    return start


async def wander(reader):
    """Random programs, moves and switches."""
    rng = reader.rng

    def anywhere():
        return BASE + rng.randrange(SIZE + 16)

    await reader.start(0, BASE)
    await reader.start(1, anywhere(), rng.randrange(20), enters=False)
    for _ in range(16):
        await reader.take(rng.choice([0, 1, 2, 3, 20]))
        chance = rng.random()
        if chance < 0.3:
            await reader.move(anywhere())
        elif chance < 0.5:
            await reader.move(rng.randrange(-24, 24), relative=1)
        elif chance < 0.7:
            await reader.start(reader.thread, anywhere(), rng.choice([0, 1, 2, 9, 1023, 1024]))
        elif chance < 0.8:
            await reader.start(1 - reader.thread, anywhere(), rng.choice([0, 1, 5]), enters=False)
        else:
            await reader.enter(1 - reader.thread)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("latency", "gap"),
    [(30, 0.3), (1, 0.0), (9, 0.0)],
)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(run, seed, latency, gap):
    run([wander] * 4, 10 * seed, latency, gap)


@pytest.mark.thorough
def test_random_clears(run):
    async def clears(ctx, dut, rng):
        while True:
            for _ in range(rng.randrange(1, 60)):
                await ctx.tick()
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)

    run([wander] * 2, 7, 5, 0.2, during=clears)


def test_the_low_bits_of_an_address_are_dropped(run):
    async def script(reader):
        for low in range(8):
            await reader.start(0, BASE + 0x40 + low)
            assert reader.addresses[0] == BASE + 0x40 + (low & 4)
            await reader.take(3)
            await reader.move(BASE + 0x80 + low)
            await reader.take(3)

    run([script], 1, 2)


def test_a_relative_move_counts_uniforms_from_the_next_one_on(run):
    """As two tessellators of the vendor's OpenVG do: -2 after two uniforms is the first one again, -1 the last one."""

    async def script(reader):
        await reader.start(0, BASE)
        await reader.take(2)
        await reader.move(-2, relative=1)
        assert reader.addresses[0] == BASE
        await reader.take(5)
        await reader.move(-1, relative=1)
        assert reader.addresses[0] == BASE + 16
        await reader.take(2)

    run([script], 1, 2)


def test_a_stream_from_address_0_has_no_uniforms(run):
    """An address of zero disables the stream (guide, table 66): nothing is fetched, and whoever asks gets an error."""

    async def script(reader):
        for length in (0, 5):
            await reader.start(0, 0, length)
            await reader.take(2)
            assert reader.expected() == (0, 1)
        await reader.move(BASE)
        await reader.take(2)

    assert run([script]) == [BASE, BASE + LINE]


@pytest.mark.parametrize(("first", "length"), [(0, 1), (4, 2), (60, 1), (60, 2), (0, 16), (4, 16)])
def test_nothing_behind_the_end_of_a_stream_is_fetched(run, first, length):
    """However long the reader waits; after the end comes an error, and again after a switch to and fro."""

    async def script(reader):
        await reader.start(0, BASE + first, length)
        await reader.take(length)
        for _ in range(30):
            await reader.clock(0)
        await reader.take(2)
        assert reader.expected() == (0, 1)
        await reader.enter(1)
        await reader.enter(0)
        for _ in range(30):
            await reader.clock(0)
        await reader.take(1)

    lines = run([script])
    last = BASE + first + 4 * length - 1
    assert set(lines) == set(range(BASE, last // LINE * LINE + 1, LINE))


@pytest.mark.parametrize("length", [0, 1024])
def test_streams_without_a_limit(run, length):
    async def script(reader):
        await reader.start(0, BASE, length)
        await reader.take(40)
        assert reader.ends[0] is None

    assert len(run([script])) >= 3


def test_a_move_ends_the_limit(run):
    async def script(reader):
        await reader.start(0, BASE, 2)
        await reader.take(3)
        await reader.move(BASE)
        await reader.take(5)

    run([script])


def test_clocks_from_a_move_to_its_uniform(run):
    """Four clocks if the turn is in the clock after it, which is what two instructions between them hide."""
    clocks = []

    async def script(reader):
        await reader.start(0, BASE)
        await reader.take(1)
        for phase in range(4):
            for _ in range(40):
                await reader.clock(0)
            while reader.clocks % 4 != phase:
                await reader.clock(0)
            await reader.move(BASE + 8)
            start = reader.clocks - 1
            while await reader.clock(1) is None:
                pass
            clocks.append(reader.clocks - 1 - start)

    run([script], latency=5)
    assert clocks == [7, 6, 5, 4]


def test_two_uniforms_every_four_clocks(run):
    clocks = []

    async def script(reader):
        await reader.start(0, BASE)
        await reader.take(24)
        start = reader.clocks
        await reader.take(40)
        clocks.append(reader.clocks - start)

    run([script])
    assert clocks[0] <= 4 * 40 // 2
