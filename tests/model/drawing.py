"""Frames that tests write themselves: NV vertices and primitives right in the rendering list, no binner."""

import struct
from collections import deque
from dataclasses import replace

from vc4.config import PRESETS
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode, VgPrimitiveType
from vc4.records.state import CoverageUpdate, DepthTest, Oversample
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat, TileBuffer
from vc4sim.asm import assemble
from vc4sim.clist import ListBuilder, nv_shader_record, vg_shader_record
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

from .control_lists import words

__all__ = [
    "COLOUR",
    "Drawing",
    "END",
    "LIST",
    "PICTURE",
    "PLAIN",
    "SIZE",
    "STEPS",
    "WITH_Z",
]

SIZE = 1 << 19
LIST, RECORDS, CODE, UNIFORMS, VERTICES, PICTURE = 0x1000, 0x8000, 0xA000, 0xC000, 0x1_0000, 0x2_0000
STEPS = 200_000

#: The colour in the only varying, as a number; without and with the Z test.
COLOUR = "nop\nnop\nmov r0, vary\nfadd r0, r5, 0\nftoi r0, r0\n"
END = "thrend\nnop\nnop; sbdone\n"
PLAIN = COLOUR + "mov tlbc, r0\n"
WITH_Z = COLOUR + "mov tlbz, rb15\nmov tlbc, r0\n"


class Drawing:
    """A frame of `width` by `height` pixels in raster format at `PICTURE`, drawn tile by tile.

    errata : of the GPU
    behind : a drawing that is finished, whose GPU and memory this one has, too
    draws : what each tile's list has
    """

    def __init__(self, width=64, height=64, errata=(), behind=None, **configuration):
        self.width, self.height = width, height
        self.memory = behind.memory if behind else Memory(SIZE)
        self.frame = behind.frame if behind else V3D(replace(PRESETS["bcm2835"], errata=errata), self.memory)
        self.list = ListBuilder(behind.list.here if behind else LIST)
        self.draws = ListBuilder(0)
        self._tile = (64, 64)
        first = {"record": RECORDS, "code": CODE, "uniforms": UNIFORMS, "vertices": VERTICES}
        self._next = behind._next if behind else first
        fields = {"frame_buffer_color_format": FrameColorFormat.RGBA8888, "memory_format": MemoryFormat.RASTER}
        if configuration.get("multisample_mode"):
            self._tile = (32, 32)
        elif configuration.get("double_buffer_in_non_ms_mode"):
            self._tile = (64, 32)
        self.list.add(
            Code.TILE_RENDERING_MODE_CONFIGURATION,
            memory_address=PICTURE,
            width=width,
            height=height,
            **(fields | configuration),
        )
        self.state(Code.CLIP_WINDOW, clip_window_width_in_pixels=width, clip_window_height_in_pixels=height)

    def _place(self, kind, data):
        address = self._next[kind]
        self.memory.write(address, data)
        self._next[kind] += -(-len(data) // 16) * 16
        return address

    def state(self, code, **fields):
        """A record of state for all tiles."""
        self.draws.add(code, **fields)

    def configure(self, *, depth=DepthTest.ALWAYS, z=False, oversample=Oversample.NONE, coverage=None, **bits):
        """Configuration bits."""
        self.state(
            Code.CONFIGURATION_BITS,
            enable_forward_facing_primitive=bits.pop("front", 1),
            enable_reverse_facing_primitive=bits.pop("back", 1),
            depth_test_function=depth,
            z_updates_enable=int(z),
            rasteriser_oversample_mode=oversample,
            coverage_pipe_select=int(coverage is not None),
            coverage_update_mode=coverage or CoverageUpdate.NONZERO,
            **bits,
        )

    def shader(self, source, vertices=(), uniforms=(), *, point_size=0, end=END):
        """A shader state. Vertices are x, y in pixels, z, 1/W, [size,] varyings."""
        code = self._place("code", assemble(source + end).code)
        words = self._place("uniforms", struct.pack(f"<{len(uniforms)}I", *uniforms) or bytes(4))
        if not vertices:
            data = vg_shader_record(fragment_shader_code_address=code, fragment_shader_uniforms_address=words)
            self.state(Code.VG_SHADER_STATE, shader_record_address=self._place("record", data))
            return
        stride = 4 * (len(vertices[0]) - 1)
        data = b"".join(struct.pack(f"<2h{len(v) - 2}f", round(16 * v[0]), round(16 * v[1]), *v[2:]) for v in vertices)
        record = nv_shader_record(
            point_size_included=point_size,
            shaded_vertex_data_stride=stride,
            fragment_shader_number_of_varyings=len(vertices[0]) - 4 - point_size,
            fragment_shader_code_address=code,
            fragment_shader_uniforms_address=words,
            shaded_vertex_data_address=self._place("vertices", data),
        )
        self.state(Code.NV_SHADER_STATE, shader_record_address=self._place("record", record))

    def draw(self, count, mode=PrimitiveMode.TRIANGLES, first=0):
        """Vertices of the last shader state."""
        self.state(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=count, index_of_first_vertex=first)

    def triangles(self, source, *triangles, uniforms=()):
        """Triangles of one colour each: x, y pairs, Z, colour."""
        vertices = [(*corner, z, 1.0, float(colour)) for *corners, z, colour in triangles for corner in corners]
        self.shader(source, vertices, uniforms)
        self.draw(len(vertices))

    def rectangle(self, source, left, low, right, high, z=0.5, colour=1, uniforms=()):
        """Two triangles."""
        a, b, c, d = (left, low), (right, low), (right, high), (left, high)
        self.triangles(source, (a, b, c, z, colour), (a, c, d, z, colour), uniforms=uniforms)

    def covered(self, *widths):
        """Rectangles of coverage, eight pixels high, from (8, 8) on: each is added, and then read by a fragment shader."""
        self.configure(coverage=CoverageUpdate.OR)
        self.shader("nop\nnop\nnop; loadcv\nmov tlbc, r4\n")
        for width in widths:
            self.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLE_FAN)
            corners = [(8, 8), (8 + width, 8), (8 + width, 16), (8, 16)]
            self.draws.raw(words(*(y << 20 | x << 4 for x, y in corners), 0xBFFF_0000))
            self.configure()

    def clear(self, colour=0, z=0xFFFFFF, stencil=0, mask=0):
        """What the tile buffer is cleared to, from the first tile on."""
        self.list.add(
            Code.CLEAR_COLORS,
            clear_color_0=colour,
            clear_color_1=colour,
            clear_zs=z,
            clear_stencil=stencil,
            clear_vg_mask=mask,
        )
        self.list.add(Code.TILE_COORDINATES)
        self.list.add(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.NONE)

    def finish(self, before=(), stores=()):
        """All tiles: loads before them, further stores after them, and the frame."""
        self.draws.add(Code.RETURN_FROM_SUB_LIST)
        sub_list = self._place("code", bytes(self.draws.data))
        columns, rows = -(-self.width // self._tile[0]), -(-self.height // self._tile[1])
        tiles = deque((column, row) for row in range(rows) for column in range(columns))
        while tiles:
            column, row = tiles.popleft()
            where = {"tile_column_number": column, "tile_row_number": row}
            for code, fields in before:
                self.list.add(code, **fields)
            self.list.add(Code.TILE_COORDINATES, **where)
            self.list.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=sub_list)
            for code, fields in stores:
                self.list.add(code, **fields)
                self.list.add(Code.TILE_COORDINATES, **where)
            last = not tiles
            self.list.add(
                Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME if last else Code.STORE_RESOLVED_TILE_COLOR_BUFFER
            )
        self.list.store(self.memory)
        return self

    def run(self, limit=STEPS):
        """Draw; returns why the threads have stopped."""
        self.frame.write("CT1CA", self.list.base)
        self.frame.write("CT1EA", self.list.here)
        return self.frame.advance(limit)

    @property
    def thread(self):
        """The rendering thread."""
        return self.frame.cle.threads[1]

    def picture(self):
        """Rows of words."""
        stride = -(-self.width * 4 // 16) * 16
        rows = (self.memory.read(PICTURE + stride * row, 4 * self.width) for row in range(self.height))
        return [list(struct.unpack(f"<{self.width}I", row)) for row in rows]


assert SIZE > PICTURE
