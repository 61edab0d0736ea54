"""The clipper of the binner."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import VERTICES
from vc4.common.block_queue import BlockQueue
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType

from .clip_coordinates import ClipCoordinates
from .clip_engine import ClipEngine
from .clip_outcome import ClipOutcome
from .clip_pieces import ClipPieces
from .clip_scales import ClipScales
from .polygon_cut import PolygonCut
from .structs import CLIPPED_WORDS, BinItem, BinKind, ClipWord

__all__ = ["Clipper"]

_WORD = 32
#: Words of new vertices: a block RAM, which is all that a primitive gives that rounding does not bend.
_WORDS = 512
#: Records that say where clip coordinates are on the screen.
_SCALES = (ControlCode.CLIPPER_XY_SCALING, ControlCode.CLIPPER_Z_SCALE_AND_OFFSET)


class _State(enum.Enum, shape=unsigned(2)):
    """What the item is."""

    REST = 0  # there is none
    LOOK = 1  # a primitive that is classified, and cut
    PIECES = 2  # its pieces leave
    GIVE = 3  # it leaves as it is


class Clipper(wiring.Component):
    """Drops primitives that are outside of the view volume, and cuts those that must be (docs/reference/rendering.md, binning), as the
    model's `classify`, `clip` and `clipped_primitives`. Numbers are those of its `truncated`. Records pass; two of them say
    where clip coordinates are on the screen.

    Behaviour: one item at a time. What does not clip passes in one clock, an item every other clock; a record of the clipper takes
    one more. A triangle that is whole, or outside, takes 28 clocks. One that is cut takes 480 if it crosses one plane, and 1,800 if
    it crosses all of them: see `PolygonCut` and `ClipPieces`. Nothing is taken before all that was taken is gone but words. Words
    come in the order of their pieces. They are there when their piece is, and wait for whoever takes them; pieces do not wait for
    them, up to 20 of them. After a reset nothing is taken for four clocks.

    Interface attributes
    --------------------
    i : stream of `BinItem`
    word, word_stb : strobe: a clip coordinate of the next primitive: after the one before has been taken, in the other bank than its
    o : stream of `BinItem`
    words : stream of words of vertices that are made, CLIPPED_WORDS for each of a piece
    outside, clipped : strobes: a primitive is outside of one plane; it must be cut
    busy : an item is here, or words are
    """

    i: In(stream.Signature(BinItem))
    word: In(ClipWord)
    word_stb: In(1)
    o: Out(stream.Signature(BinItem))
    words: Out(stream.Signature(unsigned(_WORD)))
    outside: Out(1)
    clipped: Out(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.clip_coordinates = coordinates = ClipCoordinates()
        m.submodules.clip_scales = scales = ClipScales()
        m.submodules.clip_engine = engine = ClipEngine()
        m.submodules.clip_outcome = outcome = ClipOutcome()
        m.submodules.polygon_cut = cut = PolygonCut()
        m.submodules.clip_pieces = pieces = ClipPieces()
        m.submodules.words = words = BlockQueue(_WORD, _WORDS)
        connect(m, words.o, flipped(self.words))
        state = Signal(_State)
        item = Signal(BinItem)
        takes = Signal()
        clips = Signal()  # what is offered
        begins = Signal()
        count = Signal(range(VERTICES + 1))
        primitive, record, offered = item.body.primitive, item.body.record, self.i.payload
        is_line, is_point = primitive.type == PrimitiveType.LINES, primitive.type == PrimitiveType.POINTS
        is_primitive = offered.kind == BinKind.PRIMITIVE
        m.d.comb += [
            self.i.ready.eq((state == _State.REST) & ~scales.busy),
            takes.eq(self.i.valid & self.i.ready),
            clips.eq(is_primitive & offered.body.primitive.clips),
            count.eq(Mux(is_point, 1, Mux(is_line, 2, VERTICES))),
            self.busy.eq((state != _State.REST) | (words.level != 0)),
            *(coordinates.word.eq(self.word), coordinates.word_stb.eq(self.word_stb)),
            *(coordinates.starts.eq(takes & clips), coordinates.bank.eq(primitive.bank)),
            coordinates.last_vertex.eq(count - 1),
            scales.starts.eq(takes & ~is_primitive & Value.cast(offered.body.record.code).matches(*_SCALES)),
            scales.record.eq(record),
            *(cut.starts.eq(begins), cut.count.eq(count), cut.is_line.eq(is_line), cut.loading.eq(coordinates.busy)),
            *(words.i.payload.eq(pieces.word), words.i.valid.eq(pieces.word_stb)),
            pieces.room.eq(words.level < _WORDS - CLIPPED_WORDS),
            *(pieces.left.eq(cut.left), pieces.half.eq(cut.half), pieces.is_line.eq(is_line)),
        ]
        m.d.sync += begins.eq(takes & clips)
        with m.If(takes):
            m.d.sync += item.eq(offered)
        self._engine(m, coordinates, scales, engine, outcome, cut, pieces)
        self._state(m, state, takes, clips, is_point, coordinates, outcome, cut, pieces)
        self._give(m, state, item, pieces)
        return m

    def _engine(self, m, coordinates, scales, engine, outcome, cut, pieces):
        """What asks the engine, and what hears of it."""
        m.d.comb += [
            *(engine.starts.eq(cut.program_starts), engine.program.eq(cut.program), engine.corners.eq(cut.corners)),
            *(engine.more.eq(cut.more), cut.loops.eq(engine.loops), cut.program_done.eq(engine.done)),
            engine.write_stb.eq(coordinates.write_stb | scales.write_stb),
            engine.write_address.eq(Mux(scales.busy, scales.write_address, coordinates.write_address)),
            engine.write_data.eq(Mux(scales.busy, scales.write_data, coordinates.write_data)),
            engine.reads.eq(cut.reads | pieces.reads),
            engine.read_address.eq(Mux(cut.reads, cut.read_address, pieces.read_address)),
            *(cut.read.eq(engine.read), pieces.read.eq(engine.read)),
            *(outcome.result.eq(engine.result), outcome.stb.eq(engine.result_stb), outcome.begins.eq(cut.classifies)),
            *(cut.cuts.eq(outcome.cuts), cut.misses.eq(outcome.misses)),
            *(cut.negative.eq(outcome.negative), cut.zero.eq(outcome.zero)),
        ]

    def _state(self, m, state, takes, clips, is_point, coordinates, outcome, cut, pieces):
        """From item to item."""
        m.d.comb += [
            cut.cannot.eq(coordinates.infinite | outcome.outside | is_point),
            self.outside.eq(cut.classified & ~coordinates.infinite & outcome.outside),
            self.clipped.eq(cut.classified & ~coordinates.infinite & ~outcome.outside & outcome.cuts),
            pieces.starts.eq(cut.done & (cut.left >= cut.count)),
        ]
        drops = coordinates.infinite | outcome.outside | (outcome.cuts & is_point)
        with m.Switch(state):
            with m.Case(_State.REST):
                with m.If(takes):
                    m.d.sync += state.eq(Mux(clips, _State.LOOK, _State.GIVE))
            with m.Case(_State.LOOK):
                with m.If(cut.classified & (drops | ~outcome.cuts)):
                    m.d.sync += state.eq(Mux(drops, _State.REST, _State.GIVE))
                with m.If(cut.done):
                    m.d.sync += state.eq(Mux(pieces.starts, _State.PIECES, _State.REST))
            with m.Case(_State.PIECES):
                with m.If(~pieces.busy):
                    m.d.sync += state.eq(_State.REST)
            with m.Case(_State.GIVE):
                with m.If(self.o.ready):
                    m.d.sync += state.eq(_State.REST)

    def _give(self, m, state, item, pieces):
        """The item, or a piece of it."""
        piece, given = pieces.o.payload, Signal(BinItem, name="given")
        m.d.comb += [
            given.eq(item),
            self.o.payload.eq(given),
            self.o.valid.eq((state == _State.GIVE) | pieces.o.valid),
            pieces.o.ready.eq(self.o.ready),
        ]
        with m.If(state == _State.PIECES):
            m.d.comb += given.body.primitive.made.eq(piece.made)
            for number in range(VERTICES):
                with m.If(piece.made[number]):
                    m.d.comb += given.body.primitive.points[number].eq(piece.points[number])
