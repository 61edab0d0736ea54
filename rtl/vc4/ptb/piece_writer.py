"""Writes a piece of a tile list."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import ListFormat
from vc4.records.primitives import ClippedPrimitive
from vc4.records.shaders import CLIPPED_VERTEX_BYTES

from .list_structs import ADDRESS_BITS, CHUNK_BYTES, PIECE_BITS, ListChunk, Piece, RecordChunk
from .piece_bytes import PieceBytes, PieceStep
from .primitive_coding import CodedPrimitive
from .structs import CLIPPED_WORDS, TilePrimitive

__all__ = ["PieceWriter"]

#: Bits that the address of such vertices lacks.
_ADDRESS_SHIFT = 3
_IN_VERTEX = CLIPPED_VERTEX_BYTES.bit_length() - 1


class PieceWriter(wiring.Component):
    """Writes all bytes of a piece, or none (docs/reference/rendering.md, memory of the binner: writes; `TileLists._put` of the
    model).

    Behaviour: the first bytes come in the clock after `start`, if the place is trusted; else it is looked up first.

    Interface attributes
    --------------------
    piece, length, trusted, start : strobe: what is written, and whether it need not be looked up
    primitive, coding, form : what pieces are made of
    target, blocks : of branches
    records, words : streams of records and of vertices, for these
    address : where it goes
    check, ranges_busy, found : of `OwnedRanges`
    o : stream of `ListChunk`
    moves : strobe: one goes
    done : strobe: the last one of the piece
    failed : it may not be written; stays
    """

    piece: In(Piece)
    length: In(PIECE_BITS)
    trusted: In(1)
    start: In(1)
    primitive: In(TilePrimitive)
    coding: In(CodedPrimitive)
    form: In(ListFormat)
    target: In(32)
    blocks: In(16)
    records: In(stream.Signature(RecordChunk))
    words: In(stream.Signature(32))
    address: In(ADDRESS_BITS)
    check: Out(1)
    ranges_busy: In(1)
    found: In(1)
    o: Out(stream.Signature(ListChunk))
    moves: Out(1)
    done: Out(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.piece_bytes = bytes_ = PieceBytes()
        piece = Signal(Piece)
        length = Signal(PIECE_BITS)  # that is written
        step = Signal(PieceStep)
        header = Signal(ClippedPrimitive)  # of the newest vertices that were made
        out, last = self.o.payload, Signal(name="last")
        m.d.comb += [
            *(bytes_.piece.eq(piece), bytes_.step.eq(step), bytes_.coding.eq(self.coding)),
            *(bytes_.primitive.eq(self.primitive), bytes_.form.eq(self.form)),
            bytes_.word.eq(Mux(piece == Piece.BRANCH, self.target, header.as_value())),
            bytes_.blocks.eq(self.blocks),
            out.address.eq(self.address),
            self.moves.eq(self.o.valid & self.o.ready),
            self.done.eq(self.moves & last),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [piece.eq(self.piece), length.eq(0), step.eq(PieceStep.BEGIN)]
                with m.If((self.piece == Piece.CODED) & self.coding.whole):
                    m.d.sync += step.eq(PieceStep.WHOLE)
                with m.If(self.start & (self.piece == Piece.VERTICES)):
                    m.d.sync += header.clipped_vertices.eq(self.primitive.made)
                    m.d.sync += header.clipped_primitive_data_address.eq(self.address[_ADDRESS_SHIFT:])
                with m.If(self.start):
                    m.next = "CHECK"
                    with m.If(self.trusted):
                        m.next = "WRITE"
            with m.State("CHECK"):
                m.d.comb += self.check.eq(1)
                m.next = "CHECKED"
            with m.State("CHECKED"):
                with m.If(~self.ranges_busy):
                    m.next = "FAILED"
                    with m.If(self.found):
                        m.next = "WRITE"
            self._write(m, bytes_, piece, step, length, last)
            with m.State("FAILED"):
                m.d.comb += self.failed.eq(1)
        return m

    def _write(self, m, bytes_, piece, step, length, last):
        """Bytes go."""
        out, record = self.o.payload, self.records.payload
        made = length[:_IN_VERTEX] < CLIPPED_WORDS * CHUNK_BYTES  # else zeros
        with m.State("WRITE"):
            m.d.comb += [
                *(self.o.valid.eq(1), out.data.eq(bytes_.data), out.count.eq(bytes_.count)),
                last.eq(bytes_.last),
            ]
            with m.Switch(piece):
                with m.Case(Piece.STATE):
                    m.d.comb += [
                        *(self.o.valid.eq(self.records.valid), self.records.ready.eq(self.o.ready)),
                        *(out.data.eq(record.data), out.count.eq(record.count), last.eq(record.last)),
                    ]
                with m.Case(Piece.VERTICES):
                    m.d.comb += [
                        *(self.o.valid.eq(self.words.valid | ~made), self.words.ready.eq(self.o.ready & made)),
                        out.data.eq(Mux(made, self.words.payload, 0)),
                        *(out.count.eq(CHUNK_BYTES), last.eq(length == self.length - CHUNK_BYTES)),
                    ]
            with m.If(self.moves):
                m.d.sync += [step.eq(bytes_.next), length.eq(length + out.count)]
            with m.If(self.done):
                m.next = "IDLE"
