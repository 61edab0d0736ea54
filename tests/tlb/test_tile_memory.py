"""`TileMemory` against a list of words, over many clears."""

import random
from functools import cache

import pytest
from amaranth.hdl import Module, ResetInserter, Signal

from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.structs import QUARTERS, WORDS
from vc4.tlb.tile_memory import TileMemory

from ..simulation import Simulation

BITS, COLUMNS = 8, 2
ALL = (1 << QUARTERS) - 1
#: Clears until the number of the first one comes again.
NUMBERS = 15


@cache
def simulation():
    dut = TileMemory(BITS, COLUMNS)
    reset = Signal()
    m = Module()
    m.submodules.dut = ResetInserter(reset)(dut)
    return Simulation(m), dut, reset


def quarter_of(address):
    return address * QUARTERS // WORDS


async def clear(ctx, dut, values, quarters=ALL):
    """To values of each quarter; returns how many clocks it takes."""
    ctx.set(dut.clears, quarters)
    await ctx.tick()
    ctx.set(dut.clears, 0)
    clocks = 1
    while ctx.get(dut.busy):
        ctx.set(dut.values, values[ctx.get(dut.quarter)])
        ends = ctx.get(dut.ends)
        await ctx.tick()
        clocks += 1
        assert ends == (not ctx.get(dut.busy))
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
    rig, dut, _ = simulation()
    places = [0, WORDS - 1, *rng.sample(range(1, WORDS - 1), 30)]
    words = {place: [0] * QUAD_PIXELS for place in places}
    chance = rng.choice((0.02, 0.1, 0.5))

    async def bench(ctx):
        for _ in range(30):
            for place in places:
                if rng.random() < chance:
                    lanes, enable = [rng.getrandbits(BITS) for _ in range(QUAD_PIXELS)], rng.randrange(1 << QUAD_PIXELS)
                    await write(ctx, dut, place, lanes, enable)
                    for lane in range(QUAD_PIXELS):
                        words[place][lane] = (lanes if enable >> lane & 1 else words[place])[lane]
            for place in places:
                assert await read(ctx, dut, place) == words[place]
            quarters = rng.choice((ALL, 0b0011, 0b1100, rng.randrange(ALL)))
            values = [[rng.getrandbits(BITS) for _ in range(COLUMNS)] for _ in range(QUARTERS)]
            assert await clear(ctx, dut, values, quarters) == 1 + 18 * quarters.bit_count()
            for place in places:
                if quarters >> quarter_of(place) & 1:
                    words[place] = values[quarter_of(place)] * (QUAD_PIXELS // COLUMNS)

    rig.run(bench)


def test_no_word_comes_back():
    """Written once: it stays clear, wherever it is, when the number of its clear comes again."""
    rig, dut, _ = simulation()
    values = [[5, 6]] * QUARTERS

    async def bench(ctx):
        for address in range(WORDS):
            await write(ctx, dut, address, [1, 2, 3, 4], 0xF)
        for number in range(NUMBERS):
            await clear(ctx, dut, values)
            for address in range(0, WORDS, 1 if number == NUMBERS - 1 else 31):
                assert await read(ctx, dut, address) == [5, 6, 5, 6]

    rig.run(bench)


@pytest.mark.parametrize("clocks", [0, 40])
def test_a_reset_forgets_nothing(clocks):
    """A clear that it meets goes on, and what was cleared before stays so."""
    rig, dut, reset = simulation()

    async def bench(ctx):
        for address in range(0, WORDS, 7):
            await write(ctx, dut, address, [1, 2, 3, 4], 0xF)
        for _ in range(NUMBERS - 1):
            await clear(ctx, dut, [[5, 6]] * QUARTERS)
        ctx.set(dut.values, [7, 8])
        ctx.set(dut.clears, ALL if clocks else 0)
        for _ in range(clocks + 1):
            await ctx.tick()
            ctx.set(dut.clears, 0)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        assert ctx.get(dut.busy) == (clocks != 0)
        while ctx.get(dut.busy):
            await ctx.tick()
        for address in range(0, WORDS, 7):
            assert await read(ctx, dut, address) == ([7, 8] if clocks else [5, 6]) * 2

    rig.run(bench)
