"""Frames for tests of the binner: lists with NV vertices, what the binner makes of them, and what it should be.

What a tile must have is found without the binner: polygons are cut to the tile's rectangle in real numbers.
"""

import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from vc4.config import preset
from vc4.errata import Erratum
from vc4.records.control import ControlCode as Code
from vc4.records.control import Role, Threads
from vc4.records.primitives import PrimitiveMode, PrimitiveType
from vc4.records.state import BlockSize
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat
from vc4sim.clist import ListBuilder, nv_shader_record
from vc4sim.model.cle.cle import BINNING, RENDERING, Cle, Rest
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory
from vc4sim.model.ptb.binner import Binner
from vc4sim.model.ptb.state_cache import record_bytes
from vc4sim.model.v3d import V3D

from .block_host import host_of

__all__ = [
    "ALLOCATION",
    "CONFIG",
    "LISTS",
    "RECORDS",
    "SIZE",
    "STATES",
    "TILE",
    "Drawn",
    "bin_list",
    "bin_sizes",
    "configure",
    "drawn_in",
    "nv_vertex",
    "overlap",
    "read_tiles",
    "wanted",
]

CONFIG = preset("bcm2835")
#: Where things lie, and how much memory there is.
LISTS, RECORDS, STATES, ALLOCATION, SIZE = 0x1000, 0x4_0000, 0x8_0000, 0x10_0000, 0x40_0000
#: A tile, in sixteenths of a pixel.
TILE = 64 * 16
#: What counts as touching, in the same units.
_EDGE = 1e-6


def configure(lists: ListBuilder, width: int = 4, height: int = 3, *, size: int = SIZE - ALLOCATION, **values) -> None:
    """What a binning list begins with."""
    standard = {
        "tile_allocation_memory_address": ALLOCATION,
        "tile_allocation_memory_size": size,
        "tile_state_data_array_address": STATES,
        "width": width,
        "height": height,
        "auto_initialise_tile_state_data_array": 1,
        "tile_allocation_block_size": BlockSize.BYTES_128,
    }
    lists.add(Code.TILE_BINNING_MODE_CONFIGURATION, **(standard | values))


def nv_vertex(x: int, y: int, clip: tuple[float, float, float, float] | None = None) -> bytes:
    """A shaded vertex of position (x, y), with a header for clipping if it has clip coordinates."""
    header = struct.pack("<4f", *clip) if clip else b""
    return header + struct.pack("<hhff", x, y, 0.5, 1.0)


def bin_sizes(memory: Memory, starts: int, points: Iterable[tuple[float, int]]) -> int:
    """A binning list for two tiles, which is put into memory: record 6 so many times, and point sizes, each with a point in one of the
    tiles after it. Returns where it ends.
    """
    memory.write(RECORDS + 16, nv_vertex(8 * 16, 8 * 16) + nv_vertex(72 * 16, 8 * 16))
    record = nv_shader_record(shaded_vertex_data_stride=12, shaded_vertex_data_address=RECORDS + 16)
    memory.write(RECORDS, record)
    lists = ListBuilder(LISTS)
    configure(lists, 2, 1)
    for _ in range(starts):
        lists.add(Code.START_TILE_BINNING)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=RECORDS)
    for size, tile in points:
        lists.add(Code.POINT_SIZE, point_size=size)
        lists.add(
            Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.POINTS, length=1, index_of_first_vertex=tile
        )
    lists.add(Code.FLUSH)
    lists.store(memory)
    assert lists.here < RECORDS
    return lists.here


def bin_list(
    memory: Memory,
    start: int,
    end: int,
    allowed: list[range],
    overspill: list[range] | None = None,
    errata: Collection[Erratum] = (),
) -> Binner:
    """Run a binning list to its end; nothing but `allowed` and the overspill that it asks for may be written."""
    binner = V3D(replace(CONFIG, errata=errata), memory).binner
    cle = Cle(memory, binner, Recorder())
    ranges, spare = list(allowed), list(overspill or [])

    def check(address: int, data: bytes) -> None:
        assert any(address in part and address + len(data) <= part.stop for part in ranges), hex(address)

    memory.on_write = check
    host_of(cle).write("CT0CA", start)
    host_of(cle).write("CT0EA", end)
    while cle.run(10_000_000) is Rest.WAITING:
        assert binner.error is None, binner.error
        assert binner.out_of_memory
        assert host_of(cle).read("PCS") & 1 << 8
        assert "INT_OUTOMEM" in binner.interrupts
        ranges.append(spare.pop(0))
        binner.interrupts.clear()
        host_of(binner).write("BPOA", ranges[-1].start)
        host_of(binner).write("BPOS", len(ranges[-1]))
    memory.on_write = None
    assert cle.threads[BINNING].error is None, cle.threads[BINNING].error
    assert cle.flush_count == 1
    return binner


@dataclass
class Drawn:
    """A primitive, with all state that it is drawn with, as bytes of records."""

    primitive: Primitive
    state: dict = field(default_factory=dict)

    @property
    def key(self):
        """What tells it from others."""
        return self.primitive.type, self.primitive.vertices, tuple(sorted(self.state.items()))


def _keep(state: dict, record: ControlRecord) -> None:
    if record.kind.role in (Role.SHADER, Role.STATE):
        name = "shader" if record.kind.role is Role.SHADER else record.code.name
        state[name] = record_bytes(record)


def drawn_in(memory: Memory, start: int, end: int) -> tuple[list[Drawn], dict, list]:
    """The primitives of a binning list with their state; state in front of its start; state of the binner at each primitive."""
    recorder = Recorder()
    cle = Cle(memory, recorder, Recorder())
    host_of(cle).write("CT0CA", start)
    host_of(cle).write("CT0EA", end)
    assert cle.run(10_000_000) is Rest.STOPPED
    assert cle.threads[BINNING].error is None
    state, prefix, found, own = {}, {}, [], []
    fields = {}
    for item in recorder.taken:
        match item:
            case Primitive():
                kept = {name: data for name, data in state.items() if not name.startswith("CLIPPER")}
                found.append(Drawn(item, kept))
                own.append(dict(fields))
            case ControlRecord() if item.code is Code.START_TILE_BINNING:
                prefix = dict(state)
            case ControlRecord():
                _keep(state, item)
                fields[item.code] = item
                if item.kind.role is Role.SHADER:
                    fields["shader"] = item
    return found, prefix, own


def read_tiles(memory: Memory, first: int, block: int, width: int, height: int, prefix: dict) -> list[list[Drawn]]:
    """What is drawn in each tile, read by the executor as a rendering list would."""
    lists = ListBuilder(memory.base + len(memory.data))
    lists.add(
        Code.TILE_RENDERING_MODE_CONFIGURATION,
        frame_buffer_color_format=FrameColorFormat.RGBA8888,
        memory_format=MemoryFormat.RASTER,
    )
    for tile in range(width * height):
        lists.add(Code.TILE_COORDINATES, tile_column_number=tile % width, tile_row_number=tile // width)
        lists.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=first + tile * block)
        lists.add(Code.STORE_RESOLVED_TILE_COLOR_BUFFER)
    longer = Memory(len(memory.data) + len(lists.data), memory.base, bytes(memory.data))
    lists.store(longer)
    recorder = Recorder()
    cle = Cle(longer, Recorder(), recorder)
    host_of(cle).write("CT1CA", lists.base)
    host_of(cle).write("CT1EA", lists.here)
    assert cle.run(10_000_000) is Rest.STOPPED
    assert cle.threads[RENDERING].error is None, cle.threads[RENDERING].error
    assert cle.threads[RENDERING].returned == width * height
    tiles, state = [], {}
    for item in recorder.taken:
        match item:
            case Primitive():
                tiles[-1].append(Drawn(item, dict(state)))
            case ControlRecord() if item.code is Code.TILE_COORDINATES:
                tiles.append([])
                state = dict(prefix)
            case ControlRecord():
                assert Threads.RENDERING in item.kind.threads
                _keep(state, item)
    return tiles


def overlap(points, left: float, bottom: float, right: float, top: float) -> bool:
    """Whether anything of a point, line or triangle is in a rectangle: what is left of it after all four sides have cut."""
    polygon = [(float(x), float(y)) for x, y in points]
    for axis, limit, sign in ((0, left, 1), (0, right, -1), (1, bottom, 1), (1, top, -1)):
        kept = []
        for now, following in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            here, there = (now[axis] - limit) * sign, (following[axis] - limit) * sign
            if here >= 0:
                kept.append(now)
            if (here < 0) != (there < 0):
                part = here / (here - there)
                kept.append(tuple(a + part * (b - a) for a, b in zip(now, following, strict=True)))
        polygon = kept
    return bool(polygon)


def wanted(kind: PrimitiveType, points, margin: float, tile: tuple[float, float, float, float]) -> tuple[bool, bool]:
    """Whether a tile must have a primitive, and whether it may."""
    if kind is PrimitiveType.TRIANGLES:
        (x0, y0), (x1, y1), (x2, y2) = points
        if (x1 - x0) * (y2 - y0) == (x2 - x0) * (y1 - y0):
            return False, False
    left, bottom, right, top = tile
    found = []
    for more in (margin - _EDGE, margin + _EDGE):
        found.append(overlap(points, left - more, bottom - more, right + more, top + more))
    return found[0], found[1]
