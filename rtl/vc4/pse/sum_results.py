"""What becomes of sums of products."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .steps import Exclude, Step, Sum, Turn
from .structs import COEFFICIENT_BITS, DENOMINATOR_BITS, EDGES, NUMERATOR_BITS, DivisionItem, Edge, SetUpState

__all__ = ["SumResults"]


class SumResults(wiring.Component):
    """Keeps the sign, the longer axis and the edges, hands on what is divided, and says which primitives are dropped.

    Behaviour: what is kept is there from the next clock on. Edges 0 and 1 of a triangle change places with its sign, as if
    its vertices did. Its user sees to it that there is room for items and divisors.

    Interface attributes
    --------------------
    state : of the primitive
    begins : strobe: another one
    step, stb : the step whose sum is here, in this clock; along the axis that was meant when it began
    sum, a, b : of `ProductSum`
    negative, swapped : the sign; Y is the longer axis
    clockwise, reverse : the area is negative; seen from behind
    edges : what was found of them
    items, divisors : streams
    drops : strobe: there is nothing to draw
    """

    state: In(SetUpState)
    begins: In(1)
    step: In(Step)
    stb: In(1)
    sum: In(signed(NUMERATOR_BITS))
    a: In(signed(COEFFICIENT_BITS))
    b: In(signed(COEFFICIENT_BITS))
    negative: Out(1)
    swapped: Out(1)
    clockwise: Out(1)
    reverse: Out(1)
    edges: Out(data.ArrayLayout(Edge, EDGES))
    items: Out(stream.Signature(DivisionItem, always_ready=True))
    divisors: Out(stream.Signature(DENOMINATOR_BITS, always_ready=True))
    drops: Out(1)

    def elaborate(self, platform):
        m = Module()
        step, item = self.step, self.items.payload
        is_sign = Signal()
        below = Signal()
        clockwise = Signal()
        reverse = Signal()
        hidden = Signal()
        m.d.comb += [
            is_sign.eq(self.stb & (step.sum == Sum.SIGN)),
            below.eq(self.sum[-1]),
            clockwise.eq((step.turn == Turn.POSITIVE) ^ ((step.turn != Turn.NEVER) & below)),
            reverse.eq(clockwise ^ self.state.clockwise),
            hidden.eq((step.turn != Turn.NEVER) & ~Mux(reverse, self.state.back, self.state.front)),
            self.drops.eq(is_sign & (~self.sum.any() | hidden)),
            self.items.valid.eq(self.stb & (step.sum == Sum.ITEM)),
            *(item.axis.eq(step.along), item.place.eq(step.place)),
            *(item.numerator.eq(self.sum), item.negative.eq(self.negative), item.is_last.eq(step.is_last)),
            self.divisors.valid.eq(is_sign & step.divides & ~self.drops),
        ]
        with m.If(self.begins):
            m.d.sync += self.swapped.eq(0)
        with m.If(is_sign):
            m.d.sync += [self.negative.eq(below), self.clockwise.eq(clockwise)]
            m.d.sync += self.reverse.eq(reverse & (step.turn != Turn.NEVER))
        with m.If(self.stb & (step.sum == Sum.SWAP)):
            m.d.sync += self.swapped.eq(below)
        self._edges(m, is_sign)
        return m

    def _edges(self, m, is_sign):
        """Edges, and the magnitude of a divisor: the same adder."""
        step = self.step
        turns = Signal()
        outside = Signal()
        edge = Signal(Edge)
        minus = turns.replicate(DENOMINATOR_BITS)
        with m.If(is_sign):
            m.d.comb += turns.eq(self.sum[-1])
        with m.Else():
            m.d.comb += turns.eq((step.turn == Turn.POSITIVE) ^ ((step.turn != Turn.NEVER) & self.negative))
        # Signs of the edge's numbers, which are never the lowest of their width: without their carries.
        falls = self.a.any() & (self.a[-1] == turns)
        rises = ~self.a.any() & self.b.any() & (self.b[-1] == turns)
        m.d.comb += [
            edge.a.eq(Mux(turns, -self.a, self.a)),
            edge.b.eq(Mux(turns, -self.b, self.b)),
            edge.c.eq((self.sum[:DENOMINATOR_BITS] ^ minus).as_signed() + turns - outside),
            self.divisors.payload.eq(edge.c),
        ]
        is_rule = step.exclude == Exclude.RULE
        with m.If(~is_sign):
            m.d.comb += outside.eq((step.exclude == Exclude.ALWAYS) | (is_rule & ~(falls | rises)))
        number = Cat(step.edge[0] ^ (is_rule & turns & ~step.edge[1]), step.edge[1])
        with m.If(self.stb & (step.sum == Sum.EDGE)):
            m.d.sync += self.edges[number].eq(edge)
