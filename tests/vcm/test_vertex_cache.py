"""`VertexCache` against the model's `Vcm`: the same batches, and each primitive in its own."""

import random
from types import SimpleNamespace

import pytest

from vc4.records.compressed import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.vcm.structs import BATCH, MOST_PRIMITIVES
from vc4.vcm.vertex_cache import VertexCache
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.vcm.vcm import Vcm

from ..simulation import simulation_of

PATIENCE = 1000
#: Clocks that are lost between batches: a primitive is found to have no room, and is looked up anew.
TURN = 2


class Indices:
    """In place of shading: a vertex is its index. Keeps the batches."""

    def __init__(self):
        self.batches = []

    def vertices(self, shader, kind, indices):
        self.batches.append(list(indices))
        return list(indices)


def expected(primitives):
    """Primitives with their vertices, and the batches, of the model."""
    shading = Indices()
    vcm = Vcm(shading, None)
    vcm.shader = SimpleNamespace()
    found = [shaded for primitive in primitives for shaded in vcm.add(primitive)]
    found += vcm.finish()
    return found, shading.batches


def collected(primitives, *, seed=1, gap=0.0, pause=0.0, patience=0.0):
    """Primitives with their vertices, the batches, and clocks.

    gap, pause, patience : chance in each clock that no primitive comes, none is taken, a full batch is not closed
    """
    print(f"seed {seed}")
    rng = random.Random(seed)
    rig, dut = simulation_of(VertexCache)
    batches, columns = [], {}
    places, indices = [], []  # of each primitive: its batch, and what came out
    clocks = [0]

    async def bench(ctx):
        left = list(primitives)
        offered, waited = False, 0
        batch = None  # of the primitive that has come out
        while left or batch is not None or ctx.get(dut.looks_up) or ctx.get(dut.any):
            offered = offered or (bool(left) and rng.random() >= gap)
            if offered:
                first = left[0]
                ctx.set(
                    dut.i.payload,
                    {
                        "type": first.type,
                        "indices": [
                            *first.vertices,
                            *(rng.randrange(1 << 16) for _ in range(3 - len(first.vertices))),
                        ],
                        "clipped": first.clipped is not None,
                    },
                )
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.o.ready, rng.random() >= pause)
            ends = not left and not ctx.get(dut.looks_up) and ctx.get(dut.any)
            ctx.set(dut.closes, ends or (ctx.get(dut.full) and rng.random() >= patience))
            closes, last, write = ctx.get(dut.closes), ctx.get(dut.last), ctx.get(dut.writes)
            takes, gives = ctx.get(dut.i.ready), ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            out = ctx.get(dut.o.payload)
            await ctx.tick()
            clocks[0] += 1
            waited = 0 if takes or gives or closes else waited + 1
            assert waited < PATIENCE
            if write.valid:
                columns[write.column] = write.index
            if offered and takes:
                offered = False
                left.pop(0)
            if gives:
                assert out.opens == all(batch != other for other, *_ in places)
                own = slice(VERTICES[out.type])
                places.append((batch, out.type, out.clipped, list(out.columns)[own]))
                indices.append(list(out.indices)[own])
            if closes:
                batches.append([columns[column] for column in range(last + 1)])
                columns.clear()
            if gives or batch is None:
                batch = len(batches) if ctx.get(dut.o.valid) else None
        ctx.set(dut.closes, 0)

    rig.run(bench)
    found = [
        (type_, clipped, [batches[batch][column] for column in vertices]) for batch, type_, clipped, vertices in places
    ]
    assert indices == [vertices for _, _, vertices in found]
    return found, batches, clocks[0]


def some_primitives(rng, count, largest):
    """Of all types; indices come again, also in one primitive."""
    for _ in range(count):
        type_ = rng.choice(list(PrimitiveType))
        vertices = tuple(rng.randrange(largest) for _ in range(VERTICES[type_]))
        yield Primitive(type_, vertices, clipped=rng.choice((None, SimpleNamespace())))


def check(primitives, **options):
    found, batches, _ = collected(primitives, **options)
    wanted, wanted_batches = expected(primitives)
    assert batches == wanted_batches
    assert found == [(one.type, one.clipped is not None, vertices) for one, vertices in wanted]


@pytest.mark.parametrize(
    "seeds", [range(8), pytest.param(range(8, 40), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_batches_of_the_model(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        largest = rng.choice((3, 17, 40, 1 << 16))
        pauses = {name: rng.choice((0, 0.3, 0.8)) for name in ("gap", "pause", "patience")}
        check(list(some_primitives(rng, 100, largest)), seed=seed, **pauses)


def test_all_indices_differ_in_one_bit():
    """A vertex is another one if any of its 16 bits is."""
    check([Primitive(PrimitiveType.POINTS, (index,)) for bit in range(16) for index in (0x5A5A, 0x5A5A ^ 1 << bit)])


def test_index_0_is_nothing_special():
    """What was never written is not found."""
    check([Primitive(PrimitiveType.TRIANGLES, (0, 0, 1)), Primitive(PrimitiveType.LINES, (0, 0))])


@pytest.mark.parametrize(
    ("type_", "step", "count", "clocks"),
    [
        (PrimitiveType.POINTS, 1, 16, 16),
        (PrimitiveType.POINTS, 1, 32, 34),  # the first one that has no room is looked up twice, with a clock between
        (PrimitiveType.LINES, 2, 16, 34),
        (PrimitiveType.TRIANGLES, 3, 5, 15),
        (PrimitiveType.TRIANGLES, 3, 10, 33),  # its second vertex has none
        (PrimitiveType.TRIANGLES, 0, 100, 302),  # all have the same vertices, but there are too many for a batch
    ],
)
def test_clocks(type_, step, count, clocks):
    """A vertex a clock, two until the first one is there, and one until the last primitive is out."""
    length = VERTICES[type_]
    primitives = [Primitive(type_, tuple(step * n + vertex for vertex in range(length))) for n in range(count)]
    assert collected(primitives)[2] == clocks + 3


@pytest.mark.parametrize(
    ("type_", "step", "length"),
    [
        *((type_, 0, MOST_PRIMITIVES) for type_ in PrimitiveType),
        (PrimitiveType.POINTS, 1, BATCH),
        (PrimitiveType.LINES, 2, BATCH // 2),
    ],
)
def test_a_lookup_each_clock(type_, step, length):
    """In many batches of so many primitives, however long it takes from a lookup to its primitive."""
    clocks = {}
    for batches in (2, 10):
        firsts = range(0, batches * length * step, step) if step else [0] * (batches * length)
        primitives = [Primitive(type_, tuple(range(first, first + VERTICES[type_]))) for first in firsts]
        _, found, clocks[batches] = collected(primitives)
        assert len(found) == batches
    assert clocks[10] - clocks[2] == 8 * (length * VERTICES[type_] + TURN)
