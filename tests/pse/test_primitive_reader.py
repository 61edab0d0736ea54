"""`PrimitiveReader` against the model, alone and with the set-up."""

import random
from collections import deque

import pytest
from amaranth.hdl import Value

from vc4.pse.primitive_reader import PrimitiveReader
from vc4.pse.structs import SetUpRequest
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType

from ..simulation import simulation_of
from .items import BASE, SIZE, ItemList
from .primitives import Request, payload, summary
from .reader_bench import ReaderAndPse, run, same_item
from .test_pse import plain, signed


def wanted(primitive, model):
    return summary(model) | {
        "z": model.z,
        "z_x": signed(model.z_x),
        "z_y": signed(model.z_y),
        "oversample": primitive.oversample,
    }


def check_both(items, **options):
    """With the set-up; returns the clocks in which pieces left."""
    rig, dut = simulation_of(ReaderAndPse)
    passed, pieces, planes = run(rig, dut, items, (dut.items, dut.o, dut.planes), **options)
    assert len(passed) == len(items.passed)
    assert all(same_item(item, found) for item, (found, _) in zip(items.passed, passed, strict=True))
    left = iter(pieces)
    theirs = []
    for primitive in items.primitives:
        ours = [next(left)[0]]
        while not ours[-1].last:
            ours.append(next(left)[0])
        drawn = [plain(one) for one in ours if one.drawn]
        assert drawn == [wanted(primitive, model) for model in primitive.found], primitive
        for model in primitive.found:
            theirs += [tuple(map(int, plane)) for plane in model.state.arrays.planes.reshape(-1, 3)]
    assert not list(left)
    assert [(one.a, one.b, one.c) for one, _ in planes] == theirs
    return [clock for _, clock in pieces]


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(1), range(1, 5)], ids=["some", "many"])
def test_with_the_set_up(seeds):
    for seed in seeds:
        print(f"seed {seed}")
        items = ItemList(seed)
        items.fill(20)
        gap, pause = items.rng.choice((0, 0.5)), items.rng.choice((0, 0.5, 0.8))
        check_both(items, seed=seed, gap=gap, pause=pause)


def check_request(primitive, found):
    """All but vertices that the primitive does not have."""
    offset = primitive.state.offset
    request = Request(primitive.type, primitive.vertices, primitive.state, primitive.size)
    ours = SetUpRequest.const(payload(request))
    assert (found.type, found.varyings) == (ours.type, ours.varyings), primitive
    for vertex in range(len(primitive.vertices)):
        assert Value.cast(found.vertices[vertex]).value == Value.cast(ours.vertices[vertex]).value, primitive
    for name in ("front", "back", "clockwise", "flat", "offsets", "rht_boundary"):
        assert getattr(found.state, name) == getattr(ours.state, name), (name, primitive)
    assert found.state.oversample == primitive.oversample
    assert Value.cast(found.state.size).value == primitive.size
    if offset:
        assert (Value.cast(found.state.factor).value, Value.cast(found.state.units).value) == offset


def check_words(primitive, model, words):
    """Of a piece."""
    assert [tuple(word.values) for word in words] == list(zip(*model.corners, strict=True)), primitive


class Teller:
    """In place of the set-up: takes requests and tells what becomes of them, some time later."""

    def __init__(self, dut, items, rng, *, often=0.1):
        self.dut, self.rng, self.often = dut, rng, often
        self.left = deque(items.primitives)
        self.pieces = deque()

    def __call__(self, ctx, clock):
        dut = self.dut
        tells = bool(self.pieces) and self.rng.random() < self.often
        ctx.set(dut.piece_stb, tells)
        if tells:
            ctx.set(dut.piece, self.pieces.popleft())
        if ctx.get(dut.requests.valid) and ctx.get(dut.requests.ready):
            found = self.left.popleft().found
            pieces = [{"drawn": 1, "last": 0} for _ in found]
            if pieces and self.rng.randrange(2):
                pieces[-1]["last"] = 1
            else:
                pieces.append({"drawn": 0, "last": 1})
            self.pieces.extend(pieces)


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 5), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_alone(seeds):
    for seed in seeds:
        print(f"seed {seed}")
        items = ItemList(seed)
        items.fill(25)
        rig, dut = simulation_of(PrimitiveReader)
        gap, pause = items.rng.choice((0, 0.5)), items.rng.choice((0, 0.5, 0.8))
        teller = Teller(dut, items, random.Random(seed))
        outputs = (dut.items, dut.requests, dut.words)
        _, requests, words = run(
            rig, dut, items, outputs, seed=seed, gap=gap, pause=pause, each_clock=teller, rests=200
        )
        for primitive, (found, _) in zip(items.primitives, requests, strict=True):
            check_request(primitive, found)
        left = [word for word, _ in words]
        for primitive in items.primitives:
            for model in primitive.found:
                ours, left = left[: len(model.corners[0])], left[len(model.corners[0]) :]
                check_words(primitive, model, ours)
        assert not left


def row_of_triangles(count, varyings, **options):
    """Of the same three vertices, with both faces drawn."""
    items = ItemList(7, simple=True)
    items.record(ControlCode.CONFIGURATION_BITS, enable_forward_facing_primitive=1, enable_reverse_facing_primitive=1)
    items.shader(varyings, **options)
    for _ in range(count):
        items.primitive(PrimitiveType.TRIANGLES, columns=[0, 1, 2])
    return items


@pytest.mark.parametrize(("varyings", "has_size", "clocks"), [(0, False, 22), (1, True, 22), (8, False, 60)])
def test_clocks_of_triangles(varyings, has_size, clocks):
    """Those of the set-up."""
    leaves = check_both(row_of_triangles(12, varyings, has_size=has_size))
    assert (leaves[-1] - leaves[-5]) / 4 == clocks


@pytest.mark.parametrize(("varyings", "clocks"), [(0, 15), (1, 18), (8, 39)])
def test_clocks_alone(varyings, clocks):
    """Of a triangle, if nobody waits for the set-up."""
    items = row_of_triangles(6, varyings, has_size=False)
    rig, dut = simulation_of(PrimitiveReader)
    teller = Teller(dut, items, random.Random(1), often=1)
    _, requests, _ = run(rig, dut, items, (dut.items, dut.requests, dut.words), each_clock=teller)
    assert requests[5][1] - requests[4][1] == clocks


@pytest.mark.thorough
def test_more_varyings_than_there_are():
    """The first ones count."""
    items = ItemList(3)
    items.record(ControlCode.CONFIGURATION_BITS, enable_forward_facing_primitive=1, enable_reverse_facing_primitive=1)
    for varyings, has_size in ((33, False), (255, True)):
        items.shader(varyings, has_size=has_size)
        items.primitive(PrimitiveType.POINTS)
        items.primitive(PrimitiveType.TRIANGLES)
    items.clip(2)
    items.primitive(PrimitiveType.LINES)
    check_both(items)


@pytest.mark.parametrize(("varyings", "clocks"), [(0, 14), (4, 14 + 4 * 35)])
def test_clocks_of_a_clipped_triangle(varyings, clocks):
    """With one vertex that is made: so many more."""
    requests = []
    for flags in (0, 1):
        items = row_of_triangles(0, varyings, has_size=False)
        items.clip(flags)
        items.primitive(PrimitiveType.TRIANGLES, columns=[0, 1, 2])
        rig, dut = simulation_of(PrimitiveReader)
        teller = Teller(dut, items, random.Random(1), often=1)
        requests.append(run(rig, dut, items, (dut.items, dut.requests, dut.words), each_clock=teller)[1][0][1])
    assert requests[1] - requests[0] == clocks


def test_a_clipped_vertex_that_is_not_in_memory():
    items = row_of_triangles(1, 2, has_size=False)
    items.clip(4)
    items.items[-1]["body"]["record"]["payload"] = 4 | BASE + SIZE
    items.primitive(PrimitiveType.TRIANGLES, columns=[0, 1, 2])
    rig, dut = simulation_of(PrimitiveReader)
    failed = []

    def watch(ctx, clock):
        failed.append(ctx.get(dut.failed))
        if clock == 300:
            assert not ctx.get(dut.fetching)
            raise Hangs

    with pytest.raises(Hangs):
        run(rig, dut, items, (dut.items, dut.requests, dut.words), each_clock=watch)
    assert failed[-1]


class Hangs(Exception):
    """As expected."""
