"""What passes between the parts of the executor."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

from vc4.records import compressed
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType

__all__ = [
    "PAYLOAD_BITS",
    "VERTICES",
    "ByteSource",
    "ItemBody",
    "ItemKind",
    "FirstVertex",
    "ListFault",
    "ListFormat",
    "ListItem",
    "ListRecord",
    "PipelineRecord",
    "Primitive",
    "SecondVertex",
    "ThreadFlags",
    "ThreadState",
    "ThreadWrites",
    "VertexStep",
    "fields_of",
]

#: Of a primitive, at the most.
VERTICES = max(compressed.VERTICES.values())

#: Of the longest record, without its first byte.
PAYLOAD_BITS = 8 * (max(record.length for record in RECORDS.values()) - 1)


class ListFault(enum.Enum, shape=unsigned(2)):
    """What is wrong with a record in itself."""

    NONE = 0
    MEMORY = 1  # some of its bytes are not in memory
    CODE = 2  # there is no such record
    VALUE = 3  # a field has a reserved value


class ListRecord(data.Struct):
    """A control record.

    code : its first byte, as it is in memory; a `ControlCode` unless `fault` says otherwise
    payload : what follows; the bytes after the record are anything
    fault : what is wrong with it
    """

    code: ControlCode
    payload: unsigned(PAYLOAD_BITS)
    fault: ListFault


class ItemKind(enum.Enum, shape=unsigned(2)):
    """What a pipeline gets."""

    RECORD = 0  # of state, a configuration, a store or load, a flush; or a list, whose primitives follow
    PRIMITIVE = 1
    END = 2  # the list has no more primitives


class PipelineRecord(data.Struct):
    """A control record for the pipeline; the bytes after it are anything."""

    code: ControlCode
    payload: unsigned(PAYLOAD_BITS)


class Primitive(data.Struct):
    """A primitive of a list.

    type : how many of its vertices count, the first ones
    vertices : indices of 16 bits, or coordinates with x in the low half
    coordinates : which of both
    clipped : it is the first one after a record of a clipped primitive
    """

    type: PrimitiveType
    vertices: data.ArrayLayout(32, VERTICES)
    coordinates: unsigned(1)
    clipped: unsigned(1)


class ItemBody(data.Union):
    """By the kind of an item."""

    record: PipelineRecord
    primitive: Primitive


class ListItem(data.Struct):
    """What the executor hands to a pipeline, in the order of the lists."""

    kind: ItemKind
    body: ItemBody


class ListFormat(data.Struct):
    """What compressed lists hold: a type of primitives, with coordinates or indices."""

    type: PrimitiveType
    coordinates: unsigned(1)


class FirstVertex(enum.Enum, shape=unsigned(2)):
    """What vertex 0 of a primitive is, from the primitive before."""

    KEPT = 0
    SECOND = 1
    THIRD = 2


class SecondVertex(enum.Enum, shape=unsigned(2)):
    """The same of vertex 1."""

    KEPT = 0
    FIRST = 1
    THIRD = 2


class VertexStep(data.Struct):
    """What a clock does to the vertices of a primitive.

    first, second : all at once, with the vertices that were there
    targets : the vertices that are then written, a bit each
    value : with this
    complete : it is a primitive now
    """

    first: FirstVertex
    second: SecondVertex
    targets: unsigned(VERTICES)
    value: unsigned(32)
    complete: unsigned(1)


class ThreadWrites(data.Struct):
    """Writes of the registers of a thread, each with a strobe.

    new_current, new_end : for CTnCA and CTnEA
    resets, stops, proceeds : CTRSTA, CTRUN, CTSUBS of CTnCS; the first of them counts
    clears_returned, clears_flushes : of CTnLC
    resets_pipeline : BMRST or RMRST of PCS
    """

    new_current: unsigned(32)
    new_end: unsigned(32)
    current: unsigned(1)
    end: unsigned(1)
    resets: unsigned(1)
    stops: unsigned(1)
    proceeds: unsigned(1)
    clears_returned: unsigned(1)
    clears_flushes: unsigned(1)
    resets_pipeline: unsigned(1)


class ThreadState(data.Struct):
    """What the registers of a thread show.

    current, end : CTLCA, CTLEA
    running, suspended, error, prefixing : CTRUN, CTSUBS, CTERR, CTMODE
    depth, return_address : levels of the return stack, and its top, 0 if there are none
    semaphore : CTSEMA
    returned, flushes : CTLSLCS, CTLLCM
    primitives : CTLPC, some clocks old
    active : its pipeline has something to do
    """

    current: unsigned(32)
    end: unsigned(32)
    running: unsigned(1)
    suspended: unsigned(1)
    error: unsigned(1)
    prefixing: unsigned(1)
    depth: unsigned(2)
    return_address: unsigned(32)
    semaphore: unsigned(3)
    returned: unsigned(16)
    flushes: unsigned(16)
    primitives: unsigned(32)
    active: unsigned(1)


class ThreadFlags(data.Struct):
    """What a thread keeps to itself.

    halted : a record, the host or an error has stopped it
    stalled : it waits for the semaphore
    waits : it waits for the end of a flush or a frame
    increments : with that the other thread's semaphore counts
    """

    halted: 1
    stalled: 1
    waits: 1
    increments: 1


class ByteSource(data.Struct):
    """Where the next bytes come from, and who takes them.

    rereads : strobe: the next record is at the current address
    jumps : strobe: so are the next bytes
    indexes : strobe: the next bytes are where the record of a list says
    within : they are those of a list
    elsewhere : which is no part of the control list
    stale : the control list goes on elsewhere, or may have changed, after this list
    """

    rereads: 1
    jumps: 1
    indexes: 1
    within: 1
    elsewhere: 1
    stale: 1


def fields_of(record, layout):
    """What follows the first byte of a `ListRecord` or `PipelineRecord`, as the fields of a `layout`."""
    return data.View(layout, record.payload[: Shape.cast(layout).width])
