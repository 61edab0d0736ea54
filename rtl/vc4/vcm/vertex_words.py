"""Words of shaded vertices."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.vpm.port import QUAD_WORDS
from vc4.vpm.structs import QuadAddress, Words

from .structs import VertexPlace
from .word_structs import WORD_BITS, VertexSpan, VertexWord

__all__ = ["VertexWords"]

#: Zs and 1/W of coordinates: 0.5 and 1.
_VG_Z, _VG_W = 0x3F00_0000, 0x3F80_0000
_QUAD_BITS = 2
assert QUAD_WORDS == 1 << _QUAD_BITS
#: When less words than this follow, the next quad may be asked for: it comes when there are none.
_SOON = 2


class _Quad(data.Struct):
    """A quad of a vertex.

    number, more : of its first word that is wanted; how many follow
    coordinates : its first word is that of `value`, and none is read
    """

    valid: unsigned(1)
    vertex: range(VERTICES)
    number: unsigned(WORD_BITS)
    more: unsigned(_QUAD_BITS)
    coordinates: unsigned(1)
    value: unsigned(32)


class VertexWords(wiring.Component):
    """Reads columns of the VPM, four words at a time, and hands them on one by one.

    Behaviour: a word a clock, if the VPM gives a quad in the clock in which it is asked for. The first one comes three clocks
    after its span was there.

    Interface attributes
    --------------------
    i : stream of `VertexSpan`
    reads, words : quads of the VPM, and what the one of the clock before asked for
    o, stb : strobe: a word
    rests : nothing is under way
    """

    i: In(stream.Signature(VertexSpan))
    reads: Out(stream.Signature(QuadAddress))
    words: In(Words)
    o: Out(VertexWord)
    stb: Out(1)
    rests: Out(1)

    def elaborate(self, platform):
        m = Module()
        span = self.i.payload
        wanted = Signal(_Quad)  # is asked for
        asked = Signal(_Quad)  # comes now
        here = Signal(_Quad)
        quad = Signal(Words)
        goes = Signal()
        loads = Signal()
        begun = Signal()  # the span
        following = Signal(WORD_BITS)
        first = Signal(WORD_BITS)
        ends = Signal()
        soon = Signal()  # the quad that is asked for comes when there is room for it
        place = data.View(VertexPlace, span.at.place)
        m.d.comb += [
            first.eq(Mux(begun, following, span.first)),
            ends.eq(first[_QUAD_BITS:] == span.last[_QUAD_BITS:]),
            loads.eq(self.i.valid & (~wanted.valid | goes)),
            self.i.ready.eq(loads & ends),
            soon.eq(Mux(asked.valid, asked.more == 0, ~here.valid | (here.more < _SOON))),
            self.reads.valid.eq(wanted.valid & ~wanted.coordinates & soon),
            goes.eq(wanted.valid & soon & (wanted.coordinates | self.reads.ready)),
        ]
        with m.If(loads):
            m.d.sync += [
                wanted.vertex.eq(span.vertex),
                wanted.number.eq(first),
                wanted.more.eq(Mux(ends, span.last[:_QUAD_BITS], C(-1, _QUAD_BITS)) - first[:_QUAD_BITS]),
                wanted.coordinates.eq(span.coordinates),
                wanted.value.eq(span.at.coordinates),
                self.reads.payload.column.eq(place.column),
                self.reads.payload.row[_QUAD_BITS:].eq(place.row[_QUAD_BITS:] + first[_QUAD_BITS:]),
                self.reads.payload.vertical.eq(1),
                *(begun.eq(~ends), following.eq(Cat(C(0, _QUAD_BITS), first[_QUAD_BITS:] + 1))),
            ]
        m.d.sync += wanted.valid.eq(loads | (wanted.valid & ~goes))
        m.d.sync += [asked.eq(wanted), asked.valid.eq(goes)]
        with m.If(asked.valid):
            m.d.sync += [here.eq(asked), quad.eq(self.words)]
            with m.If(asked.coordinates):
                m.d.sync += [quad[0].eq(asked.value), quad[1].eq(_VG_Z), quad[2].eq(_VG_W)]
        with m.Elif(here.valid):
            m.d.sync += [here.valid.eq(here.more != 0), here.number.eq(here.number + 1), here.more.eq(here.more - 1)]
        m.d.comb += [
            self.stb.eq(here.valid),
            *(self.o.vertex.eq(here.vertex), self.o.number.eq(here.number)),
            self.o.value.eq(quad[here.number[:_QUAD_BITS]]),
            self.rests.eq(~(wanted.valid | asked.valid | here.valid)),
        ]
        return m
