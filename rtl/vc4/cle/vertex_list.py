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
from .structs import FirstVertex, PipelineRecord, SecondVertex, VertexStep

__all__ = ["VertexList"]

#: Tile lists have no room for larger indices.
_INDEX_BITS = 16
_WORD_BYTES = 4


class _Mode(data.Struct):
    """How vertices become primitives.

    most : the number of the last vertex of a primitive
    loop, strip, fan, separate : how the next primitive begins; the others with vertex 1 of the one before
    """

    most: 2
    loop: 1
    strip: 1
    fan: 1
    separate: 1


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
    left : vertices that are left, if that is known
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
    left: Out(32)
    divisor: Out(2)

    def elaborate(self, platform):
        m = Module()
        code = self.record.code
        mode = Signal(_Mode)
        place = Signal(range(3))  # of the next vertex in its primitive
        follows = Signal()  # there was a primitive, and the next one has vertices of it
        turned = Signal()
        closes = Signal()  # a loop, with its first vertex
        over, ended = Signal(), Signal()  # there is no next vertex; because of a mark
        started, closed = Signal(), Signal()  # a vertex has been taken; and the first one of a loop again
        has, above = Signal(), Signal()
        length = Signal(range(_WORD_BYTES + 1))
        value = Signal(32)
        happens, last = Signal(), Signal()
        is_vg, is_inline = Signal(), Signal()
        m.d.comb += [
            is_vg.eq((code == ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES) | (code == ControlCode.VG_INLINE_PRIMITIVES)),
            is_inline.eq(code == ControlCode.VG_INLINE_PRIMITIVES),
            self.divisor.eq(Mux(mode.separate, mode.most, 0)),
            last.eq(place == mode.most),
            closes.eq(mode.loop & follows & ~self.left.any()),
            over.eq(
                ended | ~is_inline & Mux(started, ~self.left.any() & (~mode.loop | closed), self.left <= mode.most)
            ),
            has.eq(closes | (self.available >= length)),
            self.starves.eq(self.runs & ~over & ~has),
            self.ends.eq(self.runs & over),
            self.fault.eq(self.runs & ~over & Mux(has, above & ~closes, self.error)),
            happens.eq(self.runs & self.goes & ~over & has & ~self.fault),
            self.take.eq(Mux(happens & ~closes, length, 0)),
        ]
        self._look_up(m, mode)
        self._vertex(m, happens, closes, is_vg, length, value, above)
        ignored, at_end, skips = self._vg(m, mode, value, is_vg, happens, last, place, follows, ended)
        is_vertex = Signal()
        m.d.comb += [
            is_vertex.eq(happens & ~ignored & ~skips & ~(is_vg & last & ((value == VG_END) | (value == VG_PAD)))),
            self.moves.eq(happens & ((last & ~ignored) | at_end)),
        ]
        self._write(m, mode, place, follows, turned, closes, is_vertex, last, value)
        with m.If(is_vertex & last):
            m.d.sync += [follows.eq(~mode.separate), turned.eq(~turned)]
        with m.If(happens & ~ignored & ~skips):
            with m.If(~last):
                m.d.sync += place.eq(place + 1)
            with m.Elif(mode.separate):
                m.d.sync += place.eq(0)
        with m.If(happens):
            m.d.sync += [started.eq(1), closed.eq(closes), self.left.eq(Mux(closes, 0, self.left - 1))]
        with m.If(self.begins):
            length = _fields(VgCoordinateArrayPrimitives, self.record).length
            m.d.sync += [turned.eq(0), started.eq(0), closed.eq(0), self.left.eq(length)]
        with m.Elif(~self.runs | is_inline):
            m.d.sync += self.left.eq(0)
        return m

    def _look_up(self, m, mode):
        """What the record says of primitives; the mode lies in the same bits of all of them."""
        field = data.View(VgInlinePrimitives, self.record.payload[: Shape.cast(VgInlinePrimitives).width])
        with m.Switch(field.primitive_type.as_value()):
            for value, fields in _MODES.items():
                with m.Case(value):
                    m.d.comb += [getattr(mode, name).eq(number) for name, number in fields.items()]

    def _vertex(self, m, happens, closes, is_vg, length, value, above):
        """The next vertex, its bytes, and whether it is above the maximum."""
        indexed = _fields(IndexedPrimitiveList, self.record)
        counted = _fields(VertexArrayPrimitives, self.record)
        counter = Signal(_INDEX_BITS + 1)
        with m.If(self.begins):
            first = counted.index_of_first_vertex
            m.d.sync += counter.eq(Cat(first[:_INDEX_BITS], first[_INDEX_BITS:].any()))
        with m.Elif(happens):
            m.d.sync += counter.eq(counter + 1)
        most = indexed.maximum_index
        with m.If(is_vg):
            m.d.comb += [length.eq(_WORD_BYTES), value.eq(self.window)]
        with m.Elif(self.record.code == ControlCode.VERTEX_ARRAY_PRIMITIVES):
            m.d.comb += [value.eq(counter[:_INDEX_BITS]), above.eq(counter[_INDEX_BITS])]
        with m.Else():
            wide = indexed.index_type == IndexType.BITS_16
            m.d.comb += [
                length.eq(Mux(wide, 2, 1)),
                value.eq(Cat(self.window[:8], Mux(wide, self.window[8:_INDEX_BITS], 0))),
                above.eq((value[:_INDEX_BITS] > most[:_INDEX_BITS]) & ~most[_INDEX_BITS:].any()),
            ]

    def _vg(self, m, mode, value, is_vg, happens, last, place, follows, ended):
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
            is_mark.eq(is_vg & ~ignored.any() & (value == VG_END)),
            skips.eq(is_mark & mode.fan & (place == 1)),
            at_end.eq((is_mark & last) | skipped),
            continues.eq(kept & is_vg & mode.fan & _fields(VgInlinePrimitives, self.record).continuation_list.any()),
        ]
        with m.If(self.begins):
            m.d.sync += [kept.eq(is_vg & mode.fan), ignored.eq(Mux(continues, place, 0)), ended.eq(0), skipped.eq(0)]
            with m.If(~continues):
                m.d.sync += [place.eq(0), follows.eq(0)]
        with m.Elif(happens):
            m.d.sync += [skipped.eq(skips), ended.eq(at_end)]
            with m.If(ignored.any()):
                m.d.sync += ignored.eq(ignored - 1)
        return ignored.any() | skipped, at_end, skips

    def _write(self, m, mode, place, follows, turned, closes, is_vertex, last, value):
        """The vertex, and what the primitive has from the one before."""
        step = self.step
        m.d.comb += [
            step.value.eq(value),
            step.complete.eq(is_vertex & last),
            step.targets.eq(Mux(is_vertex & ~closes, Cat(place == number for number in range(3)), 0)),
        ]
        with m.If(is_vertex & mode.loop & (place == 0)):
            m.d.comb += step.targets[2].eq(1)  # where it waits for the end
        with m.If(is_vertex & last & follows):
            with m.If(closes):
                m.d.comb += step.second.eq(SecondVertex.THIRD)
            with m.Elif(mode.fan | (mode.strip & ~turned)):
                m.d.comb += step.second.eq(SecondVertex.THIRD)
            with m.If(mode.strip & turned):
                m.d.comb += step.first.eq(FirstVertex.THIRD)
            with m.Elif(mode.most == 1):
                m.d.comb += step.first.eq(FirstVertex.SECOND)


def _fields(layout, record):
    return data.View(layout, record.payload[: Shape.cast(layout).width])
