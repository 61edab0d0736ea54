"""`PrimitiveSetUp` against the model: edges, boxes, Z, and what it wants divided."""

import random
from itertools import islice

import pytest

from vc4.pse.primitive_set_up import PrimitiveSetUp
from vc4.pse.structs import Axis, DivisionItem
from vc4.records.primitives import PrimitiveType
from vc4sim.model.arith.fixed_point import quotient
from vc4sim.model.pse.pse import ScreenVertex, SetUpState, z_gain, z_of

from ..simulation import simulation_of
from .primitives import HIGHEST, LOWEST, Request, bits, expected, payload, some_requests, summary

Place = DivisionItem.Place
PATIENCE = 100
#: Clocks after the last primitive in which items may come.
LATE = 10
QUOTIENTS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 4, PrimitiveType.TRIANGLES: 6, PrimitiveType.RHTS: 0}


def plain(found):
    """As `summary` has it."""
    primitive = found.primitive
    count = primitive.count
    return {
        "edges": [(edge.a, edge.b, edge.c) for edge in list(primitive.edges)[:count]],
        "box": [primitive.box.low_x, primitive.box.low_y, primitive.box.high_x, primitive.box.high_y],
        "x": primitive.x,
        "y": primitive.y,
        "reverse": bool(primitive.reverse),
        "clockwise": bool(primitive.clockwise),
        "planes": primitive.planes,
    }


def check_ends(pieces):
    """Of a request: all but the last one are drawn, and only that one says that it is."""
    assert [bool(one.last) for one in pieces] == [False] * (len(pieces) - 1) + [True]
    assert all(one.drawn for one in pieces[:-1])


def set_up(requests, *, seed=1, gap=0.0, pause=0.0):
    """Of each request: what came out of it, each with its quotients, and whether it was dropped; and clocks."""
    rng = random.Random(seed)
    rig, dut = simulation_of(PrimitiveSetUp)
    found = [[] for _ in requests]
    dropped = [0] * len(requests)
    quotients = []
    clocks = [0]

    async def bench(ctx):
        now, offered, waited, clock = 0, False, 0, 0
        ending = LATE
        while ending:
            if not offered and now < len(requests) and rng.random() >= gap:
                offered = True
                ctx.set(dut.i.payload, payload(requests[now]))
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.o.ready, rng.random() >= pause)
            takes_item = ctx.get(dut.items.valid) and ctx.get(dut.divisors.valid)
            if takes_item:
                item = ctx.get(dut.items.payload)
                divisor = ctx.get(dut.divisors.payload) * (-1 if item.negative else 1)
                divides = z_gain if item.place == Place.Z else quotient
                quotients.append(((item.place, item.axis), divides(item.numerator, divisor)))
            ctx.set(dut.items.ready, takes_item)
            ctx.set(dut.divisors.ready, takes_item and item.is_last)
            gives = ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            assert ctx.get(dut.piece_stb) == gives
            if gives:
                found[now].append(ctx.get(dut.o.payload))
                leaving, piece = found[now][-1].primitive, ctx.get(dut.piece)
                assert (piece.drawn, piece.last) == (leaving.drawn, leaving.last)
            if ctx.get(dut.dropped):
                dropped[now] += 1
            clock += 1
            taken = offered and ctx.get(dut.i.ready)
            waited = 0 if taken else waited + 1
            assert waited < PATIENCE
            await ctx.tick()
            ending -= now == len(requests)
            if taken:
                clocks[0], now, offered = clock, now + 1, False
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    items = iter(quotients)
    for ours in found:
        check_ends([one.primitive for one in ours])
    pairs = [
        [(one, dict(islice(items, QUOTIENTS[request.type]))) for one in ours if one.primitive.drawn]
        for request, ours in zip(requests, found, strict=True)
    ]
    assert not list(items)
    return pairs, dropped, clocks[0]


def check(requests, **options):
    found, dropped, _ = set_up(requests, **options)
    for request, ours, drops in zip(requests, found, dropped, strict=True):
        wanted = expected(request)
        assert drops == (not wanted), request
        assert len(ours) == len(wanted), request
        for (primitive, quotients), model in zip(ours, wanted, strict=True):
            check_one(request, primitive, quotients, model)


def check_one(request, ours, quotients, model):
    assert plain(ours) == summary(model), request
    assert ours.primitive.z == z_of(request.vertices[0].zs), request
    second_x, third_x, second_y, third_y = model.weights
    wanted = {
        (Place.SECOND, Axis.X): second_x,
        (Place.THIRD, Axis.X): third_x,
        (Place.SECOND, Axis.Y): second_y,
        (Place.THIRD, Axis.Y): third_y,
        (Place.Z, Axis.X): model.z_x,
        (Place.Z, Axis.Y): model.z_y,
    }
    if request.type == PrimitiveType.LINES:
        wanted[Place.IMPLICIT, Axis.X], wanted[Place.IMPLICIT, Axis.Y], _ = model.implicit[0]
    elif request.type == PrimitiveType.POINTS:
        extent = model.edges[0][2] + 2 * model.x
        wanted[Place.IMPLICIT, Axis.X] = quotient(1, extent)
    assert {key: quotients.get(key, 0) for key in wanted} == wanted, request


@pytest.mark.parametrize("type_", PrimitiveType)
@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 10), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_primitives_of_the_model(type_, seeds):
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        requests = list(some_requests(rng, 40, (type_,), varyings=rng.randrange(4)))
        check(requests, seed=seed, gap=rng.choice((0, 0.5)), pause=rng.choice((0, 0.5, 0.9)))


def test_types_follow_each_other():
    check(list(some_requests(random.Random(5), 60)), seed=5)


def corner(x, y, z=0x3F00_0000):
    return ScreenVertex(x, y, z, 0x3F80_0000, ())


CORNERS = [(LOWEST, LOWEST), (HIGHEST, LOWEST), (HIGHEST, HIGHEST), (LOWEST, HIGHEST)]


def test_the_largest_primitives():
    """From corner to corner of all positions there are, with the largest differences of Z, sizes and both turns."""
    largest = bits(4096.0)
    requests = []
    for n in range(4):
        for turn in (1, -1):
            places = [CORNERS[(n + turn * k) % 4] for k in range(3)]
            for depths in ((0, 0x3F80_0000, 0), (0x3F80_0000, 0, 0x3F80_0000), (0, 0, 0x3F80_0000)):
                vertices = [corner(*place, z) for place, z in zip(places, depths, strict=True)]
                requests.append(Request(PrimitiveType.TRIANGLES, vertices, SetUpState()))
                for width in (bits(1.0), largest):
                    for ends in (vertices[:2], vertices[::2]):
                        requests.append(Request(PrimitiveType.LINES, ends, SetUpState(line_width=width)))
            requests.append(Request(PrimitiveType.POINTS, vertices[:1], SetUpState(), largest))
            for boundary in (LOWEST, 0, HIGHEST):
                requests.append(Request(PrimitiveType.RHTS, vertices[1:], SetUpState(rht_boundary=boundary)))
    check(requests)


def test_nothing_is_drawn():
    """Without an area, a length, a width, a size; with a face that is not."""
    a, b, c, d = corner(0, 0), corner(160, 0), corner(0, 160), corner(320, 0)
    front, back = SetUpState(back=False), SetUpState(front=False)
    no_width = SetUpState(line_width=bits(0.05))
    requests = [
        *(Request(PrimitiveType.TRIANGLES, [*order], SetUpState()) for order in ((a, a, b), (a, b, d), (c, b, c))),
        *(Request(PrimitiveType.TRIANGLES, [a, b, c], state) for state in (front, back, SetUpState(False, False))),
        *(Request(PrimitiveType.TRIANGLES, [a, c, b], state) for state in (front, back)),
        *(Request(PrimitiveType.LINES, [a, a], SetUpState()), Request(PrimitiveType.LINES, [a, b], no_width)),
        *(Request(PrimitiveType.POINTS, [a], SetUpState(), size) for size in (0, bits(0.0624), bits(-3.0))),
        *(Request(PrimitiveType.RHTS, [a, b], SetUpState()), Request(PrimitiveType.RHTS, [b, b], SetUpState())),
        *(
            Request(PrimitiveType.RHTS, [a, c], state._replace(rht_boundary=x))
            for state in (front, back)
            for x in (-5, 5)
        ),
        Request(PrimitiveType.TRIANGLES, [a, b, c], SetUpState()),
    ]
    check(requests)


@pytest.mark.parametrize(
    ("type_", "clocks"),
    [(PrimitiveType.TRIANGLES, 20), (PrimitiveType.LINES, 24), (PrimitiveType.POINTS, 16), (PrimitiveType.RHTS, 28)],
)
def test_clocks(type_, clocks):
    """Of a step each and one more; an RHT whose boundary crosses its edge is two pieces."""
    vertices = [corner(0, 0), corner(160, 16), corner(0, 160)][
        : {PrimitiveType.POINTS: 1, PrimitiveType.TRIANGLES: 3}.get(type_, 2)
    ]
    request = Request(type_, vertices, SetUpState(rht_boundary=80))
    assert [set_up([request] * count)[2] for count in (1, 4)] == [clocks, 4 * clocks]
