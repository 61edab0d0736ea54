"""`TileStore`: a clear reaches the parts that it names, and leaves the others."""

import itertools
import random

import pytest

from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.tile_store import TileStore

from ..simulation import simulation_of
from .streams import exchange
from .test_colour_buffer import write
from .test_depth_stencil import NEVER, payload_of, quad

#: More than any clear takes.
CLEAR_CLOCKS = 100
PLACE = {"x": 5, "y": 9}
READ = {"place": PLACE, "sample": 0, "word": 0}
#: Changes nothing.
DEPTH_READ = payload_of(quad(PLACE, test=NEVER, updates=0))


def run(bench):
    rig, dut = simulation_of(TileStore)
    rig.run(lambda ctx: bench(ctx, dut))


async def one(ctx, stream, payload, answers):
    """An access; returns its answer."""
    found = []
    feeds, drains = [(stream, [payload], lambda _: None)], [(answers, found.append, lambda: not found)]
    await exchange(ctx, random.Random(1), feeds, drains)
    return found[0]


async def held(ctx, dut):
    """Colours, masks, and Z and stencil of a quad."""
    words = (await one(ctx, dut.tile.depth_writes, DEPTH_READ, dut.tile.depth_answers)).words
    colours, masks = (
        await one(ctx, dut.tile.colour_reads, READ, dut.tile.colours),
        await one(ctx, dut.tile.mask_reads, READ, dut.tile.masks),
    )
    return list(colours), list(masks), [(word.z, word.stencil) for word in words]


@pytest.mark.parametrize("parts", list(itertools.product((0, 1), repeat=3)), ids=str)
def test_clears(parts):
    colour, zs, mask = parts

    async def bench(ctx, dut):
        found = []
        clear = {
            "colour": 1,
            "zs": 1,
            "mask": 1,
            "colours": [10, 11],
            "zs_value": {"z": 12, "stencil": 13},
            "mask_value": 14,
        }
        for values in (
            clear,
            {
                "colour": colour,
                "zs": zs,
                "mask": mask,
                "colours": [20, 21],
                "zs_value": {"z": 22, "stencil": 23},
                "mask_value": 24,
            },
        ):
            await exchange(ctx, random.Random(1), [(dut.clears, [values], lambda _: None)], [])
            found.append(await held(ctx, dut))
        assert found[0] == ([10, 11] * 2, [14] * QUAD_PIXELS, [(12, 13)] * QUAD_PIXELS)
        assert found[1] == (
            ([20, 21] if colour else [10, 11]) * 2,
            [24 if mask else 14] * QUAD_PIXELS,
            [(22, 23) if zs else (12, 13)] * QUAD_PIXELS,
        )

    run(bench)


def test_clears_of_two_buffers():
    """Of the second one: the first one keeps what it has."""

    async def bench(ctx, dut):
        ctx.set(dut.form, {"multisample": 0, "wide": 0, "double": 1})
        parts = {
            "colour": 1,
            "zs": 1,
            "mask": 1,
            "mask_value": 7,
            "colours": [1, 2],
            "zs_value": {"z": 3, "stencil": 4},
        }
        for buffer in range(2):
            await exchange(ctx, random.Random(1), [(dut.clears, [parts | {"buffer": 1}], lambda _: None)], [])
            place = PLACE | {"buffer": buffer}
            masks, colours = [
                await one(ctx, reads, READ | {"place": place}, answers)
                for reads, answers in ((dut.tile.mask_reads, dut.tile.masks), (dut.tile.colour_reads, dut.tile.colours))
            ]
            depth = await one(ctx, dut.tile.depth_writes, DEPTH_READ | {"place": place}, dut.tile.depth_answers)
            found = list(masks), list(colours), [word.z << 8 | word.stencil for word in depth.words]
            assert found == (([7] * 4, [1, 2] * 2, [0x304] * 4) if buffer else ([0] * 4, [0] * 4, [0] * 4))

    run(bench)


def test_a_clear_waits_for_each_part():
    """Colours are read for nobody, so theirs waits; that of the others begins, and is not done twice."""

    async def bench(ctx, dut):
        ctx.set(dut.tile.colour_reads.payload, READ)
        ctx.set(dut.tile.colour_reads.valid, 1)
        for _ in range(3):
            await ctx.tick()
        ctx.set(dut.tile.colour_reads.valid, 0)
        ctx.set(dut.clears.payload, {"colour": 1, "zs": 1, "mask": 1, "mask_value": 7, "colours": [1, 2]})
        ctx.set(dut.clears.valid, 1)
        for _ in range(CLEAR_CLOCKS):
            await ctx.tick()
            assert not ctx.get(dut.clears.ready)
        # The mask is cleared, and may be used.
        assert list(await one(ctx, dut.tile.mask_reads, READ, dut.tile.masks)) == [7] * QUAD_PIXELS
        masks = write(PLACE, all_=0, data=[3, 4, 5, 6])
        await exchange(ctx, random.Random(1), [(dut.tile.mask_writes, [masks], lambda _: None)], [])
        ctx.set(dut.tile.colours.ready, 1)
        while not ctx.get(dut.clears.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.clears.valid, 0)
        assert list(await one(ctx, dut.tile.mask_reads, READ, dut.tile.masks)) == [3, 4, 5, 6]
        ctx.set(dut.tile.colours.ready, 0)
        assert list(await one(ctx, dut.tile.colour_reads, READ, dut.tile.colours)) == [1, 2] * 2

    run(bench)
