"""The registers with all blocks behind them, as a driver uses them: caches, counters, the queue of programs, memory windows."""

import pytest
from amaranth.sim import Simulator

from vc4.config import PRESETS, V3DConfig
from vc4.host.registers import Registers
from vc4.regs.counters import SOURCES
from vc4.regs.table import register
from vc4sim.asm import assemble
from vc4sim.backends.split import split
from vc4sim.bench.gpu import GpuBench
from vc4sim.bench.host import Host

#: A page of code and uniforms, and one for what programs store.
BASE, UNIFORMS, OUTPUT, PAGE = 0x1_0000, 0x1_0800, 0x1_1000, 0x1000
#: Programs, and where they lie.
CODE = {
    "read": "mov r0, unif\nthrend\nnop\nnop",
    "spin": ":here\nbrr -, r:here\nnop\nnop\nnop",
    "store": "ldi vw_setup, 0x1a00\nmov vpm, elem_num\nldi vw_setup, 0x80904000\nmov vw_addr, unif\nread vw_wait\n"
    "thrend\nnop\nnop",
    "fill": "ldi vw_setup, 0x1a00\nldi vr_setup, 0x1a04\nmov vpm, unif\nmov vpm, 1\nmov r0, vpm\nthrend\nnop\nnop",
    "reserved": "ldi vw_setup, 0x80000001\nmov vw_addr, 0\nldi vw_setup, 0x40000000\nthrend\nnop\nnop",
}
PLACES = {name: BASE + 0x100 * number for number, name in enumerate(CODE)}
#: What the first performance counters count.
COUNTED = (
    "QPU_CLOCKS_IDLE",
    "QPU_CLOCKS_EXECUTING",
    "QPU_INSTRUCTION_HITS",
    "QPU_INSTRUCTION_MISSES",
    "QPU_UNIFORMS_HITS",
    "QPU_UNIFORMS_MISSES",
    "L2C_HITS",
    "L2C_MISSES",
)
ALL_CACHES = 0x0F0F0F0F
#: Clocks of a read.
ACCESS = 3
#: Programs that the queue has room for.
ROOM = 16


def image():
    memory = bytearray(2 * PAGE)
    for name, source in CODE.items():
        code = assemble(source).code
        memory[PLACES[name] - BASE : PLACES[name] - BASE + len(code)] = code
    memory[UNIFORMS - BASE : UNIFORMS - BASE + 4] = OUTPUT.to_bytes(4, "little")
    return bytes(memory)


class Driver:
    """A host with a GPU."""

    def __init__(self, ctx, bench):
        self.ctx, self.bench = ctx, bench
        host = Host(ctx, bench.s_axil)
        self.read, self.write = host.read, host.write
        self._ended = 0

    async def begin(self):
        """Counters are set and cleared."""
        numbers = {source.name: source.number for source in SOURCES}
        for index, name in enumerate(COUNTED):
            await self.write(f"PCTRS{index}", numbers[name])
        await self.write("VPMBASE", 16)
        await self.write("PCTRE", 1 << 31 | (1 << len(COUNTED)) - 1)
        await self.write("PCTRC", 0xFFFF)

    async def clocks(self, number):
        await self.ctx.tick().repeat(number)

    async def ask(self, name):
        await self.write("SRQUA", UNIFORMS)
        await self.write("SRQPC", PLACES[name])

    async def run(self, name="read", *, programs=1):
        """Runs a program, some times; returns what was counted."""
        await self.write("PCTRC", 0xFFFF)
        for _ in range(programs):
            await self.ask(name)
        self._ended += programs
        for _ in range(100):
            await self.clocks(10)
            if (await self.read("SRQCS")) >> 16 == self._ended:
                break
        else:
            raise AssertionError("the program does not end")
        return {name: await self.read(f"PCTR{index}") for index, name in enumerate(COUNTED)}

    async def counts_of(self, clocks):
        """What the first two counters count in so many clocks."""
        befores = [await self.read("PCTR0"), await self.read("PCTR1")]
        await self.clocks(clocks - 2 * ACCESS)
        return [await self.read(f"PCTR{index}") - before for index, before in enumerate(befores)]


@pytest.fixture
def drive():
    """`drive(script, ...)`: calls `script(driver)` with a GPU of the given sizes."""

    def drive(script, **sizes):
        config = V3DConfig(trace=True, **sizes)
        bench = GpuBench(config, max_cycles=1 << 30, size=2 * PAGE, base=BASE, init=image(), latency=4)

        async def testbench(ctx):
            driver = Driver(ctx, bench)
            await driver.begin()
            await script(driver)

        simulator = Simulator(split(bench))
        simulator.add_clock(1e-6)
        simulator.add_testbench(testbench)
        simulator.run()

    return drive


@pytest.mark.parametrize(("preset", "word"), [("qpu", 0x41100111), ("slice", 0x81101411), ("bcm2835", 0xC1102431)])
def test_the_host_sees_the_configuration(preset, word, simulate, host):
    dut = Registers(PRESETS[preset])

    async def bench(ctx):
        reads = host(ctx, dut.port)
        assert [await reads.read(f"IDENT{number}") for number in range(3)] == [0x02443356, word, 0x121]

    simulate(dut, bench)


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
        assert await driver.counts_of(50) == [100, 0]
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
        assert await driver.counts_of(50) == [50, 50]
        await driver.write("DBCFG", 1)
        await driver.write("DBQHLT", 0b10)
        assert await driver.read("DBQHLT") == 0b10
        await driver.clocks(20)
        assert await driver.counts_of(50) == [50, 0], "a program that is halted is there"

    drive(script, slices=2)


@pytest.mark.thorough
def test_the_queue_of_programs(drive):
    async def script(driver):
        async def status():
            word = await driver.read("SRQCS")
            return word & 0x3F, word >> 7 & 1, word >> 8 & 0xFF, word >> 16

        await driver.write("XWIN0SIZE", PAGE)
        assert await driver.read("XWIN0SIZE") == 0, "without memory windows there is no such register"
        await driver.write("SQRSV0", 0b0001)
        for _ in range(ROOM):
            await driver.ask("read")
        assert await status() == (ROOM, 0, ROOM, 0)
        await driver.ask("read")
        assert await status() == (ROOM, 1, ROOM + 1, 0)
        await driver.write("SRQCS", 1 << 7)
        assert await status() == (ROOM, 0, ROOM + 1, 0)
        await driver.write("SRQCS", 1 << 0)
        assert await status() == (0, 0, ROOM + 1, 0)
        await driver.write("SRQCS", 1 << 8)
        assert await status() == (0, 0, 0, 0)
        await driver.write("SQRSV0", 0)
        await driver.run(programs=2)
        assert await status() == (0, 0, 2, 2)
        await driver.write("SRQCS", 1 << 16)
        assert await status() == (0, 0, 2, 0)

    drive(script)


@pytest.mark.thorough
def test_memory_windows(drive):
    """What is outside of them is not reached, and told; the program ends all the same."""

    async def script(driver):
        def stored():
            words = driver.bench.memory.words
            return [driver.ctx.get(words[(OUTPUT - BASE) // 8 + place]) for place in range(8)]

        async def errors():
            return await driver.read("XBUSERR"), await driver.read("XBUSADR"), driver.ctx.get(driver.bench.irq)

        await driver.write("XBUSENA", 0b10)
        await driver.write("XWIN0BASE", BASE)
        await driver.write("XWIN0SIZE", PAGE)
        await driver.run("store")
        assert stored() == [0] * 8
        assert await errors() == (0b10, OUTPUT, 1)
        await driver.write("XBUSERR", 0b10)
        assert await errors() == (0, OUTPUT, 0)

        await driver.write("XWIN1BASE", OUTPUT)
        await driver.write("XWIN1SIZE", PAGE)
        await driver.run("store")
        assert stored() == [2 * place | (2 * place + 1) << 32 for place in range(8)]
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

        async def errors():
            """Names of the bits of ERRSTAT."""
            word = await driver.read("ERRSTAT")
            return {field.name for field in register("ERRSTAT").fields if word >> field.low & 1}

        allocation = bench.v3d.allocation
        assert await errors() == {"VCDI"}
        assert ctx.get(allocation.user_rows) == 64
        await driver.write("VPACNTL", 1 << 12 | 5 << 6 | 3)
        await driver.clocks(1)
        assert ctx.get(allocation.limited)
        assert (ctx.get(allocation.rendering_rows), ctx.get(allocation.rendering_waits)) == (96, 16)
        await driver.run("fill")
        assert await errors() == {"VCDI"}
        await driver.clocks(50)  # the last program is through the pipeline
        await driver.write("VPMBASE", 0)
        await driver.run("fill")
        assert await errors() == {"VCDI", "VPMEWNA", "VPMERNA"}
        await driver.run("reserved")
        assert await errors() == {"VCDI", "VPMEWNA", "VPMERNA", "VPMEWR", "VDWE"}
        await driver.ask("spin")
        await driver.clocks(100)
        await driver.write("VPMBASE", 2)
        await driver.clocks(2)
        assert "VPAEABB" in await errors(), "it changes while a program runs"

    drive(script)
