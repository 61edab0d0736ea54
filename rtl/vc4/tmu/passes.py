"""The passes of elements: what is looked up, one clock each."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.block_queue import BlockQueue
from vc4.common.queue import Queue
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES
from vc4.records.tmu import LEVELS, TextureType

from .choice import Choice
from .texture import COORDINATE_FRACTION, Element, LookupNote, Pass
from .texture_fields import TextureFields

__all__ = ["ELEMENTS", "Passes"]

#: Elements that wait for their level of detail, and half as many again.
ELEMENTS = 64
_DETAIL_BITS = 16
_BITS = COORDINATE_FRACTION + 2


class Passes(wiring.Component):
    """Elements with their level of detail become passes: one for each level, and for each word of those that have two.

    Behaviour: the first pass of an element comes three clocks after element and level of detail have met, and one follows in
    each clock with `room`.

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    element, element_stb : elements, for which there must be room
    detail, detail_stb : a level of detail for each quad of them
    left : an element has left its place
    room : there is room for a pass
    now, face, level, s, t, stb : a pass, and where it samples
    """

    note: In(LookupNote)
    note_stb: In(1)
    element: In(Element)
    element_stb: In(1)
    detail: In(signed(_DETAIL_BITS))
    detail_stb: In(1)
    left: Out(1)
    room: In(1)
    now: Out(Pass)
    face: Out(range(6))
    level: Out(range(LEVELS))
    s: Out(signed(_BITS))
    t: Out(signed(_BITS))
    stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.elements = elements = BlockQueue(Element, ELEMENTS)
        m.submodules.details = details = Queue(signed(_DETAIL_BITS), ELEMENTS // QUADS)
        m.submodules.fields = fields = TextureFields("type", "magnification", "minification", "last", "bias_only")
        head = elements.o.payload
        moves = Signal()
        meet = Signal()
        m.d.comb += [
            *(elements.i.payload.eq(self.element), elements.i.valid.eq(self.element_stb)),
            *(details.i.payload.eq(self.detail), details.i.valid.eq(self.detail_stb)),
            meet.eq(elements.o.valid & details.o.valid),
            elements.o.ready.eq(details.o.valid & moves),
            details.o.ready.eq(elements.o.valid & moves & (head.lane == LANES - 1)),
            self.left.eq(elements.o.valid & elements.o.ready),
            *(fields.note.eq(self.note), fields.note_stb.eq(self.note_stb)),
            *(fields.context.eq(head.context), fields.enable.eq(moves)),
        ]
        m.d.sync += [
            Assert(~self.element_stb | elements.i.ready, "there is no room for an element"),
            Assert(~self.detail_stb | details.i.ready, "there is no room for a level of detail"),
        ]
        self._choose(m, head, details.o.payload, fields, meet, moves)
        return m

    def _choose(self, m, head, detail, fields, meet, moves):
        """Three clocks of an element: the level of detail is added to its bias, replaced by it, and gives levels and filter."""
        m.submodules.choice = choice = Choice()
        met, biased, chosen = (Signal(Element, name=name) for name in ("met", "biased", "chosen"))
        valid = Signal(3)
        sum_ = Signal(signed(_DETAIL_BITS + 1))
        whole = Signal(signed(_DETAIL_BITS + 1))
        texture = Signal.like(fields.o)
        linear = Signal()
        level = Signal.like(self.level)
        weight = Signal.like(choice.weight)
        wide = Signal()
        m.d.comb += [
            choice.detail.eq(whole),
            *(getattr(choice, name).eq(texture[name]) for name in ("magnification", "minification", "last")),
        ]
        with m.If(moves):
            m.d.sync += [
                valid.eq(Cat(meet, valid)),
                *(met.eq(head), biased.eq(met), chosen.eq(biased)),
                sum_.eq(head.bias + detail),
                whole.eq(Mux(fields.o.bias_only, met.bias, sum_)),
                texture.eq(fields.o),
                *(level.eq(choice.level), weight.eq(choice.weight)),
                linear.eq(choice.linear & (texture.type != TextureType.S16)),
                wide.eq(texture.type == TextureType.RGBA64),
            ]
        self._emit(m, chosen, valid[-1], linear, level, weight, wide, moves)

    def _emit(self, m, element, valid, linear, level, weight, wide, moves):
        """The levels of each word, the larger one first."""
        second = Signal()
        word = Signal()
        blends = weight != 0
        level_ends = second | ~blends
        now = self.now
        m.d.comb += [
            self.stb.eq(valid & self.room),
            moves.eq(~valid | (self.room & level_ends & (word == wide))),
            *(getattr(now, name).eq(getattr(element, name)) for name in ("context", "quad", "lane")),
            *(now.word.eq(word), now.final.eq(word == wide)),
            *(now.linear.eq(linear), now.weight.eq(weight)),
            *(now.first.eq(blends & ~second), now.second.eq(second)),
            *(self.s.eq(element.s), self.t.eq(element.t), self.face.eq(element.face)),
            self.level.eq(level + second),
        ]
        with m.If(self.stb):
            m.d.sync += [second.eq(~level_ends), word.eq(Mux(level_ends, word != wide, word))]
