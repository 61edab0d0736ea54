# amaranth: UnusedElaboratable=no

"""`BenchMemory` against a `bytearray`."""

import random

import pytest
from amaranth.sim import Simulator

from vc4sim.bench.memory import BenchMemory
from vc4sim.bench.streams import collect, feed, put, watch

SIZE = 4096 + 512
BASE = 0x1F00


def run(dut, *benches, background=()):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    for bench in benches:
        simulator.add_testbench(bench)
    for bench in background:
        simulator.add_testbench(bench, background=True)
    simulator.run()


class Expectation:
    """What the memory must do with a list of requests, one after the other."""

    def __init__(self, rng, word_bytes, init, count):
        self.data = bytearray(init) + bytes(SIZE - len(init))
        self.requests, self.writes, self.responses, self.written = [], [], [], []
        self.fault = None
        for _ in range(count):
            beats = rng.randrange(12)
            address = rng.randrange(BASE - 64, BASE + SIZE) // word_bytes * word_bytes
            beats = min(beats, (4096 - address % 4096) // word_bytes - 1)
            request = {"address": address, "write": rng.randrange(2), "beats": beats, "tag": rng.randrange(4)}
            self.requests.append(request)
            (self._write if request["write"] else self._read)(rng, word_bytes, request)

    def _words(self, word_bytes, request):
        for beat in range(request["beats"] + 1):
            address = request["address"] + beat * word_bytes
            inside = BASE <= address < BASE + SIZE
            if not inside and self.fault is None:
                self.fault = (address, request["write"])
            yield address, address - BASE, inside, int(beat == request["beats"])

    def _read(self, rng, word_bytes, request):
        for _, offset, inside, last in self._words(word_bytes, request):
            word = int.from_bytes(self.data[offset : offset + word_bytes], "little") if inside else 0
            self.responses.append({"tag": request["tag"], "data": word, "last": last, "error": int(not inside)})

    def _write(self, rng, word_bytes, request):
        error = 0
        for address, offset, inside, last in self._words(word_bytes, request):
            word, strobes = rng.randbytes(word_bytes), rng.randrange(1 << word_bytes)
            self.writes.append({"data": int.from_bytes(word, "little"), "strobes": strobes, "last": last})
            self.written.append((address, int.from_bytes(word, "little"), strobes))
            error |= not inside
            for byte in range(word_bytes):
                if inside and strobes >> byte & 1:
                    self.data[offset + byte] = word[byte]
        self.responses.append({"tag": request["tag"], "data": None, "last": 1, "error": int(error)})


@pytest.mark.parametrize("word_bytes", [4, 8, 16])
@pytest.mark.parametrize(("latency", "gap", "bench_gap"), [(1, 0, 0), (7, 0, 0.3), (3, 0.5, 0), (20, 0.25, 0.25)])
def test_random_requests(word_bytes, latency, gap, bench_gap):
    seed = word_bytes * 1000 + latency
    rng = random.Random(seed)
    init = rng.randbytes(SIZE - 100)
    expected = Expectation(rng, word_bytes, init, 60)
    dut = BenchMemory(
        SIZE, base=BASE, word_bytes=word_bytes, tag_bits=2, latency=latency, gap=gap, seed=seed, init=init
    )
    written = []

    async def requests(ctx):
        await feed(ctx, dut.bus.requests, expected.requests, rng=rng, gap=bench_gap)

    async def writes(ctx):
        await feed(ctx, dut.bus.writes, expected.writes, rng=rng, gap=bench_gap)

    async def responses(ctx):
        found = await collect(ctx, dut.bus.responses, len(expected.responses), rng=rng, gap=bench_gap)
        for response, wanted in zip(found, expected.responses, strict=True):
            wanted["data"] = response.data if wanted["data"] is None else wanted["data"]
            assert response == dut.bus.signature.response_layout.const(wanted), f"seed {seed}"
        assert await dut.contents(ctx) == expected.data, f"seed {seed}"
        fault = (ctx.get(dut.fault_address), ctx.get(dut.fault_write)) if ctx.get(dut.fault) else None
        assert fault == expected.fault, f"seed {seed}"
        assert written == expected.written, f"seed {seed}"

    async def monitor(ctx):
        monitored = (dut.written_stb, dut.written_address, dut.written_data, dut.written_strobes)
        async for _, _, moved, *write in ctx.tick().sample(*monitored):
            if moved:
                written.append(tuple(write))

    async def stable(ctx):
        await watch(ctx, dut.bus.responses)

    run(dut, requests, writes, responses, background=[monitor, stable])


@pytest.mark.parametrize("latency", [1, 2, 9])
def test_clocks(latency):
    """Two reads of four words: the first word comes after the latency, the others one a clock."""
    dut = BenchMemory(1024, latency=latency)
    clocks = []

    async def requests(ctx):
        for _ in range(2):
            await put(ctx, dut.bus.requests, {"address": 0, "write": 0, "beats": 3, "tag": 0})

    async def responses(ctx):
        ctx.set(dut.bus.responses.ready, 1)
        for clock in range(40):
            _, _, valid = await ctx.tick().sample(dut.bus.responses.valid)
            if valid:
                clocks.append(clock)

    run(dut, requests, responses)
    assert clocks == list(range(latency, latency + 8))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"address": 4, "write": 0, "beats": 0, "tag": 0}, "not aligned"),
        ({"address": 4096 - 8, "write": 0, "beats": 1, "tag": 0}, "crosses 4 KiB"),
    ],
)
def test_bad_requests_are_caught(request_, message):
    dut = BenchMemory(8192)

    async def bench(ctx):
        await put(ctx, dut.bus.requests, request_)

    with pytest.raises(AssertionError, match=message):
        run(dut, bench)


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 12},
        {"size": 16, "base": 4},
        {"size": 16, "latency": 0},
        {"size": 16, "gap": 1},
        {"size": 8, "init": bytes(9)},
    ],
)
def test_bad_parameters(arguments):
    with pytest.raises(ValueError, match="must be|do not fit"):
        BenchMemory(**arguments)
