"""Primitives up to their divisions."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.common.queue import Queue
from vc4.records.primitives import PrimitiveType

from .operands import Operands
from .product_sum import ProductSum
from .screen_box import ScreenBox
from .step_sequencer import StepSequencer
from .steps import Program, Side, Step
from .structs import DENOMINATOR_BITS, EDGES, Axis, DivisionItem, SetUpPiece, SetUpRequest, UnfinishedPrimitive
from .sum_results import SumResults

__all__ = ["PrimitiveSetUp"]

#: Clocks from a product to its sum.
_SUM = 3
#: Items and divisors of a primitive, of which there is room for two.
_ITEMS, _DIVISORS = 8, 2


class _State(enum.Enum, shape=unsigned(2)):
    """What the set-up does."""

    REST = 0
    RUN = 1  # a program
    GIVE = 2  # what it has found


class PrimitiveSetUp(wiring.Component):
    """Edges, boxes and Z of primitives, and what has to be divided (docs/reference/rendering.md, set-up).

    Behaviour: one primitive at a time, by a program of a step a clock (`steps`). Its clocks are those of its steps and one more,
    or 5 from the step on that finds that it is not drawn. An RHT has up to two pieces; of its first one nothing is said if it is
    not drawn. Some of its items may come up to three clocks after it.

    Interface attributes
    --------------------
    i : stream of `SetUpRequest`; it is taken with the last piece
    o : stream of `UnfinishedPrimitive`
    items, divisors : streams for the `Divider`
    piece, piece_stb : which one leaves, in that clock
    dropped : strobe: nothing of a primitive is drawn
    """

    i: In(stream.Signature(SetUpRequest))
    o: Out(stream.Signature(UnfinishedPrimitive))
    items: Out(stream.Signature(DivisionItem))
    divisors: Out(stream.Signature(DENOMINATOR_BITS))
    piece: Out(SetUpPiece)
    piece_stb: Out(1)
    dropped: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.step_sequencer = sequencer = StepSequencer()
        m.submodules.operands = operands = Operands()
        m.submodules.product_sum = product_sum = ProductSum()
        m.submodules.sum_results = results = SumResults()
        m.submodules.screen_box = box = ScreenBox()
        step = sequencer.step
        drops = Signal()
        misses = Signal()  # the boundary is not where it must be; a clock later
        along = Signal(Axis)
        request = self.i.payload
        m.d.comb += [
            along.eq(Value.cast(step.along) ^ results.swapped),
            drops.eq(misses | results.drops),
            sequencer.stops.eq(drops),
            *(operands.request.eq(request), operands.step.eq(step), operands.stb.eq(sequencer.stb)),
            *(operands.negative.eq(results.negative), operands.swapped.eq(results.swapped)),
            *(product_sum.a.eq(operands.a), product_sum.b.eq(operands.b)),
            product_sum.stb.eq(sequencer.stb & step.multiplies),
            *(product_sum.begins.eq(step.begins), product_sum.subtracts.eq(step.subtracts)),
            *(product_sum.terms.eq(step.terms), product_sum.axis.eq(along)),
            *(results.sum.eq(product_sum.o), results.a.eq(product_sum.o_a), results.b.eq(product_sum.o_b)),
            results.state.eq(request.state),
            *(box.position.eq(operands.position), box.axis.eq(step.axis), box.stb.eq(sequencer.stb & step.boxes)),
            *(box.grows.eq(sequencer.stb & step.grows), box.half.eq((operands.number[:17] + 1) >> 1)),
            *(box.first[0].eq(request.vertices[0].x), box.first[1].eq(request.vertices[0].y)),
        ]
        m.d.sync += misses.eq(
            sequencer.stb
            & (((step.side == Side.RIGHT) & ~box.above) | ((step.side == Side.LEFT) & ~box.below))
            & ~drops
        )
        steps, valid = step, sequencer.stb
        for clock in range(_SUM):
            before, steps = steps, Signal(Step, name=f"step_{clock}")
            waits, valid = valid, Signal(name=f"stb_{clock}")
            m.d.sync += [steps.eq(before), valid.eq(waits & ~drops)]
            if not clock:
                m.d.sync += steps.along.eq(along)
        m.d.comb += [results.step.eq(steps), results.stb.eq(valid)]
        self._queues(m, results)
        self._state(m, sequencer, box, results, drops)
        self._give(m, operands, box, results)
        return m

    def _queues(self, m, results):
        """Of items and divisors: those of a primitive that has not left, and of the one after it."""
        m.submodules.items = items = Queue(DivisionItem, 2 * _ITEMS)
        m.submodules.divisors = divisors = Queue(DENOMINATOR_BITS, 2 * _DIVISORS)
        wiring.connect(m, items.o, wiring.flipped(self.items))
        wiring.connect(m, divisors.o, wiring.flipped(self.divisors))
        m.d.comb += [
            *(items.i.valid.eq(results.items.valid), items.i.payload.eq(results.items.payload)),
            *(divisors.i.valid.eq(results.divisors.valid), divisors.i.payload.eq(results.divisors.payload)),
        ]
        m.d.sync += [
            Assert(~items.i.valid | items.i.ready, "an item has no room"),
            Assert(~divisors.i.valid | divisors.i.ready, "a divisor has no room"),
        ]

    def _state(self, m, sequencer, box, results, drops):
        """From piece to piece."""
        state = Signal(_State)
        is_left = Signal()  # the second piece of an RHT
        found = Signal()  # the first one is drawn
        starts = Signal()
        ends = Signal()
        is_last = Signal()
        skips = Signal()  # a first piece that is not drawn
        is_drawn = Signal(init=1)
        leaves = Signal()  # the piece
        is_rht = self.i.payload.type == PrimitiveType.RHTS
        m.d.comb += [
            starts.eq((state == _State.REST) & self.i.valid),
            ends.eq(sequencer.stb & sequencer.step.ends),
            *(sequencer.starts.eq(starts), box.begins.eq(starts), results.begins.eq(starts)),
            sequencer.program.eq(Mux(is_left, Program.RHT_LEFT, Value.cast(self.i.payload.type)[:3])),
            self.o.valid.eq((state == _State.GIVE) | ends),
            is_last.eq(is_left | ~is_rht),
            skips.eq(drops & ~is_last),
            leaves.eq(skips | (self.o.valid & self.o.ready)),
            self.i.ready.eq(leaves & is_last),
            *(
                self.piece_stb.eq(self.o.valid & self.o.ready),
                self.piece.drawn.eq(is_drawn),
                self.piece.last.eq(is_last),
            ),
            *(self.o.payload.primitive.drawn.eq(is_drawn), self.o.payload.primitive.last.eq(is_last)),
            self.dropped.eq(self.i.ready & ~is_drawn & ~found),
        ]
        with m.If(starts):
            m.d.sync += state.eq(_State.RUN)
        with m.Elif(leaves):
            m.d.sync += [state.eq(_State.REST), is_drawn.eq(1), is_left.eq(~is_last), found.eq(~is_last & ~skips)]
        with m.Elif(ends | drops):
            m.d.sync += [state.eq(_State.GIVE), is_drawn.eq(~drops)]

    def _give(self, m, operands, box, results):
        """The primitive as far as it is known."""
        request, unfinished = self.i.payload, self.o.payload
        state, primitive = request.state, unfinished.primitive
        is_triangle = request.type == PrimitiveType.TRIANGLES
        implicit = Mux(request.type == PrimitiveType.POINTS, 2, request.type == PrimitiveType.LINES)
        m.d.comb += [
            *(primitive.edges.eq(results.edges), primitive.box.eq(box.o), primitive.z.eq(operands.z)),
            primitive.count.eq(Mux(is_triangle, VERTICES, EDGES)),
            *(primitive.x.eq(request.vertices[0].x), primitive.y.eq(request.vertices[0].y)),
            *(primitive.reverse.eq(results.reverse), primitive.clockwise.eq(results.clockwise)),
            primitive.planes.eq(1 + implicit + request.varyings),
            primitive.oversample.eq(state.oversample),
            *(unfinished.type.eq(request.type), unfinished.flat.eq(state.flat)),
            unfinished.offsets.eq(state.offsets & is_triangle & self.piece.drawn),
            *(unfinished.factor.eq(state.factor), unfinished.units.eq(state.units)),
            unfinished.varyings.eq(request.varyings),
        ]
