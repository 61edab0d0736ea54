"""Control records in memory."""

from typing import NamedTuple

from vc4.records.control import RECORDS, ControlCode, Record

from ..memory import Memory, MemoryFault
from .fields import ADDRESS_BITS, Fields, packing

__all__ = ["ControlRecord", "ListError", "read_record"]


class ListError(Exception):
    """A control list is wrong at `address`; `what` says how."""

    def __init__(self, address: int, what: str):
        super().__init__(f"{address:#010x}: {what}")
        self.address = address
        self.what = what


class ControlRecord(NamedTuple):
    """A control record, and where it lies.

    kind : its row in the table
    fields : its values, see `Packing`
    """

    address: int
    kind: Record
    fields: Fields = Fields()

    @property
    def code(self) -> ControlCode:
        """Which record it is."""
        return self.kind.code

    @property
    def end(self) -> int:
        """Address after it, and in front of a list that follows."""
        return (self.address + self.kind.length) % (1 << ADDRESS_BITS)


def read_record(memory: Memory, address: int) -> ControlRecord:
    """The record at `address`. Raises `ListError` if it is none, has a reserved value, or is not in memory."""
    try:
        code = memory.read_int(address, 1, "control list")
        if code not in RECORDS:
            raise ListError(address, f"{code} is no control record")
        kind = RECORDS[code]
        if kind.layout is None:
            return ControlRecord(address, kind)
        bits = memory.read_int(address + 1, kind.length - 1, "control list")
    except MemoryFault as fault:
        raise ListError(address, str(fault)) from None
    try:
        return ControlRecord(address, kind, packing(kind.layout).unpack(bits))
    except ValueError as error:
        raise ListError(address, f"{kind.code.name}: {error}") from None
