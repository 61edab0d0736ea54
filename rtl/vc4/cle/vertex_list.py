"""Vertices of lists that are not compressed."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.control import ControlCode
from vc4.records.primitives import (
    VG_END,
    VG_PAD,
    IndexedPrimitiveList,
    IndexType,
    PrimitiveMode,
    VertexArrayPrimitives,
    VgCoordinateArrayPrimitives,
    VgInlinePrimitives,
)

from .list_fetch import WINDOW_BYTES
from .structs import FirstVertex, PipelineRecord, SecondVertex, VertexStep, fields_of

__all__ = ["VertexList"]

#: Tile lists have no room for larger indices.
_INDEX_BITS = 16
_WORD_BYTES = 4
_FEW_BITS = 8


class _Mode(data.Struct):
    """How vertices become primitives.

    most : the number of the last vertex of a primitive
    loop, strip, fan, separate : how the next primitive begins; the others with vertex 1 of the one before
    vg, inline : it has coordinates; in the control list
    """

    most: 2
    loop: 1
    strip: 1
    fan: 1
    separate: 1
    vg: 1
    inline: 1


class _Progress(data.Struct):
    """How far a list is.

    place : of the next vertex in its primitive
    started : the next primitive has vertices
    follows : there was a primitive, and the next one has vertices of it
    turned : there was an odd number of them
    closed : a loop has had its first vertex again
    """

    place: 2
    started: 1
    follows: 1
    turned: 1
    closed: 1


#: The others are alike in lists with coordinates and with indices, by their codes.
_MODES = {
    PrimitiveMode.POINTS: {"most": 0, "separate": 1},
    PrimitiveMode.LINES: {"most": 1, "separate": 1},
    PrimitiveMode.LINE_LOOP: {"most": 1, "loop": 1},
    PrimitiveMode.LINE_STRIP: {"most": 1},
    PrimitiveMode.TRIANGLES: {"most": 2, "separate": 1},
    PrimitiveMode.TRIANGLE_STRIP: {"most": 2, "strip": 1},
    PrimitiveMode.TRIANGLE_FAN: {"most": 2, "fan": 1},
}


class VertexList(wiring.Component):
    """Takes the vertices of a list one after the other (guide, section 9: records 32, 33, 41 and 42).

    Behaviour: one vertex a clock, as soon as all its bytes are available. What a fan of VG ends with stays, and a list that
    continues it goes on with that; any list in between ends it.

    Interface attributes
    --------------------
    begins : strobe: a list begins, in the next clock
    runs : it does, and it is one of these
    record : the record of the list, all the time
    window, available, error, take : of a `ListFetch`
    goes : a step may happen
    step : what it does
    ends : there are no more vertices
    moves : with this step the control list goes on behind the bytes that were taken, if they are in it
    starves : more bytes are needed than are available
    fault : there is no next vertex: it is not in memory, or above the maximum; instead of a step
    address : where the vertices are, if they are not in the control list
    left : vertices that are left, if that is known
    words : that hold all of them, wherever in a word they begin; the most that it can say if they are many
    divisor : vertices of a primitive that none of the others has, less one
    """

    begins: In(1)
    runs: In(1)
    record: In(PipelineRecord)
    window: In(8 * WINDOW_BYTES)
    available: In(range(WINDOW_BYTES + 1))
    error: In(1)
    take: Out(range(WINDOW_BYTES + 1))
    goes: In(1)
    step: Out(VertexStep)
    ends: Out(1)
    moves: Out(1)
    starves: Out(1)
    fault: Out(1)
    address: Out(32)
    left: Out(32)
    words: Out(_FEW_BITS)
    divisor: Out(2)

    def elaborate(self, platform):
        m = Module()
        mode = Signal(_Mode)
        now = Signal(_Progress)
        closes = Signal()  # a loop, with its first vertex
        over = Signal()  # there is no next vertex
        ended = Signal()  # there was the mark of the end
        has = Signal()
        above = Signal()
        length = Signal(range(_WORD_BYTES + 1))
        value = Signal(32)
        happens = Signal()
        last = Signal()
        m.d.comb += [
            self.address.eq(fields_of(self.record, IndexedPrimitiveList).indices_list_address),
            self.divisor.eq(Mux(mode.separate, mode.most, 0)),
            last.eq(now.place == mode.most),
            closes.eq(mode.loop & now.follows & ~self.left.any()),
            over.eq(
                ended
                | ~mode.inline & Mux(now.started, ~self.left.any() & (~mode.loop | now.closed), self.left <= mode.most)
            ),
            has.eq(closes | (self.available >= length)),
            self.starves.eq(self.runs & ~over & ~has),
            self.ends.eq(self.runs & over),
            self.fault.eq(self.runs & ~over & Mux(has, above & ~closes, self.error)),
            happens.eq(self.runs & self.goes & ~over & has & ~self.fault),
            self.take.eq(Mux(happens & ~closes, length, 0)),
        ]
        self._look_up(m, mode)
        self._vertex(m, mode, happens, closes, length, value, above)
        ignored, at_end, skips = self._vg(m, mode, now, value, happens, last, ended)
        is_vertex = Signal()
        m.d.comb += [
            is_vertex.eq(happens & ~ignored & ~skips & ~(mode.vg & last & ((value == VG_END) | (value == VG_PAD)))),
            self.moves.eq(happens & ((last & ~ignored) | at_end)),
        ]
        self._write(m, mode, now, closes, is_vertex, last, value)
        self._go_on(m, mode, now, closes, happens, is_vertex, last, happens & ~ignored & ~skips)
        return m

    def _go_on(self, m, mode, now, closes, happens, is_vertex, last, counts):
        """With a vertex, or what stands in place of one."""
        with m.If(is_vertex & last):
            m.d.sync += [now.follows.eq(~mode.separate), now.turned.eq(~now.turned)]
        with m.If(counts):
            with m.If(~last):
                m.d.sync += now.place.eq(now.place + 1)
            with m.Elif(mode.separate):
                m.d.sync += now.place.eq(0)
        with m.If(happens):
            m.d.sync += [
                now.started.eq(~(mode.separate & last)),
                now.closed.eq(closes),
                self.left.eq(Mux(closes, 0, self.left - 1)),
            ]
        with m.If(self.begins):
            length = fields_of(self.record, VgCoordinateArrayPrimitives).length
            m.d.sync += [now.turned.eq(0), now.started.eq(0), now.closed.eq(0), self.left.eq(length)]
        with m.Elif(~self.runs | mode.inline):
            m.d.sync += self.left.eq(0)

    def _look_up(self, m, mode):
        """What the record says of primitives; the mode lies in the same bits of all of them."""
        code = self.record.code
        m.d.comb += [
            mode.vg.eq((code == ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES) | mode.inline),
            mode.inline.eq(code == ControlCode.VG_INLINE_PRIMITIVES),
        ]
        with m.Switch(fields_of(self.record, VgInlinePrimitives).primitive_type.as_value()):
            for value, fields in _MODES.items():
                with m.Case(value):
                    m.d.comb += [getattr(mode, name).eq(number) for name, number in fields.items()]

    def _vertex(self, m, mode, happens, closes, length, value, above):
        """The next vertex, its bytes, and whether it is above the maximum."""
        indexed = fields_of(self.record, IndexedPrimitiveList)
        counted = fields_of(self.record, VertexArrayPrimitives)
        counter = Signal(_INDEX_BITS + 1)
        with m.If(self.begins):
            first = counted.index_of_first_vertex
            m.d.sync += counter.eq(Cat(first[:_INDEX_BITS], first[_INDEX_BITS:].any()))
        with m.Elif(happens):
            m.d.sync += counter.eq(counter + 1)
        most, wide = indexed.maximum_index, indexed.index_type == IndexType.BITS_16
        few = self.left[:_FEW_BITS]
        words = Mux(mode.vg, few >> 1, Mux(wide, few >> 2, few >> 3)) + 2
        m.d.comb += self.words.eq(Mux(self.left[_FEW_BITS:].any(), -1, words))
        with m.If(mode.vg):
            m.d.comb += [length.eq(_WORD_BYTES), value.eq(self.window)]
        with m.Elif(self.record.code == ControlCode.VERTEX_ARRAY_PRIMITIVES):
            m.d.comb += [value.eq(counter[:_INDEX_BITS]), above.eq(counter[_INDEX_BITS])]
        with m.Else():
            m.d.comb += [
                length.eq(Mux(wide, 2, 1)),
                value.eq(Cat(self.window[:8], Mux(wide, self.window[8:_INDEX_BITS], 0))),
                above.eq((value[:_INDEX_BITS] > most[:_INDEX_BITS]) & ~most[_INDEX_BITS:].any()),
            ]

    def _vg(self, m, mode, now, value, happens, last, ended):
        """Continued fans, and marks in place of vertices. Returns whether a vertex is to be ignored, whether the list ends
        with it, and whether it does so with the one behind it.
        """
        kept = Signal()  # the list before was a fan
        ignored = Signal(range(3))
        skips = Signal()  # the mark has been there, and the rest of its primitive comes
        skipped = Signal()
        at_end = Signal()
        is_mark = Signal()
        continues = Signal()
        m.d.comb += [
            is_mark.eq(mode.vg & ~ignored.any() & (value == VG_END)),
            skips.eq(is_mark & mode.fan & (now.place == 1)),
            at_end.eq((is_mark & last) | skipped),
            continues.eq(
                kept & mode.vg & mode.fan & fields_of(self.record, VgInlinePrimitives).continuation_list.any()
            ),
        ]
        with m.If(self.begins):
            m.d.sync += [
                kept.eq(mode.vg & mode.fan),
                ignored.eq(Mux(continues, now.place, 0)),
                ended.eq(0),
                skipped.eq(0),
            ]
            with m.If(~continues):
                m.d.sync += [now.place.eq(0), now.follows.eq(0)]
        with m.Elif(happens):
            m.d.sync += [skipped.eq(skips), ended.eq(at_end)]
            with m.If(ignored.any()):
                m.d.sync += ignored.eq(ignored - 1)
        return ignored.any() | skipped, at_end, skips

    def _write(self, m, mode, now, closes, is_vertex, last, value):
        """The vertex, and what the primitive has from the one before."""
        step = self.step
        m.d.comb += [
            step.value.eq(value),
            step.complete.eq(is_vertex & last),
            step.targets.eq(Mux(is_vertex & ~closes, Cat(now.place == number for number in range(3)), 0)),
        ]
        with m.If(is_vertex & mode.loop & (now.place == 0)):
            m.d.comb += step.targets[2].eq(1)  # where it waits for the end
        with m.If(is_vertex & last & now.follows):
            with m.If(closes):
                m.d.comb += step.second.eq(SecondVertex.THIRD)
            with m.Elif(mode.fan | (mode.strip & ~now.turned)):
                m.d.comb += step.second.eq(SecondVertex.THIRD)
            with m.If(mode.strip & now.turned):
                m.d.comb += step.first.eq(FirstVertex.THIRD)
            with m.Elif(mode.most == 1):
                m.d.comb += step.first.eq(FirstVertex.SECOND)
