"""`TileMemory` against a list of words, over many clears."""

import random
from functools import cache

import pytest

from vc4.tlb.structs import PIXELS, WORDS
from vc4.tlb.tile_memory import CLEAR_CLOCKS, TileMemory

from ..simulation import Simulation

BITS = 8
#: Clears until the number of the first one comes again.
NUMBERS = 15


@cache
def simulation():
    dut = TileMemory(BITS)
    return Simulation(dut), dut


async def clear(ctx, dut, values):
    """Returns how long it takes."""
    ctx.set(dut.clears, 1)
    await ctx.tick()
    ctx.set(dut.clears, 0)
    ctx.set(dut.cleared, values)
    clocks = 1
    while ctx.get(dut.busy):
        await ctx.tick()
        clocks += 1
    return clocks


async def write(ctx, dut, address, lanes, enable):
    ctx.set(dut.write_address, address)
    ctx.set(dut.write_data, lanes)
    ctx.set(dut.write_enable, enable)
    await ctx.tick()
    ctx.set(dut.write_enable, 0)


async def read(ctx, dut, address):
    ctx.set(dut.read_address, address)
    ctx.set(dut.read_enable, 1)
    await ctx.tick()
    ctx.set(dut.read_enable, 0)
    return list(ctx.get(dut.read_data))


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(2, 12))])
def test_words_over_clears(seed):
    """Of a few words anywhere, that are seldom written: what is left of clears long ago must not come back."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation()
    places = [0, WORDS - 1, *rng.sample(range(1, WORDS - 1), 30)]
    chance = rng.choice((0.02, 0.1, 0.5))

    async def bench(ctx):
        # A reset forgets nothing, and there was another run.
        values = [rng.getrandbits(BITS) for _ in range(2)]
        assert await clear(ctx, dut, values) == 1 + CLEAR_CLOCKS
        words = dict.fromkeys(places, values * 2)
        for number in range(40):
            for place in places:
                if rng.random() < chance:
                    lanes, enable = [rng.getrandbits(BITS) for _ in range(PIXELS)], rng.randrange(1 << PIXELS)
                    await write(ctx, dut, place, lanes, enable)
                    words[place] = [
                        new if enable >> n & 1 else old
                        for n, (new, old) in enumerate(zip(lanes, words[place], strict=True))
                    ]
                assert await read(ctx, dut, place) == words[place]
            for place in places:
                assert await read(ctx, dut, place) == words[place], number
            if number % 3:
                values = [rng.getrandbits(BITS) for _ in range(2)]
                await clear(ctx, dut, values)
                words = dict.fromkeys(places, values * 2)

    rig.run(bench)


def test_no_word_comes_back():
    """Written once: it stays clear, wherever it is, when the number of its clear comes again."""
    rig, dut = simulation()

    async def bench(ctx):
        for address in range(WORDS):
            await write(ctx, dut, address, [1, 2, 3, 4], 0xF)
        for number in range(NUMBERS):
            await clear(ctx, dut, [5, 6])
            for address in range(0, WORDS, 1 if number == NUMBERS - 1 else 15):
                assert await read(ctx, dut, address) == [5, 6, 5, 6]

    rig.run(bench)
