# amaranth: UnusedElaboratable=no

"""`OnChipMemory` with random requests, and the parts between it and the GPU."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.boards.bus_gate import BusGate
from vc4.boards.on_chip_memory import OnChipMemory
from vc4.boards.written_pages import WrittenPages
from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import collect, feed

from .clients import carry_out

SIZE, BASE = 512, 1 << 12


def traffic(rng, count):
    """Requests, words of writes, and the answers; some go out of memory."""
    memory, requests, writes, answers = bytearray(SIZE), [], [], []
    for _ in range(count):
        first, beats, write = rng.randrange(-2, SIZE // 8 + 2), rng.randrange(5), rng.randrange(2)
        requests.append({"address": BASE + 8 * first, "write": write, "beats": beats, "tag": rng.randrange(4)})
        outside = False
        for beat in range(beats + 1):
            place, last = 8 * (first + beat), int(beat == beats)
            inside = 0 <= place < SIZE
            outside |= not inside
            if write:
                word, strobes = rng.randbytes(8), rng.randrange(256)
                writes.append({"data": int.from_bytes(word, "little"), "strobes": strobes, "last": last})
                for byte in range(8 * inside):
                    if strobes >> byte & 1:
                        memory[place + byte] = word[byte]
            else:
                word = int.from_bytes(memory[place : place + 8], "little") if inside else 0
                answers.append((requests[-1]["tag"], word, last, int(not inside)))
        if write:
            answers.append((requests[-1]["tag"], None, 1, int(outside)))
    return requests, writes, answers


@pytest.mark.parametrize("gap", [0, 0.4])
def test_random_traffic(simulate, gap):
    rng, dut = random.Random(3), OnChipMemory(SIZE, BASE, 2)
    requests, writes, answers = traffic(rng, 150)
    found, errors = carry_out(simulate, dut, requests, writes, len(answers), gap)
    got = [(one.tag, one.data, one.last, one.error) for one in found]
    assert [(tag, word if want[1] is not None else None, *rest) for (tag, word, *rest), want in zip(got, answers, strict=True)] == answers  # fmt: skip
    assert len(errors) == sum(answer[3] for answer in answers)
    assert not any(BASE <= address < BASE + SIZE for address in errors if address % 8)


def test_a_word_a_clock(simulate):
    dut, clocks = OnChipMemory(SIZE, BASE, 2), []

    async def bench(ctx):
        ctx.set(dut.bus.responses.ready, 1)
        ctx.set(dut.bus.requests.payload, {"address": BASE, "write": 0, "beats": 15, "tag": 0})
        ctx.set(dut.bus.requests.valid, 1)
        await ctx.tick()
        ctx.set(dut.bus.requests.valid, 0)
        for clock in range(30):
            _, _, valid = await ctx.tick().sample(dut.bus.responses.valid)
            clocks.extend([clock] * valid)

    simulate(dut, bench)
    assert clocks == list(range(clocks[0], clocks[0] + 16))
    assert clocks[0] == 2, "the first word comes three clocks after its request"


@pytest.mark.parametrize(("size", "base"), [(0, 0), (12, 0), (64, 4)])
def test_sizes_that_make_no_sense(size, base):
    with pytest.raises(ValueError, match="multiples of 8"):
        OnChipMemory(size, base, 1)


def test_a_gate_drains(simulate):
    """What has passed is answered, words included; what has not waits, and passes when the gate is open again."""
    m = Module()
    m.submodules.gate = gate = BusGate(word_bytes=8, tag_bits=1)
    m.submodules.memory = memory = BenchMemory(1024, latency=9)
    connect(m, gate.bus, memory.bus)

    async def requests(ctx):
        asked = [{"address": 8 * number, "write": number % 2, "beats": 0, "tag": 0} for number in range(6)]
        await feed(ctx, gate.client.requests, asked, rng=random.Random(1), gap=0.5)

    async def words(ctx):
        given = [{"data": number, "strobes": 255, "last": 1} for number in range(3)]
        await feed(ctx, gate.client.writes, given, rng=random.Random(2), gap=0.9)

    async def responses(ctx):
        await collect(ctx, gate.client.responses, 6, rng=random.Random(3), gap=0.5)

    async def closing(ctx):
        for _ in range(3):
            ctx.set(gate.close, 1)
            drained = 0
            while not drained:
                _, _, drained = await ctx.tick().sample(gate.drained)
            for _ in range(20):
                _, _, *busy = await ctx.tick().sample(gate.bus.requests.valid, gate.bus.responses.valid)
                assert busy == [0, 0]
            ctx.set(gate.close, 0)
            await ctx.tick().repeat(9)

    simulate(m, requests, words, responses, closing)


def test_written_pages(simulate):
    dut = WrittenPages(70 << 12, 2 << 12)
    written = {0, 5, 63, 64, 69}

    async def run(ctx, name):
        ctx.set(getattr(dut, name), 1)
        await ctx.tick()
        ctx.set(getattr(dut, name), 0)
        done = 0
        while not done:
            _, _, done = await ctx.tick().sample(dut.done)

    async def tell(ctx):
        words = 0
        for first in (0, 64):
            ctx.set(dut.first, first)
            await run(ctx, "start")
            words |= ctx.get(dut.word) << first
        return {page for page in range(128) if words >> page & 1}

    async def bench(ctx):
        assert await tell(ctx) == set()
        for page in (*written, -1, -2, 128, 1 << 19):
            ctx.set(dut.address, ((page + 2 << 12) + 8) % (1 << 32))
            ctx.set(dut.written_stb, 1)
            await ctx.tick()
        ctx.set(dut.written_stb, 0)
        await ctx.tick()
        assert await tell(ctx) == written
        await run(ctx, "clear")
        assert await tell(ctx) == set()

    simulate(dut, bench)


def test_pages_begin_where_memory_does():
    with pytest.raises(ValueError, match="multiple of 4096, not at 0x800"):
        WrittenPages(4096, 0x800)
