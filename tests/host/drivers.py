"""A driver of user programs, in front of the RTL or of the model: scripts are the same for both."""

from functools import cache

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.table import register
from vc4sim.asm import assemble
from vc4sim.backends.split import split
from vc4sim.bench.gpu import GpuBench
from vc4sim.bench.host import Host
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

from ..simulation import Simulation

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
    "interrupt": "mov irq, 1\nthrend\nnop\nnop",
    "breakpoint": "mov r0, 1\nbkpt\nnop\nmov irq, r0\nthrend\nnop\nnop",
    "late breakpoint": "mov r0, 1\nthrend\nbkpt\nmov irq, r0",
}
PLACES = {name: BASE + 0x100 * number for number, name in enumerate(CODE)}
assert max(PLACES.values()) < UNIFORMS
#: Where a program takes an address of memory that does not exist.
OUTSIDE = UNIFORMS + 0x40
#: A control list without primitives: configuration, start, flush.
LIST = UNIFORMS + 0x80
_RECORDS = bytes([112, *bytes(15), 6, 4])
LIST_BYTES = len(_RECORDS)
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


def image():
    """The memory at first."""
    memory = bytearray(2 * PAGE)
    for name, source in CODE.items():
        code = assemble(source).code
        memory[PLACES[name] - BASE : PLACES[name] - BASE + len(code)] = code
    for place, word in (UNIFORMS, OUTPUT), (OUTSIDE, 0x4000_0000):
        memory[place - BASE : place - BASE + 4] = word.to_bytes(4, "little")
    memory[LIST - BASE : LIST - BASE + LIST_BYTES] = _RECORDS
    return bytes(memory)


class Driver:
    """A host with a GPU: it reads and writes registers, and lets time pass."""

    def __init__(self):
        self._ended = 0

    async def begin(self):
        """Counters are set and cleared."""
        numbers = {source.name: source.number for source in SOURCES}
        for index, name in enumerate(COUNTED):
            await self.write(f"PCTRS{index}", numbers[name])
        await self.write("VPMBASE", 16)
        await self.write("PCTRE", 1 << 31 | (1 << len(COUNTED)) - 1)
        await self.write("PCTRC", 0xFFFF)

    async def ask(self, name, uniforms=UNIFORMS):
        await self.write("SRQUA", uniforms)
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

    async def status(self):
        """SRQCS: programs that wait, error, requests, ends."""
        word = await self.read("SRQCS")
        return word & 0x3F, word >> 7 & 1, word >> 8 & 0xFF, word >> 16

    async def errors(self):
        """Names of the bits of ERRSTAT."""
        word = await self.read("ERRSTAT")
        return {field.name for field in register("ERRSTAT").fields if word >> field.low & 1}


class RtlDriver(Driver):
    """In front of the RTL; `ctx` is that of the simulation."""

    def __init__(self, ctx, bench):
        super().__init__()
        self.ctx, self.bench = ctx, bench
        host = Host(ctx, bench.s_axil)
        self.read, self.write = host.read, host.write

    async def clocks(self, number):
        await self.ctx.tick().repeat(number)

    @property
    def irq(self):
        return bool(self.ctx.get(self.bench.irq))

    def stored(self):
        """What the first vector after `OUTPUT` holds."""
        words = [self.ctx.get(self.bench.memory.words[(OUTPUT - BASE) // 8 + place]) for place in range(8)]
        return [word >> shift & 0xFFFF_FFFF for word in words for shift in (0, 32)]


class ModelDriver(Driver):
    """In front of the model, which has steps for clocks."""

    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu

    async def read(self, where):
        return self.gpu.read(where)

    async def write(self, where, word):
        self.gpu.write(where, word)

    async def clocks(self, number):
        self.gpu.advance(number)

    @property
    def irq(self):
        return self.gpu.interrupt

    def stored(self):
        return [self.gpu.memory.read_int(OUTPUT + 4 * element, 4) for element in range(16)]


@cache
def _simulation(config):
    bench = GpuBench(config, max_cycles=1 << 30, size=2 * PAGE, base=BASE, init=image(), latency=4)
    return Simulation(split(bench)), bench


def drive_rtl(script, **sizes):
    """Calls `script(driver)` with a GPU of the given sizes."""
    simulation, bench = _simulation(V3DConfig(trace=True, **sizes))

    async def testbench(ctx):
        await script(RtlDriver(ctx, bench))

    simulation.run(testbench)


def drive_model(script, **sizes):
    """The same with the model: nothing in the script waits."""
    running = script(ModelDriver(V3D(V3DConfig(**sizes), Memory(2 * PAGE, BASE, image()))))
    try:
        running.send(None)
    except StopIteration:
        return
    raise AssertionError("the script waits for a simulator")
