"""`VertexThread` with its `BatchRing`: items in their order, each primitive with its batch, and nothing left by a reset."""

import random
from collections import deque

import pytest

from vc4.cle.structs import ItemKind
from vc4.records.compressed import VERTICES
from vc4.records.control import RECORDS, ControlCode, Threads
from vc4.records.primitives import PrimitiveType
from vc4.vcm.structs import VcmKind
from vc4.vcm.vertex_thread import VertexThread

from ..simulation import simulation_of

PATIENCE = 1500
GL, NV, VG = ControlCode.GL_SHADER_STATE, ControlCode.NV_SHADER_STATE, ControlCode.VG_SHADER_STATE
LIST, STATE = ControlCode.VERTEX_ARRAY_PRIMITIVES, ControlCode.FLAT_SHADE_FLAGS


def record(code):
    """A control record, with something after its first byte."""
    return ("record", code, 0x30 if code in (GL, NV, VG) else code.value)


def primitive(*vertices, coordinates=False, clipped=False):
    type_ = {1: PrimitiveType.POINTS, 2: PrimitiveType.LINES, 3: PrimitiveType.TRIANGLES}[len(vertices)]
    return ("primitive", type_, vertices, coordinates, clipped)


END = ("end",)


def some_lists(rng, count):
    """Shader states of all kinds, other records, and lists."""
    items = []
    for _ in range(count):
        if rng.random() < 0.5:
            items.append(record(rng.choice((GL, GL, NV, VG))))
        if rng.random() < 0.3:
            items.append(record(STATE))
        items.append(record(LIST))
        largest, length = rng.choice((4, 30, 1 << 16)), rng.choice((0, 3, 20))
        coordinates = rng.random() < 0.1
        for _ in range(length):
            vertices = [rng.randrange(largest) for _ in range(rng.randrange(1, 4))]
            items.append(primitive(*vertices, coordinates=coordinates, clipped=rng.random() < 0.2))
        items.append(END)
    return items


def expected(items):
    """What comes out: from the first list after a shader state on there is its record; without one vertices are lost."""
    pending, known = None, False
    for item in items:
        if item[0] == "record":
            if item[1] in (GL, NV, VG):
                pending = item[1]
            elif item[1] is LIST and pending:
                # Vertices are not those of a record for VG.
                known = pending is not VG
                yield ("shader",)
                pending = None
            yield item
        elif item[0] == "end" or item[3] or known:
            yield item


class World:
    """All that is around a thread: executor, pipeline, and those who place and shade batches.

    fault : shader records are not in memory
    bad : vertices are not
    ends : chance in each clock that a batch is shaded
    late : clocks without any move before the indices of a batch are read
    number : of the thread; primitives of 0 tell the indices of their vertices
    """

    def __init__(self, ctx, dut, rng, *, gap=0.3, pause=0.3, fault=False, bad=False, ends=0.1, late=0, number=1):
        self.ctx, self.dut, self.rng, self.gap, self.pause = ctx, dut, rng, gap, pause
        self.fault, self.bad, self.ends, self.late = fault, bad, ends, late
        self.number = number
        self.coming, self.wanted = deque(), deque()
        self.offered = False
        self.unread = deque()  # batches whose indices are not read
        self.under_way = []  # those after it that are not shaded
        self.columns = {}  # indices of each batch, by the first block of its results
        self.in_use = deque()  # first blocks, in the order of the batches
        self.placed = 0
        self.header = None
        self.known = 0
        self.quiet = self.out = 0
        self.given_back = 0

    def add(self, items):
        self.coming += items
        self.wanted += expected(items)

    def payload(self, item):
        if item[0] == "record":
            body = {"record": {"code": item[1], "payload": item[2]}}
            return {"kind": ItemKind.RECORD, "body": body}
        if item[0] == "end":
            return {"kind": ItemKind.END}
        _, type_, vertices, coordinates, clipped = item
        fields = {"type": type_, "vertices": [*vertices, 0, 0][:3], "coordinates": coordinates, "clipped": clipped}
        return {"kind": ItemKind.PRIMITIVE, "body": {"primitive": fields}}

    async def clock(self, *, resets=False):
        ctx, dut, rng = self.ctx, self.dut, self.rng
        if resets:
            self.coming.clear()
            self.wanted.clear()
            self.offered = False
        self.offered = self.offered or (bool(self.coming) and rng.random() >= self.gap)
        if self.offered:
            ctx.set(dut.i.payload, self.payload(self.coming[0]))
        ctx.set(dut.i.valid, self.offered)
        ctx.set(dut.resets, resets)
        ctx.set(dut.o.ready, rng.random() >= self.pause)
        ctx.set(dut.space.ready, rng.random() >= self.pause)
        ctx.set(dut.batches.ready, rng.random() >= self.pause)
        ctx.set(dut.request.ready, self.header is None and rng.random() >= self.pause)
        ends = rng.choice(self.under_way) if self.under_way and rng.random() < self.ends else None
        self._end(ends)
        if self.header is not None and self.header > 0:
            self.header -= 1
        ctx.set(dut.header.valid, self.header == 0)
        ctx.set(dut.fault, self.header == 0 and self.fault)
        ctx.set(dut.format.known, self.known)
        moves = {
            name: (ctx.get(port.valid) and ctx.get(port.ready), ctx.get(port.payload))
            for name, port in (("i", dut.i), ("o", dut.o), ("space", dut.space), ("batches", dut.batches))
        }
        asks = ctx.get(dut.request.valid) and ctx.get(dut.request.ready), ctx.get(dut.request.payload)
        answers, forgets = self.header == 0 and ctx.get(dut.header.ready), ctx.get(dut.forgets)
        await ctx.tick()
        if moves["i"][0]:
            self.coming.popleft()
            self.offered = False
        if moves["o"][0] and not resets:
            self._take(moves["o"][1])
        if moves["space"][0]:
            assert moves["space"][1].first == self.in_use.popleft(), "rows are given back out of order"
            self.given_back += 1
        if forgets:
            self.known = 0
        if answers:
            self.header, self.known = None, self.asked.vertices and not forgets
        if asks[0]:
            assert not self.unread, "a shader record is read while batches wait that need the one before"
            assert not self.under_way, "a shader record is read while batches need the one before"
            assert asks[1].address == 3
            self.header, self.asked = rng.randrange(1, 20), asks[1]
        self.quiet = 0 if any(move for move, _ in moves.values()) or asks[0] else self.quiet + 1
        if moves["batches"][0]:
            self.unread.append(moves["batches"][1])
        if self.unread and self.quiet >= self.late:
            await self._fetch(self.unread.popleft())
            self.quiet = 0

    async def _fetch(self, batch):
        """Reads the indices of a batch, a clock each."""
        ctx, dut = self.ctx, self.dut
        assert batch.thread == self.number
        first = self.placed % 60
        self.placed += 1
        self.in_use.append(first)
        columns = []
        for name in ("i", "o", "space", "batches", "request"):
            port = getattr(dut, name)
            ctx.set(port.valid if name == "i" else port.ready, 0)
        for port in (dut.ended_stb, dut.header.valid, dut.resets):
            ctx.set(port, 0)
        self.offered = False  # an item that was on offer comes again
        for column in range(batch.last + 1):
            ctx.set(dut.slot, batch.slot)
            ctx.set(dut.column, column)
            ctx.set(dut.step, 1)
            await ctx.tick()
            columns.append(ctx.get(dut.index))
        ctx.set(dut.step, 0)
        assert len(set(columns)) == len(columns)
        self.under_way.append((batch, first, columns))

    def _end(self, ended):
        """A batch is shaded, or never will be."""
        ctx, dut = self.ctx, self.dut
        ctx.set(dut.ended_stb, ended is not None)
        if ended is None:
            return
        self.under_way.remove(ended)
        batch, first, columns = ended
        fields = {name: getattr(batch, name) for name in ("thread", "slot", "last")}
        ctx.set(dut.ended, {"batch": fields, "results": {"first": first, "count": 2}, "bad": self.bad})
        self.columns[first] = columns

    def _take(self, item):
        """An item that comes out."""
        wanted = self.wanted.popleft()
        self.out += 1
        if wanted[0] == "shader":
            assert item.kind == VcmKind.SHADER
        elif wanted[0] == "end":
            assert item.kind == VcmKind.END
        elif wanted[0] == "record":
            assert item.kind == VcmKind.RECORD
            found = item.body.record
            length = 8 * (RECORDS[wanted[1].value].length - 1)
            assert (found.code, found.payload & (1 << length) - 1) == (wanted[1], wanted[2] & (1 << length) - 1)
        else:
            self._primitive(item, wanted)

    def _primitive(self, item, wanted):
        _, type_, vertices, coordinates, clipped = wanted
        found = item.body.primitive
        assert item.kind == VcmKind.PRIMITIVE
        assert (found.type, found.coordinates, found.clipped) == (type_, coordinates, clipped)
        own = list(found.vertices)[: VERTICES[type_]]
        if coordinates:
            come = [vertex.coordinates for vertex in own]
        else:
            first = self.in_use[0]  # the batch is shaded, and has its rows
            assert [vertex.place.row for vertex in own] == [4 * first] * len(own)
            come = [self.columns[first][vertex.place.column] for vertex in own]
            if self.number == 0:
                assert [vertex.place.index for vertex in own] == come
            assert first not in [one for _, one, _ in self.under_way]
        assert tuple(come) == vertices

    async def rest(self):
        """Until nothing is left to do."""
        while self.coming or self.wanted or self.ctx.get(self.dut.busy):
            await self.clock()
            assert self.quiet < PATIENCE, f"{len(self.wanted)} items do not come"
        assert self.placed == self.given_back
        assert not self.in_use
        assert not self.under_way


@pytest.fixture
def run():
    """`run(script, seed, **options)`: the script with its `World`."""

    def start(script, seed=1, threads=Threads.RENDERING, **options):
        print(f"seed {seed}")
        rig, dut = simulation_of(VertexThread, threads)

        async def bench(ctx):
            await script(World(ctx, dut, random.Random(seed), **options))

        rig.run(bench)

    return start


@pytest.mark.parametrize(
    "seeds", [range(4), pytest.param(range(4, 14), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_any_lists(run, seeds):
    async def script(world):
        world.add(some_lists(world.rng, 15))
        await world.rest()

    for seed in seeds:
        run(script, seed, gap=0.3 * (seed % 2), pause=0.3 * (seed // 2 % 2))


def test_primitives_of_the_binning_thread_have_indices(run):
    async def script(world):
        world.add([record(GL), record(LIST), *(primitive(7, 600 + number, 9) for number in range(40)), END])
        await world.rest()

    run(script, 3, Threads.BINNING, gap=0.3, number=0)


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(6), range(6, 16)], ids=["some", "many"])
def test_resets_at_any_clock(run, seeds):
    """Rows come back once for each batch, and the next lists find nothing of those before."""

    async def script(world):
        rng = world.rng
        for _ in range(8):
            world.add(some_lists(rng, 6))
            for _ in range(rng.choice((1, 30, rng.randrange(400)))):
                await world.clock()
            await world.clock(resets=True)
            if rng.random() < 0.5:
                await world.rest()
        world.add(some_lists(rng, 3))
        await world.rest()

    for seed in seeds:
        run(script, seed)


@pytest.mark.parametrize("what", ["fault", "bad"])
def test_what_is_not_in_memory_hangs_the_thread(run, what):
    """Until a reset; then it goes on."""

    async def script(world):
        world.add([record(STATE), record(GL), record(LIST), primitive(1, 2, 3), END, record(STATE)])
        while world.quiet < 200:
            await world.clock()
        assert world.ctx.get(world.dut.stalled)
        assert world.ctx.get(world.dut.busy)
        assert world.out == {"fault": 2, "bad": 4}[what]
        await world.clock(resets=True)
        world.fault = world.bad = False
        await world.rest()
        assert not world.ctx.get(world.dut.stalled)
        world.add([record(LIST), primitive(4, 5, 6), END, record(GL), record(LIST), primitive(7, 8, 9), END])
        await world.rest()

    run(script, **{what: True})


def test_a_batch_waits_for_room(run):
    """Before vertices of so many batches are under way that their indices or rows would be mixed up."""

    async def script(world):
        many = [primitive(number) for number in range(200)]
        world.add([record(GL), record(LIST), *many, END, *[record(LIST), primitive(7), END] * 24])
        await world.rest()
        assert world.placed == -(-200 // 16) + 24

    run(script, ends=0.02, gap=0, pause=0)


def test_indices_stay(run):
    """Until the batch is shaded: whoever reads them may do so when the thread can collect no more."""

    async def script(world):
        world.add([record(GL), record(LIST), *[primitive(number) for number in range(200)], END])
        await world.rest()

    run(script, late=40, ends=1, gap=0, pause=0)


@pytest.mark.parametrize("clocks", range(8, 40, 4))
def test_a_reset_while_a_record_is_read_that_is_not_in_memory(run, clocks):
    """The thread does not hang."""

    async def script(world):
        world.add([record(GL), record(LIST), primitive(1, 2, 3), END])
        for _ in range(clocks):
            await world.clock()
        await world.clock(resets=True)
        await world.rest()
        world.fault = False
        world.add([record(GL), record(LIST), primitive(7, 8, 9), END])
        await world.rest()

    run(script, seed=clocks, fault=True)
