"""`Uniforms` against a pointer into memory."""

import random

import pytest

from vc4.slice.uniforms import Uniforms

BASE, SIZE = 0x3000, 0x800
PATIENCE = 3000  # clocks until a uniform counts as lost


class Reader:
    """Reads uniforms and moves their address, as the instructions of a QPU do."""

    def __init__(self, ctx, dut, rng, contents, gap, note):
        self.ctx, self.dut, self.rng, self.contents, self.gap, self.note = ctx, dut, rng, contents, gap, note
        self.address = 0

    async def take(self, count):
        """The next uniforms, each as it stands in memory."""
        ctx, dut = self.ctx, self.dut
        waited = 0
        while count:
            ctx.set(dut.o.ready, self.rng.random() >= self.gap)
            _, _, valid, ready, uniform = await ctx.tick().sample(dut.o.valid, dut.o.ready, dut.o.payload)
            waited += 1
            assert waited < PATIENCE, f"{self.note}: {self.address:#x} never came"
            if valid and ready:
                offset = self.address - BASE
                inside = 0 <= offset < SIZE
                expected = int.from_bytes(self.contents[offset : offset + 4], "little") if inside else 0
                assert (uniform.value, uniform.error) == (expected, not inside), f"{self.note}: {self.address:#x}"
                self.address = (self.address + 4) & 0xFFFF_FFFF
                count, waited = count - 1, 0
        ctx.set(dut.o.ready, 0)

    async def move(self, address, relative=0):
        """One clock with a move."""
        self.ctx.set(self.dut.move, {"relative": relative, "address": address & 0xFFFF_FFFF})
        self.ctx.set(self.dut.move_stb, 1)
        await self.ctx.tick()
        self.ctx.set(self.dut.move_stb, 0)
        self.address = (address + (self.address if relative else 0)) & 0xFFFF_FFFC


@pytest.fixture
def run(attach, image):
    """`run(script)`: a coroutine with a `Reader` on a memory."""

    def start(script, seed, latency, gap):
        dut, contents = Uniforms(), image(seed, SIZE)

        async def bench(ctx):
            note = f"seed {seed}, latency {latency}, gap {gap}"
            await script(Reader(ctx, dut, random.Random(seed), contents, gap, note))

        return attach(
            dut,
            bench,
            contents=contents,
            base=BASE,
            restarts=dut.move_stb,
            seed=seed,
            latency=latency,
            gap=gap,
        )

    return start


@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (1, 0.6), (9, 0.0), (30, 0.3)])
@pytest.mark.parametrize("seed", range(2))
def test_random_moves(run, seed, latency, gap):
    async def script(reader):
        rng = reader.rng
        await reader.move(BASE)
        for _ in range(50):
            await reader.take(rng.choice([0, 1, 2, 3, 40]))
            if rng.random() < 0.5:
                await reader.move(BASE + rng.randrange(SIZE + 16))
            else:
                await reader.move(rng.randrange(-24, 24), relative=1)

    run(script, seed, latency, gap)


@pytest.mark.parametrize("low", range(8))
def test_the_low_bits_of_an_address_are_dropped(run, low):
    async def script(reader):
        await reader.move(BASE + 0x40 + low)
        assert reader.address == BASE + 0x40 + (low & 4)
        await reader.take(3)
        await reader.move(low, relative=1)
        await reader.take(3)

    run(script, 1, 2, 0.0)


def test_a_relative_move_counts_from_the_next_uniform(run):
    async def script(reader):
        await reader.move(BASE)
        await reader.take(5)
        await reader.move(-8, relative=1)
        assert reader.address == BASE + 12
        await reader.take(2)

    run(script, 1, 2, 0.0)
