"""`ColourBuffer` against the model's writes and loads of colours and of the alpha mask."""

import random

import pytest

from vc4.isa.ops import Signal as QpuSignal
from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.colour_buffer import ColourBuffer
from vc4.tlb.structs import SAMPLES
from vc4sim.model.qpu.fragment_port import FRAGMENT_LOADS
from vc4sim.model.qpu.fragment_state import COLOUR_WRITES, LOADS, SAMPLE_WRITES
from vc4sim.model.tlb.tlb import ClearValues

from ..simulation import simulation_of
from .streams import ModelTile, exchange, some_form, some_place

COLOUR, MASK = 32, 8
ALL = [0xF] * QUAD_PIXELS


def write(place, *, flags=None, all_=1, sample=0, word=0, data=(1, 2, 3, 4)):
    """For the stream."""
    return {"place": place, "flags": flags or ALL, "all": all_, "sample": sample, "word": word, "data": list(data)}


class Run:
    """Streams of writes and of reads beside each other, and then a clear; `clocks` of the streams."""

    def __init__(self, form, steps, *, bits=COLOUR, seed=1, gap=0.0, pause=0.0):
        """Each step has writes, reads, and values of a clear that is offered after them, or `None`."""
        print(f"seed {seed}")
        self.rng = random.Random(seed)
        self.form, self.bits, self.steps, self.pauses = form, bits, steps, {"gap": gap, "pause": pause}
        self.model = ModelTile(form)
        self.wanted, self.clocks = [], []
        self.rig, self.dut = simulation_of(ColourBuffer, bits)
        self.rig.run(self.bench)

    def takes_write(self, one):
        """The model does it: its counters say which sample and word it is."""
        model = self.model
        model.begin(one["place"], one["flags"])
        if self.bits == MASK:
            model.write("tlbam", one["data"])
            return
        model.fragments.modes[0, 0, COLOUR_WRITES] = one["word"]
        model.fragments.modes[0, 0, SAMPLE_WRITES] = one["sample"] * model.words + one["word"]
        model.write("tlbc" if one["all"] else "tlbm", one["data"])

    def takes_read(self, one):
        model = self.model
        model.begin(one["place"], ALL)
        if self.bits == MASK:
            loaded = model.load(FRAGMENT_LOADS[QpuSignal.LOAD_ALPHA_MASK])
            self.wanted.append([value & 0xFF for value in loaded])
            return
        model.fragments.modes[0, 0, LOADS] = one["sample"] * model.words + one["word"]
        self.wanted.append(model.load(FRAGMENT_LOADS[QpuSignal.LOAD_COLOUR]))

    def got(self, payload):
        assert list(payload) == [int(value) for value in self.wanted.pop(0)]

    async def bench(self, ctx):
        dut, model = self.dut, self.model
        ctx.set(dut.form, self.form)
        drains = [(dut.o, self.got, lambda: len(self.wanted))]
        for writes, reads, clear in self.steps:
            feeds = [(dut.reads, reads, self.takes_read), (dut.writes, writes, self.takes_write)]
            self.clocks.append(await exchange(ctx, self.rng, feeds, drains, **self.pauses))
            if clear:
                await exchange(
                    ctx,
                    self.rng,
                    [(dut.clears, [{"buffer": 0, "values": clear}], lambda _: None)],
                    drains,
                    **self.pauses,
                )
                if self.bits == MASK:
                    model.tile.clear(ClearValues(mask=clear[0]), colour=False, zs=False)
                else:
                    model.tile.clear(ClearValues(colours=tuple(clear)), zs=False, mask=False)
        reads = [
            read | {"place": one["place"]}
            for writes, _, _ in self.steps
            for one in writes
            for read in some_reads(self.form)
        ]
        await exchange(ctx, self.rng, [(dut.reads, reads, self.takes_read)], drains)


def some_reads(form):
    """All that there is of a quad."""
    samples = SAMPLES if form["multisample"] else 1
    return [{"sample": sample, "word": word} for sample in range(samples) for word in range(1 + form["wide"])]


def some_writes(rng, form, bits, count, area):
    for _ in range(count):
        flags = [rng.choice((0, 0xF, rng.getrandbits(SAMPLES))) for _ in range(QUAD_PIXELS)]
        data = [rng.getrandbits(bits) for _ in range(QUAD_PIXELS)]
        place = some_place(rng, form, area)
        if bits == MASK:
            # Any flag will do.
            yield write(place, flags=[0xF if flag else 0 for flag in flags], all_=0, data=data)
        else:
            which = rng.choice(some_reads(form))
            yield write(place, flags=flags, all_=rng.randrange(2), data=data, **which)


def some_steps(rng, form, bits, count, area):
    for _ in range(3):
        writes = list(some_writes(rng, form, bits, count, area))
        kinds = some_reads(form) if bits == COLOUR else [{"sample": 0, "word": 0}]
        reads = [rng.choice(kinds) | {"place": some_place(rng, form, area)} for _ in range(count)]
        yield writes, reads, [rng.getrandbits(bits)] * 2 if bits == MASK else [rng.getrandbits(bits) for _ in range(2)]


@pytest.mark.parametrize("bits", [COLOUR, MASK])
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(6, 60))])
def test_quads_of_the_model(bits, seed):
    """Writes and reads of the same few places, or of places anywhere; clears between."""
    rng = random.Random(seed)
    form = some_form(rng, **({"wide": 0} if bits == MASK else {}))
    area = rng.choice((1, 2, 3, None))
    pauses = {name: rng.choice((0, 0.3, 0.8)) for name in ("gap", "pause")}
    Run(form, list(some_steps(rng, form, bits, 25, area)), bits=bits, seed=seed, **pauses)


def in_row(count, first=0):
    """Places that are all different."""
    return [{"x": n % 16, "y": n // 16} for n in range(first, first + count)]


PLAIN = {"multisample": 0, "wide": 0, "double": 0}


@pytest.mark.parametrize(
    ("form", "options", "clocks"),
    [
        (PLAIN, {}, 64),  # a quad a clock
        (PLAIN | {"wide": 1}, {"word": 1}, 64),
        (PLAIN | {"multisample": 1}, {}, 4 * 64),  # a sample of four pixels a clock
        (PLAIN | {"multisample": 1}, {"flags": [4, 2, 2, 4]}, 2 * 64),  # samples without a flag take none
        (PLAIN | {"multisample": 1}, {"all_": 0, "sample": 3}, 64),
    ],
)
def test_clocks_of_writes(form, options, clocks):
    writes = [write(place, **options) for place in in_row(64)]
    assert Run(form, [(writes, [], None)]).clocks == [clocks]


def test_clocks_of_reads():
    """One a clock, after all writes that are offered; the last answer is there two clocks later."""
    writes = [write(place) for place in in_row(64)]
    reads = [{"place": place, "sample": 0, "word": 0} for place in in_row(64, 64)]
    assert Run(PLAIN, [(writes, reads, None)]).clocks == [64 + 64 + 2]


def test_a_read_waits_for_a_write_of_its_quad():
    """One clock, and takes what it has written."""
    writes = [write({"x": 3, "y": 0}, data=[9, 8, 7, 6])]
    reads = [{"place": {"x": 3, "y": 0}, "sample": 0, "word": 0}]
    assert Run(PLAIN, [(writes, reads, None)]).clocks == [1 + 1 + 2]


@pytest.mark.parametrize(("double", "clocks"), [(0, 73), (1, 37)])
def test_clocks_of_a_clear(double, clocks):
    """It begins when an answer has left the memory, and what comes after it waits until all of it is done."""
    rig, dut = simulation_of(ColourBuffer, COLOUR)
    seen = []

    async def bench(ctx):
        ctx.set(dut.form, PLAIN | {"double": double})
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.reads.valid, 1)
        await ctx.tick()
        ctx.set(dut.writes.payload, write({"x": 1, "y": 0}))
        ctx.set(dut.writes.valid, 1)
        ctx.set(dut.clears.valid, 1)
        while ctx.get(dut.clears.valid):
            assert not ctx.get(dut.writes.ready | dut.reads.ready)
            seen.append(ctx.get(dut.clears.ready))
            await ctx.tick()
            ctx.set(dut.clears.valid, not seen[-1])
        assert ctx.get(dut.writes.ready)
        assert not ctx.get(dut.reads.ready)
        ctx.set(dut.writes.valid, 0)
        assert ctx.get(dut.reads.ready)

    rig.run(bench)
    assert len(seen) == 1 + clocks


@pytest.mark.parametrize("wide", [0, 1])
def test_two_buffers_are_cleared_each_alone(wide):
    """And written: what the other one holds stays."""
    rig, dut = simulation_of(ColourBuffer, COLOUR)
    kinds = [{"sample": 0, "word": word} for word in range(1 + wide)]
    found = {}

    async def bench(ctx):
        ctx.set(dut.form, PLAIN | {"double": 1, "wide": wide})
        for buffer, values in (0, [1, 2]), (1, [3, 4]), (0, [5, 6]):
            clear = {"buffer": buffer, "values": values}
            await exchange(ctx, random.Random(1), [(dut.clears, [clear], lambda _: None)], [])
        writes = [write({"x": 1, "y": 1, "buffer": 1}, data=[7, 8, 9, 10], word=wide)]
        await exchange(ctx, random.Random(1), [(dut.writes, writes, lambda _: None)], [])
        for buffer, x in (0, 0), (0, 1), (1, 0), (1, 1):
            reads = [kind | {"place": {"x": x, "y": 1, "buffer": buffer}} for kind in kinds]
            answers = found[buffer, x] = []
            drains = [(dut.o, lambda one, to=answers: to.append(list(one)), lambda of=answers: len(kinds) - len(of))]
            await exchange(ctx, random.Random(1), [(dut.reads, reads, lambda _: None)], drains)

    rig.run(bench)
    first, second = ([[5] * 4, [6] * 4], [[3] * 4, [4] * 4]) if wide else ([[5, 6, 5, 6]], [[3, 4, 3, 4]])
    assert found == {(0, 0): first, (0, 1): first, (1, 0): second, (1, 1): [*second[:-1], [7, 8, 9, 10]]}


def test_a_clear_waits_for_all_samples_of_a_write():
    """It comes when one of four is written."""
    rig, dut = simulation_of(ColourBuffer, COLOUR)
    form, place = PLAIN | {"multisample": 1}, {"x": 1, "y": 0}
    answers, seen = [], []

    async def bench(ctx):
        ctx.set(dut.form, form)
        ctx.set(dut.writes.payload, write(place))
        ctx.set(dut.writes.valid, 1)
        await ctx.tick()
        ctx.set(dut.clears.payload, {"buffer": 0, "values": [5, 6]})
        ctx.set(dut.clears.valid, 1)
        while not ctx.get(dut.clears.ready):
            seen.append(ctx.get(dut.writes.ready))
            await ctx.tick()
            ctx.set(dut.writes.valid, not any(seen))
        await ctx.tick()
        ctx.set(dut.clears.valid, 0)
        reads = [one | {"place": place} for one in some_reads(form)]
        drains = [(dut.o, lambda one: answers.append(list(one)), lambda: SAMPLES - len(answers))]
        await exchange(ctx, random.Random(1), [(dut.reads, reads, lambda _: None)], drains)

    rig.run(bench)
    assert seen[:3] == [0, 0, 1]
    assert answers == [[5, 6, 5, 6]] * SAMPLES
