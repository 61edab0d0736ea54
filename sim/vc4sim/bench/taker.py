"""What takes the place of binner or renderer as long as there is none."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.cle import PipelinePort
from vc4.cle.structs import VERTICES as MOST_VERTICES
from vc4.records.compressed import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import NvShaderRecord
from vc4.vcm.structs import PlacedPrimitive, VcmItem, VcmKind
from vc4.vpm.allocation import RESERVATION_ROWS
from vc4.vpm.structs import QUAD_WORDS, QuadAddress, Words
from vc4.vpm.window import MOST_SHADER_BLOCKS

from .random_numbers import next_random

__all__ = ["CLIP_WORDS", "FINISH_CHANCE", "MOST_VERTEX_WORDS", "SCREEN_WORDS", "Taker", "TakenQuad"]

#: Of a vertex: those in front for binning, and those that all have.
CLIP_WORDS, SCREEN_WORDS = 4, 3
#: That a vertex has in the VPM.
MOST_VERTEX_WORDS = MOST_SHADER_BLOCKS * RESERVATION_ROWS
#: In each clock, in steps of 1/256, that the flush or frame under way is finished.
FINISH_CHANCE = 64
_MOST_WORDS = SCREEN_WORDS + 1 + 255
_CHANCE_LOW, _CHANCE_BITS = 12, 8


class TakenQuad(data.Struct):
    """Four words of a vertex of the primitive that is taken next."""

    vertex: unsigned(32)
    vertex_words: unsigned(32)  # that each vertex has
    words: Words


class _Place(data.Struct):
    """Of a quad: which vertex of a primitive, and which of its quads."""

    vertex: range(MOST_VERTICES + 1)
    quad: range(MOST_VERTEX_WORDS // QUAD_WORDS)


class Taker(wiring.Component):
    """In place of binner or renderer: reads all words of the vertices of a primitive, then takes it. Flushes and frames are
    finished some clocks later.

    Parameters
    ----------
    thread : 0: binner, 1: renderer
    reads : whether vertices are read at all; else everything is taken at once
    chance : of a pause in each clock, in steps of 1/256
    seed : of the pauses, 32 bits

    Interface attributes
    --------------------
    pipeline : what it gets
    asks, words : reads words of vertices, which come in the clock after
    quad, quad_stb : they have come
    item_stb : what `pipeline` offers is taken
    moves : there is something to do
    """

    def __init__(self, thread: int, *, reads: bool, chance: int, seed: int):
        self._thread, self._reads, self._chance, self._seed = thread, reads, chance, seed
        super().__init__(
            {
                "pipeline": In(PipelinePort(VcmItem)),
                "asks": Out(stream.Signature(QuadAddress)),
                "words": In(Words),
                "quad": Out(TakenQuad),
                "quad_stb": Out(1),
                "item_stb": Out(1),
                "moves": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        items, ready = self.pipeline.items, self.pipeline.items.ready
        seen = Signal()  # what is offered is known
        primitive = Signal(PlacedPrimitive)
        vertices = Signal(range(MOST_VERTICES + 1))  # of it, that are read
        quads = Signal(range(MOST_VERTEX_WORDS // QUAD_WORDS + 1), init=1)  # of each
        asked = Signal(_Place)
        come = Signal(_Place)
        may = Signal()
        wants = Signal()
        m.d.comb += [
            may.eq(1 if not self._reads else seen & (asked.vertex == vertices) & (come.vertex == vertices)),
            wants.eq(seen & (asked.vertex != vertices)),
            self.quad.vertex.eq(come.vertex),
            self.quad.words.eq(self.words),
            self.item_stb.eq(items.valid & ready),
            self.moves.eq(items.valid | (self.asks.valid & self.asks.ready)),
        ]
        self._draw(m, may, wants)
        self._address(m, primitive, asked)
        m.d.sync += self.quad_stb.eq(self.asks.valid & self.asks.ready)
        with m.If(self.quad_stb):
            self._next(m, come, quads)
        with m.If(self.asks.valid & self.asks.ready):
            self._next(m, asked, quads)
        with m.If(items.valid):
            m.d.sync += seen.eq(~ready)
            with m.If(~seen):
                m.d.sync += [asked.eq(0), come.eq(0)]
                self._look(m, items.payload, primitive, vertices, quads)
        return m

    def _draw(self, m, may, wants):
        """What pauses; who does nothing draws no number."""
        state = Signal(32, init=self._seed | 1)

        def chance(state, of_256):
            number = next_random(m, state)
            return number, number[_CHANCE_LOW : _CHANCE_LOW + _CHANCE_BITS] < of_256

        taken, pauses = chance(state, self._chance)
        behind_taken = Signal(32)
        behind_finished = Signal(32)
        finished, finishes = chance(behind_taken, FINISH_CHANCE)
        asked, pauses_asking = chance(behind_finished, self._chance)
        m.d.comb += [
            behind_taken.eq(Mux(may, taken, state)),
            behind_finished.eq(finished),
            self.pipeline.items.ready.eq(may & ~pauses),
            self.pipeline.finished.eq(finishes),
            self.asks.valid.eq(wants & ~pauses_asking),
        ]
        m.d.sync += state.eq(Mux(wants, asked, finished))

    def _address(self, m, primitive, asked):
        place = primitive.vertices[asked.vertex].place
        address = self.asks.payload
        m.d.comb += [
            address.column.eq(place.column),
            address.row.eq(place.row + asked.quad * QUAD_WORDS),
            address.vertical.eq(1),
        ]

    def _next(self, m, place, quads):
        last = place.quad == quads - 1
        m.d.sync += [place.quad.eq(Mux(last, 0, place.quad + 1)), place.vertex.eq(place.vertex + last)]

    def _look(self, m, item, primitive, vertices, quads):
        """At what is new."""
        shader, placed = item.body.shader, item.body.primitive
        own = data.View(NvShaderRecord, Cat(shader, Const(0, NvShaderRecord.as_shape().size - len(shader.as_value()))))
        words = Signal(range(_MOST_WORDS + 1))
        more = shader.varyings if self._thread else CLIP_WORDS
        counts = Array(VERTICES[type_] for type_ in PrimitiveType)
        m.d.comb += words.eq(SCREEN_WORDS + own.point_size_included + more)
        m.d.sync += vertices.eq(0)
        with m.If(item.kind == VcmKind.SHADER):
            in_vpm = Mux(words > MOST_VERTEX_WORDS, MOST_VERTEX_WORDS, words)
            m.d.sync += [self.quad.vertex_words.eq(words), quads.eq((in_vpm + QUAD_WORDS - 1) // QUAD_WORDS)]
        with m.Elif((item.kind == VcmKind.PRIMITIVE) & ~placed.coordinates & self._reads):
            m.d.sync += [primitive.eq(placed), vertices.eq(counts[placed.type.as_value()])]
