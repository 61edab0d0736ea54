"""`AxiLite` in front of a register file: any order and distance of the channels, any gaps."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from vc4.bus.axi import Response
from vc4.bus.axi_lite import AxiLite
from vc4.config import V3DConfig
from vc4.host.register_file import RegisterFile
from vc4.regs.table import register

HELD = [register(name).offset for name in ("SCRATCH", "BPOA", "SRQUA")]
CHANGING = register("BPCA").offset


@pytest.fixture
def attach(simulate):
    """`attach(bench, ...)`: runs testbenches `bench(ctx, axi)`; the register BPCA changes every clock."""

    def run(*benches):
        m = Module()
        m.submodules.dut = dut = AxiLite()
        m.submodules.registers = registers = RegisterFile(V3DConfig())
        wiring.connect(m, dut.port, registers.port)
        m.d.sync += registers.live.BPCA.BMPCA.eq(registers.live.BPCA.BMPCA + 1)

        def with_port(bench):
            async def run(ctx):
                await bench(ctx, dut.s_axil)

            return run

        simulate(m, *map(with_port, benches))

    return run


async def send(ctx, axi, channel, rng, gap, **payload):
    """Offers a payload, after a random time, until it is taken."""
    while rng.random() < gap:
        await ctx.tick()
    for name, value in payload.items():
        ctx.set(getattr(axi, f"{channel}{name}"), value)
    ctx.set(getattr(axi, f"{channel}valid"), 1)
    ready = False
    while not ready:
        _, _, ready = await ctx.tick().sample(getattr(axi, f"{channel}ready"))
    ctx.set(getattr(axi, f"{channel}valid"), 0)
    for name, value in payload.items():
        ctx.set(getattr(axi, f"{channel}{name}"), ~value & 0b111)  # nobody may look at it any more


async def receive(ctx, axi, channel, rng, gap, *payload):
    """Takes a response; it stays as it is from when it is offered until it is taken."""
    signals = [getattr(axi, f"{channel}{name}") for name in payload]
    offered = None
    for _ in range(1000):
        ready = rng.random() >= gap
        ctx.set(getattr(axi, f"{channel}ready"), ready)
        _, _, valid, *values = await ctx.tick().sample(getattr(axi, f"{channel}valid"), *signals)
        assert offered is None or (valid, values) == (1, offered), "a response that waits has changed"
        offered = values if valid else None
        if valid and ready:
            ctx.set(getattr(axi, f"{channel}ready"), 0)
            return values
    raise TimeoutError(channel)


@pytest.mark.parametrize(("gap", "seed"), [(0, 1), (0.3, 2), (0.8, 3)])
def test_reads_and_writes_at_once(attach, gap, seed):
    """One testbench a channel. Reads are of what no write is under way to, or of what always changes."""
    rng = random.Random(seed)
    writes = []
    for _ in range(60):
        whole = rng.random() < 0.7
        strobes = 0b1111 if whole else rng.randrange(15)
        writes.append((rng.choice(HELD[1:]), rng.getrandbits(32), strobes))

    async def addresses(ctx, axi):
        own = random.Random(seed + 1)
        for address, _, _ in writes:
            await send(ctx, axi, "aw", own, gap, addr=address)

    async def words(ctx, axi):
        own = random.Random(seed + 2)
        for _, word, strobes in writes:
            await send(ctx, axi, "w", own, gap, data=word, strb=strobes)

    async def responses(ctx, axi):
        own = random.Random(seed + 3)
        for _, _, strobes in writes:
            (found,) = await receive(ctx, axi, "b", own, gap, "resp")
            assert found == (Response.OKAY if strobes in (0, 0b1111) else Response.SLVERR)

    async def reads(ctx, axi):
        own = random.Random(seed + 4)
        last = -1
        for _ in range(60):
            changing = own.randrange(2)
            await send(ctx, axi, "ar", own, gap, addr=CHANGING if changing else 0)
            word, response = await receive(ctx, axi, "r", own, gap, "data", "resp")
            assert response == Response.OKAY
            assert word > last if changing else word == 0x02443356
            last = word if changing else last

    attach(addresses, words, responses, reads)


@pytest.mark.parametrize("gap", [0, 0.5])
def test_every_write_is_read_back(attach, gap):
    async def bench(ctx, axi):
        rng = random.Random(7)
        held = dict.fromkeys(HELD, 0)
        for _ in range(80):
            address, word = rng.choice(HELD), rng.getrandbits(32)
            strobes = rng.choice([0b1111, 0b1111, 0b0011, 0b1000, 0])
            await write(ctx, axi, rng, gap, address, word, strobes)
            if strobes == 0b1111:
                held[address] = word
            for place in HELD:
                await send(ctx, axi, "ar", rng, gap, addr=place)
                assert (await receive(ctx, axi, "r", rng, gap, "data"))[0] == held[place]

    async def write(ctx, axi, rng, gap, address, word, strobes):
        """Address first, word first, or both at once."""
        ctx.set(axi.awaddr, address)
        ctx.set(axi.wdata, word)
        ctx.set(axi.wstrb, strobes)
        first = rng.choice([("awvalid",), ("wvalid",), ("awvalid", "wvalid")])
        for name in first:
            ctx.set(getattr(axi, name), 1)
        if len(first) == 1:
            for _ in range(rng.randrange(4)):
                _, _, address_ready, word_ready = await ctx.tick().sample(axi.awready, axi.wready)
                assert (address_ready, word_ready) == (0, 0), "half of a write is taken"
        ctx.set(axi.awvalid, 1)
        ctx.set(axi.wvalid, 1)
        ready = False
        while not ready:
            _, _, ready, word_ready = await ctx.tick().sample(axi.awready, axi.wready)
            assert ready == word_ready
        ctx.set(axi.awvalid, 0)
        ctx.set(axi.wvalid, 0)
        await receive(ctx, axi, "b", rng, gap, "resp")

    attach(bench)


def test_clocks(attach):
    """What the docstring says about time."""

    async def bench(ctx, axi):
        ctx.set(axi.araddr, 0)
        ctx.set(axi.arvalid, 1)
        ctx.set(axi.rready, 1)
        seen = []
        for _ in range(6):
            _, _, *found = await ctx.tick().sample(axi.arready, axi.rvalid)
            seen.append(tuple(found))
        assert seen[:3] == [(0, 0), (1, 0), (0, 1)]
        assert seen[3:] == seen[:3], "a read every three clocks"
        ctx.set(axi.arvalid, 0)
        await ctx.tick().repeat(5)
        ctx.set(axi.awaddr, HELD[0])
        ctx.set(axi.awvalid, 1)
        ctx.set(axi.wstrb, 0b1111)
        ctx.set(axi.wvalid, 1)
        ctx.set(axi.bready, 1)
        seen = []
        for _ in range(6):
            _, _, *found = await ctx.tick().sample(axi.awready, axi.bvalid)
            seen.append(tuple(found))
        assert seen == [(0, 0), (1, 0), (0, 1)] * 2

    attach(bench)


def test_nobody_starves(attach):
    """Reads and writes that never stop get a share each."""

    async def bench(ctx, axi):
        for name in ("arvalid", "awvalid", "wvalid", "rready", "bready"):
            ctx.set(getattr(axi, name), 1)
        reads = writes = 0
        for _ in range(120):
            _, _, read, write = await ctx.tick().sample(axi.rvalid, axi.bvalid)
            reads, writes = reads + read, writes + write
        assert min(reads, writes) >= 30

    attach(bench)
