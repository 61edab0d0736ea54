"""`BlockRam` and `LutRam` against a Python list of bytes."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.common.ram import BlockRam, LutRam

DEPTH = 13
INIT = [0x01020304, 0xDEADBEEF]


def run(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


def write(rng, ctx, dut, words, granules):
    """Writes random parts of a random word, in `words` too."""
    address, value, enable = rng.randrange(DEPTH), rng.randrange(1 << 32), rng.randrange(1 << granules)
    ctx.set(dut.write_address, address)
    ctx.set(dut.write_data, value)
    ctx.set(dut.write_enable, enable)
    bits = 32 // granules
    mask = sum(((1 << bits) - 1) << bits * part for part in range(granules) if enable >> part & 1)
    words[address] = words[address] & ~mask | value & mask


@pytest.mark.parametrize("granularity", [None, 8, 16])
@pytest.mark.parametrize("reads", [1, 3])
def test_block_ram(granularity, reads):
    rng = random.Random(granularity)
    dut = BlockRam(32, DEPTH, granularity=granularity, init=INIT, reads=reads)
    words = INIT + [0] * (DEPTH - len(INIT))
    ports = (dut.read_address, dut.read_enable, dut.read_data)
    ports = [ports] if reads == 1 else list(zip(*ports, strict=True))

    async def bench(ctx):
        expected = [0] * reads
        for _ in range(300):
            for number, (address_port, enable_port, _) in enumerate(ports):
                address, enable = rng.randrange(DEPTH), rng.randrange(2)
                ctx.set(address_port, address)
                ctx.set(enable_port, enable)
                expected[number] = words[address] if enable else expected[number]
            write(rng, ctx, dut, words, 32 // (granularity or 32))
            await ctx.tick()
            assert [ctx.get(word) for *_, word in ports] == expected, f"seed {granularity}"

    run(dut, bench)


@pytest.mark.parametrize("granularity", [None, 8])
@pytest.mark.parametrize("reads", [1, 3])
def test_lut_ram(granularity, reads):
    rng = random.Random(granularity)
    dut = LutRam(32, DEPTH, granularity=granularity, init=INIT, reads=reads)
    words = INIT + [0] * (DEPTH - len(INIT))
    ports = (
        [(dut.read_address, dut.read_data)] if reads == 1 else list(zip(dut.read_address, dut.read_data, strict=True))
    )
    assert len(ports) == reads

    async def bench(ctx):
        for _ in range(300):
            addresses = [rng.randrange(DEPTH) for _ in ports]
            for (read_address, _), address in zip(ports, addresses, strict=True):
                ctx.set(read_address, address)
            assert [ctx.get(word) for _, word in ports] == [words[address] for address in addresses], (
                f"seed {granularity}"
            )
            write(rng, ctx, dut, words, 32 // (granularity or 32))
            await ctx.tick()

    run(dut, bench)


@pytest.mark.parametrize("meet", [False, True])
def test_exclusive_ports_must_not_meet(meet):
    dut = BlockRam(32, DEPTH, init=INIT, exclusive=True)

    async def bench(ctx):
        ctx.set(dut.read_enable, 1)
        ctx.set(dut.read_address, 1)
        ctx.set(dut.write_enable, 1)
        ctx.set(dut.write_address, 1 if meet else 2)
        await ctx.tick()
        assert ctx.get(dut.read_data) == INIT[1]

    if meet:
        with pytest.raises(AssertionError, match="in the clock that writes it"):
            run(dut, bench)
    else:
        run(dut, bench)
