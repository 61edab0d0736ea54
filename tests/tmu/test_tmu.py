"""`Tmu` against the model: textures and words of memory for two QPUs at once, with a memory that answers with gaps."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from vc4.records.tmu import TmuParameterName
from vc4.tmu.tmu import Tmu
from vc4sim.bench.memory import BenchMemory
from vc4sim.model.memory import Memory
from vc4sim.model.tmu.parameters import texture
from vc4sim.model.tmu.unit import TextureUnit
from vc4sim.random_programs.texture_job import coordinates_of, letters_of, uniforms_of

BASE, SIZE = 0x10_0000, 0x2_0000
PAGES = range(BASE + SIZE // 2 >> 12, BASE + SIZE >> 12)
PATIENCE = 8000


class Qpu:
    """One QPU: it writes a lookup, and loads all words of it."""

    def __init__(self, parameter, port, rng, model):
        self.parameter, self.port, self.rng, self.model = parameter, port, rng, model
        self.clocks = []  # of each lookup

    async def write(self, ctx, letter, values, uniform):
        for quad in range(4):
            payload = {"name": TmuParameterName[letter.upper()], "quad": quad, "data": values[4 * quad : 4 * quad + 4]}
            ctx.set(self.parameter, payload | {"uniform": uniform})
            ctx.set(self.port.parameter_stb, 1)
            await ctx.tick()
        ctx.set(self.port.parameter_stb, 0)

    async def look_up(self, ctx, letters, uniforms):
        """Returns what the model finds."""
        vectors = dict(zip("strb", coordinates_of(self.rng), strict=True))
        if not uniforms:
            vectors["s"] = [BASE + self.rng.randrange(SIZE) for _ in range(16)]
        for letter, uniform in zip(letters, uniforms or [0], strict=True):
            await self.write(ctx, letter, vectors[letter], uniform)
        return self.model.look_up({letter: vectors[letter] for letter in letters}, uniforms)

    async def load(self, ctx):
        word = []
        for _ in range(4):
            ctx.set(self.port.load, 1)
            await ctx.tick()
            ctx.set(self.port.load, 0)
            word += list(ctx.get(self.port.result))
        return word

    async def run(self, ctx, count):
        for number in range(count):
            uniforms = uniforms_of(self.rng, PAGES) if self.rng.random() < 0.7 else []
            expected = await self.look_up(ctx, letters_of(self.rng, max(len(uniforms), 1)), uniforms)
            came = clocks = done = 0
            while not done:
                _, _, word, done = await ctx.tick().sample(self.port.came_stb, self.port.done)
                came, clocks = came + word, clocks + 1
                assert clocks < PATIENCE, f"no answer to {number}"
            self.clocks.append(clocks)
            assert came == len(expected)
            for one in expected:
                assert await self.load(ctx) == one.tolist(), (number, uniforms and texture(uniforms))


def run(simulate, seed, count, qpus=2, **memory):

    print(f"seed {seed}")
    rng = random.Random(seed)
    contents = rng.randbytes(SIZE)
    m = Module()
    m.submodules.dut = dut = Tmu(qpus)
    m.submodules.memory = bench = BenchMemory(SIZE, base=BASE, init=contents, tag_bits=3, seed=seed, **memory)
    connect(m, dut.bus, bench.bus)
    model = TextureUnit(Memory(SIZE, BASE, contents))
    ports = enumerate(zip(dut.parameters, dut.clients, strict=True))
    ends = [Qpu(*each, random.Random(seed + number), model) for number, each in ports]

    def benches(end):
        async def bench(ctx):
            await end.run(ctx, count)

        return bench

    simulate(m, *map(benches, ends))
    return ends


@pytest.mark.parametrize(
    ("seed", "latency", "gap"), [(1, 1, 0.0), pytest.param(2, 20, 0.3, marks=pytest.mark.thorough)]
)
def test_lookups(simulate, seed, latency, gap):
    run(simulate, seed, 8, latency=latency, gap=gap)
