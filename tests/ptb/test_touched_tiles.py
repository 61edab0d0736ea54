"""`TouchedTiles` against the model: all tiles of all primitives, in their order, after the records that count."""

import random

import pytest

from vc4.ptb.structs import TileKind
from vc4.ptb.touched_tiles import TouchedTiles
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType

from ..model.shapes import bits
from ..simulation import simulation_of
from .tile_items import COUNTS, TileList

PATIENCE = 60


def read(value):
    """An item as `TileList` has it."""
    kind, body = value.kind, value.body
    if kind == TileKind.RECORD:
        return kind, body.record.code.value, body.record.payload
    if kind == TileKind.TILE:
        return kind, body.tile
    mine = body.primitive
    return kind, mine.type.value, mine.coordinates, tuple(mine.vertices), mine.made


def run(items, *, seed=1, gap=0.0, pause=0.0):
    """What comes out, each with its clock; and the clocks in which items went in."""
    rng = random.Random(seed)
    rig, dut = simulation_of(TouchedTiles)
    found, taken = [], []

    async def bench(ctx):
        left, offered, waited, clock = list(items), False, 0, 0
        kept = None
        while waited < PATIENCE or left or ctx.get(dut.busy):
            offered = bool(left) and (offered or rng.random() >= gap)
            if offered:
                ctx.set(dut.i.payload, left[0])
            ctx.set(dut.i.valid, offered)
            ready = rng.random() >= pause
            ctx.set(dut.o.ready, ready)
            value = read(ctx.get(dut.o.payload)) if ctx.get(dut.o.valid) else None
            assert kept is None or value == kept, "an item was changed while it waited"
            kept = None if ready else value
            moves = ready and value is not None
            takes = offered and ctx.get(dut.i.ready)
            assert ctx.get(dut.busy) or value is None
            await ctx.tick()
            if moves:
                found.append((value, clock))
            if takes:
                taken.append(clock)
                left.pop(0)
                offered = False
            clock += 1
            waited = 0 if moves or takes else waited + 1
            assert waited < 5 * PATIENCE + 40 * 256
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found, taken


def check(tiles, **options):
    """Returns the clocks."""
    found, taken = run(tiles.items, **options)
    for number, (ours, theirs) in enumerate(zip((value for value, _ in found), tiles.wanted, strict=False)):
        assert ours == theirs, number
    assert len(found) == len(tiles.wanted)
    return [clock for _, clock in found], taken


@pytest.mark.parametrize("count", [pytest.param(3, id="some"), pytest.param(20, id="many", marks=pytest.mark.thorough)])
def test_any(seeds, count):
    for seed in seeds(count):
        tiles = TileList(seed)
        tiles.fill(20)
        check(tiles, seed=seed, gap=tiles.rng.choice((0, 0.5)), pause=tiles.rng.choice((0, 0.3)))


@pytest.mark.thorough
def test_of_any_offset_and_size(seeds):
    """Positions, margins and frames at the ends of what there is."""
    for seed in seeds(1):
        tiles = TileList(seed)
        rng = tiles.rng
        ends = -0x8000, 0x7FFF, 0
        for _ in range(12):
            tiles.frame(rng.choice((1, 200, 255)), rng.choice((1, 6)), multisample_mode=rng.randrange(2))
            for code, names in (
                (ControlCode.VIEWPORT_OFFSET, ("viewport_centre_x_coordinate", "viewport_centre_y_coordinate")),
                (ControlCode.RHT_X_BOUNDARY, ("rht_primitive_x_boundary",)),
            ):
                tiles.record(code, **{name: rng.choice(ends) for name in names})
            tiles.record(ControlCode.LINE_WIDTH, bits(rng.choice((0, 3000, 16000, 1e9))))
            for _ in range(2):
                type_ = rng.choice(tuple(PrimitiveType))
                points = [(rng.choice(ends), rng.choice(ends)) for _ in range(COUNTS[type_])]
                tiles.primitive(type_, points, size=bits(rng.choice((1, 16000.0))), made=1)
        check(tiles, seed=seed)


def small_triangle(tiles, column=0, row=0):
    """Inside of a tile."""
    x, y = 1024 * column, 1024 * row
    return tiles.primitive(PrimitiveType.TRIANGLES, [(x + 20, y + 20), (x + 200, y + 30), (x + 100, y + 300)])


def frame(width=20, height=20, **values):
    tiles = TileList()
    tiles.frame(width, height, **values)
    return tiles


class TestTiles:
    """What is touched, by hand."""

    def tiles(self, items, type_, points, **options):
        found = items.primitive(type_, points, **options)
        check(items)
        return found

    def test_a_triangle_on_the_border_of_a_tile(self):
        """Its last column and row end where the next ones begin."""
        assert self.tiles(frame(), PrimitiveType.TRIANGLES, [(1024, 1024), (2048, 1024), (1024, 2048)]) == [21]

    def test_a_corner_that_an_edge_leaves_out(self):
        """A corner of tile 21 lies on the long edge."""
        triangle = [(0, 0), (2048, 0), (0, 2048)]
        assert self.tiles(frame(), PrimitiveType.TRIANGLES, triangle) == [0, 1, 20]
        assert self.tiles(frame(), PrimitiveType.TRIANGLES, triangle[::-1]) == [0, 1, 20]

    def test_a_sixteenth_more(self):
        assert self.tiles(frame(), PrimitiveType.TRIANGLES, [(0, 0), (2049, 0), (0, 2048)]) == [0, 1, 2, 20, 21]

    def test_no_area(self):
        assert self.tiles(frame(), PrimitiveType.TRIANGLES, [(0, 0), (300, 300), (100, 100)], made=5) == []

    def test_a_line_beside_a_tile(self):
        """Half a pixel, and half a one more."""
        line = [(100, 1024 + 15), (200, 1024 + 15)]
        assert self.tiles(frame(), PrimitiveType.LINES, line) == [0, 20]
        assert self.tiles(frame(), PrimitiveType.LINES, [(x, y + 1) for x, y in line]) == [20]

    def test_a_point_of_no_number(self):
        assert len(self.tiles(frame(3, 2), PrimitiveType.POINTS, [(0, 0)], size=0x7FC0_0000)) == 6

    def test_an_rht_to_its_boundary(self):
        items = frame(4, 4)
        items.record(ControlCode.RHT_X_BOUNDARY, rht_primitive_x_boundary=2100)
        assert self.tiles(items, PrimitiveType.RHTS, [(100, 100), (200, 900)]) == [0, 1, 2]

    def test_an_rht_to_its_boundary_without_the_offset(self):
        """And with it: whether the viewport moves the boundary does not matter."""
        items = frame(8, 4)
        items.record(ControlCode.RHT_X_BOUNDARY, rht_primitive_x_boundary=1100)
        items.record(ControlCode.VIEWPORT_OFFSET, viewport_centre_x_coordinate=3 * 1024)
        assert self.tiles(items, PrimitiveType.RHTS, [(100, 100), (200, 900)]) == [1, 2, 3, 4]

    def test_a_window_that_ends_with_a_tile(self):
        items = frame(4, 2)
        window = {"clip_window_width_in_pixels": 64, "clip_window_height_in_pixels": 64}
        items.record(ControlCode.CLIP_WINDOW, clip_window_left_pixel_coordinate=64, **window)
        assert self.tiles(items, PrimitiveType.POINTS, [(1024, 1024)], size=bits(200)) == [1]

    def test_a_window_without_a_limit(self):
        items = frame(4, 2)
        items.record(ControlCode.CLIP_WINDOW, clip_window_left_pixel_coordinate=70)
        assert self.tiles(items, PrimitiveType.TRIANGLES, [(0, 0), (4000, 0), (0, 1000)]) == [1, 2, 3]


class TestClocks:
    def test_of_a_triangle(self):
        """From when it is there, which is a clock after the frame: what it is, and its tile."""
        items = frame()
        small_triangle(items)
        (_, first, tile), (taken, _) = check(items)
        assert (first - taken, tile - taken) == (1 + 13, 1 + 14)

    @pytest.mark.parametrize(
        ("type_", "points", "clocks"),
        [
            (PrimitiveType.TRIANGLES, [(20, 20), (200, 30), (100, 300)], 8),
            (PrimitiveType.LINES, [(20, 20), (200, 30)], 9),
            (PrimitiveType.POINTS, [(20, 20)], 8),
            (PrimitiveType.RHTS, [(20, 20), (200, 30)], 9),
        ],
    )
    def test_of_small_ones(self, type_, points, clocks):
        items = frame()
        for _ in range(5):
            items.primitive(type_, points)
        leave, _ = check(items)
        assert leave[-1] - leave[-3] == clocks

    def test_of_a_tile(self):
        """One a clock, and one after each row but the first, which ends with the rectangle; then the next triangle."""
        items = frame()
        large = [(0, 0), (19 * 1024, 0), (0, 19 * 1024)]
        assert len(items.primitive(PrimitiveType.TRIANGLES, large)) == 190
        small_triangle(items)
        leave, _ = check(items)
        tiles = leave[2:192]
        assert tiles[-1] - tiles[0] == 189 + 17
        assert leave[192] - tiles[-1] == 8

    def test_of_records(self):
        items = frame()
        for number in range(10):
            items.record(ControlCode.FLAT_SHADE_FLAGS, flat_shading_flags=number)
        leave, taken = check(items)
        assert leave == [clock + 1 for clock in taken] == list(range(1, 12))
