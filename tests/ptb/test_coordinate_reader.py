"""`CoordinateReader` against the model: primitives with the words of their vertices that the binner wants."""

import random
from collections import deque
from typing import Any

import pytest

from vc4.ptb.coordinate_reader import CoordinateReader
from vc4.ptb.structs import BinKind
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4sim.model.cle.fields import packing

from ..simulation import simulation_of
from .tile_items import COUNTS
from .vertex_items import FRAME, LAYOUTS, START, ItemList

PATIENCE = 60


class Rig:
    """Runs the reader of an `ItemList` with a VPM."""

    def __init__(self, items, seed, gap, pause):
        self.rng, self.gap, self.pause = random.Random(seed), gap, pause
        self.left: deque = deque(items.items)
        self.banks = [{}, {}]  # clip coordinates
        self.clips: int | None = None  # whose bank the clipper has now
        self.found, self.clocks = [], []
        self.columns: Any = None  # of the item that is there

    def read(self, value):
        """An item as `ItemList` has it."""
        if value.kind == BinKind.RECORD:
            record = value.body.record
            return "record", record.code.value, record.payload & (1 << 8 * (RECORDS[record.code.value].length - 1)) - 1
        mine = value.body.primitive
        count = COUNTS[mine.type]
        words = self.banks[mine.bank] if mine.clips else {}
        return (
            *("primitive", mine.type, list(mine.vertices)[:count], bool(mine.coordinates)),
            [(point.x, point.y) for point in list(mine.points)[:count]],
            *(mine.size if mine.has_size else None, bool(mine.clips)),
            [[words[vertex, number] for number in range(4)] for vertex in range(count)] if mine.clips else [],
        )

    def quad(self, ctx, dut):
        """What the VPM is asked for in this clock, or `None`."""
        ctx.set(dut.reads.ready, self.rng.random() >= self.pause)
        if not ctx.get(dut.reads.valid) or not ctx.get(dut.reads.ready):
            return None
        address = ctx.get(dut.reads.payload)
        assert address.vertical
        assert self.columns, "rows are read that have been given back"
        first, words = self.columns[address.column]
        offset = address.row - first
        assert 0 <= offset < len(words), "words are read that the vertex does not have"
        return [words[offset + n] if offset + n < len(words) else self.rng.getrandbits(32) for n in range(4)]

    async def run(self, ctx, dut):
        offered, waited, clock, kept = False, 0, 0, None
        while waited < PATIENCE or self.left:
            offered = bool(self.left) and (offered or self.rng.random() >= self.gap)
            self.columns = self.left[0].columns if offered else None
            if offered:
                ctx.set(dut.i.payload, self.left[0].payload)
                # What it was when the first word was asked for counts.
                begun = ctx.get(dut.reads.valid)
                ctx.set(dut.clipping, self.rng.randrange(2) if begun else self.left[0].clipping)
            ctx.set(dut.i.valid, offered)
            ready = self.rng.random() >= self.pause
            ctx.set(dut.o.ready, ready)
            quad = self.quad(ctx, dut)
            value = self.read(ctx.get(dut.o.payload)) if ctx.get(dut.o.valid) else None
            assert kept is None or value == kept, "an item was changed while it waited"
            kept = None if ready else value
            moves = ready and value is not None
            if ctx.get(dut.word_stb):
                word = ctx.get(dut.word)
                assert word.bank != self.clips, "clip coordinates are overwritten"
                self.banks[word.bank][word.vertex, word.number] = word.value
            if moves and value and value[0] == "primitive" and value[6]:
                # With the one before the clipper has finished.
                self.clips = ctx.get(dut.o.payload).body.primitive.bank
                self.banks[1 - self.clips] = {}
            takes = offered and ctx.get(dut.i.ready)
            assert ctx.get(dut.busy) or value is None
            await ctx.tick()
            ctx.set(dut.quad, quad or [self.rng.getrandbits(32) for _ in range(4)])
            if moves:
                self.found.append(value)
                self.clocks.append(clock)
            if takes:
                self.left.popleft()
                offered = False
            clock += 1
            waited = 0 if moves or takes else waited + 1
            assert waited < 5 * PATIENCE
        assert not ctx.get(dut.busy)


def check(items, *, seed=1, gap=0.0, pause=0.0):
    """Returns the clocks in which items leave."""
    sim, dut = simulation_of(CoordinateReader)
    rig = Rig(items, seed, gap, pause)

    async def bench(ctx):
        await rig.run(ctx, dut)

    sim.run(bench)
    for number, (ours, theirs) in enumerate(zip(rig.found, items.wanted, strict=False)):
        assert ours == theirs, number
    assert len(rig.found) == len(items.wanted)
    return rig.clocks


@pytest.mark.parametrize("count", [pytest.param(6, id="some"), pytest.param(30, id="many", marks=pytest.mark.thorough)])
def test_any(seeds, count):
    for seed in seeds(count):
        items = ItemList(seed)
        items.fill(60)
        check(items, seed=seed, gap=items.rng.choice((0, 0.5)), pause=items.rng.choice((0, 0.3, 0.7)))


def shaded(code=ControlCode.GL_SHADER_STATE, **fields):
    """A list in a frame, after this shader."""
    items = ItemList()
    items.shader(code, packing(LAYOUTS[code]).pack(**fields))
    items.frame()
    return items


class TestPrimitives:
    """By hand: the last item."""

    def wanted(self, items, type_, **options):
        items.primitive(type_, **options)
        check(items)
        return items.wanted[-1]

    def test_gl_has_clip_coordinates(self):
        assert self.wanted(shaded(enable_clipping=1), PrimitiveType.TRIANGLES)[6]
        assert not self.wanted(shaded(), PrimitiveType.TRIANGLES)[6]

    def test_nv_has_them_with_a_header(self):
        items = shaded(ControlCode.NV_SHADER_STATE, enable_clipping=1)
        assert not self.wanted(items, PrimitiveType.LINES)[6]
        items = shaded(ControlCode.NV_SHADER_STATE, enable_clipping=1, clip_coordinates_header_included=1)
        assert self.wanted(items, PrimitiveType.LINES)[6]

    def test_coordinates_are_what_they_are(self):
        found = self.wanted(shaded(enable_clipping=1, point_size_included=1), PrimitiveType.RHTS, coordinates=True)
        assert found[5:] == (None, False, [])

    def test_only_points_have_a_size(self):
        items = shaded(point_size_included=1)
        assert self.wanted(items, PrimitiveType.LINES)[5] is None
        assert self.wanted(items, PrimitiveType.POINTS)[5] is not None

    @pytest.mark.parametrize("codes", [(), (FRAME,), (FRAME, START, FRAME), (FRAME, START, ControlCode.FLUSH, START)])
    def test_outside_of_a_frame(self, codes):
        """Nothing is read."""
        items = ItemList()
        items.shader()
        for code in codes:
            items.record(code)
        assert self.wanted(items, PrimitiveType.TRIANGLES)[0] == "record"


class TestClocks:
    @pytest.mark.parametrize(
        ("fields", "type_", "coordinates", "clocks"),
        [
            ({}, PrimitiveType.TRIANGLES, False, 7),
            ({}, PrimitiveType.LINES, False, 6),
            ({"point_size_included": 1}, PrimitiveType.POINTS, False, 8),
            ({}, PrimitiveType.TRIANGLES, True, 4),
            ({"enable_clipping": 1}, PrimitiveType.TRIANGLES, False, 20),
            ({"enable_clipping": 1}, PrimitiveType.POINTS, False, 10),
        ],
    )
    def test_of_a_primitive(self, fields, type_, coordinates, clocks):
        items = shaded(**fields)
        for _ in range(5):
            items.primitive(type_, coordinates=coordinates)
        leave = check(items)
        assert leave[-1] - leave[-2] == clocks

    def test_of_records(self):
        items = ItemList()
        for _ in range(10):
            items.record(ControlCode.FLAT_SHADE_FLAGS)
        assert check(items) == list(range(1, 11))
