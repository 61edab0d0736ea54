"""What is behind the registers: interrupts, performance counters, errors of the bus; and that the others reach the blocks."""

import random

import pytest

from vc4.config import V3DConfig
from vc4.host.registers import Registers
from vc4.regs.counters import PERFORMANCE_COUNTERS, SOURCES
from vc4.regs.table import register

from ..simulation import Simulation

CONFIG = V3DConfig(slices=2, qpus_per_slice=2, tmus_per_slice=1, memory_windows=True)
ALL = 0xFFFF_FFFF


@pytest.fixture(scope="module")
def run(host):
    """`run(script)`: calls `script(ctx, dut, host)`."""
    dut = Registers(CONFIG)
    simulation = Simulation(dut)

    def run(script):
        async def bench(ctx):
            await script(ctx, dut, host(ctx, dut.port))

        simulation.run(bench)

    return run


async def pulse(ctx, signal, value):
    """`signal` has `value` for one clock."""
    ctx.set(signal, value)
    await ctx.tick()
    ctx.set(signal, 0)


class TestInterrupts:
    CAUSES = [field.name for field in register("INTCTL").fields]

    @pytest.mark.parametrize(("bit", "cause"), [*enumerate(CAUSES)])
    def test_one_comes_and_goes(self, run, bit, cause):
        async def script(ctx, dut, host):
            await pulse(ctx, dut.raised[cause], 1)
            assert (await host.read("INTCTL"), ctx.get(dut.irq)) == (1 << bit, 0), "it is kept, but not enabled"
            await host.write("INTENA", 1 << bit)
            assert (await host.read("INTENA"), await host.read("INTDIS"), ctx.get(dut.irq)) == (1 << bit, 1 << bit, 1)
            await host.write("INTCTL", ~(1 << bit) & ALL)
            assert (await host.read("INTCTL"), ctx.get(dut.irq)) == (1 << bit, 1), "zeros clear nothing"
            await host.write("INTCTL", 1 << bit)
            assert (await host.read("INTCTL"), ctx.get(dut.irq)) == (0, 0)

        run(script)

    def test_enables_are_set_and_cleared_bit_by_bit(self, run):
        async def script(ctx, dut, host):
            rng, enabled = random.Random(2), 0
            for _ in range(50):
                bits = rng.getrandbits(4)
                if rng.randrange(2):
                    await host.write("INTENA", bits)
                    enabled |= bits
                else:
                    await host.write("INTDIS", bits)
                    enabled &= ~bits
                assert (await host.read("INTENA"), await host.read("INTDIS")) == (enabled, enabled)

        run(script)

    def test_one_that_arrives_while_it_is_cleared_stays(self, run):
        async def script(ctx, dut, host):
            ctx.set(dut.raised.INT_OUTOMEM, 1)
            await host.write("INTENA", ALL)
            await host.write("INTCTL", ALL)
            assert (await host.read("INTCTL"), ctx.get(dut.irq)) == (0b100, 1)
            ctx.set(dut.raised.INT_OUTOMEM, 0)
            await host.write("INTCTL", ALL)
            assert (await host.read("INTCTL"), ctx.get(dut.irq)) == (0, 0)

        run(script)


class TestCounters:
    def test_each_source_counts_as_much_as_it_can(self, run):
        async def script(ctx, dut, host):
            await host.write("PCTRE", 0x8000_0001)
            for source in SOURCES:
                await host.write("PCTRS0", source.number)
                await host.write("PCTRC", 1)
                ctx.set(dut.events, {one.name: one.most(CONFIG) for one in SOURCES if one is not source})
                await ctx.tick().repeat(4)
                assert await host.read("PCTR0") == 0, source.name
                ctx.set(dut.events, {source.name: source.most(CONFIG)})
                await ctx.tick().repeat(7)
                ctx.set(dut.events, {})
                await ctx.tick().repeat(2)
                assert await host.read("PCTR0") == 7 * source.most(CONFIG), source.name

        run(script)

    def test_counters_are_independent(self, run):
        """Each has a source of its own, is enabled, cleared and written alone."""

        async def script(ctx, dut, host):
            rng = random.Random(3)
            numbers = range(PERFORMANCE_COUNTERS)
            chosen = [rng.choice(SOURCES) for _ in numbers]
            counts = [0 for _ in numbers]
            for number in numbers:
                await host.write(f"PCTRS{number}", chosen[number].number)
            for _ in range(20):
                enabled, cleared, written = rng.getrandbits(16), rng.getrandbits(16), rng.randrange(16)
                await host.write("PCTRE", 0x8000_0000 | enabled)
                for _ in range(rng.randrange(1, 10)):
                    events = {source.name: rng.randrange(source.most(CONFIG) + 1) for source in SOURCES}
                    for number in numbers:
                        counts[number] += events[chosen[number].name] * (enabled >> number & 1)
                    ctx.set(dut.events, events)
                    await ctx.tick()
                ctx.set(dut.events, {})
                await ctx.tick().repeat(2)
                assert [await host.read(f"PCTR{number}") for number in numbers] == counts
                counts = [0 if cleared >> number & 1 else counts[number] for number in numbers]
                await host.write("PCTRC", cleared)
                counts[written] = rng.getrandbits(30)
                await host.write(f"PCTR{written}", counts[written])

        run(script)

    @pytest.mark.parametrize(("enable", "counts"), [(0x8000_0001, True), (1, False), (0x8000_0002, False)])
    def test_bit_31_enables_all(self, run, enable, counts):
        async def script(ctx, dut, host):
            ctx.set(dut.events, {SOURCES[0].name: 1})
            await host.write("PCTRE", enable)
            await ctx.tick().repeat(5)
            assert bool(await host.read("PCTR0")) == counts

        run(script)

    def test_a_source_that_does_not_exist_counts_nothing(self, run):
        async def script(ctx, dut, host):
            ctx.set(dut.events, {one.name: one.most(CONFIG) for one in SOURCES})
            await host.write("PCTRS0", 0x1F)
            await host.write("PCTRE", ALL)
            await ctx.tick().repeat(5)
            assert await host.read("PCTR0") == 0
            assert await host.read("PCTR1") > 0

        run(script)

    def test_a_count_wraps(self, run):
        async def script(ctx, dut, host):
            await host.write("PCTR0", ALL)
            await host.write("PCTRE", ALL)
            await pulse(ctx, dut.events[SOURCES[0].name], 1)
            await ctx.tick().repeat(2)
            assert await host.read("PCTR0") == 0

        run(script)


class TestBusErrors:
    @pytest.mark.parametrize(("bit", "kind"), [(0, "response"), (1, "window")])
    def test_one_is_kept_with_its_address(self, run, bit, kind):
        async def script(ctx, dut, host):
            stb, address = (getattr(dut, f"{kind}_error_{what}") for what in ("stb", "address"))
            for first, second in ((0x1234_5678, 0x1111_1110), (0xFFFF_FFF8, 0)):
                for place in (first, second):
                    ctx.set(address, place)
                    await pulse(ctx, stb, 1)
                assert (await host.read("XBUSERR"), await host.read("XBUSADR"), ctx.get(dut.irq)) == (
                    1 << bit,
                    first,
                    0,
                )
                await host.write("XBUSENA", 1 << bit)
                assert ctx.get(dut.irq) == 1
                await host.write("XBUSERR", 1 << bit)
                assert (await host.read("XBUSERR"), ctx.get(dut.irq)) == (0, 0)
                await host.write("XBUSENA", 0)

        run(script)

    def test_one_that_arrives_while_the_last_is_cleared_is_the_first(self, run):
        async def script(ctx, dut, host):
            for place in (8, 16):
                ctx.set(dut.window_error_stb, 1)
                ctx.set(dut.window_error_address, place)
                await host.write("XBUSERR", ALL)
            ctx.set(dut.window_error_stb, 0)
            assert (await host.read("XBUSERR"), await host.read("XBUSADR")) == (0b10, 16)

        run(script)

    def test_a_lookup_has_a_bit_and_no_address(self, run):
        """Memory has told the address before."""

        async def script(ctx, dut, host):
            ctx.set(dut.response_error_address, 0x1234_5678)
            await pulse(ctx, dut.lookup_error_stb, 1)
            assert (await host.read("XBUSERR"), await host.read("XBUSADR"), ctx.get(dut.irq)) == (0b100, 0, 0)
            await host.write("XBUSENA", 0b100)
            assert ctx.get(dut.irq) == 1
            await pulse(ctx, dut.response_error_stb, 1)
            assert (await host.read("XBUSERR"), await host.read("XBUSADR")) == (0b101, 0x1234_5678)
            await host.write("XBUSERR", 0b100)
            assert (await host.read("XBUSERR"), ctx.get(dut.irq)) == (0b001, 0)

        run(script)

    def test_each_is_enabled_alone(self, run):
        async def script(ctx, dut, host):
            await host.write("XBUSENA", 0b01)
            await pulse(ctx, dut.window_error_stb, 1)
            assert ctx.get(dut.irq) == 0
            await pulse(ctx, dut.response_error_stb, 1)
            assert (ctx.get(dut.irq), await host.read("XBUSERR")) == (1, 0b11)

        run(script)


def test_registers_of_blocks_are_wired_by_name(run):
    async def script(ctx, dut, host):
        await host.write("SQCNTL", 0b1001)
        assert (ctx.get(dut.values.SQCNTL.VSRBL), ctx.get(dut.values.SQCNTL.CSRBL)) == (1, 2)
        await host.write("XWIN1SIZE", 0x1234_5FFF)
        assert ctx.get(dut.values.XWIN1SIZE.SIZE) == 0x12345
        host.offer("SRQPC", 0xCAFE_0008)
        assert (ctx.get(dut.written.SRQPC.stb), ctx.get(dut.written.SRQPC.QPURQPC)) == (1, 0xCAFE_0008)
        host.offer("SRQCS", 1 << 7 | 1 << 16)
        assert ctx.get(dut.written.SRQPC.stb) == 0
        told = ctx.get(dut.written.SRQCS)
        assert (told.QPURQCC, told.QPURQCM, told.QPURQERR, told.QPURQL) == (1, 0, 1, 0)
        ctx.set(host.port.write_stb, 0)
        ctx.set(dut.live.SRQCS, {"QPURQL": 5, "QPURQERR": 1, "QPURQCM": 0x21, "QPURQCC": 0x20})
        assert await host.read("SRQCS") == 0x0020_2185

    run(script)


def test_own_registers_are_not_for_blocks(run):
    async def script(ctx, dut, host):
        names = {name for kind in (dut.values, dut.written, dut.live) for name in kind.signature.members}
        assert {"SRQCS", "VPMBASE", "ERRSTAT", "XWIN0BASE", "SLCACTL"} <= names
        assert not names & {"INTCTL", "INTENA", "PCTRE", "PCTR3", "DBQRUN", "DBCFG", "XBUSERR"}

    run(script)
