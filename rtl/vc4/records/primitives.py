"""Control records that are primitive lists, or say what such lists are made of (guide, table 38). Low bits first.

An address that is narrower than 32 bits lacks its low bits, which are 0. The name of every address ends in `address`.
"""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

__all__ = [
    "INDEX_BITS",
    "TYPES",
    "VG_TYPES",
    "VG_END",
    "VG_PAD",
    "ClippedPrimitive",
    "IndexType",
    "IndexedPrimitiveList",
    "PrimitiveData",
    "PrimitiveListFormat",
    "PrimitiveMode",
    "PrimitiveType",
    "VertexArrayPrimitives",
    "VgCoordinateArrayPrimitives",
    "VgInlinePrimitives",
    "VgPrimitiveType",
]

#: Indices have no more bits (pipeline facts, 3.6).
INDEX_BITS = 16
#: In place of the last vertex of a VG primitive: the list ends here, or the primitive is to be skipped.
VG_END, VG_PAD = 0xBFFF_0000, 0xBFFF_0001


class PrimitiveMode(enum.Enum, shape=unsigned(4)):
    """What OpenGL makes of vertices. Other values are reserved."""

    POINTS = 0  #: a point each
    LINES = 1  #: two vertices each
    LINE_LOOP = 2  #: from each to the next, and from the last to the first
    LINE_STRIP = 3  #: from each to the next
    TRIANGLES = 4  #: three vertices each
    TRIANGLE_STRIP = 5  #: each with the two before
    TRIANGLE_FAN = 6  #: each with the one before and the first


class IndexType(enum.Enum, shape=unsigned(4)):
    """Width of an index in memory. Other values are reserved."""

    BITS_8 = 0  #: a byte
    BITS_16 = 1  #: two bytes


class VgPrimitiveType(enum.Enum, shape=unsigned(4)):
    """What VG makes of coordinates. Other values are reserved."""

    RHTS = 1  #: two vertices each: what lies between this edge and the boundary in X
    RHT_STRIP = 3  #: the same, with an edge from each vertex to the next
    TRIANGLES = 4  #: three vertices each
    TRIANGLE_STRIP = 5  #: each with the two before
    TRIANGLE_FAN = 6  #: each with the one before and the first


class PrimitiveType(enum.Enum, shape=unsigned(4)):
    """What a compressed list holds. Other values are reserved."""

    POINTS = 0  #: one vertex
    LINES = 1  #: two vertices
    TRIANGLES = 2  #: three vertices
    RHTS = 3  #: two vertices, and the boundary in X


#: What the modes of OpenGL make.
TYPES = {
    PrimitiveMode.POINTS: PrimitiveType.POINTS,
    PrimitiveMode.LINES: PrimitiveType.LINES,
    PrimitiveMode.LINE_LOOP: PrimitiveType.LINES,
    PrimitiveMode.LINE_STRIP: PrimitiveType.LINES,
    PrimitiveMode.TRIANGLES: PrimitiveType.TRIANGLES,
    PrimitiveMode.TRIANGLE_STRIP: PrimitiveType.TRIANGLES,
    PrimitiveMode.TRIANGLE_FAN: PrimitiveType.TRIANGLES,
}
#: What those of VG make.
VG_TYPES = {
    VgPrimitiveType.RHTS: PrimitiveType.RHTS,
    VgPrimitiveType.RHT_STRIP: PrimitiveType.RHTS,
    VgPrimitiveType.TRIANGLES: PrimitiveType.TRIANGLES,
    VgPrimitiveType.TRIANGLE_STRIP: PrimitiveType.TRIANGLES,
    VgPrimitiveType.TRIANGLE_FAN: PrimitiveType.TRIANGLES,
}


class PrimitiveData(enum.Enum, shape=unsigned(4)):
    """What the vertices of a compressed list are. Other values are reserved; indices of 24 bits have no code."""

    INDEX_16 = 1  #: indices of 16 bits
    COORDINATES = 3  #: coordinates, X in the low half of a word and Y in the high one


class IndexedPrimitiveList(data.Struct):
    """Vertices by their indices."""

    primitive_mode: PrimitiveMode  #: what vertices make
    index_type: IndexType  #: width of an index
    length: unsigned(32)  #: number of indices
    indices_list_address: unsigned(32)  #: of the first index
    maximum_index: unsigned(32)  #: the largest that may occur


class VertexArrayPrimitives(data.Struct):
    """Vertices with indices that count up."""

    primitive_mode: PrimitiveMode  #: what vertices make
    unused: unsigned(4)  #: the guide's mode has these bits, too
    length: unsigned(32)  #: number of vertices
    index_of_first_vertex: unsigned(32)  #: the others follow


class VgCoordinateArrayPrimitives(data.Struct):
    """Coordinates in memory, words with x in the low half and y in the high one."""

    primitive_type: VgPrimitiveType  #: what coordinates make
    continuation_list: unsigned(4)  #: of a triangle fan
    length: unsigned(32)  #: number of vertices; the guide has primitives, drivers count vertices
    coordinate_array_address: unsigned(32)  #: of the first coordinate


class VgInlinePrimitives(data.Struct):
    """Coordinates that follow, up to `VG_END`."""

    primitive_type: VgPrimitiveType  #: what coordinates make
    continuation_list: unsigned(4)  #: of a triangle fan


class ClippedPrimitive(data.Struct):
    """In front of a compressed list whose first primitive is clipped."""

    clipped_vertices: unsigned(3)  #: one flag for each vertex: `ClippedVertex` has it
    clipped_primitive_data_address: unsigned(29)  #: a multiple of 8


class PrimitiveListFormat(data.Struct):
    """What the compressed lists from here on are."""

    primitive_type: PrimitiveType  #: kind of primitives
    data_type: PrimitiveData  #: kind of vertices
