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


@pytest.mark.parametrize("rows", [16, 64, 192, 256])
def test_random_quads(rows):
    """Rows from the number of rows on are not there."""
    rng = random.Random(rows)
    dut = VpmStore(rows)
    memory = [[0] * 16 for _ in range(256)]
    outside = 0

    async def bench(ctx):
        nonlocal outside
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
            outside += (reads and read["row"] >= rows) or (valid and write["row"] >= rows)
            if valid and write["row"] < rows:
                places = words_of(write)
                before = [memory[row][column] for row, column in places]
                for (row, column), word in zip(places, written(before, enable, values), strict=True):
                    memory[row][column] = word

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert bool(outside) == (rows < 256)


@pytest.mark.parametrize("rows", [0, 24, 272])
def test_refuses_odd_sizes(rows):
    with pytest.raises(ValueError, match="multiple of 16"):
        VpmStore(rows)
