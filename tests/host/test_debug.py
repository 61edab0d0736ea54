"""The debug registers, alone and with a QPU behind them."""

import pytest
from amaranth.sim import Simulator

from vc4.config import V3DConfig
from vc4.host.debug import Debug, DebugRegister
from vc4sim.asm import assemble
from vc4sim.bench.gpu import GpuBench
from vc4sim.retired import RECORD_WORDS, RetirementReader

QPUS = 3
BASE, UNIFORMS = 0x1000, 0x1400


@pytest.fixture
def simulate():
    """`simulate(device, bench)`: run a testbench."""

    def run(dut, bench):
        simulator = Simulator(dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    return run


async def write(ctx, port, register, value):
    """One clock with a write."""
    ctx.set(port.address, register)
    ctx.set(port.write_data, value)
    ctx.set(port.write_stb, 1)
    await ctx.tick()
    ctx.set(port.write_stb, 0)


def read(ctx, port, register):
    ctx.set(port.address, register)
    return ctx.get(port.read_data)


def test_registers(simulate):
    dut = Debug(QPUS)

    async def bench(ctx):
        port = dut.port
        ctx.set(dut.halted, 0b101)
        reset = {register.name: read(ctx, port, register) for register in DebugRegister}
        assert reset == {"DBCFG": 0, "DBQRUN": 0b010, "DBQHLT": 0b101, "DBQSTP": 0, "DBQITE": 0, "DBQITC": 0}
        await write(ctx, port, DebugRegister.DBCFG, 0xFFFF_FFFF)
        assert read(ctx, port, DebugRegister.DBCFG) == 1
        await write(ctx, port, DebugRegister.DBQITE, 0b011)
        assert read(ctx, port, DebugRegister.DBQITE) == 0b011
        assert read(ctx, port, 0xE04) == 0

    simulate(dut, bench)


@pytest.mark.parametrize("register", ["run", "halt", "step"])
def test_commands_last_one_clock(simulate, register):
    dut = Debug(QPUS)
    offset = DebugRegister[{"run": "DBQRUN", "halt": "DBQHLT", "step": "DBQSTP"}[register]]

    async def bench(ctx):
        ctx.set(dut.port.address, offset)
        ctx.set(dut.port.write_data, 0b110)
        ctx.set(dut.port.write_stb, 1)
        told = {name: [ctx.get(dut.commands[qpu][name]) for qpu in range(QPUS)] for name in ("run", "halt", "step")}
        assert told == {name: [0, 1, 1] if name == register else [0, 0, 0] for name in told}
        await ctx.tick()
        ctx.set(dut.port.write_stb, 0)
        assert not any(ctx.get(dut.commands[qpu][register]) for qpu in range(QPUS))

    simulate(dut, bench)


def test_interrupts_are_kept_until_they_are_cleared(simulate):
    dut = Debug(QPUS)

    async def raises(ctx, qpus):
        ctx.set(dut.interrupts, qpus)
        await ctx.tick()
        ctx.set(dut.interrupts, 0)
        return ctx.get(dut.irq), read(ctx, dut.port, DebugRegister.DBQITC)

    async def bench(ctx):
        await write(ctx, dut.port, DebugRegister.DBQITE, 0b011)
        assert await raises(ctx, 0b111) == (0, 0), "debugging is off"
        await write(ctx, dut.port, DebugRegister.DBCFG, 1)
        assert await raises(ctx, 0b110) == (1, 0b010), "only QPUs that are enabled"
        assert await raises(ctx, 0b001) == (1, 0b011)
        await write(ctx, dut.port, DebugRegister.DBQITC, 0b001)
        assert (ctx.get(dut.irq), read(ctx, dut.port, DebugRegister.DBQITC)) == (1, 0b010)
        await write(ctx, dut.port, DebugRegister.DBQITC, 0b010)
        assert (ctx.get(dut.irq), read(ctx, dut.port, DebugRegister.DBQITC)) == (0, 0)

    simulate(dut, bench)


class Debugger:
    """A QPU with programs, and the host's view of it."""

    def __init__(self, source, launches=1):
        code = assemble(source).code
        image = code.ljust(UNIFORMS - BASE, b"\0") + bytes(64)
        self.bench = GpuBench(V3DConfig(trace=True), max_cycles=5000, size=len(image), base=BASE, init=image, latency=4)
        self.launches = launches
        self.events = []

    def run(self, script):
        """Start the programs and run `script(ctx, self)`."""

        async def testbench(ctx):
            self.ctx, self.read_event, self.retired = ctx, RetirementReader(0), 0
            self.port = self.bench.registers
            await script(self)

        simulator = Simulator(self.bench)
        simulator.add_clock(1e-6)
        simulator.add_testbench(testbench)
        simulator.run()

    async def clocks(self, number):
        """Let some clocks pass, and note what retires."""
        ctx, bench = self.ctx, self.bench
        for _ in range(number):
            ctx.set(bench.start.valid, self.launches > 0)
            ctx.set(bench.start.payload, {"pc": BASE, "uniforms": UNIFORMS, "threaded": 0})
            taken = self.launches > 0 and ctx.get(bench.start.ready)
            await ctx.tick()
            self.launches -= bool(taken)
            if ctx.get(bench.retired_count) != self.retired:
                self.retired += 1
                record = ctx.get(bench.retired.as_value()).to_bytes(4 * RECORD_WORDS, "little")
                self.events.append(self.read_event(record))
        ctx.set(bench.start.valid, 0)

    async def write(self, register, value=1):
        await write(self.ctx, self.port, register, value)

    @property
    def halted(self):
        return read(self.ctx, self.port, DebugRegister.DBQHLT) and not read(self.ctx, self.port, DebugRegister.DBQRUN)

    @property
    def addresses(self):
        """Of the instructions that have retired, as numbers of words."""
        return [(event.pc - BASE) // 8 for event in self.events]


COUNTING = "mov r0, 1\nbkpt\nadd r0, r0, 1\nmov ra0, r0\nadd r0, r0, 1\nthrend\nmov irq, r0\nnop"


def test_without_debugging_a_breakpoint_does_nothing():
    async def script(debugger):
        await debugger.clocks(150)
        assert debugger.addresses == [*range(8)]
        assert debugger.ctx.get(debugger.bench.done)

    Debugger(COUNTING).run(script)


def test_a_breakpoint_halts_behind_its_instruction_and_run_goes_on():
    async def script(debugger):
        await debugger.write(DebugRegister.DBCFG)
        await debugger.clocks(150)
        # The last instruction that was issued retires with the next one.
        assert (debugger.addresses, debugger.halted) == ([0], True)
        await debugger.write(DebugRegister.DBQRUN)
        await debugger.clocks(100)
        assert (debugger.addresses, debugger.halted) == ([*range(8)], False)
        assert debugger.ctx.get(debugger.bench.done)

    Debugger(COUNTING).run(script)


def test_a_step_issues_one_instruction():
    async def script(debugger):
        await debugger.write(DebugRegister.DBCFG)
        await debugger.clocks(150)
        for number in range(1, 4):
            await debugger.write(DebugRegister.DBQSTP)
            await debugger.clocks(40)
            assert (debugger.addresses, debugger.halted) == ([*range(number + 1)], True)
        await debugger.write(DebugRegister.DBQRUN)
        await debugger.write(DebugRegister.DBQSTP)
        await debugger.clocks(100)
        assert debugger.addresses == [*range(8)], "a step does nothing to a QPU that runs"

    Debugger(COUNTING).run(script)


def test_the_host_halts_a_program_that_never_ends():
    async def script(debugger):
        await debugger.write(DebugRegister.DBCFG)
        await debugger.clocks(100)
        await debugger.write(DebugRegister.DBQHLT)
        await debugger.clocks(50)
        before = len(debugger.events)
        await debugger.clocks(100)
        assert debugger.halted
        assert len(debugger.events) == before > 0
        await debugger.write(DebugRegister.DBCFG, 0)
        await debugger.clocks(100)
        assert len(debugger.events) > before, "without debugging nothing is halted"

    Debugger(":here\nbrr -, r:here\nnop\nnop\nnop").run(script)


def test_a_program_that_is_ending_cannot_be_halted():
    """It loses the instructions that are left, and the next program finds the QPU halted (addendum, section 3)."""

    async def script(debugger):
        await debugger.write(DebugRegister.DBCFG)
        await debugger.clocks(250)
        assert debugger.addresses == [0, 1, 2]
        assert debugger.halted
        await debugger.write(DebugRegister.DBQRUN)
        await debugger.clocks(250)
        assert debugger.addresses == [0, 1, 2, 0, 1, 2]

    Debugger("mov r0, 1\nthrend\nbkpt\nmov irq, r0", launches=2).run(script)


def test_the_host_interrupt_reaches_the_host():
    async def script(debugger):
        await debugger.write(DebugRegister.DBCFG)
        await debugger.write(DebugRegister.DBQITE)
        await debugger.clocks(150)
        ctx, bench = debugger.ctx, debugger.bench
        assert (ctx.get(bench.irq), read(ctx, debugger.port, DebugRegister.DBQITC)) == (1, 1)
        await debugger.write(DebugRegister.DBQITC)
        assert ctx.get(bench.irq) == 0

    Debugger("mov irq, 1\nthrend\nnop\nnop").run(script)
