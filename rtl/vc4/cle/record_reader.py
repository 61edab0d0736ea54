"""Control records out of the bytes of a list."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from vc4.records.control import RECORDS

from .list_fetch import WINDOW_BYTES
from .structs import PAYLOAD_BITS, ListFault, ListRecord

__all__ = ["RecordReader"]

_CHUNK_BITS = 8 * WINDOW_BYTES
#: Payload bits of the first chunk, which has the code, too.
_FIRST_BITS = _CHUNK_BITS - 8


class RecordReader(wiring.Component):
    """Takes a record at a time from a `ListFetch`, and finds out what is wrong with it in itself.

    Behaviour: a record of up to eight bytes is taken in one clock, a longer one in two, as soon as all its bytes of that
    clock are available; it is at the output in the next one. One record a clock passes. A faulty record is the last one:
    nothing is taken after it until a restart. In the clock of a restart nothing is taken, and what was read before it is
    not offered any more.

    Interface attributes
    --------------------
    restart : the next record begins with the next byte
    window, available, error, take : of the `ListFetch`
    starves : more bytes are needed than are available
    o : stream of `ListRecord`
    length : bytes of the record that is offered, if it has no fault
    """

    restart: In(1)
    window: In(_CHUNK_BITS)
    available: In(range(WINDOW_BYTES + 1))
    error: In(1)
    take: Out(range(WINDOW_BYTES + 1))
    starves: Out(1)
    o: Out(stream.Signature(ListRecord))
    length: Out(range(1 + PAYLOAD_BITS // 8 + 1))

    def elaborate(self, platform):
        m = Module()
        record = self.o.payload
        code = Signal(8)
        known = Signal()
        short = Signal(range(WINDOW_BYTES + 1))
        is_long = Signal(range(WINDOW_BYTES + 1))
        self._look_up(m, code, known, short, is_long)
        second = Signal()  # the rest of a long record comes
        room = Signal()
        enough = Signal()
        ends = Signal()  # a faulty record has been read
        wanted = Signal(range(WINDOW_BYTES + 1))
        faulty = Signal()
        complete = Signal()
        begins = Signal()
        m.d.comb += [
            code.eq(Mux(second, record.as_value()[:8], self.window[:8])),
            wanted.eq(Mux(second, is_long, Mux(known, short, 1))),
            enough.eq(self.available >= wanted),
            self.starves.eq(room & ~enough),
            room.eq(~self.restart & ~ends & (second | ~self.o.valid | self.o.ready)),
            faulty.eq(room & ~enough & self.error),
            begins.eq(room & enough),
            complete.eq(begins & (second | ~is_long.any() | ~known)),
            self.take.eq(Mux(begins, wanted, 0)),
        ]
        reserved = Signal()
        self._check(m, code, Mux(second, Cat(record.payload[:_FIRST_BITS], self.window), self.window[8:]), reserved)
        with m.If(self.o.ready & self.o.valid):
            m.d.sync += self.o.valid.eq(0)
        with m.If(begins):
            with m.If(second):
                m.d.sync += record.payload[_FIRST_BITS:].eq(self.window)
            with m.Else():
                m.d.sync += [record.code.eq(self.window[:8]), record.payload.eq(self.window[8:])]
            m.d.sync += [second.eq(~complete), self.length.eq(Mux(second, WINDOW_BYTES + wanted, wanted))]
        with m.If(complete | faulty):
            m.d.sync += [
                self.o.valid.eq(1),
                record.fault.eq(
                    Mux(
                        faulty,
                        ListFault.MEMORY,
                        Mux(known, Mux(reserved, ListFault.VALUE, ListFault.NONE), ListFault.CODE),
                    )
                ),
                ends.eq(faulty | ~known | reserved),
            ]
        with m.If(self.restart):
            m.d.sync += [self.o.valid.eq(0), second.eq(0), ends.eq(0)]
        return m

    def _look_up(self, m, code, known, short, is_long):
        """How many bytes the record has in its first chunk and in its second one."""
        with m.Switch(code):
            for value, record in RECORDS.items():
                with m.Case(value):
                    m.d.comb += [
                        known.eq(1),
                        short.eq(min(record.length, WINDOW_BYTES)),
                        is_long.eq(max(record.length - WINDOW_BYTES, 0)),
                    ]

    def _check(self, m, code, payload, reserved):
        """Whether a field has a value without a name."""
        with m.Switch(code):
            for value, record in RECORDS.items():
                wrong = [_is_reserved(payload, field) for field in _choices(record.layout)]
                if wrong:
                    with m.Case(value):
                        m.d.comb += reserved.eq(Cat(wrong).any())


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


def _is_reserved(payload, field):
    value = payload[field.offset : field.offset + field.width]
    return ~Cat(value == member.value for member in field.shape).any()


assert PAYLOAD_BITS <= _FIRST_BITS + _CHUNK_BITS
