"""What passes between the parts of the executor."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from vc4.records.control import RECORDS, ControlCode

__all__ = ["PAYLOAD_BITS", "ListFault", "ListRecord", "ThreadState", "ThreadWrites"]

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
    payload : what follows; the bytes behind the record are anything
    address : where it lies
    fault : what is wrong with it
    """

    code: ControlCode
    payload: unsigned(PAYLOAD_BITS)
    address: unsigned(32)
    fault: ListFault


class ThreadWrites(data.Struct):
    """Writes of the registers of a thread, each with a strobe.

    value : for CTnCA and CTnEA
    resets, stops, proceeds : CTRSTA, CTRUN, CTSUBS of CTnCS; the first of them counts
    clears_returned, clears_flushes : of CTnLC
    resets_pipeline : BMRST or RMRST of PCS
    """

    value: unsigned(32)
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
    active: unsigned(1)
