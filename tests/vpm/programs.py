# amaranth: UnusedElaboratable=no

"""Commands for the VPM, and a VPM with memory behind it."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from vc4.bus.hub import Hub
from vc4.records.vpm import SetupId, VdwBasicSetup, VdwStrideSetup, VpmSize, VpmWriteSetup
from vc4.vpm import Vpm, VpmCommand
from vc4sim.bench.memory import BenchMemory

__all__ = [
    "BASE",
    "SIZE",
    "beats",
    "build",
    "random_program",
    "store",
    "vdw_basic",
    "vdw_stride",
    "vector",
    "write_setup",
]

BASE = 0x0001_0000
SIZE = 0x4000


def write_setup(**fields):
    fields = {"horizontal": 1, "size": VpmSize.WORD, "stride": 1, "id": SetupId.WRITE} | fields
    return VpmCommand.WRITE_SETUP, VpmWriteSetup.const(fields).as_bits()


def vdw_basic(**fields):
    fields = {"horizontal": 1, "units": 1, "depth": 16, "id": SetupId.VDW_BASIC} | fields
    return VpmCommand.WRITE_SETUP, VdwBasicSetup.const(fields).as_bits()


def vdw_stride(**fields):
    return VpmCommand.WRITE_SETUP, VdwStrideSetup.const({"id": SetupId.VDW_STRIDE} | fields).as_bits()


def store(address):
    return VpmCommand.STORE_ADDRESS, address


def vector(rng):
    return VpmCommand.DATA, [rng.randrange(1 << 32) for _ in range(16)]


def beats(rng, commands):
    """The four beats of each command; elements that do not count are noise."""
    for command, value in commands:
        elements = value if isinstance(value, list) else [value, *(rng.randrange(1 << 32) for _ in range(15))]
        for quad in range(4):
            yield {"command": command, "quad": quad, "data": elements[4 * quad : 4 * quad + 4]}


def random_program(rng, rows, stores, vectors=64):
    """Set-ups, vectors and stores, which begin all over the memory and end in it."""
    commands = [write_setup(), vdw_basic(), vdw_stride()]
    commands += [vector(rng) for _ in range(vectors)]
    for _ in range(stores):
        if rng.randrange(2):
            commands.append(write_setup(address=rng.randrange(256), stride=rng.randrange(64), laned=rng.randrange(2)))
        commands += [vector(rng) for _ in range(rng.randrange(6))]
        units = rng.choice([1, 1, 2, 5, 16])
        depth = rng.choice([1, 2, 15, 16, 16, 17, rng.randrange(1, 129)])
        stride = rng.choice([0, 0, 4, 64, rng.randrange(200)])
        column = rng.choice([0, 0, rng.randrange(16)])
        commands.append(vdw_basic(units=units, depth=depth % 128, row=rng.randrange(128), column=column))
        commands.append(vdw_stride(stride=stride))
        extent = units * (4 * depth + stride)
        if extent > SIZE:
            continue
        commands.append(store(BASE + rng.randrange(SIZE - extent + 1)))
    return commands


def build(*, rows=64, qpus=1, word_bytes=8, hub=False, **memory):
    m = Module()
    m.submodules.vpm = vpm = Vpm(rows, qpus=qpus, word_bytes=word_bytes)
    m.submodules.memory = bench = BenchMemory(SIZE, base=BASE, word_bytes=word_bytes, **memory)
    if hub:
        m.submodules.hub = joint = Hub(1, word_bytes=word_bytes)
        wiring.connect(m, vpm.bus, joint.clients[0])
        wiring.connect(m, joint.bus, bench.bus)
    else:
        wiring.connect(m, vpm.bus, bench.bus)
    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    return simulator, vpm, bench
