"""Vertices out of the bytes of a list."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.control import ControlCode
from vc4.records.primitives import INDEX_BITS, VG_END, VG_PAD, IndexedPrimitiveList, IndexType, VertexArrayPrimitives

from .list_fetch import ByteWindow, has_bytes
from .structs import PipelineRecord, fields_of

__all__ = ["VertexReader"]

_WORD_BYTES = 4


class VertexReader(wiring.Component):
    """Takes a vertex at a time of a list that is not compressed (guide, section 9: records 32, 33, 41 and 42).

    Behaviour: a vertex is taken as soon as all its bytes are available, and shown from the next clock on, in which the one
    after it may be taken: one vertex a clock. Those of record 33 have no bytes, and count up.

    Interface attributes
    --------------------
    begins : strobe: a list begins, in the next clock
    runs : it does, and may have vertices that have not been taken
    record : the record of the list, all the time
    window : of a `ListFetch`
    valid : a vertex is shown
    value : it, if it is no mark
    above : and it is above the maximum
    is_end, is_pad : in a list of VG, it is a mark
    length : bytes of each vertex
    moves : strobe: the next one
    ends : strobe: none is taken any more
    starves : more bytes are needed than are available
    failed : there is no next vertex in memory, and none is shown
    """

    begins: In(1)
    runs: In(1)
    record: In(PipelineRecord)
    window: In(ByteWindow())
    valid: Out(1)
    value: Out(32)
    above: Out(1)
    is_end: Out(1)
    is_pad: Out(1)
    length: Out(range(_WORD_BYTES + 1))
    moves: In(1)
    ends: In(1)
    starves: Out(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        code = self.record.code
        indexed = fields_of(self.record, IndexedPrimitiveList)
        first = fields_of(self.record, VertexArrayPrimitives).index_of_first_vertex
        most = indexed.maximum_index
        is_vg = Signal()
        counts = Signal()
        wide = Signal()
        enough = Signal()
        fills = Signal()
        read = Signal.like(self.value)
        too_large = Signal()  # to have a place in `value`, by counting
        index, bits = self.value[:INDEX_BITS], self.window.bytes
        m.d.comb += [
            is_vg.eq((code == ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES) | (code == ControlCode.VG_INLINE_PRIMITIVES)),
            counts.eq(code == ControlCode.VERTEX_ARRAY_PRIMITIVES),
            wide.eq(is_vg | (indexed.index_type == IndexType.BITS_16)),
            self.length.eq(Mux(counts, 0, Mux(is_vg, _WORD_BYTES, Mux(wide, 2, 1)))),
            enough.eq(has_bytes(self.window, self.length)),
            fills.eq(self.runs & enough & (~self.valid | (self.moves & ~self.ends))),
            self.window.take.eq(Mux(fills, self.length, 0)),
            self.above.eq(Mux(counts, too_large, ~is_vg & (index > most[:INDEX_BITS]) & ~most[INDEX_BITS:].any())),
            self.starves.eq(self.runs & ~(self.valid | enough)),
            self.failed.eq(self.runs & ~(self.valid | enough) & self.window.error),
            read.eq(Cat(bits[:8], Mux(wide, bits[8:16], 0), Mux(is_vg, bits[16:32], 0))),
        ]
        m.d.sync += self.valid.eq(~self.begins & (fills | (self.valid & ~self.moves)))
        with m.If(self.begins):
            m.d.sync += [self.value.eq(first[:INDEX_BITS]), too_large.eq(first[INDEX_BITS:].any())]
        with m.Elif(counts):
            with m.If(self.moves):
                m.d.sync += Cat(index, too_large).eq(index + 1)
        with m.Elif(fills):
            m.d.sync += [
                self.value.eq(read),
                self.is_end.eq(read == VG_END),
                self.is_pad.eq(read == VG_PAD),
            ]
        return m
