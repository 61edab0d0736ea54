"""Vertices of lists that are not compressed."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.records.control import ControlCode
from vc4.records.primitives import (
    IndexedPrimitiveList,
    IndexType,
    PrimitiveMode,
    VgCoordinateArrayPrimitives,
    VgInlinePrimitives,
)

from .list_fetch import ByteWindow
from .structs import FirstVertex, PipelineRecord, SecondVertex, VertexStep, fields_of
from .vertex_reader import VertexReader

__all__ = ["VertexList"]

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

    Behaviour: one vertex a clock, as `VertexReader` shows them. What a fan of VG ends with stays, and a list that continues it
    goes on with that; any list in between ends it.

    Interface attributes
    --------------------
    begins : strobe: a list begins, in the next clock
    runs : it does, and it is one of these
    record : the record of the list, all the time
    window : of a `ListFetch`
    goes : a step may happen
    step : what it does
    ends : there are no more vertices
    used : bytes that it comes from, in this clock
    moves : with this step the control list goes on after the bytes that were used, if they are in it
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
    window: In(ByteWindow())
    goes: In(1)
    step: Out(VertexStep)
    ends: Out(1)
    used: Out(3)
    moves: Out(1)
    starves: Out(1)
    fault: Out(1)
    address: Out(32)
    left: Out(32)
    words: Out(_FEW_BITS)
    divisor: Out(2)

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = VertexReader()
        mode = Signal(_Mode)
        found = Signal(_Mode)  # of the record, in the clock in which its list begins, too
        now = Signal(_Progress)
        few = self.left[:_FEW_BITS]
        many = Signal()  # more are left than these bits say
        too_few = Signal()  # for a primitive
        closes = Signal()  # a loop, with its first vertex
        over = Signal()  # there is no next vertex
        ended = Signal()  # there was the mark of the end
        wrong = Signal()  # the vertex is above the maximum
        happens = Signal()
        is_vertex = Signal()
        last = Signal()
        length = fields_of(self.record, VgCoordinateArrayPrimitives).length
        ignored, at_end, skips = self._vg(m, mode, found, now, reader, happens, last, ended)
        connect(m, flipped(self.window), reader.window)
        m.d.comb += [
            reader.begins.eq(self.begins),
            reader.runs.eq(self.runs & ~ended),
            reader.record.eq(self.record),
            reader.moves.eq(happens),
            reader.ends.eq(at_end),
            self.address.eq(fields_of(self.record, IndexedPrimitiveList).indices_list_address),
            self.divisor.eq(Mux(mode.separate, mode.most, 0)),
            last.eq(now.place == mode.most),
            closes.eq(mode.loop & now.follows & ~(many | few.any())),
            wrong.eq(reader.above & ~closes),
            too_few.eq(~few[len(mode.most) :].any() & (few[: len(mode.most)] <= mode.most)),
            over.eq(ended | ~(mode.inline | many) & Mux(now.started, ~few.any() & (~mode.loop | now.closed), too_few)),
            happens.eq(self.runs & self.goes & ~over & (closes | reader.valid)),
            is_vertex.eq(happens & ~ignored & ~skips & ~(mode.vg & last & (reader.is_end | reader.is_pad))),
            self.starves.eq(~(over | closes) & reader.starves),
            self.ends.eq(self.runs & over),
            self.fault.eq(self.runs & ~over & ~closes & (reader.failed | (reader.valid & reader.above))),
            self.used.eq(Mux(happens, reader.length, 0)),
            self.moves.eq(happens & ((last & ~ignored) | at_end)),
        ]
        # A clock late, which matters to nobody: it falls when the other bits are all ones.
        m.d.sync += many.eq(Mux(self.begins, length, self.left)[_FEW_BITS:].any())
        self._look_up(m, found)
        m.d.sync += mode.eq(found)
        self._count_words(m, mode, few, many)
        self._write(m, mode, now, closes, is_vertex, last, reader.value, wrong)
        self._go_on(m, mode, now, length, closes, happens, is_vertex, last, happens & ~ignored & ~skips)
        return m

    def _go_on(self, m, mode, now, length, closes, happens, is_vertex, last, counts):
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
            m.d.sync += [now.turned.eq(0), now.started.eq(0), now.closed.eq(0), self.left.eq(length)]
        with m.Elif(~self.runs | mode.inline):
            m.d.sync += self.left.eq(0)

    def _look_up(self, m, mode):
        """What the record says of primitives; the mode lies in the same bits of all of them."""
        code = self.record.code
        inline = code == ControlCode.VG_INLINE_PRIMITIVES
        m.d.comb += [
            mode.vg.eq((code == ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES) | inline),
            mode.inline.eq(inline),
        ]
        with m.Switch(fields_of(self.record, VgInlinePrimitives).primitive_type.as_value()):
            for value, fields in _MODES.items():
                with m.Case(value):
                    m.d.comb += [getattr(mode, name).eq(number) for name, number in fields.items()]

    def _count_words(self, m, mode, few, many):
        """Of the vertices that are left."""
        wide = fields_of(self.record, IndexedPrimitiveList).index_type == IndexType.BITS_16
        m.d.comb += self.words.eq(Mux(many, -1, Mux(mode.vg, few >> 1, Mux(wide, few >> 2, few >> 3)) + 2))

    def _vg(self, m, mode, found, now, reader, happens, last, ended):
        """Continued fans, and marks in place of vertices. Returns whether a vertex is to be ignored, whether the list ends
        with it, and whether it does so with the one after it.
        """
        kept = Signal()  # the list before was a fan
        ignored = Signal(range(3))
        skips = Signal()  # the mark has been there, and the rest of its primitive comes
        skipped = Signal()
        at_end = Signal()
        is_mark = Signal()
        continues = Signal()
        m.d.comb += [
            is_mark.eq(mode.vg & ~ignored.any() & reader.is_end),
            skips.eq(is_mark & mode.fan & (now.place == 1)),
            at_end.eq((is_mark & last) | skipped),
            continues.eq(
                kept & found.vg & found.fan & fields_of(self.record, VgInlinePrimitives).continuation_list.any()
            ),
        ]
        with m.If(self.begins):
            m.d.sync += [
                kept.eq(found.vg & found.fan),
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

    def _write(self, m, mode, now, closes, is_vertex, last, value, wrong):
        """The vertex, and what the primitive has from the one before."""
        step = self.step
        m.d.comb += [
            step.value.eq(value),
            step.complete.eq(is_vertex & last & ~wrong),
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
