"""`Prefetch` against the order of addresses that its redirections ask for."""

import random

import pytest

from vc4.slice.prefetch import Prefetch

BASE, SIZE, DEPTH = 0x2000, 0x1000, 16
PATIENCE = 3000  # clocks until a word counts as lost


class Reader:
    """Takes the words that come next, drops the others, and redirects the stream as a QPU does."""

    def __init__(self, ctx, dut, rng, contents, gap, note):
        self.ctx, self.dut, self.rng, self.contents, self.gap, self.note = ctx, dut, rng, contents, gap, note
        self.next_pc = 0
        self.jump = None

    def expected(self, pc):
        """Word and error of an address."""
        offset = pc - BASE
        if not 0 <= offset < SIZE:
            return 0, 1
        return int.from_bytes(self.contents[offset : offset + 8], "little"), 0

    async def clock(self):
        """One clock; 1 if it brought the word that comes next."""
        ctx, dut = self.ctx, self.dut
        ctx.set(dut.o.ready, self.rng.random() >= self.gap)
        _, _, valid, ready, word = await ctx.tick().sample(dut.o.valid, dut.o.ready, dut.o.payload)
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

    async def redirect(self, restart, boundary, target):
        """One clock with a redirection, in which nothing is taken."""
        self.ctx.set(self.dut.redirect, {"restart": restart, "boundary": boundary, "target": target})
        self.ctx.set(self.dut.redirect_stb, 1)
        self.ctx.set(self.dut.o.ready, 0)
        await self.ctx.tick()
        self.ctx.set(self.dut.redirect_stb, 0)
        if restart:
            self.next_pc, self.jump = target, None
        else:
            self.jump = (boundary, target)


def random_target(rng):
    """Anywhere in memory, near the ends of its lines and of memory itself, or outside."""
    near = BASE + 64 * rng.randrange(SIZE // 64) + rng.choice([0, 8, 48, 56])
    return rng.choice([BASE + 8 * rng.randrange(SIZE // 8), near, near, near, BASE + SIZE - 8, 0x8000])


@pytest.fixture
def run(attach, image):
    """`run(script)`: a coroutine with a `Reader` on a memory."""

    def start(script, seed, latency, gap):
        dut, contents = Prefetch(), image(seed, SIZE)

        async def bench(ctx):
            note = f"seed {seed}, latency {latency}, gap {gap}"
            await script(Reader(ctx, dut, random.Random(seed), contents, gap, note))

        return attach(
            dut,
            bench,
            contents=contents,
            base=BASE,
            depth=DEPTH,
            restarts=dut.redirect_stb & dut.redirect.restart,
            words_taken=dut.o.valid & dut.o.ready,
            seed=seed,
            latency=latency,
            gap=gap,
        )

    return start


@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (1, 0.5), (7, 0.0), (20, 0.3), (40, 0.0)])
@pytest.mark.parametrize("seed", range(2))
def test_random_redirections(run, seed, latency, gap):
    async def script(reader):
        rng = reader.rng
        await reader.redirect(1, 0, random_target(rng))
        for _ in range(60):
            await reader.take(rng.choice([0, 1, 2, 5, 20]))
            if reader.jump:
                await reader.take((reader.jump[0] - reader.next_pc) // 8)
            if rng.random() < 0.3:
                await reader.redirect(1, rng.getrandbits(32), random_target(rng))
            else:
                await reader.redirect(0, reader.next_pc + 8 * rng.randrange(1, 4), random_target(rng))

    run(script, seed, latency, gap)


@pytest.mark.parametrize("distance", range(1, 25))
def test_a_jump_at_every_distance_of_its_boundary(run, distance):
    """Behind the boundary nothing is asked for if it is far enough; the words around it come once."""

    async def script(reader):
        await reader.redirect(1, 0, BASE + 0x28)
        await reader.take(2)
        await reader.redirect(0, reader.next_pc + 8 * distance, BASE + 0x838)
        await reader.take(distance + 20)
        assert reader.next_pc == BASE + 0x838 + 8 * 20

    run(script, 3, 4, 0.0)


def test_a_word_a_clock_once_it_runs(run):
    """Two lines hide the latency of a memory that answers at once."""

    async def script(reader):
        await reader.redirect(1, 0, BASE)
        await reader.take(8)
        clocks = 0
        while reader.next_pc < BASE + 8 * 72:
            await reader.clock()
            clocks += 1
        assert clocks <= 64 * 1.25, f"64 words took {clocks} clocks"

    run(script, 1, 1, 0.0)


def test_nothing_is_asked_for_before_the_first_restart_and_with_a_full_queue(run):
    async def script(reader):
        ctx, dut = reader.ctx, reader.dut
        for _ in range(20):
            await ctx.tick()
            assert not ctx.get(dut.bus.requests.valid)
        await reader.redirect(1, 0, BASE)
        for _ in range(100):
            await ctx.tick()
        assert not ctx.get(dut.bus.requests.valid)
        await reader.take(40)

    assert run(script, 1, 2, 0.0).most == DEPTH
