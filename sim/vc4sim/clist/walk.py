"""Everything that a control list in memory leads to, without executing it."""

from collections.abc import Iterator
from dataclasses import dataclass

from vc4.records.control import ControlCode, Role, Threads

from ..model.cle.clipped import PlacedVertex, read_clipped_vertices
from ..model.cle.compressed import Item, ListFormat, read_item
from ..model.cle.control_records import ControlRecord, ListError, read_record
from ..model.cle.primitives import Primitive, format_of, primitives_of
from ..model.cle.shader_records import SHADER_LAYOUTS, Attribute, ShaderRecord, read_shader_record
from ..model.memory import Memory, MemoryFault

__all__ = ["Line", "Note", "PlacedPrimitive", "walk"]

#: Records that say what the compressed lists after them hold.
_HAS_FORMAT = (Role.FORMAT, Role.INDEX_LIST, Role.COORDINATE_LIST)
#: Memory that nobody has written begins with at least so many zeros.
_BLANK_BYTES = 32


@dataclass(frozen=True, slots=True)
class Note:
    """Where a list begins, or why it goes no further here."""

    address: int
    text: str


@dataclass(frozen=True, slots=True)
class PlacedPrimitive:
    """A primitive that lies in the control list itself, but in no compressed list."""

    address: int
    primitive: Primitive


#: What `walk` finds: one line of text each.
Line = Note | ControlRecord | ShaderRecord | Attribute | PlacedVertex | Item | PlacedPrimitive


def walk(memory: Memory, start: int, end: int, threads: Threads) -> Iterator[Line]:
    """The records of a list and what they point to; after it each of its sub-lists, once, however often it is called.

    threads : whose list it is

    Raises `ListError` at what is wrong, after everything in front of it.
    """
    return _Walk(memory, threads).lists(start, end)


class _Walk:
    """State of `walk`. Nothing is read twice, so that every walk ends."""

    def __init__(self, memory: Memory, threads: Threads):
        self.memory = memory
        self.threads = threads
        self.met: set[int] = set()
        #: Sub-lists that are still to be read, with the format of compressed lists where they are called.
        self.waiting: dict[int, ListFormat | None] = {}
        self.form: ListFormat | None = None

    def lists(self, start: int, end: int) -> Iterator[Line]:
        yield Note(start, f"{self.threads} list, up to {end:#010x}")
        yield from self.records(start, end)
        done: set[int] = set()
        while self.waiting:
            target, self.form = next(iter(self.waiting.items()))
            del self.waiting[target]
            if target in done:
                continue
            done.add(target)
            if self.blank(target):
                yield Note(target, "sub-list: nothing is there yet")
            else:
                yield Note(target, "sub-list")
                yield from self.records(target, None)

    def blank(self, address: int) -> bool:
        try:
            return not any(self.memory.read(address, _BLANK_BYTES))
        except MemoryFault:
            return False

    def records(self, address: int, end: int | None) -> Iterator[Line]:
        """A list up to `end`; `None`: a sub-list."""
        while address != end:
            if address in self.met:
                yield Note(address, "goes on as above")
                return
            self.met.add(address)
            record = read_record(self.memory, address)
            if self.threads not in record.kind.threads:
                raise ListError(address, f"{record.code.name} in a {self.threads} list")
            yield record
            address = record.end
            match record.code:
                case ControlCode.HALT:
                    return
                case ControlCode.RETURN_FROM_SUB_LIST if end is None:
                    return
                case ControlCode.BRANCH:
                    address = record.fields.absolute_branch_address
                case ControlCode.BRANCH_TO_SUB_LIST:
                    self.waiting.setdefault(record.fields.absolute_branch_address, self.form)
                case ControlCode.VG_INLINE_PRIMITIVES:
                    address = yield from self.inline(record)
                case code if record.kind.follows:
                    if self.form is None:
                        raise ListError(record.address, f"{code.name} in front of any primitive list format")
                    if record.kind.layout:
                        yield from read_clipped_vertices(self.memory, record)
                    address = yield from self.compressed(address, self.form)
                case code if code in SHADER_LAYOUTS:
                    shader = read_shader_record(self.memory, record)
                    yield shader
                    yield from shader.attributes
            if record.kind.role in _HAS_FORMAT:
                self.form = format_of(record)

    def compressed(self, address: int, form: ListFormat) -> Iterator[Line]:
        """A compressed list; returns the address after it."""
        previous = form.origin
        while True:
            if address in self.met:
                raise ListError(address, "a compressed list goes where records were read before")
            self.met.add(address)
            item = read_item(self.memory, address, form, previous)
            yield item
            address, previous = item.end, item.vertices or previous
            if item.last:
                return address

    def inline(self, record: ControlRecord) -> Iterator[Line]:
        """Coordinates in the list; returns the address after them."""
        address = record.end
        try:
            for primitive, end in primitives_of(record, self.memory, format_of(record), []):
                if primitive:
                    yield PlacedPrimitive(address, primitive)
                address = end
        except MemoryFault as fault:
            raise ListError(record.address, str(fault)) from None
        return address
