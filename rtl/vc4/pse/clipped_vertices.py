"""Vertices that clipping has made."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import VERTICES
from vc4.vcm.structs import PlacedPrimitive
from vc4.vcm.word_structs import VertexSpan, VertexWord

from .reader_structs import MOST_WORDS, WordNumber
from .structs import MOST_VARYINGS
from .weighted_sum import WeightedSum

__all__ = ["ClippedVertices"]

_WORD_BITS = 32
#: Of a record: a position, Zs, 1/W, then weights of the vertices.
_RECORD_WORDS, _WEIGHTS = 8, WordNumber.NEXT


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    REST = 0
    LOOK = 1  # for the next vertex
    ASK = 2  # for words of its record
    TAKE = 3
    NEXT = 4  # the next varying
    READ = 5  # it, of one vertex after the other
    WAIT = 6  # until it is in the sum
    GIVE = 7


class ClippedVertices(wiring.Component):
    """Reads records of vertices in memory, and adds up their varyings: those of the original ones, each with its weight
    (docs/reference/rendering.md, clipping and set-up). Flat ones stay as they are.

    Behaviour: one word of the bus after the other, then one varying after the other, in about 12 clocks for each vertex of the
    primitive. Without an answer from memory, or with an error, it goes no further.

    Interface attributes
    --------------------
    starts : strobe: it begins; what follows stays until `done`
    made, address : vertices that are made, a bit each; where the first one is
    primitive, last_vertex : the original ones, and the number of the last one
    first, count : number of the first word that is a varying, and of varyings
    flat : flags of the varyings
    spans, word, word_stb : words of the original ones that are wanted, and each in a later clock
    o, stb : strobe: a word of a vertex that is made
    done : strobe: there are no more
    fetching, failed : memory owes an answer; it does not have the vertex
    port : the way into memory, which is only read
    """

    starts: In(1)
    made: In(VERTICES)
    address: In(_WORD_BITS)
    primitive: In(PlacedPrimitive)
    last_vertex: In(range(VERTICES))
    first: In(range(MOST_WORDS))
    count: In(range(MOST_VARYINGS + 1))
    flat: In(MOST_VARYINGS)
    spans: Out(stream.Signature(VertexSpan))
    word: In(VertexWord)
    word_stb: In(1)
    o: Out(VertexWord)
    stb: Out(1)
    done: Out(1)
    fetching: Out(1)
    failed: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.weighted_sum = total = WeightedSum()
        state = Signal(_State)
        left = Signal(VERTICES)  # vertices from the next one on
        vertex = Signal(range(VERTICES))
        place = Signal(_WORD_BITS)
        weights = Signal(VERTICES * _WORD_BITS)
        word = Signal(range(_RECORD_WORDS))
        varying = Signal(range(MOST_VARYINGS + 1))
        number = Signal(range(MOST_WORDS + 1))  # of the varying among the words of a vertex
        original = Signal(range(VERTICES))
        self._record(m, state, place, word, vertex, weights)
        over = Signal()
        m.d.comb += [
            over.eq(varying == self.count),
            *(self.spans.payload.vertex.eq(original), self.spans.payload.at.eq(self.primitive.vertices[original])),
            *(self.spans.payload.first.eq(number), self.spans.payload.last.eq(number)),
            self.spans.valid.eq(state == _State.READ),
            *(total.value.eq(self.word.value), total.weight.eq(weights.word_select(original, _WORD_BITS))),
            *(total.stb.eq((state == _State.WAIT) & self.word_stb), total.first.eq(original == 0)),
            self.done.eq((state == _State.LOOK) & ~left.any()),
        ]
        with m.If(state == _State.GIVE):
            m.d.comb += [self.stb.eq(1), self.o.number.eq(number), self.o.value.eq(total.o)]
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.sync += [left.eq(self.made), place.eq(self.address), vertex.eq(0)]
                with m.If(self.starts):
                    m.d.sync += state.eq(_State.LOOK)
            with m.Case(_State.LOOK):
                with m.If(left[0] & (vertex <= self.last_vertex)):
                    m.d.sync += state.eq(_State.ASK)
                with m.Else():
                    m.d.sync += [left.eq(left >> 1), vertex.eq(vertex + 1)]
                with m.If(self.done):
                    m.d.sync += state.eq(_State.REST)
                m.d.sync += [varying.eq(0), number.eq(self.first)]
            with m.Case(_State.NEXT):
                m.d.sync += original.eq(0)
                with m.If(over):
                    m.d.sync += [state.eq(_State.LOOK), left[0].eq(0)]
                with m.Elif(self.flat.bit_select(varying[:-1], 1)):
                    m.d.sync += [varying.eq(varying + 1), number.eq(number + 1)]
                with m.Else():
                    m.d.sync += state.eq(_State.READ)
            with m.Case(_State.READ):
                with m.If(self.spans.ready):
                    m.d.sync += state.eq(_State.WAIT)
            with m.Case(_State.WAIT):
                with m.If(total.done):
                    m.d.sync += original.eq(original + 1)
                    m.d.sync += state.eq(Mux(original == self.last_vertex, _State.GIVE, _State.READ))
            with m.Case(_State.GIVE):
                m.d.sync += [varying.eq(varying + 1), number.eq(number + 1), state.eq(_State.NEXT)]
        return m

    def _record(self, m, state, place, word, vertex, weights):
        """A record: its words, two of each word of the bus, one after the other."""
        request, response = self.port.requests, self.port.responses
        is_odd = word[0]
        takes = Signal()
        value = Signal(_WORD_BITS)
        m.d.comb += [
            *(request.valid.eq(state == _State.ASK), request.payload.address.eq(place)),
            takes.eq((state == _State.TAKE) & response.valid & ~self.failed),
            self.fetching.eq((state == _State.TAKE) & ~self.failed),
            response.ready.eq(takes & (is_odd | response.payload.error)),
            value.eq(response.payload.data.word_select(is_odd, _WORD_BITS)),
            *(self.o.vertex.eq(vertex), self.o.number.eq(word), self.o.value.eq(value)),
            self.stb.eq(takes & (word < WordNumber.NEXT)),
        ]
        with m.If(takes):
            with m.If((word >= _WEIGHTS) & (word < _WEIGHTS + VERTICES)):
                m.d.sync += weights.eq(Cat(weights[_WORD_BITS:], value))
            m.d.sync += word.eq(word + 1)
            with m.If(is_odd):
                m.d.sync += place.eq(place + BUS_BYTES)
                m.d.sync += state.eq(Mux(word == _RECORD_WORDS - 1, _State.NEXT, _State.ASK))
            with m.If(response.payload.error):
                m.d.sync += [self.failed.eq(1), state.eq(_State.TAKE)]
        with m.If(request.valid & request.ready):
            m.d.sync += state.eq(_State.TAKE)
