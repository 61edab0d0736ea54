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

from .list_bench import BASE, Drop, Lists, Placed, record

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


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_any_items(count, gaps, seeds):
    for seed in seeds(2):
        rng = random.Random(seed)
        width, height = rng.choice(((1, 1), (4, 3), (2, 2), (20, 10)))
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
