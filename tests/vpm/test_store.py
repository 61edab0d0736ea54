# amaranth: UnusedElaboratable=no

"""`VpmStore` against a Python list of rows."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.vpm.store import VpmStore


def words_of(address):
    """Rows and columns of the four words of a quad."""
    row, column, vertical = address["row"], address["column"], address["vertical"]
    return [(row + word, column) if vertical else (row, column + word) for word in range(4)]


def random_address(rng, rows):
    vertical = rng.randrange(2)
    row, column = rng.randrange(rows), rng.randrange(16)
    return {
        "row": row & ~3 if vertical else row,
        "column": column if vertical else column & ~3,
        "vertical": vertical,
    }


def written(words, enable, values):
    """The words with those of their bytes new that are enabled."""
    for number, value in enumerate(values):
        bits = sum(0xFF << 8 * byte for byte in range(4) if enable >> 4 * number + byte & 1)
        yield (words[number] & ~bits) | (value & bits)


@pytest.mark.parametrize(
    ("rows", "limit"), [(16, None), (64, None), (64, 64), (64, 36), (64, 0), (192, 100), (256, None), (256, 252)]
)
def test_random_quads(rows, limit):
    """Rows from the limit on, or the number of rows if nothing sets the limit, are not there."""
    rng = random.Random(f"{rows} {limit}")
    dut = VpmStore(rows)
    memory = [[0] * 16 for _ in range(256)]
    limit_now = rows if limit is None else limit
    outside = 0

    async def bench(ctx):
        nonlocal outside
        if limit is not None:
            ctx.set(dut.rows_limit, limit)
        for _ in range(1000):
            read, write = (random_address(rng, 256) for _ in range(2))
            enable = rng.choice([0xFFFF, rng.getrandbits(16)])
            values = [rng.getrandbits(32) for _ in range(4)]
            reads = rng.randrange(4) > 0
            valid = rng.randrange(4) > 0 and not set(words_of(read)) & set(words_of(write))
            ctx.set(dut.read, read)
            ctx.set(dut.read_enable, reads)
            ctx.set(dut.writes.payload, {"address": write, "enable": enable, "data": values})
            ctx.set(dut.writes.valid, valid)
            expected = [memory[row][column] for row, column in words_of(read)]
            await ctx.tick()
            if reads:
                assert list(ctx.get(dut.read_data)) == expected
            outside += (reads and read["row"] >= limit_now) or (valid and write["row"] >= limit_now)
            if valid and write["row"] < limit_now:
                places = words_of(write)
                before = [memory[row][column] for row, column in places]
                for (row, column), word in zip(places, written(before, enable, values), strict=True):
                    memory[row][column] = word

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert bool(outside) == (limit_now < 256)


@pytest.mark.parametrize("rows", [0, 24, 272])
def test_refuses_odd_sizes(rows):
    with pytest.raises(ValueError, match="multiple of 16"):
        VpmStore(rows)
