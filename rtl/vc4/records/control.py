"""The control records: a byte that says which, and what follows it (guide, table 38; what drivers know beyond it)."""

from dataclasses import dataclass
from enum import Enum, Flag
from functools import cached_property
from typing import Any

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

from . import primitives, state, tile_buffer

__all__ = ["RECORDS", "RETURN_LEVELS", "SEMAPHORE_MAX", "Branch", "ControlCode", "Record", "Role", "Threads"]

#: Sub-lists that can be in each other.
RETURN_LEVELS = 2
#: A thread's semaphore counts up to this.
SEMAPHORE_MAX = 7


class Threads(Flag):
    """The threads whose lists may have a record."""

    BINNING = 1
    RENDERING = 2
    BOTH = 3

    def __str__(self) -> str:
        return {Threads.BINNING: "binning", Threads.RENDERING: "rendering"}.get(self, "both")


class Role(Enum):
    """What a record is to the executor."""

    CONTROL = "the executor carries it out itself"
    CONFIGURATION = "a frame begins"
    SHADER = "state, with a fragment shader: the kind of vertices of the lists behind it"
    FORMAT = "state: what the compressed lists behind it hold"
    STATE = "other state"
    BINNING = "needs memory for tile lists, so a configuration must have been there"
    TILE = "needs a frame, so a configuration must have been there"
    INDEX_LIST = "primitives with indices, for GL and NV shaders; as all lists it needs a configuration and a shader"
    COORDINATE_LIST = "primitives with coordinates, for VG shaders"
    COMPRESSED_LIST = "primitives with indices or coordinates; needs a format as well"

    @cached_property
    def is_list(self) -> bool:
        """Whether primitives come from it."""
        return self in (Role.INDEX_LIST, Role.COORDINATE_LIST, Role.COMPRESSED_LIST)

    @cached_property
    def needs_configuration(self) -> bool:
        """Whether it makes no sense in front of the first configuration."""
        return self.is_list or self in (Role.BINNING, Role.TILE)


class ControlCode(enum.Enum, shape=unsigned(8)):
    """First byte of a record. Other values are reserved."""

    HALT = 0
    NOP = 1
    MARKER = 2  # this and the next one are not in the guide
    RESET_MARKER_COUNT = 3
    FLUSH = 4
    FLUSH_ALL_STATE = 5
    START_TILE_BINNING = 6
    INCREMENT_SEMAPHORE = 7
    WAIT_ON_SEMAPHORE = 8
    BRANCH = 16
    BRANCH_TO_SUB_LIST = 17
    RETURN_FROM_SUB_LIST = 18
    STORE_RESOLVED_TILE_COLOR_BUFFER = 24
    STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME = 25
    STORE_FULL_RESOLUTION_TILE_BUFFER = 26
    RELOAD_FULL_RESOLUTION_TILE_BUFFER = 27
    STORE_TILE_BUFFER_GENERAL = 28
    LOAD_TILE_BUFFER_GENERAL = 29
    INDEXED_PRIMITIVE_LIST = 32
    VERTEX_ARRAY_PRIMITIVES = 33
    VG_COORDINATE_ARRAY_PRIMITIVES = 41
    VG_INLINE_PRIMITIVES = 42
    COMPRESSED_PRIMITIVE_LIST = 48
    CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST = 49
    PRIMITIVE_LIST_FORMAT = 56
    GL_SHADER_STATE = 64
    NV_SHADER_STATE = 65
    VG_SHADER_STATE = 66
    VG_INLINE_SHADER_RECORD = 67
    CONFIGURATION_BITS = 96
    FLAT_SHADE_FLAGS = 97
    POINT_SIZE = 98
    LINE_WIDTH = 99
    RHT_X_BOUNDARY = 100
    DEPTH_OFFSET = 101
    CLIP_WINDOW = 102
    VIEWPORT_OFFSET = 103
    Z_CLIPPING_PLANES = 104
    CLIPPER_XY_SCALING = 105
    CLIPPER_Z_SCALE_AND_OFFSET = 106  # the guide prints 105 again
    TILE_BINNING_MODE_CONFIGURATION = 112
    TILE_RENDERING_MODE_CONFIGURATION = 113
    CLEAR_COLORS = 114
    TILE_COORDINATES = 115


class Branch(data.Struct):
    """Where a list goes on."""

    absolute_branch_address: unsigned(32)


@dataclass(frozen=True)
class Record:
    """A control record.

    code : its first byte
    threads : the lists that may have it
    role : what it is to the executor
    layout : what follows; `None`: nothing
    follows : a list of primitives follows that says itself where it ends
    """

    code: ControlCode
    threads: Threads
    role: Role
    layout: Any = None
    follows: bool = False

    @cached_property
    def length(self) -> int:
        """Bytes, without a list that follows."""
        return 1 + (Shape.cast(self.layout).width // 8 if self.layout else 0)


def _records() -> dict[int, Record]:
    both, binning, rendering = Threads.BOTH, Threads.BINNING, Threads.RENDERING
    code, role = ControlCode, Role
    rows = (
        Record(code.HALT, both, role.CONTROL),
        Record(code.NOP, both, role.CONTROL),
        Record(code.MARKER, both, role.CONTROL),
        Record(code.RESET_MARKER_COUNT, both, role.CONTROL),
        Record(code.FLUSH, binning, role.BINNING),
        Record(code.FLUSH_ALL_STATE, binning, role.BINNING),
        Record(code.START_TILE_BINNING, binning, role.BINNING),
        Record(code.INCREMENT_SEMAPHORE, both, role.CONTROL),
        Record(code.WAIT_ON_SEMAPHORE, both, role.CONTROL),
        Record(code.BRANCH, both, role.CONTROL, Branch),
        Record(code.BRANCH_TO_SUB_LIST, both, role.CONTROL, Branch),
        Record(code.RETURN_FROM_SUB_LIST, both, role.CONTROL),
        Record(code.STORE_RESOLVED_TILE_COLOR_BUFFER, rendering, role.TILE),
        Record(code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME, rendering, role.TILE),
        Record(code.STORE_FULL_RESOLUTION_TILE_BUFFER, rendering, role.TILE, tile_buffer.StoreFullResolutionTileBuffer),
        Record(
            code.RELOAD_FULL_RESOLUTION_TILE_BUFFER, rendering, role.TILE, tile_buffer.ReloadFullResolutionTileBuffer
        ),
        Record(code.STORE_TILE_BUFFER_GENERAL, rendering, role.TILE, tile_buffer.StoreTileBufferGeneral),
        Record(code.LOAD_TILE_BUFFER_GENERAL, rendering, role.TILE, tile_buffer.LoadTileBufferGeneral),
        Record(code.INDEXED_PRIMITIVE_LIST, both, role.INDEX_LIST, primitives.IndexedPrimitiveList),
        Record(code.VERTEX_ARRAY_PRIMITIVES, both, role.INDEX_LIST, primitives.VertexArrayPrimitives),
        Record(code.VG_COORDINATE_ARRAY_PRIMITIVES, both, role.COORDINATE_LIST, primitives.VgCoordinateArrayPrimitives),
        Record(code.VG_INLINE_PRIMITIVES, both, role.COORDINATE_LIST, primitives.VgInlinePrimitives, follows=True),
        # The guide has the next one and the format for rendering only; drivers put both into binning lists.
        Record(code.COMPRESSED_PRIMITIVE_LIST, both, role.COMPRESSED_LIST, follows=True),
        Record(
            code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST,
            rendering,
            role.COMPRESSED_LIST,
            primitives.ClippedPrimitive,
            follows=True,
        ),
        Record(code.PRIMITIVE_LIST_FORMAT, both, role.FORMAT, primitives.PrimitiveListFormat),
        Record(code.GL_SHADER_STATE, both, role.SHADER, state.GlShaderState),
        Record(code.NV_SHADER_STATE, both, role.SHADER, state.NvShaderState),
        Record(code.VG_SHADER_STATE, both, role.SHADER, state.VgShaderState),
        Record(code.VG_INLINE_SHADER_RECORD, both, role.SHADER, state.VgInlineShaderRecord),
        Record(code.CONFIGURATION_BITS, both, role.STATE, state.ConfigurationBits),
        Record(code.FLAT_SHADE_FLAGS, both, role.STATE, state.FlatShadeFlags),
        Record(code.POINT_SIZE, both, role.STATE, state.PointSize),
        Record(code.LINE_WIDTH, both, role.STATE, state.LineWidth),
        Record(code.RHT_X_BOUNDARY, both, role.STATE, state.RhtXBoundary),
        Record(code.DEPTH_OFFSET, both, role.STATE, state.DepthOffset),
        Record(code.CLIP_WINDOW, both, role.STATE, state.ClipWindow),
        Record(code.VIEWPORT_OFFSET, both, role.STATE, state.ViewportOffset),
        Record(code.Z_CLIPPING_PLANES, both, role.STATE, state.ZClippingPlanes),
        Record(code.CLIPPER_XY_SCALING, binning, role.STATE, state.ClipperXYScaling),
        Record(code.CLIPPER_Z_SCALE_AND_OFFSET, binning, role.STATE, state.ClipperZScaleAndOffset),
        Record(code.TILE_BINNING_MODE_CONFIGURATION, binning, role.CONFIGURATION, state.TileBinningModeConfiguration),
        Record(
            code.TILE_RENDERING_MODE_CONFIGURATION,
            rendering,
            role.CONFIGURATION,
            tile_buffer.TileRenderingModeConfiguration,
        ),
        Record(code.CLEAR_COLORS, rendering, role.STATE, tile_buffer.ClearColors),
        Record(code.TILE_COORDINATES, rendering, role.TILE, tile_buffer.TileCoordinates),
    )
    return {row.code.value: row for row in rows}


#: All records, by their first byte.
RECORDS = _records()
