"""`CoverageUpdates` with the memory of Z and stencil, against the model."""

import random

import pytest
from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import CoverageUpdate, Oversample
from vc4.tlb.coverage_updates import CoverageUpdates
from vc4.tlb.depth_stencil import DepthStencil
from vc4.tlb.structs import CoverageQuad, DepthAnswer, DepthWrite, TileForm
from vc4sim.model.fep.fep import sixteen
from vc4sim.model.tlb.tlb import accumulate

from ..simulation import simulation_of
from .streams import ModelTile, exchange, pixels_of, some_form, some_place
from .test_depth_stencil import NEVER, payload_of, quad

SAMPLES = {Oversample.NONE: 1, Oversample.X4: 4, Oversample.X16: 16}


class Device(wiring.Component):
    """With the memory, which the bench reads when nothing is under way."""

    def __init__(self):
        super().__init__(
            {
                "form": In(TileForm),
                "i": In(stream.Signature(CoverageQuad)),
                "reads": In(stream.Signature(DepthWrite)),
                "o": Out(stream.Signature(DepthAnswer)),
                "stalls": In(1),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.depth = depth = DepthStencil()
        m.submodules.updates = updates = CoverageUpdates()
        connect(m, flipped(self.i), updates.i)
        stalls = Signal()
        m.d.comb += [depth.form.eq(self.form), self.busy.eq(updates.busy)]
        m.d.sync += stalls.eq(self.stalls)
        with m.If(self.reads.valid | self.o.ready):
            connect(m, flipped(self.reads), depth.i)
            connect(m, depth.o, flipped(self.o))
        with m.Else():
            m.d.comb += [
                depth.i.valid.eq(updates.depth_writes.valid & ~stalls),
                depth.i.payload.eq(updates.depth_writes.payload),
                updates.depth_writes.ready.eq(depth.i.ready & ~stalls),
                updates.depth_answers.valid.eq(depth.o.valid),
                updates.depth_answers.payload.eq(depth.o.payload),
                depth.o.ready.eq(updates.depth_answers.ready),
            ]
        return m


def run(form, quads, *, seed=1, gap=0.0, stall=0.0):
    print(f"seed {seed}")
    rig, dut = simulation_of(Device)
    rng, model, clocks = random.Random(seed), ModelTile(form), []

    def take(one):
        for (x, y), covered in zip(pixels_of(one["place"]), one["covered"], strict=True):
            samples = sixteen(covered, one["oversample"].value)
            accumulate(model.tile.state.views, x, y, one["update"].value, -1 if one["falls"] else 1, samples)

    async def bench(ctx):
        ctx.set(dut.form, form)

        def watch(ctx):
            ctx.set(dut.stalls, rng.random() < stall)

        clocks.append(await exchange(ctx, rng, [(dut.i, quads, take)], [], gap=gap, watch=watch))
        while ctx.get(dut.busy):
            await ctx.tick()
        places = {(one["place"]["x"], one["place"]["y"]): one["place"] for one in quads}.values()
        wanted = [[int(model.tile.zs[y, x, 0]) for x, y in pixels_of(place)] for place in places]
        reads = [payload_of(quad(place, flags=[1] * QUAD_PIXELS, test=NEVER, updates=0)) for place in places]

        def got(answer):
            assert [word.z << 8 | word.stencil for word in answer.words] == wanted.pop(0)

        await exchange(ctx, rng, [(dut.reads, reads, lambda _: None)], [(dut.o, got, lambda: len(wanted))])

    rig.run(bench)
    return clocks[0]


def some_quad(rng, form, area, update, oversample):
    """Any samples; all, or none, of some pixels."""
    samples = SAMPLES[oversample]
    covered = [rng.choice((0, (1 << samples) - 1, rng.getrandbits(samples))) for _ in range(QUAD_PIXELS)]
    place = some_place(rng, form, area)
    return {"place": place, "covered": covered, "oversample": oversample, "update": update, "falls": rng.randrange(2)}


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(4, 40))])
def test_quads_of_the_model(seed):
    rng = random.Random(seed)
    form, area = some_form(rng), rng.choice((1, 2, None))
    quads = []
    for _ in range(8):
        kind = rng.choice(list(CoverageUpdate)), rng.choice(list(Oversample))
        quads += [some_quad(rng, form, area, *kind) for _ in range(15)]
    run(form, quads, seed=seed, gap=rng.choice((0, 0.5)), stall=rng.choice((0, 0.3)))


def test_clocks():
    rng, form = random.Random(1), {"multisample": 0, "wide": 0, "double": 0}
    kind = CoverageUpdate.NONZERO, Oversample.X16
    quads = [some_quad(rng, form, 1, *kind) | {"place": {"x": n, "y": 0}} for n in range(20)]
    assert run(form, quads) == 20 * 7
