"""State that goes into tile lists."""

from amaranth import *
from amaranth.hdl import Shape
from amaranth.lib import stream, wiring
from amaranth.lib.data import Layout
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PAYLOAD_BITS, PipelineRecord
from vc4.common.ram import BlockRam
from vc4.errata import Erratum
from vc4.records.control import RECORDS, Record, Role, Threads

from .list_structs import CHUNK_BYTES, RecordChunk

__all__ = ["StateCache"]

#: Of a stamp; of those of chips with the erratum HW-2116.
_STAMP_BITS, _FEWER_BITS = 32, 13
_CHUNK_BITS = 8 * CHUNK_BYTES
#: One shader takes the place of another; after them all state that both threads know, by its code.
_SHADERS = [record for record in RECORDS.values() if record.role is Role.SHADER]
_STATES = sorted(
    (record for record in RECORDS.values() if record.role is Role.STATE and record.threads is Threads.BOTH),
    key=lambda record: record.code.value,
)
_KEYS = 1 + len(_STATES)
_ROWS = [(0, record) for record in _SHADERS] + [*enumerate(_STATES, 1)]
#: Of each kind in memory: a word for each part of the longest payload, and the stamp.
_PARTS = 2
_STAMP = _PARTS
assert max(record.length - 1 for _, record in _ROWS) <= _PARTS * CHUNK_BYTES


def _mask(record: Record) -> int:
    """Bits of what follows the first byte, but those of the record that have no meaning."""
    unused = (
        (1 << Shape.cast(field.shape).width) - 1 << field.offset
        for name, field in Layout.cast(record.layout)
        if name.startswith("unused")
    )
    return (1 << _PARTS * _CHUNK_BITS) - 1 - sum(unused)


def _next_kind(m, key, last_key):
    """Of a scan."""
    m.d.sync += key.eq(key + 1)
    m.next = "STAMP"
    with m.If(last_key):
        m.next = "IDLE"


class StateCache(wiring.Component):
    """The newest record of each kind, with a stamp: the change of state that it came with (pipeline facts, 2.3;
    docs/reference/rendering.md, tile lists: state, stamps; `StateCache` of the model).

    Behaviour: takes a record in three clocks, or four if it is a new change. A scan takes three clocks a kind that is known, one for
    others, and one for each chunk of a record. Forwarding is what BXCF.FWDDISA switches off in a chip; here records never wait.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    records : stream of `PipelineRecord`; kinds that tile lists do not have vanish
    begin : strobe: a frame: what is known is its prefix
    advance : strobe: the next state is a new change
    use : strobe: a primitive has been binned with this state
    idle : these strobes, and `scan`, may come
    counter : changes of state
    scan : strobe: all that is newer than `stamp` comes
    stamp, everything, shader : also what is old, or the old shader; until the scan is over
    o : stream of `RecordChunk`
    scanning : more may come
    """

    records: In(stream.Signature(PipelineRecord))
    begin: In(1)
    advance: In(1)
    use: In(1)
    idle: Out(1)
    counter: Out(_STAMP_BITS)
    scan: In(1)
    stamp: In(_STAMP_BITS)
    everything: In(1)
    shader: In(1)
    o: Out(stream.Signature(RecordChunk))
    scanning: Out(1)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._counted = _FEWER_BITS if Erratum.HW_2116 in errata else _STAMP_BITS
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = BlockRam(_CHUNK_BITS, 4 * 16, exclusive=True)
        key = Signal(range(_KEYS + 1))
        used = Signal()
        held = Signal(_KEYS)  # kinds that are known
        newer = Signal()
        kind = Signal(range(_KEYS))  # of the record that comes
        known = Signal()
        wanted = Signal(_PARTS * _CHUNK_BITS)
        self._look_up(m, kind, known, wanted)
        code, length = self._describe(m, key)
        last_key = Signal()
        following = (self.counter + 1)[: self._counted]
        part = Signal(range(4))
        m.d.comb += [
            last_key.eq(key == _KEYS - 1),
            store.read_address.eq(Cat(part, key)),
            store.write_address.eq(Cat(part, key)),
            self.o.payload.length.eq(length),
        ]
        with m.FSM() as fsm:
            with m.State("IDLE"):
                m.d.sync += key.eq(Mux(self.records.valid, kind, 0))
                with m.If(self.begin):
                    m.d.sync += [self.counter.eq(0), used.eq(0)]
                    m.next = "BEGIN"
                with m.Elif(self.advance):
                    m.d.sync += [self.counter.eq(following), used.eq(0)]
                with m.Elif(self.scan):
                    m.next = "STAMP"
                with m.Elif(self.records.valid & ~known):
                    m.d.comb += self.records.ready.eq(1)
                with m.Elif(self.records.valid & used):
                    m.d.sync += [self.counter.eq(following), used.eq(0)]
                with m.Elif(self.records.valid):
                    m.next = "FIRST"
                with m.If(self.use):
                    m.d.sync += used.eq(1)
            self._set(m, store, key, part, wanted, held)
            with m.State("BEGIN"):
                m.d.comb += [part.eq(_STAMP), store.write_data.eq(0), store.write_enable.eq(1)]
                m.d.sync += key.eq(key + 1)
                with m.If(last_key):
                    m.next = "IDLE"
            with m.State("STAMP"):
                m.d.comb += [part.eq(_STAMP), store.read_enable.eq(1)]
                with m.If(held.bit_select(key, 1)):
                    m.next = "COMPARE"
                with m.Else():
                    _next_kind(m, key, last_key)
            with m.State("COMPARE"):
                m.d.sync += newer.eq((store.read_data > self.stamp) | self.everything | (self.shader & (key == 0)))
                m.next = "CODE"
            self._emit(m, store, key, part, code, length, last_key, newer)
        m.d.comb += [self.idle.eq(fsm.ongoing("IDLE")), self.scanning.eq(~self.idle)]
        return m

    def _set(self, m, store, key, part, wanted, held):
        """A record."""
        with m.State("FIRST"):
            m.d.comb += [part.eq(0), store.write_data.eq(wanted[:_CHUNK_BITS]), store.write_enable.eq(1)]
            m.d.sync += held.bit_select(key, 1).eq(1)
            m.next = "SECOND"
        with m.State("SECOND"):
            m.d.comb += [part.eq(1), store.write_data.eq(wanted[_CHUNK_BITS:]), store.write_enable.eq(1)]
            m.next = "LAST"
        with m.State("LAST"):
            m.d.comb += [part.eq(_STAMP), store.write_data.eq(self.counter), store.write_enable.eq(1)]
            m.d.comb += self.records.ready.eq(1)
            m.next = "IDLE"

    def _emit(self, m, store, key, part, code, length, last_key, newer):
        """A record, chunk by chunk, if it is newer."""
        out = self.o.payload
        follows = Signal(range(PAYLOAD_BITS // 8 + 1))
        m.d.comb += [follows.eq(length - 1), out.data.eq(store.read_data)]
        with m.State("CODE"):
            m.d.comb += [
                *(self.o.valid.eq(newer), out.data.eq(code), out.count.eq(1), out.first.eq(1)),
                *(part.eq(0), store.read_enable.eq(1)),
            ]
            with m.If(~newer):
                _next_kind(m, key, last_key)
            with m.Elif(self.o.ready):
                m.next = "PAYLOAD"
        with m.State("PAYLOAD"):
            m.d.comb += [
                self.o.valid.eq(1),
                out.count.eq(Mux(follows > CHUNK_BYTES, CHUNK_BYTES, follows)),
                out.last.eq(follows <= CHUNK_BYTES),
                *(part.eq(1), store.read_enable.eq(self.o.ready)),
            ]
            with m.If(self.o.ready):
                m.next = "REST"
                with m.If(out.last):
                    _next_kind(m, key, last_key)
        with m.State("REST"):
            m.d.comb += [self.o.valid.eq(1), out.count.eq(follows - CHUNK_BYTES), out.last.eq(1)]
            with m.If(self.o.ready):
                _next_kind(m, key, last_key)

    def _look_up(self, m, kind, known, wanted):
        """The kind of the record that comes, and what of it has a meaning."""
        record = self.records.payload
        with m.Switch(record.code):
            for number, row in _ROWS:
                with m.Case(row.code):
                    m.d.comb += [kind.eq(number), known.eq(1), wanted.eq(record.payload & _mask(row))]

    def _describe(self, m, key):
        """The first byte and the length of the record that is known of a kind."""
        codes, length = Signal(8, name="codes"), Signal.like(self.o.payload.length, name="length")
        shader = Signal(range(len(_SHADERS)))
        with m.If(self.records.valid & self.records.ready):
            with m.Switch(self.records.payload.code):
                for number, row in enumerate(_SHADERS):
                    with m.Case(row.code):
                        m.d.sync += shader.eq(number)
        with m.Switch(key):
            for number, row in enumerate(_STATES, 1):
                with m.Case(number):
                    m.d.comb += [codes.eq(row.code.value), length.eq(row.length)]
            with m.Case(0):
                with m.Switch(shader):
                    for number, row in enumerate(_SHADERS):
                        with m.Case(number):
                            m.d.comb += [codes.eq(row.code.value), length.eq(row.length)]
        return codes, length
