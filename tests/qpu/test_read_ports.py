"""`ReadPorts` against what each address delivers (guide, table 14; QPU facts, 4.1, 4.4 and 5.2)."""

import random

import pytest

from vc4.qpu.read_ports import ReadPorts

NUMBER = 9
UNIFORM, VARY, X_COORD, MS_MASK, VPM, BUSY, NOP = 32, 35, 41, 42, 48, 49, 39


def small_immediate(code):
    """The value of a code (guide, table 5)."""
    if code < 16:
        return code
    if 32 <= code < 48:
        return (127 + (code - 32 if code < 40 else code - 48)) << 23
    return 0xFFFF_FFF0 | code % 16


def io_value(file, address, quad, lane, uniform, busy, vector, fragments):
    """What an I/O address delivers; those that only wait or name nothing give element or QPU number."""
    if address == UNIFORM:
        return uniform
    if address == X_COORD:
        return (fragments["x"] | lane & 1, fragments["y"] | lane >> 1)[file]
    if address == MS_MASK:
        return (fragments["flags"][lane], fragments["back"])[file]
    if address == BUSY:
        return busy >> file & 1
    if address == VPM:
        return vector[lane]
    return (4 * quad + lane, NUMBER)[file]


class Bench:
    """Drives one quad a clock, and knows what each port must show two clocks later."""

    def __init__(self, ctx, dut, rng, fragments):
        self.ctx, self.dut, self.rng, self.fragments = ctx, dut, rng, fragments
        self.shown = [[0] * 4, [0] * 4]
        self.pending = None
        self.varying = {"a": [0] * 4, "b": [0] * 4}  # of what is pending

    async def clock(self, live=1, read=(0, 0), address=(NOP, NOP), immediate=0, uniform=0, busy=0):
        """One clock with a quad in RA. The register files deliver random words for the quad of the clock before.

        busy : bit 0: a DMA load, bit 1: a DMA store
        """
        ctx, dut, quad = self.ctx, self.dut, self.rng.randrange(4)
        files = [[self.rng.getrandbits(32) for _ in range(4)] for _ in "ab"]
        ctx.set(dut.ra_control.read_a, read[0])
        ctx.set(dut.ra_control.read_b, read[1])
        ctx.set(dut.ra_control.raddr_a, address[0])
        ctx.set(dut.ra_control.raddr_b, address[1])
        ctx.set(dut.ra_control.b_immediate, immediate)
        ctx.set(dut.ra_live, live)
        ctx.set(dut.ra_quad, quad)
        ctx.set(dut.ra_uniform, uniform)
        vector = [self.rng.getrandbits(32) for _ in range(4)]
        ctx.set(dut.ra_load_busy, busy & 1)
        ctx.set(dut.ra_store_busy, busy >> 1)
        ctx.set(dut.ra_vector, vector)
        fragments = self._fragments(address, immediate)
        varying = [
            [self.rng.getrandbits(32) if address[file] == VARY and not (file and immediate) else 0 for _ in range(4)]
            for file in range(2)
        ]
        ctx.set(dut.ra_fragments, fragments)
        ctx.set(dut.ra2_varyings, self.varying)
        ctx.set(dut.ra2_files, {"a": files[0], "b": files[1]})
        await ctx.tick()
        if self.pending:
            self._show(files)
        for file, name in enumerate("ab"):
            found = [ctx.get(getattr(dut.ru_values, name)[lane]) for lane in range(4)]
            assert found == self.shown[file], f"port {name}, {self.pending}"
        self.pending = (live, read, address, immediate, quad, uniform, busy, vector, fragments)
        self.varying = dict(zip("ab", varying, strict=True))

    def _fragments(self, address, immediate):
        """Random fragments, if there are any; words for registers only where nothing else is shown."""
        rng, words = self.rng, {name: [0] * 4 for name in "ab"}
        if self.fragments and address == (VARY, VARY) and not immediate:
            words = {name: [rng.getrandbits(32) for _ in range(4)] for name in "ab"}
        if not self.fragments:
            return {"words": words, "x": 0, "y": 0, "flags": [0] * 4, "back": 0}
        return {
            "words": words,
            "x": 2 * rng.randrange(1024),
            "y": 2 * rng.randrange(1024),
            "flags": [rng.randrange(16) for _ in range(4)],
            "back": rng.randrange(2),
        }

    def _show(self, files):
        live, read, address, immediate, quad, *state, fragments = self.pending
        for file in range(2):
            if not (live and read[file]):
                continue
            if file == 1 and immediate:
                self.shown[1] = [small_immediate(address[1])] * 4
            elif address[file] < 32:
                self.shown[file] = files[file]
            else:
                self.shown[file] = [
                    self.varying["ab"[file]][lane] | fragments["words"]["ab"[file]][lane]
                    if address[file] == VARY
                    else io_value(file, address[file], quad, lane, *state, fragments)
                    for lane in range(4)
                ]


@pytest.fixture(params=[False, True], ids=["plain", "fragments"])
def run(simulate, request):
    """`run(script)`: a coroutine with a `Bench`."""

    def start(script, seed=1):
        dut = ReadPorts(fragments=request.param)

        async def bench(ctx):
            ctx.set(dut.number, NUMBER)
            await script(Bench(ctx, dut, random.Random(seed), request.param))

        simulate(dut, bench)

    return start


def test_every_address_on_both_ports(run):
    async def script(bench):
        for address in [*range(64), NOP]:
            for busy in range(4):
                await bench.clock(read=(1, 1), address=(address, 63 - address), uniform=0xABCD_0000 + address)
                await bench.clock(read=(1, 1), address=(63 - address, address), busy=busy)
        await bench.clock()

    run(script)


def test_all_small_immediates(run):
    async def script(bench):
        for code in [*range(64), 0]:
            await bench.clock(read=(0, 1), address=(NOP, code), immediate=1)
        await bench.clock()
        assert bench.shown[1] == [0] * 4

    run(script)


def test_a_port_that_reads_nothing_shows_its_last_quad(run):
    async def script(bench):
        await bench.clock(read=(1, 1), address=(UNIFORM, 3), uniform=77)
        await bench.clock(read=(0, 1), address=(1, 4))
        await bench.clock(live=0, read=(1, 1), address=(1, 1))
        for _ in range(5):
            await bench.clock(read=(0, 0), address=(2, 2))
        assert bench.shown[0] == [77] * 4

    run(script)


@pytest.mark.parametrize("seed", range(3))
def test_random_reads(run, seed):
    async def script(bench):
        rng = bench.rng
        for _ in range(150):
            await bench.clock(
                live=rng.random() < 0.8,
                read=(rng.random() < 0.7, rng.random() < 0.7),
                address=(rng.randrange(64), rng.randrange(64)),
                immediate=rng.random() < 0.3,
                uniform=rng.getrandbits(32),
                busy=rng.randrange(4),
            )

    run(script, seed)
