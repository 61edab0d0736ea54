"""Levels of images, and levels of detail, against the model."""

import random

import pytest

from vc4.records.tmu import LEVELS, TextureType
from vc4.tmu.detail import Detail
from vc4.tmu.levels import Levels
from vc4.tmu.texture import CONTEXTS
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.layout import chain
from vc4sim.model.tmu.lod import of_quad
from vc4sim.random_programs.texture_job import pattern

from .conftest import format_of


def test_levels(simulate):
    """A table for each image, the next one while the last one is made."""
    rng = random.Random(1)
    dut = Levels()
    images, starts, tables = [], [], []
    for number in range(150):
        kind = FORMATS[rng.choice(list(TextureType))]
        width, height = (rng.choice((rng.randrange(1, 40), rng.randrange(1, 2049))) for _ in range(2))
        images.append((kind, width, height, rng.choice((1, rng.randrange(1, LEVELS + 1))), number % CONTEXTS))

    async def make(ctx):
        clock = 0
        for kind, width, height, count, context in images:
            ctx.set(dut.format, format_of(kind))
            for name, value in (("width", width), ("height", height), ("last", count - 1), ("context", context)):
                ctx.set(getattr(dut, name), value)
            ctx.set(dut.start, 0)
            while rng.random() < 0.3 or not ctx.get(dut.ready):
                await ctx.tick()
                clock += 1
            ctx.set(dut.start, 1)
            starts.append(clock)
            await ctx.tick()
            clock += 1
            ctx.set(dut.start, 0)
            tables.append(clock + count + 3)

    async def check(ctx):
        clock = 0
        for number, (kind, width, height, count, context) in enumerate(images):
            while len(tables) <= number or clock < tables[number]:
                await ctx.tick()
                clock += 1
            level = rng.randrange(count)
            ctx.set(dut.number, {"context": context, "level": level})
            ctx.set(dut.read, 1)
            await ctx.tick()
            clock += 1
            ctx.set(dut.read, 0)
            got, want = ctx.get(dut.level), chain(kind, width, height, count)[level]
            assert (got.form.pitch, got.form.tiled, got.offset) == (
                want.tiles_across,
                want.tiled,
                want.offset & 0xFFFF_FFFF,
            ), (kind, width, height, level)

    simulate(dut, make, check)
    gaps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
    assert all(gap >= image[3] for gap, image in zip(gaps, images, strict=False))
    assert any(gap == image[3] > 8 for gap, image in zip(gaps, images, strict=False))


@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.thorough)])
def test_detail(simulate, count):
    """A quad every four clocks, and pauses between some."""
    rng = random.Random(2)
    dut = Detail()
    quads = []
    for number in range(count):
        near = number % 2
        s, t = ([(0x3F00_0000 + rng.getrandbits(20)) if near else pattern(rng) for _ in range(4)] for _ in range(2))
        sizes = {"width": rng.randrange(1, 2049), "height": rng.randrange(1, 2049), "halved": rng.getrandbits(1)}
        quads.append((s, t, sizes))
    clocks = []

    async def send(ctx):
        clock = 0
        for s, t, sizes in quads:
            pause = rng.choice((0, 0, 0, rng.randrange(6)))
            ctx.set(dut.i_stb, 0)
            ctx.set(dut.i, {"lane": rng.randrange(4), "s": rng.getrandbits(32), "t": rng.getrandbits(32)})
            await ctx.tick().repeat(pause) if pause else None
            clocks.append(clock + pause)
            clock += pause + 4
            ctx.set(dut.i_stb, 1)
            for lane in range(4):
                ctx.set(dut.i, {"lane": lane, "s": s[lane], "t": t[lane], **sizes})
                await ctx.tick()
        ctx.set(dut.i_stb, 0)

    async def check(ctx):
        clock = 0
        for number, (s, t, sizes) in enumerate(quads):
            while not ctx.get(dut.o_stb):
                await ctx.tick()
                clock += 1
            want = of_quad(*s, *t, sizes["width"], sizes["height"], sizes["halved"])
            assert (ctx.get(dut.o), clock) == (want, clocks[number] + Detail.LATENCY), number
            await ctx.tick()
            clock += 1

    simulate(dut, send, check)
