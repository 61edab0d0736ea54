"""Coefficients of 1/W and of varyings."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.common.queue import Queue
from vc4.isa.ops import AddOp, MulOp
from vc4.records.primitives import PrimitiveType

from .structs import MOST_PLANES, MOST_VARYINGS, CoefficientWeights, PlaneCoefficients, PlaneWords

__all__ = ["Coefficients"]

_HALF, _ONE = 0x3F00_0000, 0x3F80_0000
_SIGN = 1 << 31
#: A product each clock.
_PHASES = 6
#: Planes that are under way, and that may wait.
_PLANES = 4
_ROOM = 2 * _PLANES


class _Note(data.Struct):
    """What does not go through the arithmetic: C; A and B are 0; B changes its sign."""

    c: unsigned(32)
    flat: unsigned(1)
    minus: unsigned(1)


class Coefficients(wiring.Component):
    """A, B and C of each plane, with the QPU's own operations (docs/reference/rendering.md, set-up).

    Behaviour: a plane takes six clocks, in which one multiplier does its six products and one adder its four sums::

        clock      0      1      2      3      4      5
        sums     V1-V0  V2-V0    A''                  B'''
        products g1 wx''g2 wy'' g1 wx' g2 wx'  d1/W1  d2/W2

    with one ' for each plane that has begun since. A result is used four clocks after its operands. It leaves 21 clocks after
    its plane has begun. Between two primitives six clocks pass. A point is a triangle of its vertex three times, and so is a
    line with its last one twice.

    Interface attributes
    --------------------
    weights : stream of `CoefficientWeights`
    i : stream of `PlaneWords`, as many for each of these as it says: 1/W, then the varyings
    o : stream of `PlaneCoefficients`: 1/W, implicit varyings, varyings
    """

    weights: In(stream.Signature(CoefficientWeights))
    i: In(stream.Signature(PlaneWords))
    o: Out(stream.Signature(PlaneCoefficients))

    def elaborate(self, platform):
        m = Module()
        m.submodules.notes = notes = Queue(_Note, _PLANES)
        m.submodules.results = results = Queue(PlaneCoefficients, _ROOM)
        connect(m, results.o, flipped(self.o))
        phase = Signal(range(_PHASES))
        under_way = Signal(_PLANES)  # planes that began in the last turns, this one first
        begins = Signal()
        begun = Signal()
        number = Signal(range(MOST_PLANES + 1))
        ended = Signal()  # the last plane has begun
        implicit = Signal()
        weights, last = self.weights.payload, phase == _PHASES - 1
        # A clock late: for 1/W nobody asks.
        is_line = Signal()
        is_point = Signal()
        count = Cat(is_line, is_point)  # of implicit varyings
        m.d.sync += [is_line.eq(weights.type == PrimitiveType.LINES), is_point.eq(weights.type == PrimitiveType.POINTS)]
        m.d.comb += [
            begins.eq(
                (phase == 0)
                & (self.weights.valid & ~ended & (self.i.valid | implicit))
                & (results.level <= _ROOM - _PLANES)
            ),
            begun.eq(begins | under_way[0]),
            self.i.ready.eq(last & under_way[0] & ~implicit),
            self.weights.ready.eq(ended & (phase == 1)),
        ]
        with m.If(begins):
            m.d.sync += under_way[0].eq(1)
        with m.If(last):
            m.d.sync += [phase.eq(0), under_way.eq(under_way << 1)]
            with m.If(under_way[0]):
                m.d.sync += [number.eq(number + 1), ended.eq(number + 1 == weights.count + count)]
                m.d.sync += implicit.eq(number < count)
        with m.Elif((phase != 0) | begins | under_way.any()):
            m.d.sync += phase.eq(phase + 1)
        with m.If(self.weights.ready):
            m.d.sync += [ended.eq(0), number.eq(0), implicit.eq(0)]
        self._note(m, notes, begins, number, implicit, count)
        loaded = self._weights(m, phase, number, implicit, last & under_way[0], is_point)
        add, a = self._arithmetic(m, phase, number, implicit, loaded, is_line)
        note, result = notes.o.payload, results.i.payload
        m.d.comb += [
            results.i.valid.eq(under_way[-1] & (phase == 3)),
            notes.o.ready.eq(results.i.valid),
            result.a.eq(Mux(note.flat, 0, a)),
            result.b.eq(Mux(note.flat, 0, Cat(add[:31], add[31] ^ note.minus))),
            result.c.eq(note.c),
        ]
        return m

    def _note(self, m, notes, begins, number, implicit, count):
        """What the result needs besides A and B."""
        values, weights, note = self.i.payload.values, self.weights.payload, notes.i.payload
        varying = Signal(range(MOST_VARYINGS))
        flat = Signal()
        m.d.comb += [
            varying.eq(number - count - 1),
            flat.eq((number > count) & weights.flat.bit_select(varying, 1)),
            notes.i.valid.eq(begins),
            note.c.eq(Mux(implicit, _HALF, Mux(flat, values[2], values[0]))),
            note.flat.eq(flat),
            note.minus.eq(implicit & (number == 2)),
        ]

    def _weights(self, m, phase, number, implicit, ends, is_point):
        """The weights that the products take, from the second clock after a plane's first six on: (x, y) of both vertices."""
        weights = self.weights.payload
        was_implicit = Signal()
        was_second = Signal()
        loaded = [Signal(32, name=name) for name in ("second_x", "third_x", "second_y", "third_y")]
        with m.If(ends):
            m.d.sync += [was_implicit.eq(implicit), was_second.eq(number == 2)]
        with m.If(phase == 1):
            m.d.sync += [
                loaded[0].eq(Mux(was_implicit, Mux(was_second, 0, weights.implicit[0]), weights.second[0])),
                loaded[1].eq(Mux(was_implicit, 0, weights.third[0])),
                loaded[2].eq(weights.second[1]),
                loaded[3].eq(Mux(was_implicit, 0, weights.third[1])),
            ]
            with m.If(was_implicit):
                m.d.sync += loaded[2].eq(Mux(is_point, Mux(was_second, weights.implicit[0], 0), weights.implicit[1]))
        return loaded

    def _arithmetic(self, m, phase, number, implicit, weights, is_line):
        """The multiplier and the adder; returns the adder's result, and the one of phase 0."""
        m.submodules.add_alu = add = AddAlu()
        m.submodules.mul_alu = mul = MulAlu()
        values = self.i.payload.values
        added = Signal(32)
        products = [Signal(32, name=f"product_{age}") for age in range(3)]
        gains = [Signal(32, name=f"gained_{name}") for name in ("second", "third")]
        reciprocals = [Signal(32, name=f"reciprocal_{name}") for name in ("second", "third")]
        a = Signal(32)
        m.d.comb += [add.rr_op.eq(AddOp.FADD), mul.rr_op.eq(MulOp.FMUL)]
        m.d.sync += [added.eq(add.a2_result), products[0].eq(mul.a2_result)]
        m.d.sync += [after.eq(before) for before, after in zip(products, products[1:], strict=False)]
        first = number == 0
        with m.Switch(phase):
            for vertex in range(2):
                with m.Case(vertex):
                    m.d.comb += [
                        add.rr_a.eq(Mux(implicit, 0 if vertex else _ONE, values[vertex + 1])),
                        add.rr_b.eq(Mux(implicit, 0, values[0] ^ _SIGN)),
                        *(mul.rr_a.eq(gains[vertex]), mul.rr_b.eq(weights[vertex + 2])),
                    ]
                with m.Case(vertex + 2):
                    m.d.comb += [mul.rr_a.eq(products[0]), mul.rr_b.eq(weights[vertex])]
                    m.d.sync += gains[vertex].eq(products[0])
                with m.Case(vertex + 4):
                    m.d.comb += mul.rr_a.eq(added)
                    m.d.comb += mul.rr_b.eq(Mux(first | (implicit & is_line), _ONE, reciprocals[vertex]))
                    with m.If(first):
                        m.d.sync += reciprocals[vertex].eq(values[vertex + 1])
        with m.If(phase == 2):
            m.d.comb += [add.rr_a.eq(products[2]), add.rr_b.eq(products[1])]
        with m.If(phase == 5):
            m.d.comb += [add.rr_a.eq(products[1]), add.rr_b.eq(products[0])]
        with m.If(phase == 0):
            m.d.sync += a.eq(added)
        return added, a
