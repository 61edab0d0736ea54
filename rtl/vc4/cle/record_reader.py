"""Control records out of the bytes of a list."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from vc4.records.control import RECORDS

from .list_fetch import WINDOW_BYTES, ByteWindow, has_bytes
from .structs import PAYLOAD_BITS, ListFault, ListRecord

__all__ = ["RecordReader"]

_CHUNK_BITS = 8 * WINDOW_BYTES
#: Payload bits of the first chunk, which has the code, too.
_FIRST_BITS = _CHUNK_BITS - 8


class RecordReader(wiring.Component):
    """Takes a record at a time from a `ListFetch`, and finds out what is wrong with it in itself.

    Behaviour: a record of up to eight bytes is taken in one clock, a longer one in two, as soon as all its bytes of that
    clock are available; it is at the output in the next one. One record a clock passes. A faulty record is the last one, and
    so is that of a list, whose primitives may follow: nothing is taken after it until a restart, and its fields stay as they
    are. In the clock of a restart nothing is taken, and what was read before it is not offered any more.

    Interface attributes
    --------------------
    restart : the next record begins with the next byte
    window : of the `ListFetch`
    starves : more bytes are needed than are available
    o : stream of `ListRecord`
    length : bytes of the record that is offered, if it has no fault
    """

    restart: In(1)
    window: In(ByteWindow())
    starves: Out(1)
    o: Out(stream.Signature(ListRecord))
    length: Out(range(1 + PAYLOAD_BITS // 8 + 1))

    def elaborate(self, platform):
        m = Module()
        record, window = self.o.payload, self.window
        known = Signal()
        length = Signal(range(WINDOW_BYTES + 1))  # of what the first clock takes
        more = Signal(range(WINDOW_BYTES + 1))  # and the second one
        rest = Signal.like(more)
        second = Signal()  # the rest of a long record comes
        is_list = Signal()
        ends = Signal()  # nothing is taken after the record
        room = Signal()
        enough = Signal()
        wanted = Signal(range(WINDOW_BYTES + 1))
        has = Signal()
        begins = Signal()
        faulty = Signal()
        code, payload = window.bytes[:8], window.bytes[8:]
        self._look_up(m, code, known, length, more, has, is_list)
        reserved = self._check(m, code, payload, 0)
        reserved_later = self._check(m, record.as_value()[:8], window.bytes, _FIRST_BITS)
        m.d.comb += [
            wanted.eq(Mux(second, rest, length)),
            enough.eq(Mux(second, has_bytes(window, rest), has)),
            room.eq(~self.restart & (second | (~ends & (~self.o.valid | self.o.ready)))),
            begins.eq(room & enough),
            faulty.eq(room & ~enough & window.error),
            self.starves.eq(room & ~enough),
            window.take.eq(Mux(begins, wanted, 0)),
        ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(begins):
            m.d.sync += [
                second.eq(~second & more.any()),
                rest.eq(more),
                self.o.valid.eq(second | ~more.any()),
                self.length.eq(Mux(second, WINDOW_BYTES + wanted, wanted)),
            ]
            with m.If(second):
                m.d.sync += record.payload[_FIRST_BITS:].eq(window.bytes)
                with m.If(reserved_later):
                    m.d.sync += [record.fault.eq(ListFault.VALUE), ends.eq(1)]
            with m.Else():
                m.d.sync += [record.code.eq(code), record.payload.eq(payload), ends.eq(~known | reserved | is_list)]
                m.d.sync += record.fault.eq(Mux(known, Mux(reserved, ListFault.VALUE, ListFault.NONE), ListFault.CODE))
        with m.If(faulty):
            m.d.sync += [record.fault.eq(ListFault.MEMORY), self.o.valid.eq(1), second.eq(0), ends.eq(1)]
        with m.If(self.restart):
            m.d.sync += [self.o.valid.eq(0), second.eq(0), ends.eq(0)]
        return m

    def _look_up(self, m, code, known, length, more, has, is_list):
        """How many bytes the record has in its first chunk and in its second one; whether those of the first are there, and
        whether it is the record of a list.
        """
        m.d.comb += [length.eq(1), has.eq(self.window.available[0])]
        with m.Switch(code):
            for value, record in RECORDS.items():
                with m.Case(value):
                    m.d.comb += [
                        known.eq(1),
                        is_list.eq(record.role.is_list),
                        length.eq(min(record.length, WINDOW_BYTES)),
                        more.eq(max(record.length - WINDOW_BYTES, 0)),
                        has.eq(self.window.available[min(record.length, WINDOW_BYTES) - 1]),
                    ]

    def _check(self, m, code, bits, first):
        """Returns whether a field in these bits of the payload, from the first one on, has a value without a name."""
        reserved = Signal(name=f"reserved_{first}")
        with m.Switch(code):
            for value, record in RECORDS.items():
                wrong = [
                    _is_reserved(bits, field.offset - first, field)
                    for field in _choices(record.layout)
                    if first <= field.offset < first + len(bits)
                ]
                if wrong:
                    with m.Case(value):
                        m.d.comb += reserved.eq(Cat(wrong).any())
        return reserved


def _choices(layout):
    """The fields of a layout that have named values, if some have none."""
    if layout is None:
        return []
    fields = [field for name, field in data.Layout.cast(layout) if not name.startswith("unused")]
    return [
        field
        for field in fields
        if isinstance(field.shape, type) and issubclass(field.shape, Enum) and len(field.shape) < 1 << field.width
    ]


def _is_reserved(bits, place, field):
    value = bits[place : place + field.width]
    return ~Cat(value == member.value for member in field.shape).any()


assert PAYLOAD_BITS <= _FIRST_BITS + _CHUNK_BITS
