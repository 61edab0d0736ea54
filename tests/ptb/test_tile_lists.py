"""`TileLists` against the model: after each flush, all of memory is the same."""

import random

import pytest

from vc4.records.control import RECORDS, Role, Threads
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveData, PrimitiveMode, PrimitiveType, VgPrimitiveType
from vc4.records.shaders import CLIPPED_VERTEX_BYTES
from vc4.records.state import BlockSize
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.primitives import Primitive

from .list_bench import BASE, SIZE, Drop, Host, Lists, Placed, record

STATES, POOL = BASE + 0x1000, BASE + 0x2_0000
SPARE = BASE + 0x10_0000
VERTICES = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}
START, FLUSH, FLUSH_ALL = record(Code.START_TILE_BINNING), record(Code.FLUSH), record(Code.FLUSH_ALL_STATE)


def configuration(width=4, height=3, size=0x8_0000, initial=0, block=0, auto=1, pool=POOL, states=STATES):
    return record(
        Code.TILE_BINNING_MODE_CONFIGURATION,
        tile_allocation_memory_address=pool,
        tile_allocation_memory_size=size,
        tile_state_data_array_address=states,
        width=width,
        height=height,
        auto_initialise_tile_state_data_array=auto,
        tile_allocation_initial_block_size=BlockSize(initial),
        tile_allocation_block_size=BlockSize(block),
    )


STATE_KINDS = [
    one for one in RECORDS.values() if one.role in (Role.SHADER, Role.STATE) and Threads.BINNING in one.threads
]


def some_state(rng):
    kind = rng.choice(STATE_KINDS)
    while True:
        try:
            fields = packing(kind.layout).unpack(rng.getrandbits(8 * kind.length - 8))
            packing(kind.layout).pack(**vars(fields))
            return ControlRecord(0, kind, fields)
        except ValueError:
            continue


def some_form(rng):
    """A record that says what compressed lists hold."""
    match rng.randrange(4):
        case 0:
            kind, coordinates = rng.choice([*((one, False) for one in PrimitiveType), (PrimitiveType.RHTS, True)])
            what = PrimitiveData.COORDINATES if coordinates else PrimitiveData.INDEX_16
            return record(Code.PRIMITIVE_LIST_FORMAT, primitive_type=kind, data_type=what)
        case 1:
            return record(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=rng.choice(list(PrimitiveMode)), length=3)
        case 2:
            return record(Code.VG_INLINE_PRIMITIVES, primitive_type=rng.choice(list(VgPrimitiveType)))
        case _:
            return record(Code.COMPRESSED_PRIMITIVE_LIST)


class Scene:
    """Random items of a frame."""

    def __init__(self, rng, tiles):
        self.rng = rng
        self.tiles = tiles
        self.last = [0, 0, 0]
        self.form = PrimitiveType.TRIANGLES, False

    def vertex(self, coordinates):
        rng = self.rng
        reach = rng.choice((2, 20, 300, 0x8000))
        old = rng.choice(self.last)
        if not coordinates:
            return (old + rng.randrange(-reach, reach)) & 0xFFFF
        return (old + rng.randrange(-reach, reach) & 0xFFFF) | (
            (old >> 16) + rng.randrange(-reach, reach) & 0xFFFF
        ) << 16

    def primitive(self, most_tiles=4):
        rng = self.rng
        if rng.random() < 0.05:
            self.form = rng.choice(
                [
                    *((kind, False) for kind in PrimitiveType),
                    (PrimitiveType.TRIANGLES, True),
                    (PrimitiveType.RHTS, True),
                ]
            )
        kind, coordinates = self.form
        vertices = [self.vertex(coordinates) for _ in range(VERTICES[kind])]
        if rng.random() < 0.5:
            vertices[:-1] = [
                value & (0xFFFF_FFFF if coordinates else 0xFFFF) for value in rng.sample(self.last, len(vertices) - 1)
            ]
        self.last = ([*vertices, *self.last])[:3]
        made, data = 0, b""
        if rng.random() < 0.1 and not coordinates and kind is not PrimitiveType.POINTS:
            made = rng.randrange(1, 1 << len(vertices))
            data = b"".join(made_vertex(rng) for _ in range(made.bit_count()))
        tiles = tuple(rng.choice(self.tiles) for _ in range(rng.randrange(1, most_tiles + 1)))
        return Placed(Primitive(kind, tuple(vertices), coordinates), tiles, made, data)

    def items(self, count):
        rng, found = self.rng, []
        for _ in range(count):
            roll = rng.random()
            if roll < 0.1:
                found += [some_state(rng) for _ in range(rng.choice((1, 1, 4)))]
            elif roll < 0.15:
                found.append(some_form(rng))
            elif roll < 0.2:
                found.append(Drop(rng.randrange(8)))
            else:
                found.append(self.primitive())
        return found


def made_vertex(rng):
    """What memory has of a vertex that clipping has made."""
    return rng.randbytes(24) + bytes(CLIPPED_VERTEX_BYTES - 24)


def triangle(*vertices, tiles=(0,)):
    return Placed(Primitive(PrimitiveType.TRIANGLES, vertices), tiles)


def test_an_empty_frame():
    Lists(random.Random(1)).run([configuration(), START, FLUSH])


def test_a_flush_without_a_frame():
    Lists(random.Random(1)).run([FLUSH, FLUSH_ALL, configuration(), FLUSH, FLUSH])


def test_a_primitive():
    Lists(random.Random(1)).run([configuration(), START, triangle(1, 2, 3), triangle(2, 3, 5), FLUSH])


@pytest.mark.parametrize("count", [50, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("gaps", [pytest.param(0.0, marks=pytest.mark.thorough), 0.3])
def test_any_items(count, gaps, seeds):
    for seed in seeds(1 if count < 100 else 3):
        rng = random.Random(seed)
        width, height = rng.choice(((1, 1), (4, 3), (2, 2), *[(20, 10)] * (count > 100)))
        tiles = [rng.randrange(width * height) for _ in range(5)]
        tiles += [(tile + 128) % (width * height) for tile in tiles[:2]]
        scene = Scene(rng, tiles)
        items = []
        for _ in range(2):
            sizes = {"initial": rng.randrange(4), "block": rng.randrange(4)}
            items += [*(some_state(rng) for _ in range(3)), configuration(width, height, **sizes)]
            items += [some_state(rng), START, *scene.items(count // 2), rng.choice((FLUSH, FLUSH_ALL))]
        lists = Lists(rng, latency=rng.choice((0, 3, 40)), gap=gaps, pause=gaps)
        lists.run(items)


def many(rng, count, tiles=12):
    """Triangles that no short coding fits: their lists grow fast."""
    return [triangle(*rng.sample(range(0x10000), 3), tiles=tuple(rng.sample(range(tiles), 3))) for _ in range(count)]


def clipped(rng, made):
    """A triangle, some of whose vertices clipping has made."""
    data = b"".join(made_vertex(rng) for _ in range(made.bit_count()))
    vertices = tuple(rng.sample(range(100), 3))
    return Placed(Primitive(PrimitiveType.TRIANGLES, vertices), tuple(rng.sample(range(12), 2)), made, data)


@pytest.mark.thorough
class TestMemory:
    @pytest.mark.parametrize(
        ("initial", "block"),
        [(0, 3), (3, 1), *(pytest.param(n, m, marks=pytest.mark.thorough) for n, m in ((1, 2), (2, 0)))],
    )
    def test_sizes_of_blocks(self, initial, block):
        rng = random.Random(10 * initial + block)
        Lists(rng).run([configuration(initial=initial, block=block), START, *many(rng, 40), FLUSH])

    @pytest.mark.thorough
    @pytest.mark.parametrize("gaps", [0.0, 0.3])
    def test_overspill(self, gaps, seeds):
        """A pool without a chunk, and small pieces near to it and far away, not aligned; too small ones are refused."""
        for seed in seeds(1):
            rng = random.Random(seed)
            overspill = []
            place = POOL + 0x1000
            for _ in range(7):
                place += rng.choice((0, 0, 3, 0x1FD, 0x1000))
                size = rng.choice((4096, 4096 + 255, 0x1800))
                if size - (-place % 256) < 4096:
                    overspill.append((place, size))
                    size = 0x2000
                overspill.append((place, size))
                place += size
                if rng.random() < 0.2:
                    place = SPARE + rng.randrange(0x20_0000)
            lists = Lists(rng, gap=gaps, pause=gaps)
            items = [configuration(size=rng.choice((0x180, 0x1000, 0x1180)), block=rng.randrange(4)), START]
            while True:
                items += [clipped(rng, 7) for _ in range(4)] + many(rng, 4)
                _, fails, _, waited = lists.expect([*items, FLUSH], overspill)
                assert not fails
                if waited >= 3:
                    break
            lists.run([*items, FLUSH], overspill[:waited])
            assert lists.waits
            assert lists.spills == sum(size - (-place % 256) >= 4096 for place, size in overspill[:waited])

    def test_overspill_that_was_refused(self, seeds):
        """Its size would be enough with the address of the next piece, which the host writes first; that is all of a short piece."""
        for seed in seeds(1):
            rng = random.Random(seed)
            lists = Lists(rng)
            items = [configuration(size=0x180), START, *many(rng, 60), FLUSH]
            overspill = [(SPARE + 4, 0x1000), (SPARE + 0x100, 0x800), (SPARE + 0x1000, 0x4000)]
            *_, waited = lists.expect(items, overspill)
            assert waited == len(overspill)
            lists.run(items, overspill)
            assert lists.spills == 1

    def test_given_before(self):
        """Nothing is asked for."""
        rng = random.Random(1)
        lists = Lists(rng)
        lists.run([configuration(size=0x180), Host(SPARE, 0x2_0000), START, *many(rng, 30), FLUSH])
        assert not lists.waits
        assert lists.spills == 1

    def test_a_block_that_is_too_far_away(self):
        """More than a megabyte: the compressed list ends, and a record branches."""
        rng = random.Random(1)
        lists = Lists(rng)
        lists.run([configuration(size=0x180), Host(BASE + 0x30_0000, 0x2_0000), START, *many(rng, 20), FLUSH])
        near = Lists(rng)
        near.run([configuration(size=0x180), Host(BASE + 0xF_0000, 0x2_0000), START, *many(rng, 30), FLUSH])

    def test_vertices_that_clipping_has_made(self):
        """Chunks of their own, also when the pool has none any more."""
        rng = random.Random(1)
        items = [item for made in [*range(1, 8)] * 6 for item in (clipped(rng, made), Drop(made))]
        lists = Lists(rng, pause=0.2)
        items = [configuration(size=0x1180), START, *items, FLUSH]
        overspill = [(SPARE + 0x2000 * number, 0x1000) for number in range(6)]
        *_, waited = lists.expect(items, overspill)
        lists.run(items, overspill[:waited])
        assert lists.waits

    @pytest.mark.parametrize("states", [BASE + 0x1FE0, pytest.param(BASE + 0x1F9F, marks=pytest.mark.thorough)])
    def test_states_that_lie_in_two_pages(self, states):
        rng = random.Random(states)
        Lists(rng).run([configuration(4, 3, states=states), START, *many(rng, 20), FLUSH])


def test_tiles_with_the_same_place_in_the_cache():
    """States go to memory and come back."""
    rng = random.Random(1)
    items = [triangle(n, n + 1, n + 2, tiles=(0, 128, 1, 129, 129, 1, 0)) for n in range(8)]
    Lists(rng, latency=rng.choice((0, 20))).run([configuration(13, 10), START, *items, FLUSH])


@pytest.mark.parametrize("latency", [16, *(pytest.param(n, marks=pytest.mark.thorough) for n in (8, 24, 32))])
def test_states_that_come_while_others_are_stored(latency):
    """From memory, any number of clocks after the state of the tile before."""
    rng = random.Random(latency)
    items = [record(Code.LINE_WIDTH, line_width=1.0), triangle(1, 2, 3, tiles=(*range(20),))]
    again = [configuration(5, 4, auto=0), START, *items, FLUSH_ALL]
    Lists(rng, latency=latency, gap=0.2).run([configuration(5, 4), START, FLUSH, *again])


class TestFrames:
    def test_without_a_flush(self):
        """What was written is in memory when the next frame ends."""
        rng = random.Random(1)
        first = [configuration(2, 2), START, *many(rng, 8, 4)]
        again = [configuration(2, 2, auto=0), START, *many(rng, 8, 4), FLUSH]
        Lists(rng).run([*first, *again])
        Lists(rng).run([*first, configuration(pool=SPARE, states=BASE), START, *many(rng, 5), FLUSH])

    def test_lists_go_on_without_initialising(self):
        rng = random.Random(1)
        Lists(rng).run(
            [configuration(), START, *many(rng, 9), FLUSH, configuration(auto=0), START, *many(rng, 9), FLUSH_ALL]
        )

    @pytest.mark.parametrize("seed", [0, 5, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(6, 20))])
    def test_states_that_somebody_has_changed(self, seed):
        """They point anywhere in the pool, or outside of it: that is an error."""
        rng = random.Random(seed)
        image = bytearray(rng.randbytes(SIZE))
        for tile in range(12):
            at = STATES - BASE + 48 * tile
            pointer = POOL + rng.randrange(0x1_0000)
            if seed == 5 and tile == 3:
                pointer = POOL - 1
            word = int.from_bytes(image[at : at + 8], "little") >> 28 << 28 | pointer & 0xFFF_FFFF
            image[at : at + 8] = word.to_bytes(8, "little")
        lists = Lists(rng, bytes(image))
        scene = Scene(rng, range(12))
        lists.run([configuration(auto=0, size=0x4_0000), START, *scene.items(40), rng.choice((FLUSH, FLUSH_ALL))])

    @pytest.mark.parametrize(
        "wrong",
        [
            {"size": 0x17F},
            {"size": 0},
            {"states": 0xFFFF_FFF0},
            {"states": 0xFFFF_FF80},
            {"pool": 0x1000_0000},
            {"states": BASE + SIZE - 0x30},
            {"pool": BASE + SIZE - 0x40},
        ],
        ids=str,
    )
    def test_wrong_configurations(self, wrong):
        """It stops: the first blocks do not fit, states or lists are after all addresses, elsewhere than the upper bits of the
        array's address say, or outside of memory.
        """
        rng = random.Random(1)
        lists = Lists(rng)
        lists.run([configuration(**wrong), START, *many(rng, 4), FLUSH])
        assert lists.failed
