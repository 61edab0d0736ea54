"""What the binner does with its memory: blocks, overspill, state of tiles, flushes, registers, errors."""

import random
import struct

import pytest

from vc4.records.compressed import ABSOLUTE, BRANCH, END
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import IndexType, PrimitiveMode, PrimitiveType, VgPrimitiveType
from vc4.records.shaders import TILE_STATE_BYTES
from vc4.records.state import BlockSize
from vc4sim.clist import ListBuilder, nv_shader_record, vg_shader_record
from vc4sim.clist.primitives import decompress
from vc4sim.damaged import whole_frame as frames
from vc4sim.model.cle.cle import Cle, Rest
from vc4sim.model.cle.compressed import ListFormat
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.ptb.binner import Binner
from vc4sim.model.ptb.tile_memory import TileMemory
from vc4sim.model.ptb.tile_state import TileStates
from vc4sim.model.v3d import V3D

from ..binning import (
    ALLOCATION,
    CONFIG,
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
)
from ..block_host import host_of

VERTICES, INDICES, COORDINATES = RECORDS + 0x100, RECORDS + 0x1_0000, RECORDS + 0x2_0000
ALLOWED = [range(ALLOCATION, SIZE), range(STATES, STATES + 0x1000)]
TRIANGLE = [(16, 16), (500, 16), (16, 500)]


class Scene:
    """A frame of 4 by 3 tiles with NV vertices; what is added to `lists` comes after the start of binning."""

    def __init__(self, points=TRIANGLE, *, start=True, clip=None, **configuration):
        self.memory = Memory(SIZE)
        header = {"clip_coordinates_header_included": 1, "enable_clipping": 1} if clip else {}
        record = nv_shader_record(
            shaded_vertex_data_stride=28 if clip else 12, shaded_vertex_data_address=VERTICES, **header
        )
        self.memory.write(RECORDS, record)
        self.memory.write(RECORDS + 16, vg_shader_record())
        clip = clip or [None] * len(points)
        self.memory.write(VERTICES, b"".join(nv_vertex(*point, c) for point, c in zip(points, clip, strict=True)))
        self.lists = ListBuilder(LISTS)
        configure(self.lists, **configuration)
        if start:
            self.start()
        self.next_index = INDICES

    def start(self):
        self.lists.add(Code.START_TILE_BINNING)
        self.lists.add(Code.NV_SHADER_STATE, shader_record_address=RECORDS)

    def draw(self, *indices, mode=PrimitiveMode.TRIANGLES):
        self.memory.write(self.next_index, struct.pack(f"<{len(indices)}H", *indices))
        self.lists.add(
            Code.INDEXED_PRIMITIVE_LIST,
            primitive_mode=mode,
            index_type=IndexType.BITS_16,
            length=len(indices),
            indices_list_address=self.next_index,
            maximum_index=0xFFFF,
        )
        self.next_index += 2 * len(indices)

    def store(self, flush=Code.FLUSH):
        self.lists.add(flush)
        self.lists.store(self.memory)

    def bin(self, flush=Code.FLUSH, overspill=(), allowed=ALLOWED):
        self.store(flush)
        self.binner = bin_list(self.memory, LISTS, self.lists.here, list(allowed), list(overspill))
        return self.binner

    def run(self):
        """Without any expectation."""
        self.binner = V3D(CONFIG, self.memory).binner
        self.cle = Cle(self.memory, self.binner, Recorder())
        self.again()

    def again(self):
        host_of(self.cle).write("CT0CA", LISTS)
        host_of(self.cle).write("CT0EA", self.lists.here)
        self.rest = self.cle.run(1_000_000)

    def tiles(self, block=32):
        """Indices of the primitives in each tile."""
        _, prefix, _ = drawn_in(self.memory, LISTS, self.lists.here)
        found = read_tiles(self.memory, ALLOCATION, block, 4, 3, prefix)
        return [[item.primitive.vertices for item in tile] for tile in found]

    def bytes(self, tile, length=32):
        return self.memory.read(ALLOCATION + 32 * tile, length)


def many(count):
    """Indices of triangles that no short coding fits: their lists grow fast."""
    rng = random.Random(count)
    return [index for _ in range(count) for index in rng.sample(range(3000), 3)]


def spread(count=3000):
    """Vertices all over the frame."""
    rng = random.Random(count)
    return [(rng.randrange(4 * TILE), rng.randrange(3 * TILE)) for _ in range(count)]


def check_all(scene, block=32):
    """Every triangle is in some tile, and tiles have them in order."""
    drawn, _, _ = drawn_in(scene.memory, LISTS, scene.lists.here)
    order = {item.primitive.vertices: number for number, item in enumerate(drawn)}
    seen = set()
    for tile in scene.tiles(block):
        numbers = [order[vertices] for vertices in tile]
        assert numbers == sorted(numbers)
        seen.update(numbers)
    assert seen == set(order.values())


class TestBlocks:
    @pytest.mark.parametrize("initial", list(BlockSize))
    @pytest.mark.parametrize("further", list(BlockSize))
    def test_sizes(self, initial, further):
        scene = Scene(spread(), tile_allocation_initial_block_size=initial, tile_allocation_block_size=further)
        scene.draw(*many(300))
        scene.bin()
        check_all(scene, 32 << initial.value)

    def test_the_pool_is_taken_in_chunks(self):
        scene = Scene(spread(), size=0x10_0000)
        scene.draw(*many(100))
        binner = scene.bin()
        first = ALLOCATION + 512  # twelve initial blocks, rounded up to 256 bytes
        taken = host_of(binner).read("BPCA") - first
        assert taken % 4096 == 0
        assert taken > 0
        assert host_of(binner).read("BPCS") == 0x10_0000 - 512 - taken

    def test_a_compressed_list_goes_on_in_the_next_block(self):
        scene = Scene()
        scene.draw(*[0, 1, 2] * 40)
        scene.bin()
        assert scene.tiles()[0] == [(0, 1, 2)] * 40
        block = scene.bytes(0)
        assert block[:2] == bytes([56, 0x12])
        assert block[2:8] == bytes([65, *struct.pack("<I", RECORDS), 48])
        assert block[8:15] == bytes([ABSOLUTE, 0, 0, 1, 0, 2, 0])
        items = list(decompress(scene.memory, ALLOCATION + 8, ListFormat(PrimitiveType.TRIANGLES)))
        assert [item.end - item.address for item in items if item.vertices][1:] == [2] * 39
        branches = [item for item in items if not item.vertices and not item.last]
        assert len(branches) == 1
        assert scene.memory.read(branches[0].address, 1)[0] == BRANCH
        assert branches[0].end == ALLOCATION + 512
        assert scene.memory.read(items[-1].address, 2) == bytes([END, 18])

    def test_a_block_that_is_too_far_away(self):
        """Two megabytes away: the list ends, and a record branches."""
        scene = Scene(spread(), size=0x1200)
        scene.draw(*many(300))
        scene.bin(overspill=[range(0x30_0000, 0x34_0000)], allowed=[range(ALLOCATION, ALLOCATION + 0x1200), ALLOWED[1]])
        check_all(scene)
        assert scene.binner.interrupts == {"INT_SPILLUSE"}

    def test_overspill_anywhere(self):
        """It is used from the next multiple of 256 on."""
        scene = Scene(spread(), size=512)
        scene.draw(*many(100))
        scene.bin(overspill=[range(0x20_0003, 0x30_0000)], allowed=[range(ALLOCATION, ALLOCATION + 512), ALLOWED[1]])
        check_all(scene)
        assert not any(scene.memory.read(0x20_0000, 0x100))
        assert host_of(scene.binner).read("BPCA") % 256 == 0

    def test_a_pool_at_the_end_of_all_addresses(self):
        """Its second half would be after them."""
        memory = Memory(0x8000, 0xFFFF_8000)
        owner = TileMemory(memory)
        owner.begin(range(0xFFFF_8000, 0x1_0000_8000), 0xFFFF_8000, range(0))
        addresses = []
        for _ in range(12):
            addresses += list_of(owner.take("blocks", 4096))
        assert addresses == [(0xFFFF_8000 + 4096 * n) % (1 << 32) for n in range(12)]
        assert owner.pool_address == 0x4000
        with pytest.raises(MemoryFault):
            owner.write(0x1_0000_0000, b"x")


def list_of(work):
    """What work waits for, and after it its value."""
    waits = []
    while True:
        try:
            waits.append(next(work))
        except StopIteration as stop:
            return [*waits, stop.value]


class TestCodings:
    def test_each_coding_of_triangles(self):
        """One, two, four and seven bytes."""
        points = [(16 * n, 16 + n * n * 7 % 101) for n in range(60)] + [(5, 5), (900, 5), (5, 900)] * 100
        scene = Scene(points)
        triangles = [(0, 1, 2), (2, 1, 9), (3, 2, 13), (50, 41, 30), (10, 100, 300), (100, 10, 302)]
        scene.draw(*[index for triangle in triangles for index in triangle])
        scene.bin()
        items = list(decompress(scene.memory, ALLOCATION + 8, ListFormat(PrimitiveType.TRIANGLES)))
        found = {item.vertices: item.end - item.address for item in items if item.vertices}
        assert found == dict(zip(triangles, (7, 1, 2, 4, 7, 1), strict=True))

    def test_lines_and_points(self):
        scene = Scene([(16 * n, 100) for n in range(60)])
        scene.draw(0, 1, 1, 2, 2, 9, 2, 7, 59, 50, 4, 58, mode=PrimitiveMode.LINES)
        scene.draw(5, 6, 59, 4, mode=PrimitiveMode.POINTS)
        scene.bin()
        assert scene.tiles()[0][:6] == [(0, 1), (1, 2), (2, 9), (2, 7), (59, 50), (4, 58)]
        assert scene.tiles()[0][6:] == [(5,), (6,), (59,), (4,)]


class TestState:
    def test_only_what_is_new_and_wanted(self):
        scene = Scene([*TRIANGLE, (TILE * 3, TILE * 2), (TILE * 3 + 100, TILE * 2), (TILE * 3, TILE * 2 + 100)])
        lists = scene.lists
        for flags in range(5):
            lists.add(Code.FLAT_SHADE_FLAGS, flat_shading_flags=flags)
            scene.draw(0, 1, 2)
        lists.add(Code.LINE_WIDTH, line_width=2.0)
        scene.draw(3, 4, 5)
        scene.draw(3, 4, 5)
        lists.add(Code.POINT_SIZE, point_size=2.0)
        scene.bin()
        assert scene.bytes(11)[:8] == bytes([56, 0x12, 65, *struct.pack("<I", RECORDS), 97])
        records = scene.bytes(11)[7:]
        assert records[:5] == bytes([97, 4, 0, 0, 0])
        assert records[5] == 99
        assert records[10] == 48
        drawn, prefix, _ = drawn_in(scene.memory, LISTS, scene.lists.here)
        tiles = read_tiles(scene.memory, ALLOCATION, 32, 4, 3, prefix)
        assert [item.state["FLAT_SHADE_FLAGS"][1] for item in tiles[0]] == [0, 1, 2, 3, 4]
        assert "LINE_WIDTH" not in tiles[0][-1].state
        assert [item.key for item in tiles[11]] == [item.key for item in drawn[5:]]

    def test_the_prefix_is_not_written(self):
        scene = Scene(start=False)
        scene.lists.add(Code.LINE_WIDTH, line_width=3.0)
        scene.start()
        scene.draw(0, 1, 2)
        scene.bin()
        assert bytes([99]) not in scene.bytes(0, 16)
        assert scene.tiles()[0] == [(0, 1, 2)]

    def test_a_new_format_comes_in_front_of_a_shader(self):
        scene = Scene()
        scene.draw(0, 1, 2)
        scene.draw(0, 1, mode=PrimitiveMode.LINES)
        scene.bin()
        shader = bytes([65, *struct.pack("<I", RECORDS)])
        assert scene.bytes(0)[15:23] == bytes([END, 56, 0x11]) + shader

    def test_flush_all_state(self):
        scene = Scene()
        scene.draw(0, 1, 2)
        scene.lists.add(Code.LINE_WIDTH, line_width=3.0)
        scene.lists.add(Code.CLIPPER_XY_SCALING, viewport_half_width=3.0)
        scene.bin(Code.FLUSH_ALL_STATE)
        shader, width = bytes([65, *struct.pack("<I", RECORDS)]), bytes([99, *struct.pack("<f", 3)])
        assert scene.bytes(5, 13) == bytes([56, 0x12]) + shader + width + bytes([18])
        assert scene.tiles() == [[(0, 1, 2)]] + [[]] * 11

    def test_state_of_a_tile_lies_in_memory(self):
        """It is read again for every primitive: one tile's state in place of another's, and the list goes on there."""
        scene = Scene()
        scene.draw(0, 1, 2)
        scene.store()
        scene.run()
        states = TileStates(TileMemory(scene.memory), STATES, 12)
        assert states.load(0).address == ALLOCATION + 17
        assert states.load(0).vertices == (0, 1, 2)
        assert states.load(5).address == ALLOCATION + 5 * 32 + 1
        assert states.load(5).room == 31
        assert scene.memory.read(STATES + 12 * TILE_STATE_BYTES, 0x100) == bytes(0x100)

    def test_pointers_have_28_bits(self):
        """What they lack comes from the address of the array."""
        memory = Memory(0x1000, 0x5000_0000)
        owner = TileMemory(memory)
        owner.begin(range(0x5000_0800, 0x5000_1000), 0x5000_0820, range(0x5000_0000, 0x5000_0030))
        states = TileStates(owner, 0x5000_0000, 1)
        states.initialise(0x9000_0800, 32)
        assert states.load(0).address == 0x5000_0800


class TestFlush:
    def test_every_tile_returns(self):
        scene = Scene()
        scene.bin()
        assert [scene.bytes(tile, 1)[0] for tile in range(12)] == [18] * 12
        assert scene.tiles() == [[]] * 12

    def test_nothing_is_binned_in_front_of_the_start_and_behind_the_flush(self):
        scene = Scene(start=False)
        scene.lists.add(Code.NV_SHADER_STATE, shader_record_address=RECORDS)
        scene.draw(0, 1, 2)
        scene.lists.add(Code.START_TILE_BINNING)
        scene.draw(1, 2, 0)
        scene.lists.add(Code.FLUSH)
        scene.draw(2, 0, 1)
        scene.lists.store(scene.memory)
        scene.run()
        assert scene.rest is Rest.STOPPED
        assert scene.cle.flush_count == 1
        assert scene.tiles()[0] == [(1, 2, 0)]

    def test_frames_follow_each_other(self):
        scene = Scene()
        scene.draw(0, 1, 2)
        scene.store()
        scene.run()
        first = bytes(scene.memory.data)
        scene.again()
        assert scene.cle.flush_count == 2
        assert bytes(scene.memory.data) == first

    def test_without_initialising_the_states(self):
        """Lists go on where those of the frame before have ended."""
        scene = Scene()
        scene.draw(0, 1, 2)
        scene.store()
        scene.run()
        again = Scene(auto_initialise_tile_state_data_array=0)
        again.draw(2, 1, 0)
        again.memory.write(STATES, scene.memory.read(STATES, 12 * TILE_STATE_BYTES))
        again.store()
        again.run()
        assert again.rest is Rest.STOPPED
        assert again.bytes(0, 17) == bytes(17)
        assert any(again.bytes(0)[17:])


class TestOverspill:
    ALLOWED = (range(ALLOCATION, ALLOCATION + 0x1200), ALLOWED[1])

    def scene(self):
        scene = Scene(spread(), size=0x1200)
        scene.draw(*many(600))
        return scene

    def test_blocks_as_the_host_gives_them(self):
        scene = self.scene()
        parts = [range(start, start + 0x1800) for start in range(0x20_0000, 0x30_0000, 0x2000)]
        scene.bin(overspill=parts, allowed=self.ALLOWED)
        check_all(scene)
        assert host_of(scene.binner).read("BPOS") == 0

    def test_given_before(self):
        scene = self.scene()
        scene.store()
        scene.binner = V3D(CONFIG, scene.memory).binner
        scene.cle = Cle(scene.memory, scene.binner, Recorder())
        host_of(scene.binner).write("BPOA", 0x20_0000)
        host_of(scene.binner).write("BPOS", 0x10_0000)
        scene.again()
        assert scene.rest is Rest.STOPPED
        assert scene.binner.interrupts == {"INT_SPILLUSE"}
        assert host_of(scene.binner).read("BPOA") == 0x20_0000
        assert host_of(scene.binner).read("BPCA") > 0x20_0000
        check_all(scene)

    def test_less_than_a_chunk_is_refused(self):
        scene = self.scene()
        scene.store()
        scene.run()
        assert scene.rest is Rest.WAITING
        assert scene.cle.threads[0].waits == "memory for tile lists"
        host_of(scene.binner).write("BPOA", 0x20_0000)
        host_of(scene.binner).write("BPOS", 4095)
        assert scene.cle.run(1000) is Rest.WAITING
        assert host_of(scene.binner).read("BPOS") == 4095
        host_of(scene.binner).write("BPOS", 0x10_0000)
        assert scene.cle.run(1_000_000) is Rest.STOPPED
        assert not scene.binner.out_of_memory
        check_all(scene)

    def test_an_address_does_not_count_with_the_size_before(self):
        scene = self.scene()
        scene.store()
        scene.run()
        host_of(scene.binner).write("BPOA", 0x20_0004)
        host_of(scene.binner).write("BPOS", 4096)
        assert scene.cle.run(1000) is Rest.WAITING
        host_of(scene.binner).write("BPOA", 0x20_0100)
        assert scene.cle.run(1000) is Rest.WAITING
        assert host_of(scene.binner).read("BPOS") == 4096
        host_of(scene.binner).write("BPOS", 0x10_0000)
        assert scene.cle.run(1_000_000) is Rest.STOPPED
        check_all(scene)

    def test_a_reset_gives_the_frame_up(self):
        scene = self.scene()
        scene.store()
        scene.run()
        assert host_of(scene.cle).read("PCS") & 1 << 8
        host_of(scene.cle).write("PCS", 1 << 4)
        assert not host_of(scene.cle).read("PCS") & 1 << 8
        host_of(scene.binner).write("BPOS", 0x10_0000)
        host_of(scene.binner).write("BPOA", 0x20_0000)
        scene.again()
        assert scene.rest is Rest.STOPPED
        check_all(scene)


class TestErrors:
    def fails(self, scene, what):
        scene.store()
        scene.run()
        assert scene.rest is Rest.WAITING
        assert what in scene.binner.error
        assert scene.cle.threads[0].waits == scene.binner.error
        assert scene.cle.flush_count == 0
        host_of(scene.cle).write("PCS", 1 << 4)
        assert scene.binner.error is None

    def test_initial_blocks_do_not_fit(self):
        self.fails(Scene(size=383), f"an initial block of a tile list at {ALLOCATION + 383:#010x}")

    def test_states_outside_of_memory(self):
        self.fails(Scene(tile_state_data_array_address=SIZE - 64), "a write of the binner")

    def test_a_vertex_outside_of_memory(self):
        scene = Scene()
        scene.memory.write(RECORDS + 12, struct.pack("<I", SIZE - 20))
        scene.draw(0, 1, 2)
        self.fails(scene, "shaded vertex at")

    def test_states_that_somebody_has_changed(self):
        """A pointer that leaves the memory of the binner is not followed."""
        scene = Scene(auto_initialise_tile_state_data_array=0)
        scene.memory.write(STATES, struct.pack("<II", LISTS, 0x100 << 8))
        scene.draw(0, 1, 2)
        self.fails(scene, f"a write of the binner at {LISTS:#010x} is outside")

    def test_a_shader_record_outside_of_memory(self):
        scene = Scene()
        scene.lists.add(Code.NV_SHADER_STATE, shader_record_address=SIZE)
        scene.draw(0, 1, 2)
        self.fails(scene, "shader record at")


class TestTiles:
    @pytest.mark.parametrize(
        ("values", "width", "height"),
        [
            ({}, 64, 64),
            ({"multisample_mode": 1}, 32, 32),
            ({"tile_buffer_64_bit_color_depth": 1}, 64, 32),
            ({"multisample_mode": 1, "tile_buffer_64_bit_color_depth": 1}, 32, 16),
            ({"double_buffer_in_non_ms_mode": 1}, 64, 32),
            ({"multisample_mode": 1, "double_buffer_in_non_ms_mode": 1}, 32, 32),
        ],
    )
    def test_sizes(self, values, width, height):
        """A small triangle in each tile."""
        points = []
        for tile in range(12):
            x, y = tile % 4 * width * 16, tile // 4 * height * 16
            points += [(x + 1, y + 1), (x + width * 16 - 1, y + 1), (x + 1, y + height * 16 - 1)]
        scene = Scene(points, **values)
        scene.draw(*range(36))
        scene.bin()
        assert scene.tiles() == [[(3 * tile, 3 * tile + 1, 3 * tile + 2)] for tile in range(12)]

    def test_triangles_without_an_area(self):
        scene = Scene([(0, 0), (100, 100), (200, 200), (0, 0)])
        scene.draw(0, 1, 2, 0, 3, 1, 1, 1, 1)
        scene.bin()
        assert scene.tiles() == [[]] * 12

    def test_rhts(self):
        scene = Scene()
        scene.lists.add(Code.VG_SHADER_STATE, shader_record_address=RECORDS + 16)
        scene.lists.add(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=200.0)
        scene.memory.write(COORDINATES, struct.pack("<4h", 16, 16, 100, TILE + 5))
        scene.lists.add(
            Code.VG_COORDINATE_ARRAY_PRIMITIVES,
            primitive_type=VgPrimitiveType.RHTS,
            length=2,
            coordinate_array_address=COORDINATES,
        )
        scene.bin()
        rht = (16 << 16 | 16, TILE + 5 << 16 | 100)
        assert scene.tiles() == [[rht]] * 8 + [[]] * 4


class TestClipping:
    CLIP = [(0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.5, 3.0, 1.0)]

    def scene(self, clip=CLIP):
        scene = Scene([(0, 0), (512, 0), (0, 512)], clip=clip)
        scene.lists.add(Code.CLIPPER_XY_SCALING, viewport_half_width=1024.0, viewport_half_height=1024.0)
        scene.lists.add(Code.CLIPPER_Z_SCALE_AND_OFFSET, viewport_z_scale=0.5, viewport_z_offset=0.5)
        scene.draw(0, 1, 2)
        scene.store()
        return scene

    def entries(self, scene):
        _, prefix, _ = drawn_in(scene.memory, LISTS, scene.lists.here)
        return [item.primitive for item in read_tiles(scene.memory, ALLOCATION, 32, 4, 3, prefix)[0]]

    def test_a_quadrangle_is_left(self):
        scene = self.scene()
        scene.run()
        entries = self.entries(scene)
        assert [entry.vertices for entry in entries] == [(0, 1, 2)] * 2
        assert scene.binner.events["PTB_PRIMITIVES_CLIPPED"] == 1
        records = [entry.clipped.fields for entry in entries if entry.clipped]
        assert [fields.clipped_vertices for fields in records] == [0b100, 0b110]
        addresses = [fields.clipped_primitive_data_address for fields in records]
        assert addresses == [ALLOCATION + 512, ALLOCATION + 544]
        assert struct.unpack("<hhf", scene.memory.read(addresses[0], 8)) == (341, 170, 1.0)

    def test_it_can_be_disabled(self):
        scene = self.scene()
        scene.binner = V3D(CONFIG, scene.memory).binner
        host_of(scene.binner).write("BXCF", 2)
        assert host_of(scene.binner).read("BXCF") == 2
        scene.cle = Cle(scene.memory, scene.binner, Recorder())
        scene.again()
        assert [entry.clipped for entry in self.entries(scene)] == [None]

    def test_outside(self):
        scene = self.scene([(0.0, 0.0, 2.0, 1.0)] * 3)
        scene.run()
        assert scene.binner.events["PTB_PRIMITIVES_OUTSIDE"] == 1
        assert self.entries(scene) == []

    def test_coordinates_that_are_no_numbers(self):
        scene = self.scene([(0.0, 0.0, float("nan"), 1.0), *self.CLIP[1:]])
        scene.run()
        assert scene.rest is Rest.STOPPED
        assert self.entries(scene) == []


def test_a_frame_with_everything():
    """All shaders and lists; every vertex that clipping has made is a mean of the old ones."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    memory, end = frames.frame(random.Random(seed))
    allowed = [
        range(frames.ALLOCATION, frames.ALLOCATION + frames.ALLOCATION_BYTES),
        range(frames.STATES, frames.STATES + 16 * TILE_STATE_BYTES),
    ]
    overspill = [range(frames.OVERSPILL, frames.OVERSPILL + frames.OVERSPILL_BYTES)]
    bin_list(memory, frames.LISTS, end, allowed, overspill)
    drawn, prefix, _ = drawn_in(memory, frames.LISTS, end)
    tiles = read_tiles(memory, frames.ALLOCATION, 32, 4, 4, prefix)
    keys = {item.key for item in drawn}
    assert all(item.key in keys for tile in tiles for item in tile)
    found = [item.primitive for tile in tiles for item in tile]
    assert {primitive.type for primitive in found} == set(PrimitiveType)
    assert any(primitive.clipped for primitive in found)
    assert any(primitive.coordinates for primitive in found)


def test_registers():
    binner = V3D(CONFIG, Memory(16)).binner
    for name in Binner.registers:
        host_of(binner).write(name, 0xFFFF_FFFF)
    assert [host_of(binner).read(name) for name in Binner.registers] == [0, 0, 0xFFFF_FFFF, 0xFFFF_FFFF, 3]
