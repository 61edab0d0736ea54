"""`Regfile` against a dictionary of bytes."""

import random

import pytest

from vc4.qpu.regfile import Regfile


@pytest.mark.parametrize("seed", range(2))
def test_random_reads_and_writes(simulate, seed):
    rng = random.Random(seed)
    dut = Regfile()
    held = {}

    async def bench(ctx):
        for clock in range(1500):
            read = rng.randrange(4), rng.choice([0, 1, 31, rng.randrange(32)])
            write = rng.randrange(4), rng.choice([0, 1, 31, rng.randrange(32)])
            enables = 0 if read == write else rng.choice([0, 0xFFFF, rng.getrandbits(16)])
            words = [rng.getrandbits(32) for _ in range(4)]
            ctx.set(dut.ra_quad, read[0])
            ctx.set(dut.ra_register, read[1])
            ctx.set(dut.wb_quad, write[0])
            ctx.set(dut.wb_register, write[1])
            ctx.set(dut.wb_data, words)
            ctx.set(dut.wb_enables, enables)
            await ctx.tick()
            expected = [sum(held.get((read, lane, byte), 0) << 8 * byte for byte in range(4)) for lane in range(4)]
            assert [ctx.get(dut.ra2_data[lane]) for lane in range(4)] == expected, f"seed {seed}, clock {clock}"
            for bit in range(16):
                if enables >> bit & 1:
                    held[write, bit // 4, bit % 4] = words[bit // 4] >> bit % 4 * 8 & 0xFF

    simulate(dut, bench)


def test_reading_what_is_written_in_the_same_clock_fails_an_assertion(simulate):
    dut = Regfile()

    async def bench(ctx):
        ctx.set(dut.ra_register, 5)
        ctx.set(dut.wb_register, 5)
        ctx.set(dut.wb_enables, 1)
        await ctx.tick()

    with pytest.raises(AssertionError, match="read in the clock that writes it"):
        simulate(dut, bench)
