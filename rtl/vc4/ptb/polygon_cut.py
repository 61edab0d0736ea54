"""From the corners of a primitive to what is left of it."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from .clip_engine import Corners
from .clip_steps import CORNER_BITS, MOST_CORNERS, WORD_BITS, ClipProgram, CornerWord
from .corner_memory import CORNER_ADDRESS_BITS
from .plane_cut import PlaneCut

__all__ = ["PolygonCut"]

#: Numbers of planes: the first one of X and Y, and after the last one.
_FIRST_XY, _END = 2, 6
#: Bit of a `CornerWord.NUMBER` of a vertex of the primitive.
_IS_OLD = 30


class _State(enum.Enum, shape=unsigned(4)):
    """What is done, or waited for."""

    REST = 0
    BEGIN = 1  # to classify corners
    CLASSIFY = 2
    PLANE = 3  # another one
    CUT = 4
    NEXT = 5
    LEFT = 6  # are there enough corners
    LOOK = 7  # is a corner new
    READ = 8
    SEEN = 9
    SCREEN = 10  # where it is on the screen


class PolygonCut(wiring.Component):
    """Classifies corners, cuts them by one plane after the other, and finds where new ones are on the screen: the model's `classify`,
    `clip` and `ScreenTransform.vertex`, as programs of the `ClipEngine`. Planes are Z, -Z, X, -X, Y, -Y; those of X and Y cut only
    if after those of Z a corner does not fit the screen.

    Behaviour: `classified` comes 8 clocks and 6 for each corner after `starts`, and so long it takes to classify again. A plane takes
    two clocks more than `PlaneCut` says; in the end a new corner takes 81, another one 4.

    Interface attributes
    --------------------
    starts, count, is_line : strobe: corners of a primitive are there, or come as quickly as they are wanted
    loading : they still come
    cannot : it is not cut; valid with `classified`
    classified : strobe: it is known what has to be done
    done : strobe: it has been cut; nothing is left if `left` is less than `count`
    left, half : how many corners are left, and where; they stay
    program, program_starts, corners, more, loops, program_done : of the `ClipEngine`
    reads, read_address, read : strobe: a word in its memory is read; it, two clocks later
    classifies, cuts, misses, negative, zero : of `ClipOutcome`
    """

    starts: In(1)
    count: In(range(4))
    is_line: In(1)
    loading: In(1)
    cannot: In(1)
    classified: Out(1)
    done: Out(1)
    left: Out(CORNER_BITS)
    half: Out(1)
    program: Out(ClipProgram)
    program_starts: Out(1)
    corners: Out(Corners)
    more: Out(1)
    loops: In(1)
    program_done: In(1)
    reads: Out(1)
    read_address: Out(CORNER_ADDRESS_BITS)
    read: In(32)
    classifies: Out(1)
    cuts: In(1)
    misses: In(1)
    negative: In(1)
    zero: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.plane_cut = cut = PlaneCut()
        state = Signal(_State)
        corner = Signal(CORNER_BITS)
        plane = Signal(range(_END + 1))
        after = Signal(CORNER_BITS)
        is_last = Signal()
        m.d.comb += [
            *(after.eq(corner + 1), is_last.eq(after == self.left), self.more.eq(~is_last)),
            self.read_address.eq(Cat(C(CornerWord.NUMBER, WORD_BITS), corner, self.half)),
            *(cut.starts.eq(state == _State.PLANE), cut.left.eq(self.left), cut.is_line.eq(self.is_line)),
            *(cut.program_done.eq(self.program_done), cut.negative.eq(self.negative), cut.zero.eq(self.zero)),
        ]
        m.d.sync += Assert(self.left <= MOST_CORNERS, "a polygon has more corners than planes can make")
        self._programs(m, state, cut, corner, plane)
        with m.If(self.loops):
            m.d.sync += corner.eq(after)
        with m.Switch(state):
            with m.Case(_State.REST):
                with m.If(self.starts):
                    m.d.sync += [self.half.eq(0), corner.eq(0), plane.eq(0), self.left.eq(self.count)]
                    m.d.sync += state.eq(_State.BEGIN)
            with m.Case(_State.BEGIN):
                m.d.sync += state.eq(_State.CLASSIFY)
            with m.Case(_State.CLASSIFY):
                with m.If(self.program_done & ~self.loading):
                    m.d.sync += state.eq(_State.PLANE)
                    with m.If(plane == 0):
                        m.d.comb += self.classified.eq(1)
                        with m.If(self.cannot | ~self.cuts):
                            m.d.sync += state.eq(_State.REST)
                    with m.Elif(~self.misses):
                        m.d.sync += state.eq(_State.LEFT)
            with m.Case(_State.PLANE):
                m.d.sync += state.eq(_State.CUT)
            with m.Case(_State.CUT):
                with m.If(cut.done):
                    m.d.sync += [plane.eq(plane + 1), state.eq(_State.NEXT)]
            with m.Case(_State.NEXT):
                m.d.sync += [self.left.eq(cut.new), self.half.eq(~self.half), corner.eq(0), state.eq(_State.PLANE)]
                with m.If((cut.new == 0) | (plane == _END)):
                    m.d.sync += state.eq(_State.LEFT)
                with m.Elif(plane == _FIRST_XY):
                    m.d.sync += state.eq(_State.BEGIN)
            with m.Case(_State.LEFT):
                m.d.comb += self.done.eq(self.left < self.count)
                m.d.sync += [corner.eq(0), state.eq(Mux(self.done, _State.REST, _State.LOOK))]
            with m.Case(_State.LOOK):
                m.d.comb += self.reads.eq(1)
                m.d.sync += state.eq(_State.READ)
            with m.Case(_State.READ):
                m.d.sync += state.eq(_State.SEEN)
            with m.Case(_State.SEEN):
                m.d.sync += state.eq(_State.SCREEN)
            with m.Case(_State.SCREEN):
                with m.If(self.program_done):
                    m.d.comb += self.done.eq(is_last)
                    m.d.sync += [corner.eq(after), state.eq(Mux(is_last, _State.REST, _State.LOOK))]
        return m

    def _programs(self, m, state, cut, corner, plane):
        """Which program begins, and with which corners."""
        corners = self.corners
        cutting = state == _State.CUT
        m.d.comb += [
            *(corners.half.eq(self.half), corners.corner.eq(Mux(cutting, cut.corner, corner))),
            *(corners.next.eq(cut.next), corners.new.eq(cut.new), corners.outside.eq(cut.outside)),
            # Z, X, Y
            corners.axis.eq(Mux(plane[2], CornerWord.Y, Mux(plane[1], CornerWord.X, CornerWord.Z))),
            corners.minus_side.eq(plane[0]),
            *(self.program.eq(cut.program), self.program_starts.eq(cut.program_starts)),
        ]
        with m.If(state == _State.BEGIN):
            m.d.comb += [self.program.eq(ClipProgram.CLASSIFY), self.program_starts.eq(1), self.classifies.eq(1)]
        with m.If(state == _State.SEEN):
            m.d.comb += [self.program.eq(ClipProgram.SCREEN), self.program_starts.eq(~self.read[_IS_OLD])]
