# amaranth: UnusedElaboratable=no

"""`InstructionCache` against memory: order, golden clocks, readers beside each other, clear."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.slice.instruction_cache import InstructionCache
from vc4.slice.line_cache import LineCache
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import watch

BASE, SIZE, LINE = 0x2000, 0x4000, 64
PATIENCE = 3000  # clocks until a word counts as lost


class Reader:
    """Takes the words that come next, drops the others, and redirects the stream as a QPU does."""

    def __init__(self, ctx, port, rng, contents, gap, note):
        self.ctx, self.port, self.rng, self.contents, self.gap, self.note = ctx, port, rng, contents, gap, note
        self.next_pc, self.jump = 0, None
        self.clocks = 0

    def expected(self, pc):
        """Word and error of an address."""
        offset = pc - BASE
        if not 0 <= offset < SIZE:
            return 0, 1
        return int.from_bytes(self.contents[offset : offset + 8], "little"), 0

    async def clock(self, ready=None):
        """One clock; 1 if it brought the word that comes next."""
        ctx, words = self.ctx, self.port.words
        ctx.set(words.ready, self.rng.random() >= self.gap if ready is None else ready)
        _, _, valid, ready, word = await ctx.tick().sample(words.valid, words.ready, words.payload)
        self.clocks += 1
        if not (valid and ready):
            return 0
        assert (word.word, word.error) == self.expected(word.pc), f"{self.note}: word of {word.pc:#x}"
        if word.pc != self.next_pc:
            return 0
        self.next_pc += 8
        if self.jump and self.next_pc == self.jump[0]:
            self.next_pc, self.jump = self.jump[1], None
        return 1

    async def take(self, count):
        """Takes so many words."""
        for _ in range(count):
            for _ in range(PATIENCE):
                if await self.clock():
                    break
            else:
                raise AssertionError(f"{self.note}: {self.next_pc:#x} never came")

    async def redirect(self, target, boundary=None):
        """One clock with a redirection, in which nothing is taken; a restart if there is no boundary."""
        restart = boundary is None
        self.ctx.set(self.port.redirect, {"restart": restart, "boundary": boundary or 0, "target": target})
        self.ctx.set(self.port.redirect_stb, 1)
        await self.clock(ready=0)
        self.ctx.set(self.port.redirect_stb, 0)
        if restart or boundary == self.next_pc:
            self.next_pc, self.jump = target, None
        else:
            self.jump = (boundary, target)

    async def wait(self, clocks):
        for _ in range(clocks):
            await self.clock(ready=0)


class Run:
    """What a run of a cache has shown: the lines that were asked for, with their clocks, and the counters."""

    def __init__(self):
        self.lines, self.hits, self.misses = [], 0, 0


@pytest.fixture
def run(simulate, image):
    """`run([script, ...], seed, latency, gap)`: a script for each reader, with its `Reader`; `during` sees the device."""

    def start(scripts, seed=1, latency=1, gap=0.0, size=4096, qpus=None, during=None):
        contents = image(seed, SIZE)
        m = Module()
        m.submodules.dut = dut = InstructionCache(qpus or len(scripts), size=size)
        m.submodules.memory = memory = BenchMemory(
            SIZE, base=BASE, init=contents, latency=latency, gap=gap, seed=seed, tag_bits=2
        )
        connect(m, dut.bus, memory.bus)
        seen = Run()

        async def count(ctx):
            request = dut.bus.requests
            clock = 0
            channel = (request.valid, request.ready, request.payload)
            async for _, _, hit, miss, valid, ready, asked in ctx.tick().sample(dut.hit, dut.miss, *channel):
                seen.hits += hit
                seen.misses += miss
                if valid and ready:
                    assert (asked.address % LINE, asked.beats, asked.write) == (0, LINE // 8 - 1, 0)
                    seen.lines.append((asked.address, clock))
                clock += 1

        async def stable(ctx):
            await watch(ctx, dut.bus.requests)

        def bench(number, script):
            async def body(ctx):
                note = f"reader {number}, seed {seed}, latency {latency}, gap {gap}"
                await script(Reader(ctx, dut.qpus[number], random.Random(seed + number), contents, gap, note))

            return body

        background = [count, stable]
        if during:

            async def beside(ctx):
                await during(ctx, dut, random.Random(seed))

            background.append(beside)
        simulate(m, *(bench(number, script) for number, script in enumerate(scripts)), background=background)
        return seen

    return start


def random_target(rng):
    """Anywhere in memory, near the ends of its lines and of memory itself, or outside."""
    near = BASE + LINE * rng.randrange(SIZE // LINE) + rng.choice([0, 8, 48, 56])
    return rng.choice([BASE + 8 * rng.randrange(SIZE // 8), near, near, BASE + SIZE - 8, 0x8000])


async def wander(reader, rounds=12):
    """Random redirections."""
    rng = reader.rng
    await reader.redirect(random_target(rng))
    places = [random_target(rng) for _ in range(4)]
    for _ in range(rounds):
        await reader.take(rng.choice([0, 1, 2, 5, 20]))
        if reader.jump:
            await reader.take((reader.jump[0] - reader.next_pc) // 8)
        if rng.random() < 0.3:
            places[rng.randrange(4)] = random_target(rng)
        target = rng.choice(places)
        if rng.random() < 0.3:
            await reader.redirect(target)
        else:
            await reader.redirect(target, reader.next_pc + 8 * rng.randrange(1, 4))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("latency", "gap"),
    [(20, 0.3), (1, 0.0), (1, 0.5), (7, 0.0)],
)
@pytest.mark.parametrize("seed", range(4))
def test_random_redirections(run, seed, latency, gap):
    """Four readers in a cache that is too small for them."""
    seen = run([wander] * 4, 10 * seed, latency, gap, size=512)
    assert seen.hits
    assert seen.misses


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_random_clears(run, seed):
    async def clears(ctx, dut, rng):
        while True:
            for _ in range(rng.randrange(1, 80)):
                await ctx.tick()
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)

    run([wander] * 3, 100 + seed, 9, 0.2, size=512, during=clears)


@pytest.mark.parametrize("distances", [range(1, 14), range(13, 0, -1)])
def test_a_jump_at_every_distance_of_its_boundary(run, distances):
    """From lines that are not in the cache to some that are not; more and more of them are."""

    async def script(reader):
        for distance in distances:
            await reader.redirect(BASE + 0x28)
            await reader.take(2)
            await reader.redirect(BASE + 0x838 + LINE * distance, reader.next_pc + 8 * distance)
            await reader.take(distance + 10)
            assert reader.next_pc == BASE + 0x838 + LINE * distance + 8 * 10

    run([script], 3, 4)


def test_clocks_from_a_redirection_to_its_word(run):
    """Four clocks if the turn is in the clock after it, and one more for each clock until the turn."""
    clocks = []

    async def script(reader):
        await reader.redirect(BASE)
        await reader.take(3)
        for phase in range(4):
            await reader.wait(40)
            while reader.clocks % 4 != phase:
                await reader.wait(1)
            await reader.redirect(BASE)
            start = reader.clocks - 1  # the clock of the redirection
            while not await reader.clock():
                pass
            clocks.append(reader.clocks - 1 - start)

    run([script], latency=5)
    # The turns of reader 0 are in the clocks that are a multiple of four.
    assert clocks == [7, 6, 5, 4]


def test_a_taken_branch_waits_only_for_its_turn(run):
    """A redirection after words that the reader has all taken: nothing stands in the way of its target."""
    clocks = []

    async def script(reader):
        for place in (BASE, BASE + 0x400):
            await reader.redirect(place)
            await reader.take(16)
        await reader.wait(40)
        await reader.redirect(BASE)
        await reader.take(4)
        await reader.wait(20)  # so that as many words as possible stand in front of it
        while reader.clocks % 4 != 3:
            await reader.wait(1)
        await reader.redirect(BASE + 0x400, reader.next_pc)
        start = reader.clocks - 1
        await reader.take(1)
        clocks.append(reader.clocks - 1 - start)

    run([script])
    assert clocks == [4]  # seven would do: a branch has three delay slots


class Straight:
    """Takes a word every four clocks, as a QPU does, and notes which were late."""

    def __init__(self, start, count, before=0):
        self.start, self.count, self.before = start, count, before
        self.late = []

    async def __call__(self, reader):
        await reader.wait(self.before)
        await reader.redirect(self.start)
        await reader.take(1)
        for number in range(1, self.count):
            await reader.wait(3)
            if not await reader.clock(ready=1):
                self.late.append(number)
                await reader.take(1)


@pytest.mark.parametrize("latency", [1, 16, 24])
def test_straight_code_streams_without_a_bubble(run, latency):
    """Once its first line is there; the line after it is fetched while it runs."""
    straight = Straight(BASE + 0x40, 50)
    seen = run([straight], latency=latency)
    assert straight.late == []
    assert seen.misses == 1


def test_four_readers_on_hits_at_full_rate(run):
    """Each of them gets a word every four clocks, as long as they like."""
    runs = [Straight(BASE + 0x100 * number, 32, before=100) for number in range(4)]

    def warmed(straight):
        async def script(reader):
            await reader.redirect(straight.start)
            await reader.take(straight.count + 8)
            await straight(reader)

        return script

    seen = run([warmed(straight) for straight in runs], latency=3)
    assert [straight.late for straight in runs] == [[]] * 4
    assert seen.hits > 4 * 64


def test_a_miss_never_stalls_a_reader_that_hits(run):
    """Three readers miss all the time, in sets other than the one of the fourth reader, whose line so stays."""
    done = []

    async def loop(reader):
        """Eight words round and round, taken as they come: every word is a hit, a turn after the one before."""
        await reader.redirect(BASE)
        await reader.take(8)
        while reader.clocks % 4 != 3:
            await reader.wait(1)
        for _ in range(25):
            await reader.redirect(BASE)
            start = reader.clocks
            await reader.take(7)
            done.append(reader.clocks - start)
            while reader.clocks % 4 != 3:
                await reader.wait(1)

    async def misses(reader):
        for number in range(8):
            await reader.redirect(BASE + 0x1000 + 0x800 * reader.rng.randrange(4) + LINE * (number + 1))
            await reader.take(1)

    run([loop, misses, misses, misses], latency=30)
    assert done == [4 + 6 * 4] * 25


def test_the_second_run_of_a_program_asks_for_nothing(run):
    async def script(reader):
        for _ in range(2):
            await reader.redirect(BASE)
            await reader.take(120)

    seen = run([script])
    assert sorted(address for address, _ in seen.lines) == [BASE + LINE * number for number in range(17)]


def test_a_line_that_several_want_is_fetched_once(run):
    async def script(reader):
        await reader.redirect(BASE)
        await reader.take(4)

    seen = run([script] * 4, latency=20)
    assert [address for address, _ in seen.lines] == [BASE, BASE + LINE, BASE + 2 * LINE]
    assert seen.misses == 1


def test_a_clear_forgets(run):
    """What memory holds after a clear is what is read after it."""

    async def script(reader):
        for round_number in range(2):
            await reader.redirect(BASE)
            await reader.take(1)
            await reader.wait(60 if round_number == 0 else 0)

    async def clear(ctx, dut, rng):
        for _ in range(40):
            await ctx.tick()
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)

    seen = run([script], during=clear)
    # The reader's queue is full when the clear comes, so the lines are asked for again only by the second round.
    assert [address for address, _ in seen.lines] == [BASE, BASE + LINE, BASE + 2 * LINE, BASE, BASE + LINE]


def test_refuses_numbers_of_readers():
    for qpus in (0, 5):
        with pytest.raises(ValueError, match="1 to 4 readers"):
            LineCache(qpus, size=4096)
