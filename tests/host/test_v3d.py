"""The registers with all blocks behind them, as a driver uses them: caches, counters, the queue of programs, memory windows."""

import pytest

from vc4.config import PRESETS
from vc4.host.registers import Registers
from vc4.regs.table import register

from .drivers import BASE, LIST, LIST_BYTES, OUTPUT, PAGE, drive_rtl

ALL_CACHES = 0x0F0F0F0F
#: Clocks of a read.
ACCESS = 3


@pytest.fixture
def drive():
    """`drive(script, ...)`: calls `script(driver)` with a GPU of the given sizes, whose counters are set."""

    def drive(script, **sizes):
        async def begun(driver):
            await driver.begin()
            await script(driver)

        drive_rtl(begun, **sizes)

    return drive


async def counts_of(driver, clocks):
    """What the first two counters count in so many clocks."""
    befores = [await driver.read("PCTR0"), await driver.read("PCTR1")]
    await driver.clocks(clocks - 2 * ACCESS)
    return [await driver.read(f"PCTR{index}") - before for index, before in enumerate(befores)]


@pytest.mark.parametrize(("preset", "word"), [("qpu", 0x41100111), ("slice", 0x81101411), ("bcm2835", 0xC1102431)])
def test_the_host_sees_the_configuration(preset, word, simulate, host):
    dut = Registers(PRESETS[preset])

    async def bench(ctx):
        reads = host(ctx, dut.port)
        assert [await reads.read(f"IDENT{number}") for number in range(3)] == [0x02443356, word, 0x121]

    simulate(dut, bench)


@pytest.mark.thorough
def test_caches_are_enabled_cleared_and_counted(drive):
    async def script(driver):
        async def misses():
            counts = await driver.run()
            return counts["QPU_INSTRUCTION_MISSES"], counts["QPU_UNIFORMS_MISSES"]

        async def level_2():
            await driver.write("SLCACTL", ALL_CACHES)
            counts = await driver.run()
            return counts["L2C_HITS"], counts["L2C_MISSES"]

        # Every driver of the chip only clears the cache, and none enables it.
        assert await driver.read("L2CACTL") == 1
        await driver.write("L2CACTL", 0b010)
        assert await driver.read("L2CACTL") == 0
        assert await misses() == (1, 1)
        counts = await driver.run()
        assert (counts["QPU_INSTRUCTION_MISSES"], counts["QPU_UNIFORMS_MISSES"]) == (0, 0)
        assert counts["QPU_INSTRUCTION_HITS"] >= 4
        assert counts["QPU_UNIFORMS_HITS"] >= 1
        await driver.write("SLCACTL", register("SLCACTL").fields[0].mask)
        assert await misses() == (1, 0)
        await driver.write("SLCACTL", register("SLCACTL").fields[1].mask)
        assert await misses() == (0, 1)

        assert await level_2() == (0, 0), "it is disabled"
        await driver.write("L2CACTL", 0b001)
        assert await driver.read("L2CACTL") == 1
        hits, lines = await level_2()
        assert (hits, lines > 0) == (0, True)
        assert await level_2() == (lines, 0)
        await driver.write("L2CACTL", 0b100)
        await driver.clocks(150)  # a clear takes a clock for each set
        assert await driver.read("L2CACTL") == 1, "a clear does not disable"
        assert await level_2() == (0, lines)
        await driver.write("L2CACTL", 0b010)
        assert await driver.read("L2CACTL") == 0
        assert await level_2() == (0, 0)

    drive(script)


@pytest.mark.thorough
def test_clocks_are_counted_and_qpus_reserved(drive):
    """Of two QPUs in two slices."""

    async def script(driver):
        ctx, bench = driver.ctx, driver.bench
        assert await counts_of(driver, 50) == [100, 0]
        counts = await driver.run(programs=3)
        retired = [ctx.get(count) for count in bench.retired_count]
        assert sum(retired) == 3 * 4
        assert all(retired), "the second one begins beside the first"
        assert counts["QPU_CLOCKS_EXECUTING"] == 4 * sum(retired)
        # Each slice has caches of its own.
        await driver.write("SLCACTL", 0b10)
        await driver.write("SQRSV0", 0b0001_0000)  # no user programs for QPU 1
        counts = await driver.run(programs=2)
        assert counts["QPU_INSTRUCTION_MISSES"] == 0
        assert ctx.get(bench.retired_count[1]) == retired[1]
        await driver.write("SQRSV0", 0b0000_0001)
        counts = await driver.run(programs=2)
        assert counts["QPU_INSTRUCTION_MISSES"] == 1
        assert ctx.get(bench.retired_count[1]) == retired[1] + 2 * 4

        await driver.ask("spin")
        await driver.clocks(100)
        assert await counts_of(driver, 50) == [50, 50]
        await driver.write("DBCFG", 1)
        await driver.write("DBQHLT", 0b10)
        assert await driver.read("DBQHLT") == 0b10
        await driver.clocks(20)
        assert await counts_of(driver, 50) == [50, 0], "a program that is halted is there"

    drive(script, slices=2)


@pytest.mark.thorough
def test_memory_windows(drive):
    """What is outside of them is not reached, and told; the program ends all the same."""

    async def script(driver):
        async def errors():
            return await driver.read("XBUSERR"), await driver.read("XBUSADR"), driver.ctx.get(driver.bench.irq)

        await driver.write("XBUSENA", 0b10)
        await driver.write("XWIN0BASE", BASE)
        await driver.write("XWIN0SIZE", PAGE)
        await driver.run("store")
        assert driver.stored() == [0] * 16
        assert await errors() == (0b10, OUTPUT, 1)
        await driver.write("XBUSERR", 0b10)
        assert await errors() == (0, OUTPUT, 0)

        await driver.write("XWIN1BASE", OUTPUT)
        await driver.write("XWIN1SIZE", PAGE)
        await driver.run("store")
        assert driver.stored() == [*range(16)]
        assert (await errors())[0] == 0

        await driver.write("XWIN0SIZE", 0)
        await driver.write("SLCACTL", ALL_CACHES)
        await driver.write("L2CACTL", 0b100)
        await driver.clocks(150)
        await driver.ask("store")
        await driver.clocks(150)
        flags, address, irq = await errors()
        assert (flags, address // PAGE, irq) == (0b10, BASE // PAGE, 1)

        ctx, v3d = driver.ctx, driver.bench.v3d
        await driver.write("XBUSERR", 0b10)
        ctx.set(v3d.response_error_stb, 1)
        ctx.set(v3d.response_error_address, 0x1234_5678)
        await ctx.tick()
        ctx.set(v3d.response_error_stb, 0)
        assert await errors() == (0b01, 0x1234_5678, 0), "memory has answered with an error, which is not enabled"

    drive(script, memory_windows=True)


@pytest.mark.thorough
def test_the_vpm_is_reserved_and_tells_errors(drive):
    async def script(driver):
        ctx, bench = driver.ctx, driver.bench

        allocation = bench.v3d.allocation
        assert await driver.errors() == {"VCDI"}
        assert ctx.get(allocation.user_rows) == 64
        await driver.write("VPACNTL", 1 << 12 | 5 << 6 | 3)
        await driver.clocks(1)
        assert ctx.get(allocation.limited)
        assert (ctx.get(allocation.rendering_rows), ctx.get(allocation.rendering_waits)) == (96, 16)
        await driver.run("fill")
        assert await driver.errors() == {"VCDI"}
        await driver.clocks(50)  # the last program is through the pipeline
        await driver.write("VPMBASE", 0)
        await driver.run("fill")
        assert await driver.errors() == {"VCDI", "VPMEWNA", "VPMERNA"}
        await driver.run("reserved")
        assert await driver.errors() == {"VCDI", "VPMEWNA", "VPMERNA", "VPMEWR", "VDWE"}
        await driver.ask("spin")
        await driver.clocks(100)
        await driver.write("VPMBASE", 2)
        await driver.clocks(2)
        assert "VPAEABB" in await driver.errors(), "it changes while a program runs"

    drive(script)


@pytest.mark.thorough
def test_control_lists(drive):
    """A list is fetched by itself, its flush interrupts the host, and its end stops the thread."""

    async def script(driver):
        ctx, binner = driver.ctx, driver.bench.v3d.binner
        await driver.write("INTENA", 0b10)
        ctx.set(binner.items.ready, 1)
        ctx.set(binner.busy, 1)
        await driver.write("CT0CA", LIST)
        await driver.write("CT0EA", LIST + LIST_BYTES)
        await driver.clocks(60)
        assert (await driver.read("BFC"), await driver.read("PCS")) == (0, 0b11)
        assert await driver.read("CT0CS") == 1 << 5
        ctx.set(binner.busy, 0)
        ctx.set(binner.finished, 1)
        await ctx.tick()
        ctx.set(binner.finished, 0)
        await driver.clocks(5)
        assert (await driver.read("INTCTL"), ctx.get(driver.bench.irq)) == (0b10, 1)
        assert (await driver.read("BFC"), await driver.read("PCS")) == (1, 0)
        assert (await driver.read("CT0CS"), await driver.read("CT0CA")) == (0, LIST + LIST_BYTES)

    drive(script, lists=True)
