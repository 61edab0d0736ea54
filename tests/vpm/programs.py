# amaranth: UnusedElaboratable=no

"""Commands for the VPM, a QPU that gives them, and a VPM with memory behind it."""

from collections import deque
from dataclasses import dataclass
from functools import cache

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from vc4.bus.hub import Hub
from vc4.records.vpm import (
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
    VpmReadSetup,
    VpmSize,
    VpmWriteSetup,
)
from vc4.vpm import Vpm, VpmCommand
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import put

from ..simulation import Simulation

__all__ = [
    "BASE",
    "READ",
    "SIZE",
    "Program",
    "beats",
    "build",
    "cancel",
    "idle",
    "load",
    "read_setup",
    "store",
    "vdr_basic",
    "vdr_pitch",
    "vdw_basic",
    "vdw_stride",
    "vector",
    "write_setup",
]

BASE = 0x0001_0000
SIZE = 0x4000

#: A command that is none of the port: the program reads a vector, and says so.
READ = (VpmCommand.FETCH, None)


def write_setup(**fields):
    fields = {"horizontal": 1, "size": VpmSize.WORD, "stride": 1, "id": SetupId.WRITE} | fields
    return VpmCommand.WRITE_SETUP, VpmWriteSetup.const(fields).as_bits()


def read_setup(**fields):
    fields = {"horizontal": 1, "size": VpmSize.WORD, "stride": 1, "count": 1} | fields
    return VpmCommand.READ_SETUP, VpmReadSetup.const(fields).as_bits()


def vdw_basic(**fields):
    fields = {"horizontal": 1, "units": 1, "depth": 16, "id": SetupId.VDW_BASIC} | fields
    return VpmCommand.WRITE_SETUP, VdwBasicSetup.const(fields).as_bits()


def vdw_stride(**fields):
    return VpmCommand.WRITE_SETUP, VdwStrideSetup.const({"id": SetupId.VDW_STRIDE} | fields).as_bits()


def vdr_basic(**fields):
    fields = {"rows": 1, "row_length": 0, "row_pitch": 1, "memory_pitch": 3, "id": 1} | fields
    return VpmCommand.READ_SETUP, VdrBasicSetup.const(fields).as_bits()


def vdr_pitch(pitch):
    return VpmCommand.READ_SETUP, VdrExtendedSetup.const({"pitch": pitch, "id": 9}).as_bits()


def store(address):
    return VpmCommand.STORE_ADDRESS, address


def load(address):
    return VpmCommand.LOAD_ADDRESS, address


def cancel():
    return VpmCommand.CANCEL, None


def vector(rng):
    return VpmCommand.DATA, [rng.randrange(1 << 32) for _ in range(16)]


def beats(rng, commands):
    """The beats of each command; elements that do not count are noise."""
    for command, value in commands:
        elements = value if isinstance(value, list) else [value or 0, *(rng.randrange(1 << 32) for _ in range(15))]
        single = command in (VpmCommand.FETCH, VpmCommand.CANCEL)
        for quad in range(1 if single else 4):
            words = elements[4 * quad : 4 * quad + 4]
            yield {"command": command, "quad": quad, "fetch": command is VpmCommand.FETCH, "data": words}


@dataclass
class Program:
    """A QPU that gives `commands`, which may be ahead of what the port takes, and keeps the vectors that it reads."""

    port: object
    commands: list
    rng: object
    gap: float = 0.0

    def __post_init__(self):
        self.said = deque()
        self.vectors = []
        self.ended = False
        self.taken = False

    def add_to(self, simulator):
        simulator.add_testbench(self.run)
        simulator.add_testbench(self.say, background=True)

    async def run(self, ctx):
        """Gives the commands."""
        port, rng = self.port, self.rng
        for command in self.commands:
            while len(self.said) > 24 or rng.random() < self.gap:
                await ctx.tick()
            if command is READ:
                await self._read(ctx)
            if command[0] is VpmCommand.CANCEL:
                self.said.extend(beats(rng, [command]))
                while self.said or not self.taken:
                    await ctx.tick()
            elif command is READ and self.said and self.said[-1]["quad"] == 3 and not self.said[-1]["fetch"]:
                self.said[-1]["fetch"] = 1
            else:
                self.said.extend(beats(rng, [command]))
        while (
            self.said
            or not self.taken
            or any(ctx.get(busy) for busy in (port.store_busy, port.load_busy, port.fetching))
        ):
            await ctx.tick()
        self.ended = True

    async def _read(self, ctx):
        """A vector in four successive clocks."""
        port, words = self.port, []
        readable = False
        while not readable:
            _, _, readable = await ctx.tick().sample(port.readable)
        ctx.set(port.reads.ready, 1)
        for _ in range(4):
            _, _, valid, quad = await ctx.tick().sample(port.reads.valid, port.reads.payload)
            assert valid, "a vector has a gap"
            words += list(quad)
        ctx.set(port.reads.ready, 0)
        self.vectors.append(words)

    async def say(self, ctx):
        """Brings beats to the port, in the background."""
        while True:
            self.taken = not self.said
            if not self.said or self.rng.random() < self.gap:
                await ctx.tick()
                continue
            await put(ctx, self.port.writes, self.said.popleft())


async def idle(ctx, vpm, programs, limit=20_000):
    """Waits for the end of all programs and what they have started."""
    for _ in range(limit):
        if all(program.ended for program in programs):
            return
        await ctx.tick()
    raise TimeoutError("a program does not end")


def build(**options):
    """A simulator with a clock, and what it simulates, see `device`."""
    m, vpm, memory = device(**options)
    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    return simulator, vpm, memory


@cache
def simulation(**options):
    """A simulation that is used again and again, and what it simulates, see `device`."""
    m, vpm, memory = device(**options)
    return Simulation(m), vpm, memory


def device(*, rows=64, qpus=1, word_bytes=8, loads=True, user_rows=None, vertices=False, **memory):
    """A VPM and its memory, in a module; without `loads`, stores reach it without a hub on the way; `vertices` as of `Vpm`."""
    m = Module()
    m.submodules.vpm = vpm = Vpm(rows, qpus=qpus, vertices=vertices, word_bytes=word_bytes)
    if loads:
        m.submodules.hub = hub = Hub(2, word_bytes=word_bytes)
        wiring.connect(m, vpm.store_bus, hub.clients[0])
        wiring.connect(m, vpm.load_bus, hub.clients[1])
        bus = hub.bus
    else:
        bus = vpm.store_bus
    tag_bits = bus.signature.tag_bits
    m.submodules.memory = bench = BenchMemory(SIZE, base=BASE, word_bytes=word_bytes, tag_bits=tag_bits, **memory)
    wiring.connect(m, bus, bench.bus)
    m.d.comb += vpm.user_rows.eq(min(rows, 124) if user_rows is None else user_rows)
    return m, vpm, bench
