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
    SHADER = "state, with a fragment shader: the kind of vertices of the lists after it"
    FORMAT = "state: what the compressed lists after it hold"
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

    HALT = 0  #: the thread stops
    NOP = 1  #: nothing
    MARKER = 2  #: counted; this and the next one are not in the guide
    RESET_MARKER_COUNT = 3  #: markers are counted from 0
    FLUSH = 4  #: all tile lists are finished and written to memory
    FLUSH_ALL_STATE = 5  #: the same, and all state is written to every tile list
    START_TILE_BINNING = 6  #: binning begins: state and primitives go to tile lists from here on
    INCREMENT_SEMAPHORE = 7  #: the next flush, or end of a frame, counts the semaphore of the other thread up
    WAIT_ON_SEMAPHORE = 8  #: waits until the semaphore of this thread can be counted down
    BRANCH = 16  #: the list goes on somewhere else
    BRANCH_TO_SUB_LIST = 17  #: the same, and a return comes back to the record after this one
    RETURN_FROM_SUB_LIST = 18  #: goes on after the last branch to a sub-list
    STORE_RESOLVED_TILE_COLOR_BUFFER = 24  #: colours of the tile to the frame, a mean of samples; clears
    STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME = 25  #: the same, and the frame ends
    STORE_FULL_RESOLUTION_TILE_BUFFER = 26  #: all samples of the tile to memory
    RELOAD_FULL_RESOLUTION_TILE_BUFFER = 27  #: all samples of the tile from memory
    STORE_TILE_BUFFER_GENERAL = 28  #: one of the buffers of the tile to memory
    LOAD_TILE_BUFFER_GENERAL = 29  #: one of the buffers of the tile from memory, with the next coordinates
    INDEXED_PRIMITIVE_LIST = 32  #: draws vertices by their indices in memory
    VERTEX_ARRAY_PRIMITIVES = 33  #: draws vertices that follow each other
    VG_COORDINATE_ARRAY_PRIMITIVES = 41  #: draws coordinates in memory, without vertex shaders
    VG_INLINE_PRIMITIVES = 42  #: draws coordinates that follow in the list
    COMPRESSED_PRIMITIVE_LIST = 48  #: draws primitives that follow, coded against each other
    #: the same; the first one has vertices that clipping has made
    CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST = 49
    PRIMITIVE_LIST_FORMAT = 56  #: kind of primitives and vertices of compressed lists from here on
    GL_SHADER_STATE = 64  #: shaders for vertices with attributes
    NV_SHADER_STATE = 65  #: a fragment shader, for vertices that are shaded already
    VG_SHADER_STATE = 66  #: a fragment shader, for coordinates
    VG_INLINE_SHADER_RECORD = 67  #: the same, without a shader record
    CONFIGURATION_BITS = 96  #: faces, depth test, samples, coverage
    FLAT_SHADE_FLAGS = 97  #: varyings that are the same all over a primitive
    POINT_SIZE = 98  #: size of points
    LINE_WIDTH = 99  #: width of lines
    RHT_X_BOUNDARY = 100  #: how far RHTs reach
    DEPTH_OFFSET = 101  #: offset of Z of triangles
    CLIP_WINDOW = 102  #: pixels that may be drawn
    VIEWPORT_OFFSET = 103  #: where coordinate 0 of vertices lies
    Z_CLIPPING_PLANES = 104  #: least and greatest Z that is drawn
    CLIPPER_XY_SCALING = 105  #: scale of X and Y, for clipping
    CLIPPER_Z_SCALE_AND_OFFSET = 106  #: scale and offset of Z, for clipping; the guide prints 105 again
    TILE_BINNING_MODE_CONFIGURATION = 112  #: a frame to bin: its tiles, and memory for their lists
    TILE_RENDERING_MODE_CONFIGURATION = 113  #: a frame to draw: its place, size and format
    CLEAR_COLORS = 114  #: what the buffers are cleared to
    TILE_COORDINATES = 115  #: the tile to draw next; what is to be loaded is loaded


class Branch(data.Struct):
    """Where a list goes on."""

    absolute_branch_address: unsigned(32)  #: of the next record


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
