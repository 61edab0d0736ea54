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


@pytest.mark.parametrize("rows", [16, 64, 192, 256])
def test_random_quads(rows):
    rng = random.Random(rows)
    dut = VpmStore(rows)
    memory = [[0] * 16 for _ in range(rows)]

    async def bench(ctx):
        for _ in range(1000):
            read = random_address(rng, rows)
            write = random_address(rng, rows)
            enable = rng.randrange(16)
            values = [rng.randrange(1 << 32) for _ in range(4)]
            valid = rng.randrange(4) and not set(words_of(read)) & set(words_of(write))
            ctx.set(dut.read, read)
            ctx.set(dut.read_enable, 1)
            ctx.set(dut.writes.payload, {"address": write, "enable": enable, "data": values})
            ctx.set(dut.writes.valid, valid)
            expected = [memory[row][column] for row, column in words_of(read)]
            await ctx.tick()
            assert list(ctx.get(dut.read_data)) == expected, f"seed {rows}"
            for word, (row, column) in enumerate(words_of(write)):
                if valid and enable >> word & 1:
                    memory[row][column] = values[word]

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("rows", [0, 24, 272])
def test_refuses_odd_sizes(rows):
    with pytest.raises(ValueError, match="multiple of 16"):
        VpmStore(rows)
