"""`RegisterFile` against the table that it is made from: every field written and read, alone and with all others around."""

import random

import pytest

from vc4.host.register_file import RegisterFile
from vc4.regs.register import Reads, Writes
from vc4.regs.table import OFFSET_BITS, register

from ..simulation import Simulation
from .expected import CONFIGS, Expected

SEED = 5


class Told(Expected):
    """And what the blocks must be told."""

    def __init__(self, dut, config):
        super().__init__(config)
        self.dut = dut

    def told(self, one, word):
        """What a write of `word` to `one` tells the blocks: {(register, field): value}; 0 is left out."""
        found = {}
        for field in one.fields:
            value = self.part(field, word)
            if field.access.writes in (Writes.VALUE, Writes.ONES, Writes.LOWEST) and field.width_in(self.config):
                found[one.name, "stb"] = 1
                found[one.name, field.name] = value & 1 if field.access.writes is Writes.LOWEST else value
        return {name: value for name, value in found.items() if value}

    def seen(self, ctx):
        """What the blocks are told in this clock; values of fields only where there is a strobe."""
        found = {}
        for name in self.dut.written.signature.members:
            written = getattr(self.dut.written, name)
            values = ctx.get(written)
            for field in written.shape().members:
                value_only = field != "stb" and self.access(name, field).writes is Writes.VALUE
                if values[field] and (values.stb or not value_only):
                    found[name, field] = values[field]
        return found

    def access(self, name, field):
        """Of a field, both by name."""
        return next(one.access for one in register(name).fields if one.name == field)


@pytest.fixture(params=CONFIGS, scope="module")
def run(request, host):
    """`run(script)`: calls `script(ctx, host, expected, rng)`."""
    config = CONFIGS[request.param]
    dut = RegisterFile(config)
    simulation = Simulation(dut)

    def run(script):
        async def bench(ctx):
            await script(ctx, host(ctx, dut.port), Told(dut, config), random.Random(SEED))

        simulation.run(bench)

    return run


def test_every_offset_reads_its_reset_value(run):
    async def script(ctx, host, expected, rng):
        words = {one.offset: one.reset_in(expected.config) for one in expected.registers}
        for offset in range(0, 1 << OFFSET_BITS, 4):
            assert await host.read(offset + rng.randrange(4)) == words.get(offset, 0), hex(offset)

    run(script)


def test_every_field_is_written_and_read(run):
    async def script(ctx, host, expected, rng):
        for one in rng.sample(expected.registers, len(expected.registers)):
            for word in (0xFFFF_FFFF, rng.getrandbits(32), 0, rng.getrandbits(32)):
                host.offer(one.name, word)
                assert expected.seen(ctx) == expected.told(one, word), one.name
                await host.write(one.name, word)
                expected.write(one, word)
                assert await host.read(one.name) == expected.word(one), one.name
                assert expected.seen(ctx) == {}, "a write lasts one clock"
        for one in expected.registers:
            assert await host.read(one.name) == expected.word(one), f"{one.name} was changed by another write"
        for one, field in expected.fields(Writes.HELD):
            value = ctx.get(getattr(expected.dut.values, one.name)[field.name])
            assert value == expected.state[one.name, field.name], f"{one.name}.{field.name}"

    run(script)


def test_every_live_field_reads_what_its_block_says(run):
    async def script(ctx, host, expected, rng):
        for _ in range(3):
            for one, field in expected.fields(Reads.LIVE):
                value = rng.getrandbits(field.width_in(expected.config))
                ctx.set(getattr(expected.dut.live, one.name)[field.name], value)
                expected.state[one.name, field.name] = value
            for one in expected.registers:
                assert await host.read(one.name) == expected.word(one), one.name

    run(script)


def test_between_the_registers_there_is_nothing_to_write(run):
    async def script(ctx, host, expected, rng):
        taken = {one.offset for one in expected.registers}
        for offset in range(0, 1 << OFFSET_BITS, 4):
            if offset not in taken:
                host.offer(offset, 0xFFFF_FFFF)
                assert expected.seen(ctx) == {}, hex(offset)
                await ctx.tick()
        ctx.set(host.port.write_stb, 0)
        for one in expected.registers:
            assert await host.read(one.name) == expected.word(one), one.name

    run(script)


def test_what_was_read_stays(run):
    async def script(ctx, host, expected, rng):
        await host.write("SCRATCH", 0x1234_5678)
        assert await host.read("SCRATCH") == 0x1234_5678
        await host.write("SCRATCH", 1)
        ctx.set(host.port.address, 0)
        await ctx.tick().repeat(3)
        assert ctx.get(host.port.read_data) == 0x1234_5678

    run(script)
