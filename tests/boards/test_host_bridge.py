"""`HostBridge` against a board in plain Python: random requests, gaps, damage, lost and added bytes, repeats."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.boards.host_bridge import HostBridge
from vc4.boards.protocol import Fact
from vc4.config import preset
from vc4sim.bench.memory import BenchMemory

from .stand_in import (
    CONNECT,
    FACTS,
    MEMORY_CLEAR,
    MEMORY_READ,
    MEMORY_WRITE,
    PAGES,
    REGISTER_READ,
    REGISTER_WRITE,
    RESET,
    StandIn,
    frame,
)

GAP, SIZE, BASE = 40, 8192, 1 << 12
BITS = 0x8000_0000_0000_0001


class Counting:
    """Registers that tell how often they were accessed: a read gives the number of accesses before it."""

    def __init__(self):
        self.log = []

    def read(self, offset):
        self.log.append((offset, None))
        return len(self.log)

    def write(self, offset, word):
        self.log.append((offset, word))


@pytest.fixture
def attach(simulate):
    """`attach(bench, gap)`: runs `bench(ctx, send, answer)` with a bridge; returns the accesses of registers, and the memory."""

    def run(bench, gap, seed=1):
        m = Module()
        m.submodules.dut = dut = HostBridge(gap_clocks=GAP, tag_bits=1)
        m.submodules.memory = memory = BenchMemory(SIZE, base=BASE, latency=3, gap=gap, seed=seed)
        connect(m, dut.memory, memory.bus)
        rng, registers, came = random.Random(seed), Counting(), bytearray()
        facts = StandIn(Counting, BASE, SIZE, preset("qpu")).receive(frame(0, CONNECT))
        for fact in Fact:
            m.d.comb += dut.facts[fact].eq(int.from_bytes(facts[4 + 8 * fact : 12 + 8 * fact], "little"))
        m.d.comb += dut.pages.eq(BITS)

        async def send(ctx, data, pause=False):
            """Bytes, and a pause that ends what they have begun."""
            for byte in data:
                if rng.random() < gap:
                    await ctx.tick().repeat(rng.randrange(1, GAP - 2))
                ctx.set(dut.i.payload, byte)
                ctx.set(dut.i.valid, 1)
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
            if pause:
                await ctx.tick().repeat(GAP + 3)

        async def answer(ctx, size):
            """So many bytes."""
            for _ in range(20_000):
                if len(came) >= size:
                    break
                await ctx.tick()
            found = bytes(came)
            came.clear()
            return found

        async def sink(ctx):
            while True:
                ctx.set(dut.o.ready, rng.random() >= gap)
                _, _, moves, byte = await ctx.tick().sample(dut.o.valid & dut.o.ready, dut.o.payload)
                if moves:
                    came.append(byte)

        async def slave(ctx):
            axi = dut.m_axil
            while True:
                _, _, reads, writes, *where = await ctx.tick().sample(
                    axi.arvalid, axi.awvalid & axi.wvalid, axi.araddr, axi.awaddr, axi.wdata
                )
                if not reads and not writes:
                    continue
                if reads:
                    ctx.set(axi.rdata, registers.read(where[0]))
                else:
                    registers.write(where[1], where[2])
                ready, valid = ("ar", "r") if reads else ("aw", "b")
                for name in (ready, "w"):
                    ctx.set(getattr(axi, f"{name}ready"), 1)
                await ctx.tick()
                for name in (ready, "w"):
                    ctx.set(getattr(axi, f"{name}ready"), 0)
                ctx.set(getattr(axi, f"{valid}valid"), 1)
                await ctx.tick()
                ctx.set(getattr(axi, f"{valid}valid"), 0)

        async def others(ctx):
            """The reset of the GPU, and its pages."""
            while True:
                _, _, resets, pages = await ctx.tick().sample(dut.reset, dut.pages_start)
                ctx.set(dut.reset_done, resets)
                ctx.set(dut.pages_done, pages)
                if resets:
                    registers.log.append("reset")
                    await ctx.tick()
                    ctx.set(dut.reset_done, 0)

        async def whole(ctx):
            await bench(ctx, send, answer)
            found.append(await memory.contents(ctx))

        found = []
        simulate(m, whole, background=[sink, slave, others])
        return registers.log, found[0]

    return run


def expected_board():
    registers = Counting()

    def again():
        if board:
            registers.log.append("reset")
        return registers

    board = []
    board.append(StandIn(again, BASE, SIZE, preset("qpu")))
    board[0].pages = lambda first: BITS
    return board[0], registers


def random_request(rng):
    """Command, address, data, words."""
    command = rng.choice((FACTS, RESET, PAGES, MEMORY_CLEAR, *2 * (REGISTER_READ, REGISTER_WRITE), *3 * (MEMORY_READ, MEMORY_WRITE), 0, 77))  # fmt: skip
    if command in (REGISTER_READ, REGISTER_WRITE):
        data = rng.randbytes(8 * (rng.random() < 0.9)) if command == REGISTER_WRITE else b""
        return command, rng.randrange(4096), data, len(data) // 8 if data else rng.choice((0, 1, 1, 1))
    address = BASE + 8 * rng.randrange(SIZE // 8)
    if rng.random() < 0.1:
        address = rng.choice((address + 4, BASE - 8, BASE + SIZE - 8))
    words = 128 if rng.random() < 0.04 else rng.randrange(10)
    if command == MEMORY_WRITE:
        return command, address, rng.randbytes(8 * words), words
    if command == MEMORY_CLEAR:
        return command, address, (rng.choice((0, 1, 300))).to_bytes(8, "little"), 1
    return command, address, b"", 1 if command == PAGES else words


def damaged(rng, data):
    """A bit is another one, a byte is missing, one is too many, or the end is missing."""
    place = rng.randrange(len(data))
    return rng.choice(
        (
            data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :],
            data[:place] + data[place + 1 :],
            data[:place] + rng.randbytes(1) + data[place:],
            data[:place],
        )
    )


@pytest.mark.parametrize(
    ("gap", "count", "seed"),
    [(0, 40, 1), (0.1, 20, 2), *(pytest.param(0.1, 120, seed, marks=pytest.mark.thorough) for seed in (3, 4))],
)
def test_random_requests(attach, gap, count, seed):
    """Each does what it says, once, whatever comes before it and however often it comes."""
    rng = random.Random(seed)
    board, registers = expected_board()

    connects = {0, count // 2}
    asked = [(CONNECT, 0, b"", 0) if number in connects else random_request(rng) for number in range(count)]

    async def bench(ctx, send, answer):
        for number, (command, address, data, words) in enumerate(asked):
            request = frame(number % 256, command, address, data, words)
            for _ in range(rng.randrange(3) * (rng.random() < 0.4)):
                bad = damaged(rng, request)
                # A byte in front of all is no damage.
                want = board.receive(bad)
                board.pause()
                await send(ctx, bad, pause=not want)
                assert await answer(ctx, len(want)) == want, f"request {number}, damaged"
            for _ in range(1 + (rng.random() < 0.3)):
                await send(ctx, request)
                want = board.receive(request)
                assert await answer(ctx, len(want)) == want, f"request {number}"

    log, memory = attach(bench, gap, seed)
    assert log == registers.log
    assert memory == bytes(board.memory)


def test_numbers_that_are_not_next(attach):
    """Nothing before CONNECT, and then only the next number."""
    board, registers = expected_board()

    async def bench(ctx, send, answer):
        for number, command in ((0, REGISTER_READ), (1, REGISTER_READ), (9, CONNECT), (8, REGISTER_READ)):
            await send(ctx, frame(number, command, 4, words=1), pause=True)
            board.receive(frame(number, command, 4, words=1))
        await send(ctx, frame(11, REGISTER_READ, 8, words=1), pause=True)
        await answer(ctx, 80)
        await send(ctx, frame(10, REGISTER_READ, 12, words=1))
        want = board.receive(frame(10, REGISTER_READ, 12, words=1))
        assert await answer(ctx, len(want)) == want

    log, _ = attach(bench, 0)
    assert log == registers.log == [(12, None)]
