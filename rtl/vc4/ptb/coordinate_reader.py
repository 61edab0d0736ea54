"""Primitives with what the binner wants of their shaded vertices."""

from amaranth import *
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import VERTICES
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import GlShaderRecord, NvShaderRecord
from vc4.vcm.structs import VcmItem, VcmKind, VcmVertex
from vc4.vcm.vertex_words import VertexWords
from vc4.vpm.structs import QuadAddress, Words

from .structs import COORDINATES, BinItem, BinKind, BinPrimitive, ClipWord, ScreenPoint

__all__ = ["CoordinateReader"]

#: Words of a vertex of a coordinate shader: clip coordinates, the position, Zs, 1/W, a point size.
_POSITION, _SIZE = COORDINATES, COORDINATES + 3


def _flag(layout, name):
    """Which bit of a header it is."""
    return data.Layout.cast(layout)[name].offset


_HAS_SIZE, _CLIPS = (_flag(GlShaderRecord, name) for name in ("point_size_included", "enable_clipping"))
_HAS_HEADER = _flag(NvShaderRecord, "clip_coordinates_header_included")
assert [_flag(NvShaderRecord, name) for name in ("point_size_included", "enable_clipping")] == [_HAS_SIZE, _CLIPS]


class _State(enum.Enum, shape=unsigned(1)):
    """What is done with a primitive."""

    READ = 0  # words of its vertices are asked for
    WAIT = 1  # until they have come, and there is room after


class CoordinateReader(wiring.Component):
    """Reads the vertices of primitives for the binner; primitives count between the start of a frame and its flush
    (guide, sections 8 and 9; the model's `Ptb.bin`).

    Behaviour: a record passes in a clock, and is there one clock later. A triangle takes seven clocks, one with clip coordinates
    twenty, one with coordinates four, if the VPM gives each quad when it is asked; meanwhile the one before waits at `o`. One with
    clip coordinates is not begun while another one waits there: so what comes after has two banks of them at the most. A
    primitive is taken from `i` when its words have been read.

    Interface attributes
    --------------------
    i : stream of `VcmItem` of the binning thread
    reads, quad : quads of the VPM that are wanted, and what the one of the clock before asked for
    clipping : primitives may have to be clipped
    o : stream of `BinItem`
    word, word_stb : strobe: a clip coordinate of the primitive that comes next
    busy : something is under way
    """

    i: In(stream.Signature(VcmItem))
    reads: Out(stream.Signature(QuadAddress))
    quad: In(Words)
    clipping: In(1)
    o: Out(stream.Signature(BinItem))
    word: Out(ClipWord)
    word_stb: Out(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.vertex_words = words = VertexWords()
        connect(m, words.reads, flipped(self.reads))
        item = self.i.payload
        primitive = item.body.primitive
        state = Signal(_State)
        counts = Signal()
        reads = Signal()
        m.d.comb += [
            words.words.eq(self.quad),
            reads.eq(self.i.valid & (item.kind == VcmKind.PRIMITIVE) & counts),
            self.busy.eq((state != _State.READ) | ~words.rests | self.o.valid),
        ]
        bank = Signal()
        made = Signal(BinPrimitive)
        begins = Signal()
        m.d.comb += [
            *(made.type.eq(primitive.type), made.coordinates.eq(primitive.coordinates), made.bank.eq(bank)),
            *(self.word.bank.eq(bank), self.word.vertex.eq(words.o.vertex), self.word.number.eq(words.o.number)),
            *(self.word.value.eq(words.o.value), self.word_stb.eq(words.stb & (words.o.number < COORDINATES))),
        ]
        self._keep(m, item, counts, made, begins)
        self._read(m, words, reads, state, made, begins)
        self._give(m, state, words, reads, counts, made, bank)
        return m

    def _keep(self, m, item, counts, made, begins):
        """What records and shaders say of the primitives after them. `begins`: nothing of this one has been asked for."""
        header, code = item.body.shader, item.body.record.code
        lists = Signal()
        started = Signal()
        is_nv = Signal()
        shader_clips = Signal()
        has_size = Signal()
        clipping = Signal()  # when the primitive was begun
        taken = self.i.valid & self.i.ready
        with m.If(taken & (item.kind == VcmKind.SHADER)):
            enabled = header.flags[_CLIPS] & (~is_nv | header.flags[_HAS_HEADER])
            m.d.sync += [has_size.eq(header.flags[_HAS_SIZE]), shader_clips.eq(enabled)]
        with m.If(taken & (item.kind == VcmKind.RECORD)), m.Switch(code):
            with m.Case(ControlCode.TILE_BINNING_MODE_CONFIGURATION):
                m.d.sync += [lists.eq(1), started.eq(0)]
            with m.Case(ControlCode.START_TILE_BINNING):
                m.d.sync += started.eq(1)
            with m.Case(ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE):
                m.d.sync += lists.eq(0)
            with m.Case(ControlCode.GL_SHADER_STATE, ControlCode.NV_SHADER_STATE):
                m.d.sync += is_nv.eq(code == ControlCode.NV_SHADER_STATE)
        with m.If(begins):
            m.d.sync += clipping.eq(self.clipping)
        shaded = ~item.body.primitive.coordinates
        m.d.comb += [
            counts.eq(lists & started),
            made.clips.eq(shader_clips & shaded & Mux(begins, self.clipping, clipping)),
            made.has_size.eq(has_size & shaded & (item.body.primitive.type == PrimitiveType.POINTS)),
        ]

    def _read(self, m, words, reads, state, made, begins):
        """The vertices, one after the other: what lists have of them, and their words."""
        before = self.o.payload
        vertex = Signal(range(VERTICES))
        last = Signal(range(VERTICES))
        at = Signal(VcmVertex)
        span, word = words.i.payload, words.o
        waits = self.o.valid & (before.kind == BinKind.PRIMITIVE) & before.body.primitive.clips & made.clips
        asks = reads & (state == _State.READ) & ~waits
        with m.Switch(made.type):
            with m.Case(PrimitiveType.LINES, PrimitiveType.RHTS):
                m.d.comb += last.eq(1)
            with m.Case(PrimitiveType.TRIANGLES):
                m.d.comb += last.eq(2)
        goes = Signal()
        m.d.comb += [
            # The words of a vertex may be asked for in two clocks.
            begins.eq((state == _State.READ) & (vertex == 0) & words.rests),
            at.eq(self.i.payload.body.primitive.vertices[vertex]),
            *(span.vertex.eq(vertex), span.at.eq(at)),
            *(span.first.eq(Mux(made.clips, 0, _POSITION)), span.last.eq(Mux(made.has_size, _SIZE, _POSITION))),
            words.i.valid.eq(asks & ~made.coordinates),
            goes.eq(asks & (made.coordinates | words.i.ready)),
        ]
        with m.If(goes):
            m.d.sync += vertex.eq(vertex + 1)
            with m.If(vertex == last):
                m.d.sync += [state.eq(_State.WAIT), vertex.eq(0)]
        with m.If((state == _State.WAIT) & self.i.ready):
            m.d.sync += state.eq(_State.READ)
        place = Signal(32)
        given = Signal(range(VERTICES))
        is_place = Signal()
        m.d.comb += [
            place.eq(Mux(made.coordinates, at.coordinates, word.value)),
            given.eq(Mux(made.coordinates, vertex, word.vertex)),
            is_place.eq(Mux(made.coordinates, goes, words.stb & (word.number == _POSITION))),
        ]
        for number in range(VERTICES):
            point, listed = Signal(ScreenPoint, name=f"point_{number}"), Signal(32, name=f"listed_{number}")
            with m.If(is_place & (given == number)):
                m.d.sync += Value.cast(point).eq(place)
            with m.If(vertex == number):
                m.d.sync += listed.eq(Mux(made.coordinates, at.coordinates, at.place.index))
            m.d.comb += [made.points[number].eq(point), made.vertices[number].eq(listed)]
        size = Signal(32)
        with m.If(words.stb & (word.number == _SIZE)):
            m.d.sync += size.eq(word.value)
        m.d.comb += made.size.eq(size)

    def _give(self, m, state, words, reads, counts, made, bank):
        """Records and primitives to the output."""
        item, o = self.i.payload, self.o.payload
        is_record, is_primitive = item.kind == VcmKind.RECORD, item.kind == VcmKind.PRIMITIVE
        complete = (state == _State.WAIT) & words.rests
        room = ~self.o.valid | self.o.ready
        m.d.comb += self.i.ready.eq(Mux(is_primitive & counts, complete & room, ~is_record | room))
        with m.If(room):
            m.d.sync += [
                self.o.valid.eq((self.i.valid & is_record) | (reads & complete)),
                o.kind.eq(Mux(is_record, BinKind.RECORD, BinKind.PRIMITIVE)),
                Value.cast(o.body).eq(made),
            ]
            with m.If(is_record):
                m.d.sync += o.body.record.eq(item.body.record)
            with m.If(reads & complete & made.clips):
                m.d.sync += bank.eq(~bank)
