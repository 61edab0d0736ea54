"""`PrimitiveCoding` against the model: random vertices of all formats, many near the limits of a coding."""

import random

import pytest

from vc4.ptb.primitive_coding import PrimitiveCoding
from vc4.records.compressed import ABSOLUTE, CODINGS, COORDINATE_CODINGS
from vc4sim.model.cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat, encode_primitive

from ..simulation import simulation_of

FORMS = [
    *(ListFormat(kind, INDEX_BYTES) for kind in CODINGS),
    *(ListFormat(kind, COORDINATE_BYTES) for kind in COORDINATE_CODINGS),
]
#: Differences at which a coding begins or ends to fit.
LIMITS = sorted({sign * (1 << bits) + more for bits in (3, 5, 6, 9, 13, 15) for sign in (-1, 1) for more in (-1, 0, 1)})


def moved(rng, form, vertex, reach):
    """A vertex that is near to another one, or so far that the coding changes."""

    def distance():
        return rng.choice(LIMITS) if rng.random() < 0.2 else rng.randrange(-reach, reach + 1)

    if not form.coordinates:
        return (vertex + distance()) & 0xFFFF
    return (vertex + distance()) & 0xFFFF | ((vertex >> 16) + distance() & 0xFFFF) << 16


def some_pair(rng, form):
    """Vertices of a primitive, and of the one before."""
    reach = rng.choice((0, 3, 9, 34, 70, 600, 0x8000))
    anything = 32 if form.coordinates else 16
    previous = [rng.getrandbits(anything)]
    while len(previous) < form.vertices:
        previous.append(moved(rng, form, rng.choice(previous), reach))
    vertices = [moved(rng, form, rng.choice(previous), reach) for _ in range(form.vertices)]
    if rng.random() < 0.5:
        vertices[:-1] = rng.choices(previous, k=form.vertices - 1)
    if rng.random() < 0.3:
        vertices = [moved(rng, form, vertices[0], reach) for _ in vertices]
    return tuple(vertices), tuple(previous)


async def encode(ctx, dut, form, vertices, previous, garbage=0):
    """The bytes that hardware makes of it."""
    ctx.set(dut.type, form.type)
    ctx.set(dut.coordinates, form.coordinates)
    for number in range(3):
        ctx.set(dut.vertices[number], vertices[number] if number < len(vertices) else 0)
    upper = garbage << 16 if not form.coordinates else 0
    before = [previous[number] | upper if number < len(previous) else garbage for number in range(3)]
    for strobe, words in (("first", (garbage, before[0])), ("others", before[1:])):
        for number, word in enumerate(words):
            ctx.set(dut.previous[number], word)
        ctx.set(getattr(dut, strobe), 1)
        await ctx.tick()
        ctx.set(getattr(dut, strobe), 0)
    ctx.set(dut.choose, 1)
    await ctx.tick()
    ctx.set(dut.choose, 0)
    # Vertices of another primitive come while this one is coded.
    for strobe in ("first", "others"):
        ctx.set(getattr(dut, strobe), 1)
        for number in range(2):
            ctx.set(dut.previous[number], garbage << number)
        await ctx.tick()
        ctx.set(getattr(dut, strobe), 0)
    width = form.vertex_bytes
    if ctx.get(dut.o.whole):
        assert ctx.get(dut.o.length) == ctx.get(dut.bare) == 1 + width * len(vertices)
        return bytes([ABSOLUTE]) + b"".join(vertex.to_bytes(width, "little") for vertex in vertices)
    data = ctx.get(dut.o.data).to_bytes(4, "little")[: ctx.get(dut.o.count)]
    if ctx.get(dut.o.follows):
        data += vertices[0].to_bytes(width, "little")
    assert ctx.get(dut.o.length) == len(data)
    return data


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.type.name}-{form.vertex_bytes}")
@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.thorough)])
def test_the_shortest(form, count, seeds):
    rig, dut = simulation_of(PrimitiveCoding)
    for seed in seeds(1):
        rng = random.Random(seed)
        lengths = set()

        async def bench(ctx, rng=rng, lengths=lengths):
            for _ in range(count):
                vertices, previous = some_pair(rng, form)
                wanted = encode_primitive(form, vertices, previous)
                found = await encode(ctx, dut, form, vertices, previous, rng.getrandbits(16))
                assert found == wanted, (form, vertices, previous)
                lengths.add(len(wanted))

        rig.run(bench)
        assert len(lengths) >= 3


def test_limits():
    """A point one step on each side of each limit."""
    rig, dut = simulation_of(PrimitiveCoding)
    form = FORMS[0]

    async def bench(ctx):
        for distance in LIMITS:
            vertices, previous = ((1000 + distance) & 0xFFFF,), (1000,)
            assert await encode(ctx, dut, form, vertices, previous) == encode_primitive(form, vertices, previous)

    rig.run(bench)
