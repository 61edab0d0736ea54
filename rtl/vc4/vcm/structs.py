"""What passes between the parts of the VCM."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from vc4.cle.structs import VERTICES, ItemKind, PipelineRecord
from vc4.isa.registers import ELEMENTS
from vc4.records.primitives import INDEX_BITS, PrimitiveType
from vc4.records.shaders import ATTRIBUTE_ARRAYS, EXTENDED_STRIDES_OFFSET
from vc4.vpm.window import BLOCK_BITS, Space

__all__ = [
    "BATCH",
    "BATCHES",
    "MOST_PRIMITIVES",
    "RECORD_WORDS",
    "THREADS",
    "VCM_ERRORS",
    "Batch",
    "CachedPrimitive",
    "FreedSpace",
    "IndexWrite",
    "IndexedPrimitive",
    "IndexedVertex",
    "PlacedBatch",
    "PlacedPrimitive",
    "ShaderHeader",
    "ShaderRequest",
    "ShaderWord",
    "VcmBody",
    "VcmItem",
    "VcmKind",
    "VcmStalls",
    "VcmVertex",
    "VertexArray",
    "VertexFormat",
    "VertexPlace",
]

#: Vertices that are shaded together.
BATCH = ELEMENTS
#: And primitives that they have at the most: so many of several batches are in the queue to binner or renderer.
MOST_PRIMITIVES = 64
#: Batches of a thread: one that is collected, and seven on their way. A QPU shades one, and both threads have more than twelve.
BATCHES = 8
#: Of the control list executor: binning and rendering.
THREADS = 2
#: Of the longest shader record.
RECORD_WORDS = EXTENDED_STRIDES_OFFSET // 4 + ATTRIBUTE_ARRAYS


class Batch(data.Struct):
    """Vertices of a thread that belong together.

    thread : 0: binning, 1: rendering
    slot : which one of the batches of its thread
    last : number of its last vertex
    """

    thread: range(THREADS)
    slot: range(BATCHES)
    last: range(BATCH)


class PlacedBatch(data.Struct):
    """A batch, and where it is in the VPM.

    attributes, results : the rows of both; none if there was no room, or if it need not be shaded
    bad : nobody gets its vertices: they are not in memory, or it would never have room
    dropped : nobody wants its vertices any more
    """

    batch: Batch
    attributes: Space
    results: Space
    bad: unsigned(1)
    dropped: unsigned(1)


class IndexWrite(data.Struct):
    """The index of a vertex of the batch that is collected."""

    valid: unsigned(1)
    column: range(BATCH)
    index: unsigned(INDEX_BITS)


class IndexedPrimitive(data.Struct):
    """A primitive whose vertices are in arrays.

    type : how many of its vertices count, the first ones
    clipped : it is the first one after a record of a clipped primitive
    """

    type: PrimitiveType
    indices: data.ArrayLayout(INDEX_BITS, VERTICES)
    clipped: unsigned(1)


class IndexedVertex(data.Struct):
    """A vertex of such a primitive, with what that is.

    number : which one
    is_last : there are no more
    """

    index: unsigned(INDEX_BITS)
    number: range(VERTICES)
    is_last: unsigned(1)
    type: PrimitiveType
    clipped: unsigned(1)


class CachedPrimitive(data.Struct):
    """The primitive, with the columns of its vertices in their batch.

    opens : it is the first one of its batch
    """

    type: PrimitiveType
    columns: data.ArrayLayout(range(BATCH), VERTICES)
    indices: data.ArrayLayout(INDEX_BITS, VERTICES)
    clipped: unsigned(1)
    opens: unsigned(1)


class FreedSpace(data.Struct):
    """Rows that a batch of a thread gives back."""

    thread: range(THREADS)
    space: Space


class VertexArray(data.Struct):
    """Something that vertices have in memory, one after the other.

    address : of vertex 0
    stride : bytes from one to the next
    length : bytes of each - 1
    offset : byte of the column where each begins
    """

    address: unsigned(32)
    stride: unsigned(32)
    length: unsigned(8)
    offset: unsigned(8)


class VertexFormat(data.Struct):
    """What a shader record says of the vertices of a thread.

    known : there is a record with vertices; without one primitives are lost
    shades : a program shades them; else they are in memory as they are
    arrays : which arrays they have, a bit each
    extended : strides have their upper bits
    attributes, results : blocks of the VPM that a batch needs
    gapless : arrays follow one another in the column, in whole words
    partial : but not to the end of the last block; or of vertices in memory, the first block is not theirs
    pc, uniforms : of the program
    """

    known: unsigned(1)
    shades: unsigned(1)
    arrays: unsigned(8)
    extended: unsigned(1)
    attributes: unsigned(BLOCK_BITS)
    results: unsigned(BLOCK_BITS)
    gapless: unsigned(1)
    partial: unsigned(1)
    pc: unsigned(32)
    uniforms: unsigned(32)


class ShaderRequest(data.Struct):
    """A shader record that is to be read.

    address : in units of 16 bytes
    vertices : it has some
    shades : and programs for them
    arrays : how many attribute arrays follow - 1
    extended : and the upper bits of strides
    """

    address: unsigned(28)
    vertices: unsigned(1)
    shades: unsigned(1)
    arrays: unsigned(3)
    extended: unsigned(1)


class ShaderWord(data.Struct):
    """A word of a shader record."""

    valid: unsigned(1)
    number: range(RECORD_WORDS)
    value: unsigned(32)


class ShaderHeader(data.Struct):
    """What all shader records begin with; the bits in front differ, see `vc4.records.shaders`."""

    flags: unsigned(24)
    varyings: unsigned(8)
    pc: unsigned(32)
    uniforms: unsigned(32)


class VcmStalls(data.Struct):
    """What waits in a clock.

    binning_batches, rendering_batches : primitives, for one of the batches of their thread to be given back
    rows : a batch, for rows of the VPM
    loads : a word from memory, for the VPM
    coordinates, vertices : a batch, for a QPU
    """

    binning_batches: unsigned(1)
    rendering_batches: unsigned(1)
    rows: unsigned(1)
    loads: unsigned(1)
    coordinates: unsigned(1)
    vertices: unsigned(1)


#: Errors of a clock, by the names of the fields of ERRSTAT: a batch needs more rows than there are, or than its thread may have;
#: a thread will never have its vertices.
VCM_ERRORS = data.StructLayout(dict.fromkeys(("VPAERGS", "VPAEBRGL", "VPAERRGL", "VCMBE", "VCMRE"), 1))


class VcmKind(enum.Enum, shape=unsigned(2)):
    """What comes out: what has come from the executor, and more."""

    RECORD = ItemKind.RECORD.value
    PRIMITIVE = ItemKind.PRIMITIVE.value
    END = ItemKind.END.value
    SHADER = 3  # the shader record of the primitives from here on


class VertexPlace(data.Struct):
    """Where a shaded vertex is: a column of the VPM from a row on.

    index : of the binning thread only
    """

    column: range(BATCH)
    row: unsigned(8)
    unused: unsigned(4)
    index: unsigned(INDEX_BITS)


class VcmVertex(data.Union):
    """Where a vertex is; or its coordinates, x in the low half."""

    place: VertexPlace
    coordinates: unsigned(32)


class PlacedPrimitive(data.Struct):
    """A primitive whose vertices are in the VPM, or coordinates. It begins like that of the executor.

    type : how many of its vertices count, the first ones
    coordinates : which of both its vertices are
    clipped : it is the first one after a record of a clipped primitive
    opens : it is the first one of its batch; with coordinates anything
    """

    type: PrimitiveType
    vertices: data.ArrayLayout(VcmVertex, VERTICES)
    coordinates: unsigned(1)
    clipped: unsigned(1)
    opens: unsigned(1)


class VcmBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    primitive: PlacedPrimitive
    shader: ShaderHeader


class VcmItem(data.Struct):
    """What binner and renderer get, in the order of the lists."""

    kind: VcmKind
    body: VcmBody
