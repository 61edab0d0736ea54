"""The debug registers, alone and with a QPU behind them."""

from functools import cache

import pytest

from vc4.config import V3DConfig
from vc4.host.registers import Registers
from vc4sim.asm import assemble
from vc4sim.backends.split import split
from vc4sim.bench.gpu import GpuBench
from vc4sim.bench.host import Host
from vc4sim.retired import RECORD_WORDS, RetirementReader

from ..simulation import Simulation

QPUS = 3
BASE, UNIFORMS = 0x1000, 0x1400
#: Of memory: code, and the uniforms.
SIZE = UNIFORMS - BASE + 64


@pytest.fixture(scope="module")
def run(host):
    """`run(script)`: calls `script(ctx, dut, host)` with the registers alone."""
    dut = Registers(V3DConfig(qpus_per_slice=QPUS))
    simulation = Simulation(dut)

    def run(script):
        async def bench(ctx):
            await script(ctx, dut, host(ctx, dut.port))

        simulation.run(bench)

    return run


def test_registers(run):
    async def script(ctx, dut, host):
        ctx.set(dut.halted, 0b101)
        reset = [await host.read(name) for name in ("DBCFG", "DBQRUN", "DBQHLT", "DBQSTP", "DBQITE", "DBQITC")]
        assert reset == [0, 0b010, 0b101, 0, 0, 0]
        await host.write("DBCFG", 0xFFFF_FFFF)
        assert await host.read("DBCFG") == 1
        await host.write("DBQITE", 0xFFFF_FFFB)
        assert await host.read("DBQITE") == 0b011
        assert await host.read("DBSCS") == 0

    run(script)


@pytest.mark.parametrize(("command", "register"), [("run", "DBQRUN"), ("halt", "DBQHLT"), ("step", "DBQSTP")])
def test_commands_last_one_clock(run, command, register):
    async def script(ctx, dut, host):
        host.offer(register, 0b110)
        told = {name: [ctx.get(dut.commands[qpu][name]) for qpu in range(QPUS)] for name in ("run", "halt", "step")}
        assert told == {name: [0, 1, 1] if name == command else [0, 0, 0] for name in told}
        await host.write(register, 0b110)
        assert not any(ctx.get(dut.commands[qpu][command]) for qpu in range(QPUS))

    run(script)


def test_debugging_is_on_for_all(run):
    async def script(ctx, dut, host):
        for enable in (1, 0):
            await host.write("DBCFG", enable)
            assert [ctx.get(dut.commands[qpu].enable) for qpu in range(QPUS)] == [enable] * QPUS

    run(script)


def test_interrupts_are_kept_until_they_are_cleared(run):
    async def script(ctx, dut, host):
        async def raises(qpus):
            ctx.set(dut.interrupts, qpus)
            await ctx.tick()
            ctx.set(dut.interrupts, 0)
            return ctx.get(dut.irq), await host.read("DBQITC")

        await host.write("DBQITE", 0b011)
        assert await raises(0b111) == (0, 0), "debugging is off"
        await host.write("DBCFG", 1)
        assert await raises(0b110) == (1, 0b010), "only QPUs that are enabled"
        assert await raises(0b001) == (1, 0b011)
        await host.write("DBQITC", 0b001)
        assert (ctx.get(dut.irq), await host.read("DBQITC")) == (1, 0b010)
        await host.write("DBQITC", 0b010)
        assert (ctx.get(dut.irq), await host.read("DBQITC")) == (0, 0)

    run(script)


@cache
def simulation():
    bench = GpuBench(V3DConfig(trace=True), max_cycles=5000, size=SIZE, base=BASE, latency=4)
    return Simulation(split(bench)), bench


class Debugger:
    """A QPU with programs, and the host's view of it."""

    def __init__(self, source, launches=1):
        self.code = assemble(source).code
        self.simulation, self.bench = simulation()
        self.launches = launches
        self.events = []

    def run(self, script):
        """Start the programs and run `script(ctx, self)`."""

        async def testbench(ctx):
            self.ctx, self.read_event, self.retired = ctx, RetirementReader(0), 0
            self.host = Host(ctx, self.bench.s_axil)
            for word, at in zip(self.bench.memory.words, range(0, len(self.code), 8), strict=False):
                ctx.set(word, int.from_bytes(self.code[at : at + 8], "little"))
            ctx.set(self.bench.launches, self.launches)
            await script(self)

        self.simulation.run(testbench)

    async def clocks(self, number):
        """Let some clocks pass, and note what retires. Before the first of them the programs are asked for."""
        ctx, bench = self.ctx, self.bench
        for _ in range(self.launches):
            await self.write("SRQUA", UNIFORMS)
            await self.write("SRQPC", BASE)
        self.launches = 0
        for _ in range(number):
            await ctx.tick()
            if ctx.get(bench.retired_count[0]) != self.retired:
                self.retired += 1
                record = ctx.get(bench.retired[0].as_value()).to_bytes(4 * RECORD_WORDS, "little")
                self.events.append(self.read_event(record))

    async def write(self, register, value=1):
        await self.host.write(register, value)

    async def halted(self):
        return bool(await self.host.read("DBQHLT") and not await self.host.read("DBQRUN"))

    @property
    def addresses(self):
        """Of the instructions that have retired, as numbers of words."""
        return [(event.pc - BASE) // 8 for event in self.events]


COUNTING = "mov r0, 1\nbkpt\nadd r0, r0, 1\nmov ra0, r0\nadd r0, r0, 1\nthrend\nmov irq, r0\nnop"


@pytest.mark.thorough
def test_without_debugging_a_breakpoint_does_nothing():
    async def script(debugger):
        await debugger.clocks(150)
        assert debugger.addresses == [*range(8)]
        assert debugger.ctx.get(debugger.bench.done)

    Debugger(COUNTING).run(script)


def test_a_breakpoint_halts_behind_its_instruction_and_run_goes_on():
    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.clocks(150)
        # The last instruction that was issued retires with the next one.
        assert (debugger.addresses, await debugger.halted()) == ([0], True)
        await debugger.write("DBQRUN")
        await debugger.clocks(100)
        assert (debugger.addresses, await debugger.halted()) == ([*range(8)], False)
        assert debugger.ctx.get(debugger.bench.done)

    Debugger(COUNTING).run(script)


@pytest.mark.thorough
def test_a_step_issues_one_instruction():
    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.clocks(150)
        for number in range(1, 4):
            await debugger.write("DBQSTP")
            await debugger.clocks(40)
            assert (debugger.addresses, await debugger.halted()) == ([*range(number + 1)], True)
        await debugger.write("DBQRUN")
        await debugger.write("DBQSTP")
        await debugger.clocks(100)
        assert debugger.addresses == [*range(8)], "a step does nothing to a QPU that runs"

    Debugger(COUNTING).run(script)


@pytest.mark.thorough
def test_the_host_halts_a_program_that_never_ends():
    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.clocks(100)
        await debugger.write("DBQHLT")
        await debugger.clocks(50)
        before = len(debugger.events)
        await debugger.clocks(100)
        assert await debugger.halted()
        assert len(debugger.events) == before > 0
        await debugger.write("DBCFG", 0)
        await debugger.clocks(100)
        assert len(debugger.events) > before, "without debugging nothing is halted"

    Debugger(":here\nbrr -, r:here\nnop\nnop\nnop").run(script)


@pytest.mark.thorough
def test_a_program_that_is_ending_cannot_be_halted():
    """It loses the instructions that are left, and the next program finds the QPU halted (addendum, section 3)."""

    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.clocks(250)
        assert debugger.addresses == [0, 1, 2]
        assert await debugger.halted()
        await debugger.write("DBQRUN")
        await debugger.clocks(250)
        assert debugger.addresses == [0, 1, 2, 0, 1, 2]

    Debugger("mov r0, 1\nthrend\nbkpt\nmov irq, r0", launches=2).run(script)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "clock", [pytest.param(clock, marks=() if clock in (42, 48) else pytest.mark.slow) for clock in range(40, 53)]
)
def test_a_short_halt_of_a_program_that_is_ending_cuts_all_that_is_left(clock):
    """It retires the instructions in front of the halt, whenever that comes, and no others."""

    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.clocks(clock)
        await debugger.write("DBQHLT")
        await debugger.write("DBQRUN")
        await debugger.clocks(150)
        assert debugger.addresses[-1] + 1 == debugger.ctx.get(debugger.bench.retired_count[0])
        assert debugger.ctx.get(debugger.bench.done)

    Debugger("mov r0, 1\nnop\nthrend\nmov ra0, r0\nmov ra1, r0").run(script)


@pytest.mark.thorough
def test_the_host_interrupt_reaches_the_host():
    async def script(debugger):
        await debugger.write("DBCFG")
        await debugger.write("DBQITE")
        await debugger.clocks(150)
        ctx, bench = debugger.ctx, debugger.bench
        assert (ctx.get(bench.irq), await debugger.host.read("DBQITC")) == (1, 1)
        await debugger.write("DBQITC")
        assert ctx.get(bench.irq) == 0

    Debugger("mov irq, 1\nthrend\nnop\nnop").run(script)
