"""From what is left of a primitive to primitives."""

from amaranth import *
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.common.select import select

from .clip_steps import CORNER_BITS, WORD_BITS, CornerWord
from .corner_memory import CORNER_ADDRESS_BITS
from .screen_half import ScreenHalf
from .structs import CLIPPED_WORDS, POINT_BITS, ScreenPoint

__all__ = ["ClipPieces", "Piece"]

_WORD = 32
#: Of a `CornerWord.NUMBER` of a vertex of the primitive, and where its number is.
_IS_OLD, _NUMBER = 30, slice(22, 24)
#: The words of a record, from the first one on, when their words of a corner are read: the first one needs two of them.
_FIRST = 1


class Piece(data.Struct):
    """A primitive that is left.

    made : its vertices that are new, a bit each
    points : where these are
    """

    made: unsigned(VERTICES)
    points: data.ArrayLayout(ScreenPoint, VERTICES)


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    REST = 0
    CORNERS = 1  # which ones are new
    VERTEX = 2  # is one of them
    WORDS = 3  # of a vertex
    GIVE = 4


class ClipPieces(wiring.Component):
    """Makes a line, or a fan of triangles, of corners: the model's `clipped_primitives`.

    A piece is turned so that vertices of the primitive keep their numbers. That can always be done: where two of them are left,
    nothing new comes between both on an edge of the primitive, and they are in their old order.

    Behaviour: a piece comes 6 clocks and 10 for each new vertex after the one before. Its words are given before it; they must go on
    whether or not it is taken.

    Interface attributes
    --------------------
    starts, left, half, is_line : strobe: so many corners, enough for a piece, are in this half of the memory
    busy : there are more pieces
    o : stream of `Piece`
    words : stream of words of new vertices
    read_address, read : a word of a corner
    """

    starts: In(1)
    left: In(CORNER_BITS)
    half: In(1)
    is_line: In(1)
    busy: Out(1)
    o: Out(stream.Signature(Piece))
    words: Out(stream.Signature(unsigned(_WORD)))
    read_address: Out(CORNER_ADDRESS_BITS)
    read: In(_WORD)

    def elaborate(self, platform):
        m = Module()
        m.submodules.screen_half = half = ScreenHalf()
        state = Signal(_State)
        second = Signal(CORNER_BITS, init=1)  # corners of this piece; its first one is always the first one
        third = Signal(CORNER_BITS, init=2)
        at = Signal(range(VERTICES))  # a corner of the piece
        vertex = Signal(range(VERTICES))
        new = Signal(VERTICES)  # corners of the piece
        turn = Signal(range(VERTICES))  # which one is vertex 0
        word = Signal(range(CLIPPED_WORDS + 1))
        moves = Signal()
        corner = Signal(range(VERTICES))  # that of a vertex
        is_last = Signal()  # vertex of a piece
        x = Signal(signed(POINT_BITS))
        read_corner = Signal(range(VERTICES))
        read_word = Signal(WORD_BITS)
        piece, last_vertex = self.o.payload, Mux(self.is_line, 1, 2)
        m.d.comb += [
            self.busy.eq(state != _State.REST),
            self.o.valid.eq(state == _State.GIVE),
            corner.eq(_sum(vertex, turn)),
            is_last.eq(vertex == last_vertex),
            self.read_address.eq(
                Cat(read_word, select(read_corner, [C(0, CORNER_BITS), second, third, third]), self.half)
            ),
            half.i.eq(self.read),
        ]
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.comb += [read_corner.eq(0), read_word.eq(CornerWord.NUMBER)]
                m.d.sync += [second.eq(1), third.eq(2), at.eq(0), turn.eq(0)]
                with m.If(self.starts):
                    m.d.sync += state.eq(_State.CORNERS)
            with m.Case(_State.CORNERS):
                # The word of this corner is there, that of the next one is read.
                m.d.comb += [read_corner.eq(at + 1), read_word.eq(CornerWord.NUMBER)]
                m.d.sync += [
                    at.eq(at + 1),
                    new.bit_select(at, 1).eq(~self.read[_IS_OLD]),
                    vertex.eq(0),
                    piece.made.eq(0),
                ]
                with m.If(self.read[_IS_OLD]):
                    m.d.sync += turn.eq(_difference(at, self.read[_NUMBER]))
                with m.If(at == last_vertex):
                    m.d.sync += state.eq(_State.VERTEX)
            with m.Case(_State.VERTEX):
                m.d.comb += [read_corner.eq(corner), read_word.eq(0)]
                m.d.sync += word.eq(0)
                with m.If(new.bit_select(corner, 1)):
                    m.d.sync += state.eq(_State.WORDS)
                with m.Else():
                    m.d.sync += [vertex.eq(vertex + 1), state.eq(Mux(is_last, _State.GIVE, _State.VERTEX))]
            with m.Case(_State.WORDS):
                m.d.comb += [
                    read_corner.eq(corner),
                    read_word.eq(word + moves),
                    moves.eq((word == 0) | self.words.ready),
                ]
                with m.If(moves):
                    m.d.sync += word.eq(word + 1)
                    with m.If(word == CLIPPED_WORDS):
                        m.d.sync += [vertex.eq(vertex + 1), state.eq(Mux(is_last, _State.GIVE, _State.VERTEX))]
            with m.Case(_State.GIVE):
                m.d.comb += [read_corner.eq(0), read_word.eq(CornerWord.NUMBER)]
                m.d.sync += [at.eq(0), turn.eq(0)]
                with m.If(self.o.ready):
                    m.d.sync += [second.eq(third), third.eq(third + 1), state.eq(_State.CORNERS)]
                    with m.If(self.is_line | (third + 1 == self.left)):
                        m.d.sync += state.eq(_State.REST)
        self._words(m, state, word, moves, vertex, half.o, x)
        return m

    def _words(self, m, state, word, moves, vertex, half, x):
        """Of a new vertex, and its place."""
        piece = self.o.payload
        m.d.comb += [
            self.words.valid.eq((state == _State.WORDS) & (word != 0)),
            # What is behind the weights in memory is not used.
            self.words.payload.eq(Mux(word == _FIRST, Cat(x, half), Mux(word > CornerWord.NUMBER - 1, 0, self.read))),
        ]
        with m.If((state == _State.WORDS) & moves):
            with m.If(word == 0):
                m.d.sync += x.eq(half)
            with m.If(word == _FIRST):
                m.d.sync += piece.made.bit_select(vertex, 1).eq(1)
                for number in range(VERTICES):
                    with m.If(vertex == number):
                        m.d.sync += [piece.points[number].x.eq(x), piece.points[number].y.eq(half)]


def _sum(a, b):
    """Modulo 3."""
    return select(Cat(a, b), [(x % 4 + x // 4) % 3 for x in range(16)])


def _difference(a, b):
    """Modulo 3."""
    return select(Cat(a, b), [(x % 4 - x // 4) % 3 for x in range(16)])
