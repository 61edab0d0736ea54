"""Vertices of a primitive for the set-up of its tiles."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.records.primitives import PrimitiveType

from .structs import POINT_BITS, ScreenPoint
from .tile_structs import EdgeSlot, PlacedPoint

__all__ = ["TileSequencer"]

#: First of the four turns of the rectangle; the step after which edges are made; the last one, and that of a line.
_TURNS, _EDGES, _END, _LINE_END = 4, 5, 7, 8
#: The vertex that each step fetches: that of step 2 is the third one of a triangle, or the boundary of an RHT.
_FETCHED = (0, 1, 2, 0, 1, 2, 0, 0, 0)


class TileSequencer(wiring.Component):
    """Says for each clock of a primitive which vertices are there and what is made of them.

    Vertices go by twice: for the rectangle and the area, and for the edges once the first column and row are known. An RHT has
    the rectangle around its boundary, too, with the offset of the viewport and without.

    Behaviour: eight clocks, nine of a line or an RHT. In the eighth it waits until `room` is high.

    Interface attributes
    --------------------
    valid : there is a primitive
    type, points : of it
    x, y : offset of the viewport
    boundary : of RHTs
    room : the tiles of the one before have been found
    run : time goes on
    begins : strobe: the tiles of this one are next
    ends : strobe: nothing more is wanted of it
    rests : nothing has begun
    previous, point : the vertices of the two clocks before
    first, more : strobe: the point belongs to the rectangle, as the first one or as another one
    turns : strobe: which side of the rectangle
    slot : what is made of both vertices
    """

    valid: In(1)
    type: In(PrimitiveType)
    points: In(data.ArrayLayout(ScreenPoint, VERTICES))
    x: In(signed(POINT_BITS))
    y: In(signed(POINT_BITS))
    boundary: In(signed(POINT_BITS))
    room: In(1)
    run: Out(1)
    begins: Out(1)
    ends: Out(1)
    rests: Out(1)
    previous: Out(PlacedPoint)
    point: Out(PlacedPoint)
    first: Out(1)
    more: Out(1)
    turns: Out(4)
    slot: Out(EdgeSlot)

    def elaborate(self, platform):
        m = Module()
        step = Signal(range(_LINE_END + 1))
        is_line, is_triangle, is_rht = (
            self.type == kind for kind in (PrimitiveType.LINES, PrimitiveType.TRIANGLES, PrimitiveType.RHTS)
        )
        moved = Signal()  # the boundary with the offset is next
        repeats = Signal()
        is_end = Signal()
        m.d.comb += [
            self.run.eq((step != _END) | self.room),
            self.rests.eq(step == 0),
            repeats.eq(is_rht & (step == 2) & ~moved),
            is_end.eq(Mux(is_line, step == _LINE_END, step == _END)),
            self.begins.eq((step == _END) & self.room),
            self.ends.eq(is_end & self.run),
        ]
        with m.If(self.run):
            m.d.sync += moved.eq(repeats)
            with m.If(is_end):
                m.d.sync += step.eq(0)
            with m.Elif((self.valid | (step != 0)) & ~repeats):
                m.d.sync += step.eq(step + 1)
        self._fetch(m, step, is_line, is_rht, moved)
        m.d.comb += [
            self.first.eq(step == 1),
            self.more.eq(((step == 2) & (self.type != PrimitiveType.POINTS)) | ((step == 3) & (is_triangle | is_rht))),
            *(turn.eq(step == _TURNS + number) for number, turn in enumerate(self.turns)),
        ]
        self._slots(m, step, is_line, is_triangle)
        return m

    def _fetch(self, m, step, is_line, is_rht, moved):
        """The vertices of these clocks. A line needs each pair of them for two clocks."""
        index = Signal(range(VERTICES))
        vertex = Signal(ScreenPoint)
        x = Signal(signed(POINT_BITS))
        to_boundary = Signal()
        stays = Signal()
        m.d.comb += to_boundary.eq(is_rht & (step == 2))
        m.d.comb += stays.eq(is_line & ((step == _EDGES) | (step == _END)))
        with m.Switch(step):
            for number in range(1, VERTICES):
                with m.Case(*(at for at, fetched in enumerate(_FETCHED) if fetched == number)):
                    m.d.comb += index.eq(number)
        with m.If(to_boundary):
            # Any row of it will do.
            m.d.comb += index.eq(0)
        m.d.comb += [vertex.eq(self.points[index]), x.eq(Mux(to_boundary, self.boundary, vertex.x))]
        with m.If(self.run & ~stays):
            m.d.sync += [
                self.previous.eq(self.point),
                self.point.x.eq(x + Mux(to_boundary & ~moved, 0, self.x)),
                self.point.y.eq(vertex.y + self.y),
            ]

    def _slots(self, m, step, is_line, is_triangle):
        """What is made of them."""
        slot = self.slot
        m.d.comb += slot.line.eq(is_line)
        with m.If(is_line):
            m.d.comb += [
                slot.edge.eq(step >= _EDGES),
                slot.high.eq((step == _EDGES) | (step == _END)),
                slot.number.eq(step >= _END),
                slot.last.eq(step == _LINE_END),
            ]
        with m.Else():
            m.d.comb += [
                slot.area.eq(is_triangle & ((step == 2) | (step == 3))),
                slot.minus.eq(step[0]),
                slot.edge.eq(is_triangle & (step >= _EDGES)),
                slot.number.eq(step - _EDGES),
                slot.last.eq(step == _END),
            ]
