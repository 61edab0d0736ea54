"""`DepthStencil` against what the model's Z writes do: flags, counts, and what is then in the tile."""

import random
from collections import Counter

import pytest

from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest
from vc4.tlb.depth_stencil import DepthStencil
from vc4.tlb.structs import SAMPLES
from vc4sim.model.tlb.stencil import write_mask_of
from vc4sim.model.tlb.tlb import ClearValues

from ..simulation import simulation_of
from .streams import ModelTile, exchange, pixels_of, some_form, some_place

COUNTS = {
    "stencil_failed": "TLB_QUADS_STENCIL_FAILED",
    "z_failed": "TLB_QUADS_Z_FAILED",
    "z_passed": "TLB_QUADS_Z_PASSED",
}
ALL = [0xF] * QUAD_PIXELS
NEVER, ALWAYS, LESS, EQUAL = (
    test.value for test in (DepthTest.NEVER, DepthTest.ALWAYS, DepthTest.LESS, DepthTest.EQUAL)
)


def quad(place, *, flags=None, z=(0, 0, 0, 0), test=ALWAYS, updates=1, stencil=0):
    """A Z write; `stencil` is a word of table 27, or 0."""
    return {"place": place, "flags": flags or ALL, "z": list(z), "test": test, "updates": updates, "stencil": stencil}


def replacement(place, *, flags, words):
    """A write of Z and stencil without a test."""
    return quad(place, flags=flags, z=[word >> 8 for word in words]) | {"values": [word & 0xFF for word in words]}


def payload_of(write):
    """For the stream."""
    word = write["stencil"]
    rule = {"mask": word & 0xFF, "reference": word >> 8 & 0xFF, "function": word >> 16 & 7}
    rule |= {name: word >> place & 7 for name, place in (("stencil_fails", 19), ("z_passes", 22), ("z_fails", 25))}
    face = {"rule": rule, "write_mask": write_mask_of(word), "enable": word != 0}
    values = write.get("values", [0xA5] * QUAD_PIXELS)
    words = [{"z": z, "stencil": value} for z, value in zip(write["z"], values, strict=True)]
    kind = {"replaces": "values" in write, "counted": "values" not in write}
    return {name: write[name] for name in ("place", "flags", "test", "updates")} | {"words": words, "face": face} | kind


class Run:
    """Writes and clears in their order, against the model; `clocks` of the writes."""

    def __init__(self, form, steps, *, seed=1, gap=0.0, pause=0.0):
        """A step is a list of writes, or the values of a clear, which is offered when the writes before it are taken."""
        print(f"seed {seed}")
        self.rng = random.Random(seed)
        self.form, self.steps, self.pauses = form, steps, {"gap": gap, "pause": pause}
        self.model = ModelTile(form)
        self.wanted, self.counts, self.clocks = [], Counter(), []
        self.left = {}  # what is told of Z of quads, since the last clear
        self.rig, self.dut = simulation_of(DepthStencil)
        self.rig.run(self.bench)
        for (x, y), zs in self.left.items():
            assert zs == [int(self.model.tile.zs[row, column, 0]) >> 8 for column, row in pixels_of({"x": x, "y": y})]
        wanted = {name: count for name, count in self.model.tile.counts.items() if name in COUNTS.values()}
        assert {COUNTS[name]: self.counts[name] for name in COUNTS} == wanted

    def take(self, write):
        """The model does it."""
        model, place = self.model, write["place"]
        flags = [sum(1 << sample for sample in range(model.samples) if one >> sample & 1) for one in write["flags"]]
        tested = [sample for sample in range(model.samples) if any(one >> sample & 1 for one in flags)]
        was = [int(model.tile.zs[y, x, max(tested, default=0)]) for x, y in pixels_of(place)]
        if "values" in write:
            for (x, y), z, value, passes in zip(pixels_of(place), write["z"], write["values"], flags, strict=True):
                for sample in tested:
                    if passes >> sample & 1:
                        model.tile.zs[y, x, sample] = z << 8 | value
            self.wanted.append((flags if model.samples > 1 else [0xF * one for one in flags], was))
            return
        model.begin(write["place"], write["flags"], depth=write["test"], updates=write["updates"])
        model.write("stencil", [write["stencil"]])
        model.write("tlbz", write["z"])
        self.wanted.append((model.flags, was))

    def got(self, payload):
        words = [word.z << 8 | word.stencil for word in payload.words]
        assert (list(payload.flags), words) == self.wanted.pop(0)

    def watch(self, ctx):
        for name in COUNTS:
            self.counts[name] += ctx.get(self.dut.counts[name])
        if ctx.get(self.dut.stb) and not self.form["multisample"]:
            place = ctx.get(self.dut.place)
            self.left[place.x, place.y] = list(ctx.get(self.dut.zs))

    async def write(self, ctx, writes):
        dut = self.dut
        taken = iter(writes)
        feeds = [(dut.i, [payload_of(one) for one in writes], lambda _: self.take(next(taken)))]
        drains = [(dut.o, self.got, lambda: len(self.wanted))]
        return await exchange(ctx, self.rng, feeds, drains, watch=self.watch, **self.pauses)

    async def clear(self, ctx, values):
        """While writes are still on their way."""
        feeds = [
            (self.dut.clears, [{"buffer": 0, "values": {"z": values.z, "stencil": values.stencil}}], lambda _: None)
        ]
        drains = [(self.dut.o, self.got, lambda: len(self.wanted))]
        await exchange(ctx, self.rng, feeds, drains, watch=self.watch, **self.pauses)
        self.model.tile.clear(values, colour=False, mask=False)
        self.left.clear()

    async def bench(self, ctx):
        ctx.set(self.dut.form, self.form)
        for step in self.steps:
            if isinstance(step, ClearValues):
                await self.clear(ctx, step)
            else:
                self.clocks.append(await self.write(ctx, step))
        await self.write(ctx, self.reads())

    def reads(self):
        """Writes that change nothing, of all samples that were written."""
        places = {(w["place"]["x"], w["place"]["y"]) for step in self.steps if isinstance(step, list) for w in step}
        return [
            quad({"x": x, "y": y}, flags=[1 << sample] * QUAD_PIXELS, test=NEVER, updates=0)
            for x, y in sorted(places)
            for sample in range(self.model.samples)
        ]


def some_quads(rng, form, count, area):
    """Z values are few, so that all relations come."""
    numbers = [0, 1, 0xFFFFFF, *(rng.getrandbits(24) for _ in range(3))]
    words = [0, *(rng.getrandbits(30) | rng.randrange(1, 4) << 30 for _ in range(4))]
    for _ in range(count):
        flags = [rng.choice((0, 0xF, rng.getrandbits(SAMPLES))) for _ in range(QUAD_PIXELS)]
        z = [rng.choice(numbers) for _ in range(QUAD_PIXELS)]
        options = {"test": rng.randrange(8), "updates": rng.randrange(2), "stencil": rng.choice(words)}
        # Only the front is asked for.
        options["stencil"] |= 1 << 30 if options["stencil"] else 0
        if rng.random() < 0.2:
            yield replacement(some_place(rng, form, area), flags=flags, words=[rng.getrandbits(32) for _ in z])
        else:
            yield quad(some_place(rng, form, area), flags=flags, z=z, **options)


@pytest.mark.parametrize("multisample", [0, 1])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(2, 20))])
def test_quads_of_the_model(multisample, seed):
    """Places that come again at once, or seldom; clears between."""
    rng = random.Random(seed)
    form = some_form(rng, multisample=multisample)
    area = rng.choice((1, 2, 3, None))
    pauses = {name: rng.choice((0, 0.3, 0.8)) for name in ("gap", "pause")}
    steps = []
    for _ in range(3):
        steps.append(list(some_quads(rng, form, 20, area)))
        steps.append(ClearValues(z=rng.getrandbits(24), stencil=rng.getrandbits(8)))
    steps.append(list(some_quads(rng, form, 20, area)))
    Run(form, steps, seed=seed, **pauses)


def in_row(count, **options):
    """Quads that are all different."""
    return [quad({"x": n % 16, "y": n // 16}, **options) for n in range(count)]


LATENCY = 6


@pytest.mark.parametrize(
    ("multisample", "flags", "clocks"),
    [
        (0, ALL, 64),  # a quad a clock
        (0, [0] * QUAD_PIXELS, 64),
        (1, ALL, 4 * 64),  # a sample of four pixels a clock
        (1, [1, 2, 2, 1], 2 * 64),  # samples without a flag take none
        (1, [0] * QUAD_PIXELS, 64),
    ],
)
def test_clocks(multisample, flags, clocks):
    form = {"multisample": multisample, "wide": 0, "double": 0}
    assert Run(form, [in_row(64, flags=flags)]).clocks == [clocks + LATENCY - 1]


@pytest.mark.parametrize(("distance", "clocks"), [(1, 4), (2, 2), (3, 4 / 3), (4, 1)])
def test_clocks_of_quads_that_come_again(distance, clocks):
    """Three clocks are lost one right after the other, fewer with others between."""
    form = {"multisample": 0, "wide": 0, "double": 0}
    writes = [quad({"x": n % distance, "y": 0}, z=[n] * QUAD_PIXELS, test=LESS) for n in range(60)]
    first, last = (Run(form, [writes[:length]]).clocks[0] for length in (30, 60))
    assert last - first == 30 * clocks


def test_clocks_of_quads_that_change_nothing():
    """Tests of the same quad, without updates."""
    form = {"multisample": 0, "wide": 0, "double": 0}
    writes = [quad({"x": 0, "y": 0}, z=[n] * QUAD_PIXELS, test=LESS, updates=0) for n in range(60)]
    assert Run(form, [writes]).clocks == [60 + LATENCY - 1]


@pytest.mark.parametrize(("double", "clocks"), [(0, 73), (1, 37)])
def test_clocks_of_a_clear(double, clocks):
    """It begins when the last write is written, and the next quad comes in when all of it is done."""
    seen = Counter()

    async def bench(ctx):
        dut = simulation_of(DepthStencil)[1]
        ctx.set(dut.form, {"multisample": 0, "wide": 0, "double": double})
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.payload, payload_of(quad({"x": 0, "y": 0})))
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        ctx.set(dut.clears.valid, 1)
        while ctx.get(dut.clears.valid):
            seen["clear"] += 1
            assert not ctx.get(dut.i.ready)
            ends = ctx.get(dut.clears.ready)
            await ctx.tick()
            ctx.set(dut.clears.valid, not ends)
        assert ctx.get(dut.i.ready)

    simulation_of(DepthStencil)[0].run(bench)
    assert seen["clear"] == 4 + clocks


def test_a_clear_waits_for_all_samples():
    """It comes when one of four is on its way."""
    rig, dut = simulation_of(DepthStencil)
    seen, words = [], []

    async def bench(ctx):
        ctx.set(dut.form, {"multisample": 1, "wide": 0, "double": 0})
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.payload, payload_of(quad({"x": 1, "y": 0})))
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.clears.payload, {"buffer": 0, "values": {"z": 5, "stencil": 6}})
        ctx.set(dut.clears.valid, 1)
        while not ctx.get(dut.clears.ready):
            seen.append(ctx.get(dut.i.ready))
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.clears.valid, 0)
        reads = [quad({"x": 1, "y": 0}, flags=[1 << n] * QUAD_PIXELS, test=NEVER, updates=0) for n in range(SAMPLES)]
        drains = [(dut.o, lambda one: words.extend(one.words), lambda: QUAD_PIXELS * SAMPLES - len(words))]
        await exchange(ctx, random.Random(1), [(dut.i, map(payload_of, reads), lambda _: None)], drains)

    rig.run(bench)
    assert not any(seen)
    assert [(word.z, word.stencil) for word in words] == [(5, 6)] * QUAD_PIXELS * SAMPLES
