"""Vertices of a primitive from their words."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.records.primitives import PrimitiveType
from vc4.vcm.word_structs import VertexWord

from .reader_structs import MOST_PLANES_READ, WordNumber
from .structs import MOST_VARYINGS, POSITION_BITS, ScreenVertex, SetUpRequest, SetUpState

__all__ = ["VertexAssembly"]

_HALF = 16


class VertexAssembly(wiring.Component):
    """Puts words of vertices where they belong: positions, Z and 1/W into a request, 1/W and varyings into planes.

    Behaviour: a word a clock, in any order; a later one takes the place of an earlier one. The request is made of what is there
    in the clock of `ends`.

    Interface attributes
    --------------------
    word, stb : strobe: a word
    left, low : the offset of the viewport
    has_size : word 3 is the size of a point
    plane : number of the plane that the word belongs to
    is_plane : strobe: it belongs to one
    ends : strobe: all words are there
    type, varyings, point_size, state : of the primitive
    request : that of the last primitive that has ended; its state is always the one of now
    """

    word: In(VertexWord)
    stb: In(1)
    left: In(signed(_HALF))
    low: In(signed(_HALF))
    has_size: In(1)
    plane: Out(range(MOST_PLANES_READ))
    is_plane: Out(1)
    ends: In(1)
    type: In(PrimitiveType)
    varyings: In(range(MOST_VARYINGS + 1))
    point_size: In(32)
    state: In(SetUpState)
    request: Out(SetUpRequest)

    def elaborate(self, platform):
        m = Module()
        number, value, request = self.word.number, self.word.value, self.request
        found = Signal(data.ArrayLayout(ScreenVertex, VERTICES))
        done = Signal.like(found)
        own_size = Signal(32)
        size = Signal(32)
        x = Signal(signed(POSITION_BITS))
        y = Signal(signed(POSITION_BITS))
        is_size = self.has_size & (number == WordNumber.NEXT)
        m.d.comb += [
            *(x.eq(value[:_HALF].as_signed() + self.left), y.eq(value[_HALF:].as_signed() + self.low)),
            self.is_plane.eq(self.stb & (number >= WordNumber.RECIPROCAL_W) & ~is_size),
            self.plane.eq(number - WordNumber.RECIPROCAL_W - (self.has_size & (number > WordNumber.NEXT))),
        ]
        for place, vertex in enumerate(found):
            with m.If(self.stb & (self.word.vertex == place)), m.Switch(number):
                with m.Case(WordNumber.POSITION):
                    m.d.sync += [vertex.x.eq(x), vertex.y.eq(y)]
                with m.Case(WordNumber.Z):
                    m.d.sync += Value.cast(vertex.zs).eq(value)
                with m.Case(WordNumber.RECIPROCAL_W):
                    m.d.sync += Value.cast(vertex.reciprocal_w).eq(value)
        with m.If(self.stb & is_size):
            m.d.sync += own_size.eq(value)
        kept = Signal(PrimitiveType)
        varyings = Signal.like(self.varyings)
        with m.If(self.ends):
            m.d.sync += [done.eq(found), kept.eq(self.type), varyings.eq(self.varyings)]
            m.d.sync += size.eq(Mux(self.has_size, own_size, self.point_size))
        is_point = kept == PrimitiveType.POINTS
        m.d.comb += [
            *(request.vertices.eq(done), request.type.eq(kept), request.varyings.eq(varyings)),
            request.state.eq(self.state),
            Value.cast(request.state.size).eq(Mux(is_point, size, Value.cast(self.state.size))),
        ]
        return m
