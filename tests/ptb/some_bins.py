"""Random binning lists: primitives of all kinds and sizes, from less than a pixel to the guard band, with any state between them."""

import struct

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import IndexType, PrimitiveMode, VgPrimitiveType
from vc4.records.state import BlockSize
from vc4sim.clist import ListBuilder, nv_shader_record, vg_shader_record
from vc4sim.model.memory import Memory

__all__ = ["SIZE", "some_bins"]

LISTS, RECORDS, INDICES, COORDINATES, VERTICES, STATES, POOL, SIZE = (
    *(0x100, 0x6000, 0x8000, 0x1_0000, 0x1_8000),
    *(0x4_0000, 0x6_0000, 0x10_0000),
)
_VERTEX_COUNT = 1200
_FLOATS = (0.0, 0.3, 1.0, 2.5, 40.0, 3000.0, 1e30, float("inf"), float("nan"), -4.0)
#: Of half of the viewport, in clip coordinates over W: sub-pixel, small, a tile, the viewport, the guard band, beyond.
_SIZES = (0.001, 0.01, 0.1, 0.5, 1.5, 12.0, 300.0)

#: Vertices of the first primitive of a list, and of each more; of a line loop the first one comes again.
_VERTICES = {
    "POINTS": (1, 1),
    "LINES": (2, 2),
    "LINE_LOOP": (1, 1),
    "LINE_STRIP": (2, 1),
    "RHTS": (2, 2),
    "RHT_STRIP": (2, 1),
}
_VERTICES |= {"TRIANGLES": (3, 3), "TRIANGLE_STRIP": (3, 1), "TRIANGLE_FAN": (3, 1)}


def _count(mode, vertices):
    """Primitives of a list."""
    first, more = _VERTICES[mode.name]
    return 1 + (vertices - first) // more


def _limited(value):
    return max(-32768, min(32767, int(value)))


class Bins:
    """Memory that is being filled."""

    def __init__(self, rng):
        self.rng = rng
        self.memory = Memory(SIZE, 0, rng.randbytes(1 << 12) * (SIZE >> 12))
        self.list = ListBuilder(LISTS)
        self.width, self.height = rng.choice((*3 * ((1, 1), (3, 2), (5, 4)), (12, 9), (12, 9), (24, 14)))
        self._next = {"record": RECORDS, "indices": INDICES, "coordinates": COORDINATES}
        self.scale = self.width * 32 * 16.0, self.height * 32 * 16.0

    def place(self, kind, data):
        """Puts bytes somewhere."""
        address = self._next[kind]
        self.memory.write(address, data)
        self._next[kind] += -(-len(data) // 16) * 16
        return address

    def configure(self):
        """What the list begins with; returns the end of the pool, which may be too small for more than its initial blocks."""
        rng = self.rng
        block, initial = (rng.choice(list(BlockSize)) for _ in range(2))
        least = self.width * self.height * (32 << initial.value)
        first = POOL + 32 * rng.randrange(8)
        size = least + rng.choice((0, 100, 4096, 4096 + 255, 3 * 4096, 0x4_0000))
        self.list.add(
            Code.TILE_BINNING_MODE_CONFIGURATION,
            tile_allocation_memory_address=first,
            tile_allocation_memory_size=size,
            tile_state_data_array_address=STATES,
            width=self.width,
            height=self.height,
            multisample_mode=rng.randrange(2),
            tile_buffer_64_bit_color_depth=rng.random() < 0.2,
            double_buffer_in_non_ms_mode=rng.random() < 0.2,
            auto_initialise_tile_state_data_array=1,
            tile_allocation_initial_block_size=initial,
            tile_allocation_block_size=block,
        )
        return first + size

    def vertices(self, sized):
        """Shaded ones, with clip coordinates: near to each other, or not."""
        rng, data = self.rng, []
        x = y = 0.0
        for _ in range(_VERTEX_COUNT):
            if rng.random() < 0.2:
                x, y = rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2)
            spread = rng.choice(_SIZES)
            w = rng.choice(
                (1.0, 1.0, 1.0, 1.0, rng.uniform(0.1, 9), rng.uniform(0.1, 9), rng.choice((-1.0, 0.0, 1e-30)))
            )
            own = x + rng.uniform(-spread, spread), y + rng.uniform(-spread, spread)
            z = rng.choice((rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1.3, 1.3), 1.0, -1.0)) * w
            screen = (_limited(value * scale) for value, scale in zip(own, self.scale, strict=True))
            words = [own[0] * w, own[1] * w, z, w]
            if rng.random() < 0.002:
                words[rng.randrange(4)] = rng.choice(_FLOATS)
            data.append(struct.pack("<4f2h2f", *words, *screen, 0.5, 1.0))
            if sized:
                data.append(struct.pack("<f", rng.choice(_FLOATS) if rng.random() < 0.1 else rng.uniform(0, 20)))
        return b"".join(data)

    def shader(self):
        """A state with vertices."""
        rng, sized = self.rng, self.rng.randrange(2)
        record = nv_shader_record(
            point_size_included=sized,
            clip_coordinates_header_included=1,
            enable_clipping=rng.random() < 0.9,
            shaded_vertex_data_stride=32 + 4 * sized,
            fragment_shader_number_of_varyings=0,
            shaded_vertex_data_address=VERTICES + 0xC000 * sized,
        )
        self.list.add(Code.NV_SHADER_STATE, shader_record_address=self.place("record", record))

    def state(self):
        """Something that counts for binning, or that only tile lists have."""
        rng, out = self.rng, self.list
        match rng.randrange(9):
            case 0:
                out.add(Code.FLAT_SHADE_FLAGS, flat_shading_flags=rng.randrange(1 << 20))
            case 1:
                out.add(Code.POINT_SIZE, point_size=rng.choice(_FLOATS))
            case 2:
                out.add(Code.LINE_WIDTH, line_width=rng.choice(_FLOATS))
            case 3:
                out.add(
                    Code.VIEWPORT_OFFSET,
                    viewport_centre_x_coordinate=float(rng.choice((32 * self.width, rng.randrange(-99, 900)))),
                    viewport_centre_y_coordinate=float(rng.choice((32 * self.height, rng.randrange(-99, 900)))),
                )
            case 4:
                out.add(
                    Code.CLIP_WINDOW,
                    clip_window_left_pixel_coordinate=rng.randrange(200),
                    clip_window_bottom_pixel_coordinate=rng.randrange(200),
                    clip_window_width_in_pixels=rng.choice((0, rng.randrange(600))),
                    clip_window_height_in_pixels=rng.choice((0, rng.randrange(600))),
                )
            case 5:
                scale = [value * rng.choice((1.0, 1.0, 0.5, 7.0)) for value in self.scale]
                out.add(Code.CLIPPER_XY_SCALING, viewport_half_width=scale[0], viewport_half_height=scale[1])
            case 6:
                out.add(Code.CLIPPER_Z_SCALE_AND_OFFSET, viewport_z_scale=rng.uniform(0, 1), viewport_z_offset=0.5)
            case 7:
                out.add(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=rng.randrange(-1000, 9000) / 16)
            case 8:
                out.add(Code.CONFIGURATION_BITS, enable_forward_facing_primitive=rng.randrange(2))

    def draw(self):
        """A list; returns how many primitives it has."""
        rng, count = self.rng, self.rng.choice((3, 7, 30, 90))
        if rng.random() < 0.2:
            return self.coordinates(count)
        mode = rng.choice(list(PrimitiveMode))
        if rng.random() < 0.4:
            first = rng.randrange(_VERTEX_COUNT - count)
            self.list.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=count, index_of_first_vertex=first)
            return _count(mode, count)
        near, far = rng.randrange(40, _VERTEX_COUNT - 40), rng.choice((8, 40))
        indices = [near + rng.randrange(-far, far) for _ in range(count)]
        self.list.add(
            Code.INDEXED_PRIMITIVE_LIST,
            primitive_mode=mode,
            index_type=IndexType.BITS_16,
            length=count,
            indices_list_address=self.place("indices", struct.pack(f"<{count}H", *indices)),
            maximum_index=0xFFFF,
        )
        return _count(mode, count)

    def coordinates(self, count):
        """Of VG, whose shader state takes the place of the other one."""
        rng, words = self.rng, b""
        x, y = rng.randrange(-500, 3000), rng.randrange(-500, 3000)
        for _ in range(count):
            spread = rng.choice((5, 60, 500, 9000))
            words += struct.pack("<2h", *(_limited(value + rng.randrange(-spread, spread)) for value in (x, y)))
        mode = rng.choice(list(VgPrimitiveType))
        self.list.add(Code.VG_SHADER_STATE, shader_record_address=self.place("record", vg_shader_record()))
        self.list.add(
            Code.VG_COORDINATE_ARRAY_PRIMITIVES,
            primitive_type=mode,
            length=count,
            coordinate_array_address=self.place("coordinates", words),
        )
        self.shader()
        return _count(mode, count)


def some_bins(rng, primitives):
    """A list with so many primitives or a few more, as far as it has room: memory, registers that start it, and overspill for the host to give."""
    bins = Bins(rng)
    for sized in range(2):
        bins.memory.write(VERTICES + 0xC000 * sized, bins.vertices(sized))
    for _ in range(rng.randrange(12)):
        bins.state()
    end = bins.configure()
    bins.list.add(Code.START_TILE_BINNING)
    bins.shader()
    done = 0
    while done < primitives and bins.list.here < RECORDS - 0x200:
        for _ in range(rng.choice((0, 0, 1, 3))):
            bins.state()
        done += bins.draw()
    bins.list.add(rng.choice((Code.FLUSH, Code.FLUSH, Code.FLUSH_ALL_STATE)))
    bins.list.store(bins.memory)
    overspill = []
    while end < SIZE - 0x1_0400:
        size = rng.choice((4096, 4096 + 300, 0x3000, 0x1_0000))
        overspill.append((end, size))
        end += size + rng.choice((0, 0, 4, 1000))
    registers = (("CT0CA", LISTS), ("CT0EA", bins.list.here))
    return bins.memory.read(0, SIZE), registers, tuple(overspill)
