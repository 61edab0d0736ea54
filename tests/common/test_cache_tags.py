# amaranth: UnusedElaboratable=no

"""`CacheTags` against a dictionary."""

import random

import pytest

from vc4.common.cache_tags import CacheTags

SETS, WAYS, TAG_BITS = 8, 4, 5


@pytest.mark.parametrize("registered", [False, True])
def test_lines_are_found_and_replaced_in_turn(simulate, registered):
    """Random lines are looked up through two ports, and those that are not there are entered; now and then a clear."""
    dut = CacheTags(SETS, WAYS, TAG_BITS, ports=2, registered=registered)
    rng = random.Random(7)
    lines = {}  # of each set: tags by way
    turns = dict.fromkeys(range(SETS), 0)
    found = []

    async def look_up(ctx, line_set, tag):
        for port in dut.lookups:
            ctx.set(port.set, line_set)
            ctx.set(port.tag, tag)
            ctx.set(port.enable, 1)
        if registered:
            await ctx.tick()
            for port in dut.lookups:
                ctx.set(port.enable, 0)
        return [(ctx.get(port.hit), ctx.get(port.way), ctx.get(port.victim)) for port in dut.lookups]

    async def enter(ctx, line_set, tag, way):
        ctx.set(dut.write_set, line_set)
        ctx.set(dut.write_way, way)
        ctx.set(dut.write_tag, tag)
        ctx.set(dut.write_valid, 1)
        ctx.set(dut.write_enable, 1)
        await ctx.tick()
        ctx.set(dut.write_enable, 0)
        lines.setdefault(line_set, {})[way] = tag
        turns[line_set] = (way + 1) % WAYS

    async def bench(ctx):
        for _ in range(800):
            line_set, tag = rng.randrange(SETS), rng.randrange(8)
            ways = [way for way, held in lines.get(line_set, {}).items() if held == tag]
            one, other = await look_up(ctx, line_set, tag)
            assert one == other
            hit, way, victim = one
            assert (bool(hit), victim) == (bool(ways), turns[line_set])
            if hit:
                assert way == ways[0]
                found.append(way)
            else:
                await enter(ctx, line_set, tag, victim)
            if rng.random() < 0.01:
                ctx.set(dut.clear, 1)
                await ctx.tick()
                ctx.set(dut.clear, 0)
                lines.clear()
                for _ in range(SETS + 1):
                    assert ctx.get(dut.clearing)
                    line_set = rng.randrange(SETS)
                    hit, _, victim = (await look_up(ctx, line_set, tag))[0]
                    assert (hit, victim) == (0, turns[line_set]), "nothing is found, but there is a way for what comes"
                    if not registered:
                        await ctx.tick()
                assert not ctx.get(dut.clearing)

    simulate(dut, bench)
    assert set(found) == set(range(WAYS))


def test_a_clear_takes_back_an_answer(simulate):
    """A lookup during a clear finds nothing for as long as its answer is kept, whatever has been read before it."""
    dut = CacheTags(SETS, WAYS, TAG_BITS, registered=True)
    (port,) = dut.lookups

    async def clock(ctx, signal):
        ctx.set(signal, 1)
        await ctx.tick()
        ctx.set(signal, 0)

    async def bench(ctx):
        await ctx.tick().until(~dut.clearing)
        ctx.set(dut.write_set, 1)
        ctx.set(dut.write_valid, 1)
        await clock(ctx, dut.write_enable)
        ctx.set(port.set, 1)
        await clock(ctx, port.enable)
        assert ctx.get(port.hit)
        await clock(ctx, dut.clear)
        assert not ctx.get(port.hit)
        ctx.set(port.set, 0)
        await clock(ctx, port.enable)
        await ctx.tick().until(~dut.clearing)
        for _ in range(3):
            assert not ctx.get(port.hit)
            await ctx.tick()

    simulate(dut, bench)


@pytest.mark.parametrize("sizes", [(8, 3), (6, 4), (1, 4), (8, 1)])
def test_refuses_sizes_that_are_no_powers_of_two(sizes):
    with pytest.raises(ValueError, match="a power of two and at least 2"):
        CacheTags(*sizes, TAG_BITS)
