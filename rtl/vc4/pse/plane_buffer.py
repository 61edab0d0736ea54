"""Planes of primitives that are being set up."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.common.queue import Queue
from vc4.common.ram import BlockRam
from vc4.records.primitives import PrimitiveType

from .reader_structs import MOST_PLANES_READ, PlaneCount
from .structs import PlaneWords, SetUpPiece

__all__ = ["PlaneBuffer"]

#: Planes of all of them.
_ROWS = 256
#: Primitives that the set-up may have, and pieces of them.
_PRIMITIVES = 8
_PIECES = 2 * _PRIMITIVES
_WORD_BITS = 32


class PlaneBuffer(wiring.Component):
    """Keeps words of the vertices of primitives until the set-up says what becomes of these: each piece that is drawn gets all
    planes of its primitive, others get none.

    Behaviour: a word is written each clock, and a plane leaves each clock, with one clock between two pieces. The first one leaves
    three clocks after its piece was told of.

    Interface attributes
    --------------------
    room : for another primitive
    plane, vertex, value, stb : strobe: this is the value of a vertex; the last one of several counts
    primitive, ends : strobe: a primitive has all of its words
    piece, piece_stb : strobe: what becomes of primitives, in their order
    o : stream of planes: a point and an RHT have their first vertex three times, a line its last one twice
    any : something has not left yet
    """

    room: Out(1)
    plane: In(range(MOST_PLANES_READ))
    vertex: In(range(VERTICES))
    value: In(_WORD_BITS)
    stb: In(1)
    primitive: In(PlaneCount)
    ends: In(1)
    piece: In(SetUpPiece)
    piece_stb: In(1)
    o: Out(stream.Signature(PlaneWords))
    any: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.rows = rows = BlockRam(VERTICES * _WORD_BITS, _ROWS, granularity=_WORD_BITS, exclusive=True)
        m.submodules.primitives = primitives = Queue(PlaneCount, _PRIMITIVES)
        m.submodules.pieces = pieces = Queue(SetUpPiece, _PIECES)
        begin = Signal(range(_ROWS))  # of the primitive that comes
        first = Signal(range(_ROWS))  # of the one that is told of next
        kept = Signal(range(_ROWS))  # from here on rows are not free
        level = Signal(range(_ROWS))
        here, piece = primitives.o.payload, pieces.o.payload
        active = Signal()  # a piece leaves
        place = Signal(range(_ROWS))
        left = Signal(range(MOST_PLANES_READ))
        starts = Signal()
        fetch = Signal()
        type_ = Signal(PrimitiveType)  # of the piece
        shown = Signal(PrimitiveType)  # of the plane at the output
        m.d.comb += [
            level.eq(begin - kept),
            self.room.eq((level < _ROWS - MOST_PLANES_READ) & primitives.i.ready),
            rows.write_address.eq(begin + self.plane),
            rows.write_data.eq(self.value.replicate(VERTICES)),
            rows.write_enable.eq(Mux(self.stb, 1 << self.vertex, 0)),
            *(primitives.i.valid.eq(self.ends), primitives.i.payload.eq(self.primitive)),
            *(pieces.i.valid.eq(self.piece_stb), pieces.i.payload.eq(self.piece)),
            starts.eq(pieces.o.valid & ~active),
            pieces.o.ready.eq(~active),
            primitives.o.ready.eq(starts & piece.last),
            fetch.eq(active & (~self.o.valid | self.o.ready)),
            *(rows.read_address.eq(place), rows.read_enable.eq(fetch)),
            self.any.eq(primitives.o.valid | active | self.o.valid),
        ]
        with m.If(self.ends):
            m.d.sync += begin.eq(begin + self.primitive.count)
        with m.If(~active):
            m.d.sync += [kept.eq(first), place.eq(first), left.eq(here.count - 1), type_.eq(here.type)]
            m.d.sync += active.eq(pieces.o.valid & piece.drawn)
        with m.If(starts & piece.last):
            m.d.sync += first.eq(first + here.count)
        with m.If(fetch):
            m.d.sync += [place.eq(place + 1), left.eq(left - 1), shown.eq(type_), active.eq(left != 0)]
        values, found = self.o.payload.values, data.View(PlaneWords, rows.read_data).values
        m.d.comb += values[0].eq(found[0])
        for vertex in range(1, VERTICES):
            m.d.comb += values[vertex].eq(found[vertex])
        with m.Switch(shown):
            with m.Case(PrimitiveType.POINTS, PrimitiveType.RHTS):
                m.d.comb += [values[1].eq(found[0]), values[2].eq(found[0])]
            with m.Case(PrimitiveType.LINES):
                m.d.comb += values[2].eq(found[1])
        m.d.sync += [
            self.o.valid.eq(fetch | (self.o.valid & ~self.o.ready)),
            Assert(~self.ends | primitives.i.ready, "a primitive has no room"),
            Assert(~self.piece_stb | pieces.i.ready, "a piece has no room"),
            Assert(~pieces.o.valid | primitives.o.valid, "a piece has no primitive"),
        ]
        return m
