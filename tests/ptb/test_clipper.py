"""`Clipper` against the model: records, primitives, pieces and their words, with gaps on all streams."""

import random
from functools import cache

import pytest

from vc4.ptb.clipper import Clipper
from vc4.ptb.structs import CLIPPED_WORDS, BinKind
from vc4.records.primitives import PrimitiveType

from ..simulation import Simulation
from .clip_items import expected, some_items

PATIENCE = 20_000
#: Clocks after the last item.
LATE = 20

LINES, POINTS, TRIANGLES = PrimitiveType.LINES, PrimitiveType.POINTS, PrimitiveType.TRIANGLES


@cache
def simulation():
    dut = Clipper()
    return Simulation(dut), dut


class Found:
    """What came out of the clipper: items as patterns, words, what was counted, and in which clocks items came and went."""

    def __init__(self):
        self.items, self.words, self.outside, self.clipped = [], [], 0, 0
        self.taken, self.given = [], []


def _coordinates(item, rng):
    """Words of a primitive, in any order."""
    words = [
        {"bank": item.fields["bank"], "vertex": vertex, "number": number, "value": value}
        for vertex, position in enumerate(item.positions)
        for number, value in enumerate(position)
    ]
    rng.shuffle(words)
    return words


def run(items, *, seed=1, gap=0.0, pause=0.0, lazy=0.0, words_after=True):
    """Gaps where items and coordinates come, where items leave, and where words do.

    words_after : words of a piece are taken only after it
    """
    rng = random.Random(seed)
    rig, dut = simulation()
    found = Found()

    async def bench(ctx):
        clock, waited, late = 0, 0, LATE
        waiting = list(items)
        # Coordinates that are still to be written: of the next primitive, as the one before it has been taken.
        words = _coordinates(waiting[0], rng)
        allowed = 0  # words that may be taken
        offered = False
        while late:
            writes = bool(words) and rng.random() >= gap
            ctx.set(dut.word_stb, writes)
            if writes:
                ctx.set(dut.word, words.pop())
            elif not offered and waiting and not words and rng.random() >= gap:
                offered = True
                ctx.set(dut.i.payload, waiting[0].payload)
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.o.ready, rng.random() >= pause)
            ctx.set(dut.words.ready, (allowed > 0 or not words_after) and rng.random() >= lazy)
            gives = ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            if gives:
                item = ctx.get(dut.o.payload)
                found.items.append(item)
                found.given.append(clock)
            if ctx.get(dut.words.valid) and ctx.get(dut.words.ready):
                found.words.append(ctx.get(dut.words.payload))
                allowed -= 1
            if gives and item.kind == BinKind.PRIMITIVE:
                allowed += CLIPPED_WORDS * item.body.primitive.made.bit_count()
            found.outside += ctx.get(dut.outside)
            found.clipped += ctx.get(dut.clipped)
            taken = offered and ctx.get(dut.i.ready)
            busy = ctx.get(dut.busy)
            waited = 0 if taken or gives else waited + 1
            assert waited < PATIENCE
            await ctx.tick()
            if taken:
                found.taken.append(clock)
                waiting.pop(0)
                offered = False
                words = _coordinates(waiting[0], rng) if waiting else []
            clock += 1
            late = LATE if waiting or busy else late - 1
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found


def plain(item):
    """As `Item.payload` has it."""
    if item.kind is BinKind.RECORD:
        return {"kind": item.kind, "body": {"record": _fields(item.body.record)}}
    fields = _fields(item.body.primitive)
    fields["vertices"] = list(fields["vertices"])
    fields["points"] = [_fields(point) for point in fields["points"]]
    return {"kind": item.kind, "body": {"primitive": fields}}


def _fields(struct):
    return {name: getattr(struct, name) for name, _ in struct.shape()}


def check(items, **options):
    found, wanted = run(items, **options), expected(items)
    for ours, (payload, _) in zip(found.items, wanted.items, strict=False):
        assert plain(ours) == payload
    assert len(found.items) == len(wanted.items)
    assert found.words == [word for _, words in wanted.items for word in words]
    assert (found.outside, found.clipped) == (wanted.outside, wanted.clipped)
    return found


@pytest.mark.parametrize("count", [25, pytest.param(1000, marks=pytest.mark.thorough)])
def test_random_primitives(seeds, count):
    for seed in seeds(1):
        rng = random.Random(seed)
        gaps = [rng.choice((0, 0.5, 0.9)) for _ in range(3)]
        check(list(some_items(rng, count)), seed=seed, gap=gaps[0], pause=gaps[1], lazy=gaps[2])
