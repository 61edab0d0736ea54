"""Tile lists that the binner writes, against what went in."""

import random
import struct

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import IndexType, PrimitiveMode, PrimitiveType, VgPrimitiveType
from vc4sim.clist import ListBuilder, nv_shader_record, vg_shader_record
from vc4sim.model.memory import Memory

from ..binning import (
    ALLOCATION,
    LISTS,
    RECORDS,
    SIZE,
    STATES,
    TILE,
    bin_list,
    configure,
    drawn_in,
    nv_vertex,
    read_tiles,
    wanted,
)

VERTICES, INDICES, COORDINATES = RECORDS + 0x1000, RECORDS + 0x1_8000, RECORDS + 0x2_8000
SHADERS = [RECORDS + 16 * number for number in range(4)]
ALLOWED = [range(ALLOCATION, SIZE), range(STATES, STATES + 0x4000)]
NV_BYTES = 12


def random_points(rng, count, reach):
    """Positions: some near to each other, some anywhere, some on edges of tiles."""
    points = []
    while len(points) < count:
        x, y = rng.randrange(-reach, 5 * TILE), rng.randrange(-reach, 4 * TILE)
        if rng.random() < 0.2:
            x, y = x // TILE * TILE, y // 16 * 16
        spread = rng.choice((20, 200, 2000))
        points += [
            (max(min(x + rng.randrange(-spread, spread), 32767), -32768), y + rng.randrange(-spread, spread))
            for _ in range(rng.randrange(1, 8))
        ]
    return points[:count]


class RandomFrame:
    """A binning list with about `primitives` primitives, in draws with random state between them."""

    def __init__(self, rng, primitives, **configuration):
        self.memory = Memory(SIZE)
        self.points = random_points(rng, 6000, TILE)
        self.memory.write(VERTICES, b"".join(nv_vertex(x, y) for x, y in self.points))
        for address in SHADERS[:3]:
            record = nv_shader_record(shaded_vertex_data_stride=NV_BYTES, shaded_vertex_data_address=VERTICES)
            self.memory.write(address, record)
        self.memory.write(SHADERS[3], vg_shader_record())
        self.lists = ListBuilder(LISTS)
        configure(self.lists, **configuration)
        self.lists.add(Code.FLAT_SHADE_FLAGS, flat_shading_flags=7)
        self.lists.add(Code.START_TILE_BINNING)
        self.lists.add(Code.NV_SHADER_STATE, shader_record_address=SHADERS[0])
        self.next_index, self.next_word = INDICES, COORDINATES
        done = 0
        while done < primitives:
            for _ in range(rng.choice((0, 0, 1, 3))):
                self.random_state(rng)
            done += self.random_draw(rng)
            assert self.lists.here < RECORDS
        self.lists.add(Code.FLUSH)
        self.lists.store(self.memory)

    def random_state(self, rng):
        lists = self.lists
        match rng.randrange(6):
            case 0:
                lists.add(Code.FLAT_SHADE_FLAGS, flat_shading_flags=rng.randrange(4))
            case 1:
                lists.add(Code.POINT_SIZE, point_size=rng.choice((0.125, 1.0, 7.5, 100.0)))
            case 2:
                lists.add(Code.LINE_WIDTH, line_width=rng.choice((0.5, 1.0, 20.0)))
            case 3:
                lists.add(
                    Code.VIEWPORT_OFFSET,
                    viewport_centre_x_coordinate=float(rng.randrange(-50, 50)),
                    viewport_centre_y_coordinate=rng.randrange(1000),
                )
            case 4:
                lists.add(
                    Code.CLIP_WINDOW,
                    clip_window_left_pixel_coordinate=rng.randrange(100),
                    clip_window_bottom_pixel_coordinate=rng.randrange(100),
                    clip_window_width_in_pixels=rng.randrange(1, 300),
                    clip_window_height_in_pixels=rng.randrange(1, 300),
                )
            case 5:
                lists.add(Code.NV_SHADER_STATE, shader_record_address=rng.choice(SHADERS[:3]))

    def random_draw(self, rng):
        """A list of primitives; returns how many vertices it has."""
        count, mode = rng.choice((3, 7, 30, 120)), rng.choice(list(PrimitiveMode))
        match rng.randrange(4):
            case 0:
                values = [rng.randrange(len(self.points)) for _ in range(count)]
            case 1:
                first = rng.randrange(len(self.points) - 200)
                values = [first + min(max(n + rng.randrange(-3, 8), 0), 199) for n in range(count)]
            case 2:
                first = rng.randrange(len(self.points) - count)
                self.lists.add(
                    Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=count, index_of_first_vertex=first
                )
                return count
            case _:
                return self.random_coordinates(rng, count)
        self.memory.write(self.next_index, struct.pack(f"<{count}H", *values))
        self.lists.add(
            Code.INDEXED_PRIMITIVE_LIST,
            primitive_mode=mode,
            index_type=IndexType.BITS_16,
            length=count,
            indices_list_address=self.next_index,
            maximum_index=0xFFFF,
        )
        self.next_index += 2 * count
        return count

    def random_coordinates(self, rng, count):
        data = b"".join(struct.pack("<hh", *point) for point in random_points(rng, count, TILE))
        self.memory.write(self.next_word, data)
        self.lists.add(Code.VG_SHADER_STATE, shader_record_address=SHADERS[3])
        self.lists.add(
            Code.VG_COORDINATE_ARRAY_PRIMITIVES,
            primitive_type=rng.choice((VgPrimitiveType.TRIANGLES, VgPrimitiveType.TRIANGLE_STRIP)),
            length=count,
            coordinate_array_address=self.next_word,
        )
        self.lists.add(Code.NV_SHADER_STATE, shader_record_address=rng.choice(SHADERS[:3]))
        self.next_word += 4 * count
        return count


def halves(word):
    return struct.unpack("<hh", struct.pack("<I", word))


def place(frame, drawn, own):
    """Corners of a primitive in the frame, and how far it may reach beyond them."""
    primitive = drawn.primitive
    points = [halves(v) if primitive.coordinates else frame.points[v] for v in primitive.vertices]
    if Code.VIEWPORT_OFFSET in own:
        fields = own[Code.VIEWPORT_OFFSET].fields
        x, y = fields.viewport_centre_x_coordinate, fields.viewport_centre_y_coordinate
        points = [(px + x, py + y) for px, py in points]
    match primitive.type:
        case PrimitiveType.POINTS:
            return points, 8 * size_of(own, Code.POINT_SIZE, "point_size")
        case PrimitiveType.LINES:
            return points, 8 * max(size_of(own, Code.LINE_WIDTH, "line_width"), 1)
    return points, 0


def size_of(own, code, name):
    return struct.unpack("<f", struct.pack("<I", getattr(own[code].fields, name)))[0] if code in own else 1.0


def window_of(own):
    if Code.CLIP_WINDOW not in own:
        return 0, 0, 1 << 20, 1 << 20
    left, bottom, width, height = vars(own[Code.CLIP_WINDOW].fields).values()
    return left, bottom, left + width, bottom + height


def check_frame(frame, width=4, height=3, tile_width=64, tile_height=64, block=32):
    """Every tile has what it must, in the order of the list, with its state, and nothing that it must not."""
    drawn, prefix, own = drawn_in(frame.memory, LISTS, frame.lists.here)
    tiles = read_tiles(frame.memory, ALLOCATION, block, width, height, prefix)
    cursors, counts = [0] * len(tiles), 0
    for item, state in zip(drawn, own, strict=True):
        points, margin = place(frame, item, state)
        slack = 9 if item.primitive.type is PrimitiveType.LINES else 1 if margin else 0
        left, bottom, right, top = window_of(state)
        low, high = min(y for _, y in points) - margin - slack, max(y for _, y in points) + margin + slack
        for tile, found in enumerate(tiles):
            column, row = tile % width, tile // width
            x, y = column * tile_width, row * tile_height
            listed = cursors[tile] < len(found) and found[cursors[tile]].key == item.key
            outside = x >= right or x + tile_width <= left or y >= top or y + tile_height <= bottom
            must = may = False
            if not outside and y * 16 <= high and (y + tile_height) * 16 >= low:
                rectangle = 16 * x, 16 * y, 16 * (x + tile_width), 16 * (y + tile_height)
                must = wanted(item.primitive.type, points, margin, rectangle)[0]
                may = wanted(item.primitive.type, points, margin + slack, rectangle)[1]
            assert listed or not must, (item, points, margin, tile)
            # The same primitive may follow once more, where it must be.
            if listed and may:
                cursors[tile] += 1
                counts += 1
    assert cursors == [len(found) for found in tiles]
    return counts


def check_random(primitives, **configuration):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    found = 0
    while primitives > 0:
        size = min(primitives, 2500)
        frame = RandomFrame(rng, size, **configuration)
        bin_list(frame.memory, LISTS, frame.lists.here, ALLOWED)
        found += check_frame(frame)
        primitives -= size
    return found


@pytest.mark.parametrize(
    "count", [2_000, pytest.param(10_000, marks=pytest.mark.thorough), pytest.param(100_000, marks=pytest.mark.slow)]
)
def test_tile_lists_have_what_went_in(count):
    assert check_random(count) > 0.3 * count
