# amaranth: UnusedElaboratable=no

"""Receiver and transmitter of a serial line, one against the other and against bits."""

import random

import pytest
from amaranth.hdl import Module

from vc4.boards.uart_receiver import UartReceiver
from vc4.boards.uart_transmitter import UartTransmitter
from vc4sim.bench.streams import feed


async def taken(ctx, stream, clocks):
    """What a stream gives within so many clocks, and when."""
    found = []
    for clock in range(clocks):
        _, _, valid, byte = await ctx.tick().sample(stream.valid, stream.payload)
        if valid:
            found.append((clock, byte))
    return found


async def send(ctx, line, byte, divisor, *, stop=1):
    """A byte as bits."""
    for bit in (0, *(byte >> place & 1 for place in range(8)), stop):
        ctx.set(line, bit)
        await ctx.tick().repeat(divisor)


@pytest.mark.parametrize("divisor", [4, 5, 16])
@pytest.mark.parametrize("gap", [0, 0.9])
def test_bytes_come_as_they_were_sent(simulate, divisor, gap):
    m = Module()
    m.submodules.transmitter = transmitter = UartTransmitter(divisor)
    m.submodules.receiver = receiver = UartReceiver(divisor)
    m.d.comb += receiver.i.eq(transmitter.o)
    rng = random.Random(divisor)
    data = [0, 255, *(rng.randrange(256) for _ in range(20))]
    found = []

    async def source(ctx):
        await feed(ctx, transmitter.i, data, rng=rng, gap=gap)

    async def sink(ctx):
        found.extend(await taken(ctx, receiver.o, len(data) * 12 * divisor))

    simulate(m, source, sink)
    assert [byte for _, byte in found] == data
    if not gap:  # back to back
        assert {later - earlier for (earlier, _), (later, _) in zip(found, found[1:], strict=False)} <= {
            10 * divisor,
            10 * divisor + 1,
        }


@pytest.mark.parametrize("theirs", [39, 41])
def test_clocks_may_differ(simulate, theirs):
    """By more than what `BoardSystem` allows."""
    dut, found = UartReceiver(40), []
    data = random.Random(1).randbytes(12)

    async def source(ctx):
        for byte in data:
            await send(ctx, dut.i, byte, theirs)

    async def sink(ctx):
        found.extend(await taken(ctx, dut.o, 12 * 11 * 41))

    simulate(dut, source, sink)
    assert bytes(byte for _, byte in found) == data


def test_what_is_no_byte(simulate):
    """A spike is none; one without a stop bit, as a line that is held low, is dropped, and the next one comes."""
    dut, found = UartReceiver(8), []

    async def source(ctx):
        ctx.set(dut.i, 0)
        await ctx.tick().repeat(3)
        ctx.set(dut.i, 1)
        await ctx.tick().repeat(20)
        await send(ctx, dut.i, 0x55, 8, stop=0)
        await ctx.tick().repeat(100)
        ctx.set(dut.i, 1)
        await ctx.tick().repeat(8)
        await send(ctx, dut.i, 0xA7, 8)

    async def sink(ctx):
        found.extend(await taken(ctx, dut.o, 400))

    simulate(dut, source, sink)
    assert [byte for _, byte in found] == [0xA7]


@pytest.mark.parametrize("part", [UartReceiver, UartTransmitter])
def test_too_few_clocks(part):
    with pytest.raises(ValueError, match="at least 4 clocks, not 3"):
        part(3)
