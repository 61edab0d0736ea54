"""`Clipper` against the model: records, primitives, pieces and their words, with gaps on all streams."""

import random
from enum import IntFlag
from functools import cache

import pytest
from amaranth.hdl import Cat, Module, ResetInserter, Signal

from vc4.ptb.clipper import Clipper
from vc4.ptb.structs import CLIPPED_WORDS, BinKind
from vc4.records.primitives import PrimitiveType

from ..simulation import Simulation
from .clip_items import SMALLEST, bits, depth, expected, in_banks, primitive, record, scaling, some_items

PATIENCE = 20_000
#: Clocks after the last item.
LATE = 20

LINES, POINTS, TRIANGLES = PrimitiveType.LINES, PrimitiveType.POINTS, PrimitiveType.TRIANGLES


@cache
def simulation():
    """With what happens in a clock in one signal, which takes less time to look at: see `Happens`."""
    m, dut, happens = Module(), Clipper(), Signal(6)
    m.submodules.dut = dut
    m.d.comb += happens.eq(Cat(dut.o.valid, dut.words.valid, dut.outside, dut.clipped, dut.i.ready, dut.busy))
    return Simulation(m), dut, happens


class Happens(IntFlag):
    """Bits of the signal."""

    ITEM = 1
    WORD = 2
    OUTSIDE = 4
    CLIPPED = 8
    READY = 16
    BUSY = 32


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


def run(items, *, seed=1, gap=0.0, pause=0.0, lazy=0.0, words_after=True, words_from=0):
    """Gaps where items and coordinates come, where items leave, and where words do.

    words_after : words of a piece are taken only after it
    words_from : none are taken before so many items have been
    """
    rng = random.Random(seed)
    rig, dut, happens = simulation()
    found = Found()
    waiting = list(in_banks(items))

    async def bench(ctx):
        clock, waited, late = 0, 0, LATE
        # Coordinates that are still to be written: of the next primitive, as the one before it has been taken.
        words = _coordinates(waiting[0], rng)
        allowed = 0  # words that may be taken
        offered = writes = takes_item = takes_word = False
        while late:
            if words or writes:
                writes = bool(words) and rng.random() >= gap
                ctx.set(dut.word_stb, writes)
            if writes:
                ctx.set(dut.word, words.pop())
            elif not offered and waiting and not words and rng.random() >= gap:
                offered = True
                ctx.set(dut.i.payload, waiting[0].payload)
                ctx.set(dut.i.valid, 1)
            if takes_item != (takes := rng.random() >= pause):
                ctx.set(dut.o.ready, takes_item := takes)
            if takes_word != (
                takes := (allowed > 0 or not words_after) and len(found.items) >= words_from and rng.random() >= lazy
            ):
                ctx.set(dut.words.ready, takes_word := takes)
            now = Happens(ctx.get(happens))
            gives = Happens.ITEM in now and takes_item
            if gives:
                item = ctx.get(dut.o.payload)
                found.items.append(item)
                found.given.append(clock)
            if Happens.WORD in now and takes_word:
                found.words.append(ctx.get(dut.words.payload))
                allowed -= 1
            if gives and item.kind is BinKind.PRIMITIVE:
                allowed += CLIPPED_WORDS * item.body.primitive.made.bit_count()
            found.outside += Happens.OUTSIDE in now
            found.clipped += Happens.CLIPPED in now
            taken = offered and Happens.READY in now
            waited = 0 if taken or gives else waited + 1
            assert waited < PATIENCE
            await ctx.tick()
            if taken:
                found.taken.append(clock)
                waiting.pop(0)
                offered = False
                ctx.set(dut.i.valid, 0)
                words = _coordinates(waiting[0], rng) if waiting else []
            clock += 1
            late = LATE if waiting or Happens.BUSY in now else late - 1

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
    found, wanted = run(items, **options), expected(in_banks(items))
    for ours, (payload, _) in zip(found.items, wanted.items, strict=False):
        assert plain(ours) == payload
    assert len(found.items) == len(wanted.items)
    assert found.words == [word for _, words in wanted.items for word in words]
    assert (found.outside, found.clipped) == (wanted.outside, wanted.clipped)
    return found


@pytest.mark.parametrize("count", [12, pytest.param(60, marks=pytest.mark.thorough)])
def test_random_primitives(seeds, count):
    for seed in seeds(1):
        rng = random.Random(seed)
        gaps = [rng.choice((0, 0.5, 0.9)) for _ in range(3)]
        check(list(some_items(rng, count)), seed=seed, gap=gaps[0], pause=gaps[1], lazy=gaps[2])


@pytest.mark.parametrize("lazy", [0.0, pytest.param(0.97, marks=pytest.mark.thorough)])
def test_words_may_be_taken_before_their_piece(seeds, lazy):
    for seed in seeds(1):
        check(list(some_items(random.Random(seed), 8)), seed=seed, pause=0.8, lazy=lazy, words_after=False)


@pytest.mark.thorough
def test_pieces_do_not_wait_for_words():
    """All items of two primitives are taken before any of them."""
    items = [scaling(3e4, 3e4), depth(), *[primitive(TRIANGLES, *ALL_PLANES)] * 2]
    check(items, words_from=2 + 2 * 4)


INSIDE = ((0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.5, 0.1, 1.0))
OUTSIDE = ((0.0, 0.0, 2.0, 1.0), (0.5, 0.0, 1.5, 1.0), (0.0, 0.5, 1.1, 1.0))
#: A plane through all sides of the volume, which leaves a hexagon of it.
ALL_PLANES = ((10.0, -5.0, -5.0, 1.0), (-5.0, 10.0, -5.0, 1.0), (-5.0, -5.0, 10.0, 1.0))
STATE = [scaling(), depth()]
#: Clocks of a triangle that needs not be cut.
WHOLE_CLOCKS = 28


def with_third(third, first=INSIDE[0], second=INSIDE[1]):
    return primitive(TRIANGLES, first, second, third)


def test_each_plane():
    """A vertex beyond each of them, then two, and of a line: which ones are new, and which keep their numbers."""
    items = [scaling(32767.0, 32767.0), depth()]
    for number in range(6):
        axis, side, turn = number // 2, (1.5, -1.5)[number % 2], number % 3
        beyond, further = ([side * n if axis == other else 0.1 for other in range(3)] + [1.0] for n in (1, 2))
        corners = [INSIDE[0], further if side > 0 else INSIDE[1], beyond]
        items.append(primitive(TRIANGLES, *corners[turn:], *corners[:turn]))
        if number in (0, 5):
            items.append(primitive(LINES, *(INSIDE[0], beyond)[:: side > 0 or -1]))
    found = check(items)
    made = {(item.body.primitive.type, item.body.primitive.made) for item in found.items[2:]}
    assert made == {(TRIANGLES, flags) for flags in range(1, 7)} | {(LINES, 0b01), (LINES, 0b10)}


def test_points_are_not_cut():
    """One that is inside of Z, but not on the screen, is dropped as one that is not inside."""
    items = [scaling(4e4, 1.0), *(primitive(POINTS, (x, 0.0, z, 1.0)) for x in (0.5, 1.0) for z in (0.5, 1.5))]
    found = check(items)
    assert (found.outside, found.clipped, len(found.items)) == (2, 1, 2)


def test_equal_to_planes():
    """What touches a plane is inside of it; with nothing after it nothing is cut."""
    on = with_third((0.0, 0.5, 1.0, 1.0))
    touches = primitive(TRIANGLES, (0.0, 0.0, 1.0, 1.0), (0.5, 0.0, 1.5, 1.0), (0.0, 0.5, 1.5, 1.0))
    edge = primitive(TRIANGLES, (0.0, 0.0, 1.0, 1.0), (0.5, 0.0, 1.0, 1.0), (0.0, 0.5, 1.5, 1.0))
    line = primitive(LINES, (0.0, 0.0, 1.0, 1.0), (0.5, 0.0, 1.5, 1.0))
    found = check([*STATE, on, touches, edge, line])
    assert (found.outside, found.clipped, len(found.items)) == (0, 3, 3)


@pytest.mark.thorough
def test_no_w():
    """Of 0, below 0, and of what counts as 0; two vertices that are one."""
    zeros = (0, 1 << 31, 1, 1 << 31 | 1)
    places = ((0, 0, 0), (1 << 31, 0.5, 0), (0, 0, 0), (0.5, 0, 0))
    items = [with_third((*place, w)) for place, w in zip(places, zeros, strict=True)]
    items += [with_third((0.0, 0.5, 0.1, -1.0)), with_third((0.0, 0.0, 0.0, -1.0))]
    items += [primitive(TRIANGLES, *[(0, 0, 0, w)] * 3) for w in zeros[1:3]]
    items += [primitive(LINES, (0.0, 0.0, 2.0, 1.0), (0.0, 0.0, 2.0, 1.0)), with_third(INSIDE[0], second=INSIDE[0])]
    check([*STATE, *items])


def test_sums_that_are_too_small():
    """A vertex that is outside by less than the smallest number is not."""
    w = 3 * SMALLEST
    items = [
        primitive(TRIANGLES, (0, 0, z, w), (0, 0, z, w), (0, 0, z, w))
        for z in (w, w + 1, w + 2 * SMALLEST - 1, w + SMALLEST // 2, w + SMALLEST, w + (1 << 24))
    ]
    items += [with_third((0, 0, 1 << 31 | z, w)) for z in (w + 1, w + SMALLEST)]
    check([*STATE, *items])


@pytest.mark.parametrize("number", range(4))
def test_infinite_coordinates(number):
    """Neither drawn nor counted, wherever they are."""
    items = []
    for vertex in range(3):
        for pattern in (0x7F80_0000, 0xFF80_0000, 0x7FC0_0000):
            corners = [list(map(bits, corner)) for corner in (INSIDE if pattern >> 31 else OUTSIDE)]
            corners[vertex][number] = pattern
            items.append(primitive(TRIANGLES, *corners))
    found = check([*STATE, *items, primitive(TRIANGLES, *INSIDE)])
    assert (len(found.items), found.outside, found.clipped) == (3, 0, 0)


@pytest.mark.thorough
def test_scales():
    """Those that are not set, or are infinite, are 0, so everything fits the screen."""
    wide = primitive(TRIANGLES, (-30.0, 0.0, 0.0, 1.0), (30.0, 0.0, 0.0, 1.0), (0.0, 1.0, 1.5, 1.0))
    code = scaling().fields["code"]
    infinite = [record(code, 0x7F80_0000, bits(-3.0)), record(code, bits(5e3), 0xFFC0_0000)]
    check([wide, depth(0.25, -1.0), scaling(5e3, 2.0), wide, infinite[0], wide, infinite[1], wide])


def test_others_pass():
    """RHTs, coordinates, records; and primitives that do not clip, wherever they are."""
    others = [primitive(PrimitiveType.RHTS, clips=0), primitive(TRIANGLES, clips=0, coordinates=1), *STATE]
    found = check(others * 2, pause=0.5)
    assert len(found.items) == 2 * len(others)


def resettable():
    """A simulation of a clipper with a reset."""
    m, dut, reset = Module(), Clipper(), Signal()
    m.submodules.dut = ResetInserter(reset)(dut)
    return Simulation(m), dut, reset


def test_reset():
    """Whatever it does: scales are 0 then, and nothing is left."""
    rig, dut, reset = resettable()
    large = primitive(TRIANGLES, (-30.0, 0.0, 0.0, 1.0), (30.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.5, 1.0))

    async def give(ctx, item):
        for word in _coordinates(item, random):
            ctx.set(dut.word, word)
            ctx.set(dut.word_stb, 1)
            await ctx.tick()
        ctx.set(dut.word_stb, 0)
        ctx.set(dut.i.payload, item.payload)
        ctx.set(dut.i.valid, 1)
        while not ctx.get(dut.i.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.i.valid, 0)

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for clocks in (0, 1, 7, 20, 30, 100, 300):
            await give(ctx, scaling(3e4, 3e4))
            await give(ctx, large)
            for _ in range(clocks):
                await ctx.tick()
            ctx.set(reset, 1)
            await ctx.tick()
            ctx.set(reset, 0)
            assert [ctx.get(valid) for valid in (dut.o.valid, dut.words.valid)] == [0, 0]
            await give(ctx, large)
            for _ in range(WHOLE_CLOCKS - 1):
                await ctx.tick()
            assert ctx.get(dut.o.valid)
            assert plain(ctx.get(dut.o.payload)) == large.payload
            await ctx.tick()

    rig.run(bench)


def clocks(*items):
    """From the last item that was taken to each that was given for it."""
    found = run([*STATE, *items])
    begin = found.taken[-1]
    return [clock - begin for clock in found.given if clock > begin]


@pytest.mark.thorough
def test_clocks():
    """Of what passes, of triangles and lines that are whole, outside, and cut by one plane and by all of them."""
    through = [primitive(TRIANGLES, clips=0)] * 3
    found = run(through)
    assert [given - taken for given, taken in zip(found.given, found.taken, strict=True)] == [1, 1, 1]
    assert found.taken[2] - found.taken[0] == 4
    found = run([*STATE, *through[:1]])
    assert [b - a for a, b in zip(found.taken, found.taken[1:], strict=False)] == [3, 3]
    assert clocks(primitive(TRIANGLES, *INSIDE)) == [WHOLE_CLOCKS]
    assert clocks(primitive(LINES, *INSIDE[:2])) == [22]
    assert clocks(primitive(POINTS, *INSIDE[:1])) == [16]
    outside = run([primitive(TRIANGLES, *OUTSIDE)] * 2)
    assert outside.taken[1] - outside.taken[0] == WHOLE_CLOCKS
    assert clocks(primitive(LINES, INSIDE[0], (0.0, 0.0, 2.0, 1.0))) == [281]
    assert clocks(with_third((0.0, 0.5, 1.5, 1.0))) == [479, 505]
    assert clocks(scaling(3e4, 3e4), primitive(TRIANGLES, *ALL_PLANES)) == [1668, 1703, 1738, 1773]
