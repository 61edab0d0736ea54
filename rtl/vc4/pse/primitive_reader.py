"""Primitives with the words of their vertices."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.vcm.structs import VcmItem, VcmKind
from vc4.vcm.vertex_words import VertexWords
from vc4.vpm.structs import QuadAddress, Words

from .clipped_vertices import ClippedVertices
from .draw_records import DrawRecords
from .plane_buffer import PlaneBuffer
from .reader_structs import MOST_WORDS, WordNumber
from .structs import MOST_VARYINGS, DrawItem, PlaneWords, SetUpPiece, SetUpRequest
from .vertex_assembly import VertexAssembly

__all__ = ["PrimitiveReader"]

#: Bit of shader records of GL and NV: vertices have a point size.
_POINT_SIZE = 1


class _State(enum.Enum, shape=unsigned(3)):
    """What is done with the item that is there."""

    REST = 0  # it is passed on
    READ = 1  # words of its vertices
    WAIT = 2  # until they have come
    CLIP = 3  # vertices that clipping has made
    GIVE = 4  # the request


class PrimitiveReader(wiring.Component):
    """Reads the vertices of primitives for the set-up, with the state that the records in front of them have set
    (docs/reference/rendering.md, set-up).

    Behaviour: records pass in a clock, but one that changes the state of requests waits until the request in front of it was taken.
    A triangle without varyings takes 15 clocks, one with eight 39, if the VPM gives each quad when it is asked; meanwhile the
    set-up has the one before. Planes wait until the set-up tells what becomes of their primitive. A primitive is taken from `i`
    when its words have been read. At most 32 varyings of a shader are used.

    A clipped primitive whose vertices memory does not have is the last one: nothing happens any more. `fetching` must be low in
    the clock of a reset.

    Interface attributes
    --------------------
    i : stream of `VcmItem` of the rendering thread
    reads, quad : quads of the VPM that are wanted, and what the one of the clock before asked for
    items : stream of `DrawItem`: records, shader records, and primitives, in their order
    requests : stream of `SetUpRequest`, for each primitive one
    piece, piece_stb : what becomes of these, see `Pse`
    words : stream of `PlaneWords` of pieces that are drawn
    busy : something is under way
    fetching, failed : memory owes an answer; a clipped vertex is not in memory
    port : the way into memory, which is only read
    """

    i: In(stream.Signature(VcmItem))
    reads: Out(stream.Signature(QuadAddress))
    quad: In(Words)
    items: Out(stream.Signature(DrawItem))
    requests: Out(stream.Signature(SetUpRequest))
    piece: In(SetUpPiece)
    piece_stb: In(1)
    words: Out(stream.Signature(PlaneWords))
    busy: Out(1)
    fetching: Out(1)
    failed: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.draw_records = records = DrawRecords()
        m.submodules.vertex_words = words = VertexWords()
        m.submodules.clipped_vertices = clipped = ClippedVertices()
        m.submodules.vertex_assembly = assembly = VertexAssembly()
        m.submodules.plane_buffer = planes = PlaneBuffer()
        connect(m, words.reads, flipped(self.reads))
        connect(m, clipped.port, flipped(self.port))
        connect(m, planes.o, flipped(self.words))
        item = self.i.payload
        primitive = item.body.primitive
        state = Signal(_State)
        has_size = Signal()
        varyings = Signal(range(MOST_VARYINGS + 1))
        last_word = Signal(range(MOST_WORDS))
        last_vertex = Signal(range(VERTICES))
        with m.If(self.i.valid & self.i.ready & (item.kind == VcmKind.SHADER)):
            header = item.body.shader
            m.d.sync += has_size.eq(header.flags[_POINT_SIZE])
            m.d.sync += varyings.eq(Mux(header.varyings > MOST_VARYINGS, MOST_VARYINGS, header.varyings))
        m.d.comb += [
            *(records.record.eq(item.body.record), records.stb.eq(self.i.ready & (item.kind == VcmKind.RECORD))),
            *(words.words.eq(self.quad), assembly.left.eq(records.left), assembly.low.eq(records.low)),
            assembly.has_size.eq(has_size & ~primitive.coordinates),
            assembly.varyings.eq(Mux(primitive.coordinates, 0, varyings)),
            *(assembly.type.eq(primitive.type), assembly.state.eq(records.state)),
            *(assembly.point_size.eq(records.point_size), self.requests.payload.eq(assembly.request)),
            last_word.eq(WordNumber.RECIPROCAL_W + assembly.has_size + assembly.varyings),
            *(assembly.word.eq(words.o), assembly.stb.eq(words.stb & (state != _State.CLIP))),
        ]
        with m.If(state == _State.CLIP):
            m.d.comb += [assembly.word.eq(clipped.o), assembly.stb.eq(clipped.stb)]
        with m.Switch(primitive.type):
            with m.Case(PrimitiveType.LINES, PrimitiveType.RHTS):
                m.d.comb += last_vertex.eq(1)
            with m.Case(PrimitiveType.TRIANGLES):
                m.d.comb += last_vertex.eq(2)
        m.d.comb += [
            *(planes.plane.eq(assembly.plane), planes.vertex.eq(assembly.word.vertex)),
            *(planes.value.eq(assembly.word.value), planes.stb.eq(assembly.is_plane)),
            *(planes.primitive.count.eq(assembly.varyings + 1), planes.primitive.type.eq(primitive.type)),
            *(planes.ends.eq(assembly.ends), planes.piece.eq(self.piece), planes.piece_stb.eq(self.piece_stb)),
            self.busy.eq((state != _State.REST) | self.requests.valid | planes.any),
        ]
        self._pass(m, state, records, planes)
        self._read(m, state, words, clipped, assembly, last_vertex, last_word)
        self._clip(m, clipped, records, assembly, last_vertex)
        m.d.comb += [clipped.word.eq(words.o), clipped.word_stb.eq(words.stb)]
        return m

    def _pass(self, m, state, records, planes):
        """Items to the output. A primitive is read after that."""
        item = self.i.payload
        waits = Signal()
        is_record, is_primitive = item.kind == VcmKind.RECORD, item.kind == VcmKind.PRIMITIVE
        is_end = item.kind == VcmKind.END
        passes = Signal()
        m.d.comb += [
            # State is not kept for a request that waits.
            waits.eq((is_record & records.is_state & self.requests.valid) | (is_primitive & ~planes.room)),
            self.items.valid.eq((state == _State.REST) & self.i.valid & ~is_end & ~waits),
            self.items.payload.kind.eq(item.kind),
            Value.cast(self.items.payload.body).eq(item.body.as_value()),
            passes.eq(self.items.valid & self.items.ready),
            self.i.ready.eq(
                (passes & ~is_primitive)
                | ((state == _State.REST) & self.i.valid & is_end)
                | ((state == _State.GIVE) & ~self.requests.valid)
            ),
        ]
        with m.If(passes & is_primitive):
            m.d.sync += state.eq(_State.READ)

    def _read(self, m, state, words, clipped, assembly, last_vertex, last_word):
        """A primitive: the words of its vertices, then its request."""
        primitive = self.i.payload.body.primitive
        vertex = Signal(range(VERTICES))
        clips = primitive.clipped & ~primitive.coordinates
        span = words.i.payload
        m.d.comb += [
            *(span.vertex.eq(vertex), span.at.eq(primitive.vertices[vertex])),
            *(span.coordinates.eq(primitive.coordinates), span.first.eq(0), span.last.eq(last_word)),
            words.i.valid.eq(state == _State.READ),
            clipped.starts.eq((state == _State.WAIT) & words.rests & clips),
            assembly.ends.eq((state == _State.GIVE) & ~self.requests.valid),
        ]
        with m.Switch(state):
            with m.Case(_State.READ):
                with m.If(words.i.ready):
                    m.d.sync += vertex.eq(vertex + 1)
                    with m.If(vertex == last_vertex):
                        m.d.sync += [state.eq(_State.WAIT), vertex.eq(0)]
            with m.Case(_State.WAIT):
                with m.If(words.rests):
                    m.d.sync += state.eq(Mux(clips, _State.CLIP, _State.GIVE))
            with m.Case(_State.CLIP):
                m.d.comb += [words.i.valid.eq(clipped.spans.valid), span.eq(clipped.spans.payload)]
                with m.If(clipped.done):
                    m.d.sync += state.eq(_State.GIVE)
            with m.Case(_State.GIVE):
                with m.If(~self.requests.valid):
                    m.d.sync += state.eq(_State.REST)
        with m.If(assembly.ends):
            m.d.sync += self.requests.valid.eq(1)
        with m.Elif(self.requests.ready):
            m.d.sync += self.requests.valid.eq(0)
        m.d.comb += clipped.spans.ready.eq((state == _State.CLIP) & words.i.ready)

    def _clip(self, m, clipped, records, assembly, last_vertex):
        """What clipping has made is made of."""
        primitive = self.i.payload.body.primitive
        m.d.comb += [
            *(clipped.made.eq(records.made), clipped.address.eq(records.address), clipped.flat.eq(records.state.flat)),
            *(clipped.primitive.eq(primitive), clipped.last_vertex.eq(last_vertex)),
            *(clipped.first.eq(WordNumber.NEXT + assembly.has_size), clipped.count.eq(assembly.varyings)),
            *(self.fetching.eq(clipped.fetching), self.failed.eq(clipped.failed)),
        ]
