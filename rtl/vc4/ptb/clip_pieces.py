"""From what is left of a primitive to primitives."""

from amaranth import *
from amaranth.hdl import Assert
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
#: What `word` is when the first word of a record is there.
_FIRST = 2


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

    Behaviour: a piece comes 8 clocks and 9 for each new vertex after the one before was taken. Its words are given before it.

    Interface attributes
    --------------------
    starts, left, half, is_line : strobe: so many corners, enough for a piece, are in this half of the memory
    busy : there are more pieces
    o : stream of `Piece`
    room : there is room for the words of a vertex
    word, word_stb : strobe: a word of a new vertex
    reads, read_address, read : strobe: a word of a corner is read; it, two clocks later
    """

    starts: In(1)
    left: In(CORNER_BITS)
    half: In(1)
    is_line: In(1)
    busy: Out(1)
    o: Out(stream.Signature(Piece))
    room: In(1)
    word: Out(_WORD)
    word_stb: Out(1)
    reads: Out(1)
    read_address: Out(CORNER_ADDRESS_BITS)
    read: In(_WORD)

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        second = Signal(CORNER_BITS, init=1)  # corners of this piece; its first one is always the first one
        third = Signal(CORNER_BITS, init=2)
        at = Signal(range(VERTICES + 1))  # a corner of the piece: it is under way, that before is here
        before = Signal(range(VERTICES))
        vertex = Signal(range(VERTICES))
        new = Signal(VERTICES)  # corners of the piece
        turn = Signal(range(VERTICES))  # which one is vertex 0
        known = Signal()
        word = Signal(range(CLIPPED_WORDS + 2))  # as `at`
        corner = Signal(range(VERTICES))  # that of a vertex
        ends = Signal()  # a vertex
        read_corner = Signal(range(VERTICES))
        read_word = Signal(WORD_BITS)
        piece, last_vertex = self.o.payload, Mux(self.is_line, 1, 2)
        numbers = [C(0, CORNER_BITS), second, third, third]
        m.d.comb += [
            *(self.busy.eq(state != _State.REST), self.o.valid.eq(state == _State.GIVE)),
            self.reads.eq(self.busy | self.starts),
            *(corner.eq(_sum(vertex, turn)), before.eq(at - 1)),
            self.read_address.eq(Cat(read_word, select(read_corner, numbers), self.half)),
        ]
        with m.Switch(state):
            with m.Case(_State.REST, _State.GIVE):
                m.d.comb += read_word.eq(CornerWord.NUMBER)
                m.d.sync += [at.eq(0), turn.eq(0), known.eq(0)]
            with m.Case(_State.CORNERS):
                m.d.comb += [read_corner.eq(at + 1), read_word.eq(CornerWord.NUMBER)]
                m.d.sync += [at.eq(at + 1), vertex.eq(0), piece.made.eq(0)]
                with m.If(at != 0):
                    m.d.sync += new.bit_select(before, 1).eq(~self.read[_IS_OLD])
                    with m.If(self.read[_IS_OLD]):
                        m.d.sync += Assert(
                            ~known | (turn == _difference(before, self.read[_NUMBER])), "no turn keeps numbers"
                        )
                        m.d.sync += known.eq(1)
                        m.d.sync += turn.eq(_difference(before, self.read[_NUMBER]))
                with m.If((at != 0) & (before == last_vertex)):
                    m.d.sync += state.eq(_State.VERTEX)
            with m.Case(_State.VERTEX):
                m.d.comb += [read_corner.eq(corner), read_word.eq(0), ends.eq(~new.bit_select(corner, 1))]
                m.d.sync += word.eq(0)
                with m.If(self.room):
                    m.d.sync += state.eq(_State.WORDS)
            with m.Case(_State.WORDS):
                m.d.comb += [read_corner.eq(corner), read_word.eq(word + 1), ends.eq(word == CLIPPED_WORDS + 1)]
                m.d.sync += word.eq(word + 1)
        with m.If(self.starts):
            m.d.sync += [second.eq(1), third.eq(2), state.eq(_State.CORNERS)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [second.eq(third), third.eq(third + 1), state.eq(_State.CORNERS)]
            with m.If(self.is_line | (third + 1 == self.left)):
                m.d.sync += state.eq(_State.REST)
        with m.If(ends):
            m.d.sync += [vertex.eq(vertex + 1), state.eq(Mux(vertex == last_vertex, _State.GIVE, _State.VERTEX))]
        self._words(m, state, word, vertex)
        return m

    def _words(self, m, state, word, vertex):
        """Of a new vertex, and its place: the first word needs two of the corner."""
        m.submodules.screen_half = half = ScreenHalf()
        x = Signal(signed(POINT_BITS))
        piece = self.o.payload
        is_here = state == _State.WORDS
        m.d.comb += [
            half.i.eq(self.read),
            self.word_stb.eq(is_here & (word >= _FIRST)),
            # What is behind the weights in memory is not used.
            self.word.eq(Mux(word == _FIRST, Cat(x, half.o), Mux(word > CornerWord.NUMBER, 0, self.read))),
        ]
        with m.If(word == 1):
            m.d.sync += x.eq(half.o)
        with m.If(is_here & (word == _FIRST)):
            m.d.sync += piece.made.bit_select(vertex, 1).eq(1)
            for number in range(VERTICES):
                with m.If(vertex == number):
                    m.d.sync += [piece.points[number].x.eq(x), piece.points[number].y.eq(half.o)]


def _sum(a, b):
    """Modulo 3."""
    return select(Cat(a, b), [(x % 4 + x // 4) % 3 for x in range(16)])


def _difference(a, b):
    """Modulo 3."""
    return select(Cat(a, b), [(x % 4 - x // 4) % 3 for x in range(16)])
