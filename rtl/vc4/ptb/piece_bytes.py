"""The bytes of a piece of a tile list."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES, ListFormat
from vc4.records import compressed
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveData, PrimitiveListFormat

from .list_structs import CHUNK_BYTES, Piece
from .primitive_coding import CodedPrimitive
from .structs import TilePrimitive

__all__ = ["PieceBytes", "PieceStep"]

_WORD_BYTES = 4
_INDEX_BYTES = 2


class PieceStep(enum.Enum, shape=unsigned(3)):
    """Where in a piece its next bytes are."""

    BEGIN = 0
    WORD = 1
    WHOLE = 2  # the first byte of a primitive whose vertices are as they are
    VERTEX_0 = 3
    VERTEX_1 = 4
    VERTEX_2 = 5


class PieceBytes(wiring.Component):
    """What a piece is made of, some bytes at a time: all but records of state, and vertices that clipping has made.

    Behaviour: in the same clock.

    Interface attributes
    --------------------
    piece, step : what and where
    primitive, coding : it, and how it is written
    form : what a format says
    word : where a branch leads, or what the record of a clipped primitive says
    blocks : of a branch in a compressed list
    data, count : the bytes
    next, last : the step after them, or there is none
    """

    piece: In(Piece)
    step: In(PieceStep)
    primitive: In(TilePrimitive)
    coding: In(CodedPrimitive)
    form: In(ListFormat)
    word: In(32)
    blocks: In(16)
    data: Out(8 * CHUNK_BYTES)
    count: Out(range(CHUNK_BYTES + 1))
    next: Out(PieceStep)
    last: Out(1)

    def elaborate(self, platform):
        m = Module()
        final = Signal(PieceStep)  # the last vertex of the primitive
        with m.Switch(self.primitive.type):
            for kind, count in compressed.VERTICES.items():
                with m.Case(kind):
                    m.d.comb += final.eq(PieceStep.VERTEX_0.value + count - 1)
        with m.Switch(self.step):
            with m.Case(PieceStep.BEGIN):
                self._begin(m)
            with m.Case(PieceStep.WORD):
                m.d.comb += [self.data.eq(self.word), self.count.eq(_WORD_BYTES)]
                m.d.comb += [self.next.eq(PieceStep.WHOLE), self.last.eq(self.piece == Piece.BRANCH)]
            with m.Case(PieceStep.WHOLE):
                m.d.comb += [self.data.eq(compressed.ABSOLUTE), self.count.eq(1), self.next.eq(PieceStep.VERTEX_0)]
            for number in range(VERTICES):
                with m.Case(PieceStep.VERTEX_0.value + number):
                    is_final = final.as_value() == PieceStep.VERTEX_0.value + number
                    m.d.comb += [
                        self.data.eq(self.primitive.vertices[number]),
                        self.count.eq(Mux(self.primitive.coordinates, _WORD_BYTES, _INDEX_BYTES)),
                        self.last.eq(is_final | (number == 0) & (self.piece == Piece.CODED) & self.coding.follows),
                    ]
                    if number + 1 < VERTICES:
                        m.d.comb += self.next.eq(PieceStep.VERTEX_0.value + number + 1)
        return m

    def _begin(self, m):
        form = Signal(PrimitiveListFormat)
        kinds = Mux(self.form.coordinates, PrimitiveData.COORDINATES.value, PrimitiveData.INDEX_16.value)
        m.d.comb += [form.primitive_type.eq(self.form.type), form.data_type.eq(kinds), self.count.eq(1)]
        m.d.comb += self.next.eq(PieceStep.WORD)
        with m.Switch(self.piece):
            with m.Case(Piece.END):
                m.d.comb += [self.data.eq(compressed.END), self.last.eq(1)]
            with m.Case(Piece.RETURN):
                m.d.comb += [self.data.eq(ControlCode.RETURN_FROM_SUB_LIST.value), self.last.eq(1)]
            with m.Case(Piece.FORMAT):
                m.d.comb += self.data.eq(Cat(C(ControlCode.PRIMITIVE_LIST_FORMAT.value, 8), form.as_value()))
                m.d.comb += [self.count.eq(2), self.last.eq(1)]
            with m.Case(Piece.CODED):
                m.d.comb += [
                    self.data.eq(self.coding.data),
                    self.count.eq(self.coding.count),
                    self.last.eq(~self.coding.follows),
                ]
                m.d.comb += self.next.eq(PieceStep.VERTEX_0)
            with m.Case(Piece.WHOLE):
                with m.If(self.primitive.made.any()):
                    m.d.comb += self.data.eq(ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST.value)
                with m.Else():
                    m.d.comb += self.data.eq(ControlCode.COMPRESSED_PRIMITIVE_LIST.value)
                    m.d.comb += self.next.eq(PieceStep.WHOLE)
            with m.Case(Piece.BRANCH):
                m.d.comb += self.data.eq(ControlCode.BRANCH.value)
            with m.Case(Piece.SHORT_BRANCH):
                m.d.comb += self.data.eq(Cat(C(compressed.BRANCH, 8), self.blocks))
                m.d.comb += [self.count.eq(compressed.BRANCH_BYTES), self.last.eq(1)]
