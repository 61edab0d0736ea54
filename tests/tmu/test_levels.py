"""Levels of images, and levels of detail, against the model."""

import random

import numpy as np

from vc4.records.tmu import TextureType
from vc4.tmu.detail import Detail
from vc4.tmu.levels import Levels
from vc4sim.model.tmu import lod
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.layout import chain

from .conftest import format_of, pattern


def test_levels(simulate):
    rng = random.Random(1)
    dut = Levels()

    async def bench(ctx):
        for _ in range(150):
            kind = FORMATS[rng.choice(list(TextureType))]
            width, height = (rng.choice((rng.randrange(1, 40), rng.randrange(1, 2049))) for _ in range(2))
            count = rng.randrange(1, 17)
            ctx.set(dut.format, format_of(kind))
            for name, value in (("width", width), ("height", height), ("last", count - 1), ("start", 1)):
                ctx.set(getattr(dut, name), value)
            await ctx.tick()
            ctx.set(dut.start, 0)
            while ctx.get(dut.busy):
                await ctx.tick()
            for number, level in enumerate(chain(kind, width, height, count)):
                ctx.set(dut.number, number)
                got = ctx.get(dut.level)
                want = (level.tiles_across, level.tiled, level.offset & 0xFFFF_FFFF)
                assert (got.form.pitch, got.form.tiled, got.offset) == want, (kind, width, height, number)

    simulate(dut, bench)


def test_detail(simulate):
    rng = random.Random(2)
    dut = Detail()

    async def bench(ctx):
        for number in range(300):
            width, height = rng.randrange(1, 2049), rng.randrange(1, 2049)
            near = number % 2
            s, t = ([(0x3F00_0000 + rng.getrandbits(20)) if near else pattern(rng) for _ in range(4)] for _ in range(2))
            halved = rng.getrandbits(1)
            ctx.set(dut.s, s[:3])
            ctx.set(dut.t, t[:3])
            for name, value in (("width", width), ("height", height), ("halved", halved), ("start", 1)):
                ctx.set(getattr(dut, name), value)
            await ctx.tick()
            ctx.set(dut.start, 0)
            while ctx.get(dut.busy):
                await ctx.tick()
            words = [np.array(one, np.uint32) for one in (s, t)]
            assert ctx.get(dut.o) == lod.of_quads(*words, width, height, halved=bool(halved))[0]

    simulate(dut, bench)
