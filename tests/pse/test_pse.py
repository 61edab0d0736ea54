"""`Pse` against the model: every number of primitives and their planes, in order, and golden clocks."""

import random

import pytest

from vc4.pse.pse import Pse
from vc4.records.primitives import PrimitiveType
from vc4sim.model.pse.pse import ScreenVertex, SetUpState

from ..simulation import simulation_of
from .primitives import Request, bits, expected, payload, some_requests, summary
from .test_primitive_set_up import check_ends

#: Without anything that moves.
PATIENCE = 400


def words_of(primitive):
    """Of its planes, those of the vertices."""
    return [{"values": list(words)} for words in zip(*primitive.corners, strict=True)]


def plain(primitive):
    """All that the rasteriser takes, as `wanted` has it."""
    box = primitive.box
    return {
        "edges": [(edge.a, edge.b, edge.c) for edge in list(primitive.edges)[: primitive.count]],
        "box": [box.low_x, box.low_y, box.high_x, box.high_y],
        "x": primitive.x,
        "y": primitive.y,
        "reverse": bool(primitive.reverse),
        "clockwise": bool(primitive.clockwise),
        "planes": primitive.planes,
        "z": primitive.z,
        "z_x": primitive.z_x,
        "z_y": primitive.z_y,
        "oversample": primitive.oversample,
    }


def signed(number):
    """64 bits of it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def wanted(request, model):
    return summary(model) | {
        "z": model.z,
        "z_x": signed(model.z_x),
        "z_y": signed(model.z_y),
        "oversample": request.state.oversample,
    }


def pieces_of(request):
    """How many come: after the first piece of an RHT there is another one, drawn or not."""
    models = expected(request)
    is_half = request.type == PrimitiveType.RHTS and len(models) == 1 and is_right(request, models[0])
    return max(1, len(models) + is_half)


def is_right(request, model):
    """It is the piece on the right, where the boundary is after the lowest X of its edge."""
    return model.edges[1][0] < 0


def set_up(requests, *, seed=1, gap=0.0, pause=0.0):
    """Pieces, coefficients of planes, how many requests were dropped, the clocks in which primitives left, and all clocks.

    gap, pause : chance in each clock that nothing is given, and that nothing is taken, on each stream by itself
    """
    rng = random.Random(seed)
    rig, dut = simulation_of(Pse)
    models = [model for request in requests for model in expected(request)]
    inputs = {
        dut.i: [payload(request) for request in requests],
        dut.words: [w for model in models for w in words_of(model)],
    }
    outputs = {dut.o: [], dut.planes: []}
    counts = {dut.o: sum(map(pieces_of, requests)), dut.planes: sum(model.varyings + 1 for model in models)}
    dropped, clocks, leaves = [0], [0], []

    async def bench(ctx):
        offered, waited = dict.fromkeys(inputs, False), 0
        while any(inputs.values()) or any(len(outputs[port]) < counts[port] for port in outputs):
            for port, items in inputs.items():
                if items and not offered[port] and rng.random() >= gap:
                    offered[port] = True
                    ctx.set(port.payload, items[0])
                ctx.set(port.valid, offered[port])
            for port in outputs:
                ctx.set(port.ready, rng.random() >= pause)
            moved = [port for port in inputs if offered[port] and ctx.get(port.ready)]
            for port, items in outputs.items():
                if ctx.get(port.valid) and ctx.get(port.ready):
                    items.append(ctx.get(port.payload))
                    if port is dut.o:
                        leaves.append(clocks[0])
                    moved.append(port)
            dropped[0] += ctx.get(dut.dropped)
            await ctx.tick()
            clocks[0] += 1
            for port, items in inputs.items():
                if port in moved:
                    items.pop(0)
                    offered[port] = False
            waited = 0 if moved else waited + 1
            assert waited < PATIENCE
        for port in inputs:
            ctx.set(port.valid, 0)

    rig.run(bench)
    return outputs[dut.o], outputs[dut.planes], dropped[0], leaves, clocks[0]


def check_ends_of(requests, pieces):
    """Each request has pieces up to a last one."""
    left = iter(pieces)
    for request in requests:
        ours = [next(left)]
        while not ours[-1].last:
            ours.append(next(left))
        check_ends(ours)
        assert sum(one.drawn for one in ours) == len(expected(request)), request
    assert not list(left)


def check(requests, **options):
    pieces, planes, dropped, *_ = set_up(requests, **options)
    found = [one for one in pieces if one.drawn]
    check_ends_of(requests, pieces)
    pairs = [(request, model) for request in requests for model in expected(request)]
    assert [plain(one) for one in found] == [wanted(*pair) for pair in pairs]
    ours = [(plane.a, plane.b, plane.c) for plane in planes]
    theirs = [tuple(map(int, plane)) for _, model in pairs for plane in model.state.arrays.planes.reshape(-1, 3)]
    assert ours == theirs
    assert dropped == sum(not expected(request) for request in requests)


@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(3, 12), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_primitives_of_the_model(seeds):
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        requests = list(some_requests(rng, 12, varyings=rng.randrange(5)))
        check(requests, seed=seed, gap=rng.choice((0, 0.5)), pause=rng.choice((0, 0.5, 0.9)))


def test_depth_offsets():
    """Of all sizes: the largest that is limited, the smallest that is cut off, with all signs."""
    rng = random.Random(3)
    words = [sign << 15 | exponent << 7 | 0x55 for sign in (0, 1) for exponent in (0, 1, 105, 118, 127, 140, 160, 255)]
    requests = list(some_requests(rng, 16, (PrimitiveType.TRIANGLES,)))
    for request in requests:
        offset = rng.choice(words), rng.choice(words)
        request.state = request.state._replace(front=True, back=True, offset=offset)
    check(requests)


def test_limits_of_depth_offsets():
    """Factor and units that are too large, with equal and with opposite signs."""
    corner = ScreenVertex(0, 0, bits(0.1), bits(1.0), ())
    vertices = [corner, corner._replace(x=160, zs=bits(0.7)), corner._replace(y=160, zs=bits(0.4))]
    words = (0x7F80, 0xFF80, 0x6000, 0xE000, 0x3F80, 0)
    pairs = [(factor, units) for factor in words for units in words]
    check([Request(PrimitiveType.TRIANGLES, vertices, SetUpState(offset=pair)) for pair in pairs])


def test_all_varyings():
    """Thirty-two of them, and one less with those that come first."""
    rng = random.Random(2)
    check(list(some_requests(rng, 2, varyings=32)), seed=2, pause=0.93)


def corners(count, varyings):
    places = ((0, 0), (1600, 160), (16, 1200))[:count]
    return [ScreenVertex(x, y, bits(0.5), bits(1.0), (bits(1.0),) * varyings) for x, y in places]


def request_of(type_, varyings=0, state=SetUpState(rht_boundary=800)):
    count = {PrimitiveType.POINTS: 1, PrimitiveType.TRIANGLES: 3}.get(type_, 2)
    return Request(type_, corners(count, varyings), state)


@pytest.mark.parametrize(
    ("type_", "varyings", "first", "more"),
    [
        (PrimitiveType.TRIANGLES, 0, 69, 23),
        (PrimitiveType.TRIANGLES, 4, 93, 36),
        (PrimitiveType.TRIANGLES, 5, 99, 42),
        (PrimitiveType.LINES, 0, 87, 29),
        (PrimitiveType.POINTS, 0, 65, 24),
        (PrimitiveType.RHTS, 0, 57, 28),
    ],
)
def test_clocks(type_, varyings, first, more):
    """Until all of a primitive is out, and of each that follows."""
    request = request_of(type_, varyings)
    *_, leaves, _ = set_up([request] * 15)
    step = len(leaves) // 15 * 4
    assert [set_up([request])[-1], (leaves[-1] - leaves[-1 - step]) / 4] == [first, more]


def test_clocks_of_a_depth_offset():
    """With a factor of 1 and a unit of 1: so many more."""
    state = SetUpState(offset=(0x3F80, 0x3F80))
    requests = [request_of(PrimitiveType.TRIANGLES, 0, state), request_of(PrimitiveType.TRIANGLES)]
    with_offset, without = (set_up([request])[-1] for request in requests)
    assert with_offset - without == 25
