"""The way of a primitive into a tile."""

from amaranth import *
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import DENOMINATOR_BITS, EDGES, SetUpPrimitive
from vc4.records.quads import TILE_QUAD_BITS
from vc4.records.samples import CENTRE, PIXEL

from .structs import ClippedWindow, DepthLimits, DepthPlane, RasterPrimitive, TileEdge

__all__ = ["TileEntry"]

#: A gain is multiplied in parts of so many bits.
_PART_BITS = 16
_PARTS = 64 // _PART_BITS
_C_BITS = TileEdge.as_shape()["c"].shape.width
_FACTOR_BITS = 18
_PRODUCT_BITS = 2 * _FACTOR_BITS
_VALUE_BITS = _PRODUCT_BITS + 6


class _State(enum.Enum, shape=unsigned(2)):
    """What is done."""

    TAKE = 0
    CLIP = 1
    MULTIPLY = 2  # edges, then parts of the gains of Z, one after the other
    GIVE = 3


class _Operands(data.Struct):
    """What is multiplied with the position of the first quad along X and along Y: an edge, or a part of the gains.

    c : of the edge
    """

    step: range(EDGES + _PARTS)
    along: signed(_FACTOR_BITS)
    across: signed(_FACTOR_BITS)
    c: signed(DENOMINATOR_BITS)


class _Products(data.Struct):
    """What comes of it."""

    valid: unsigned(1)
    step: range(EDGES + _PARTS)
    along: signed(_PRODUCT_BITS)
    across: signed(_PRODUCT_BITS)
    c: signed(DENOMINATOR_BITS)


class TileEntry(wiring.Component):
    """Finds the first quad of a primitive in a tile, and moves its edges and its plane of Z there.

    An edge whose a and b are even is halved: the same samples are inside of it, and lines and points, which have twice the
    numbers of others, need no wider arithmetic.

    Behaviour: a primitive takes twelve clocks; one that has no pixel in the window takes two, and nothing comes of it.

    Interface attributes
    --------------------
    window, limits : of the primitive that comes
    i : stream of `SetUpPrimitive`; offered until it is taken
    outside : the primitive that is taken in this clock has no pixel in the window
    o : stream of `RasterPrimitive`
    planes : stream of `DepthPlane`, one for each
    """

    window: In(ClippedWindow)
    limits: In(DepthLimits)
    i: In(stream.Signature(SetUpPrimitive))
    outside: Out(1)
    o: Out(stream.Signature(RasterPrimitive))
    planes: Out(stream.Signature(DepthPlane))

    def elaborate(self, platform):
        m = Module()
        primitive, out, plane = self.i.payload, self.o.payload, self.planes.payload
        state = Signal(_State)
        x, y = (
            Signal(signed(_FACTOR_BITS), name="x"),
            Signal(signed(_FACTOR_BITS), name="y"),
        )  # pixel 0 of the first quad
        is_empty = Signal()
        operands = Signal(_Operands)
        product = Signal(_Products)
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.planes.ready):
            m.d.sync += self.planes.valid.eq(0)
        m.d.comb += self.outside.eq(is_empty)
        m.d.sync += product.valid.eq(state == _State.MULTIPLY)
        with m.Switch(state):
            with m.Case(_State.TAKE):
                with m.If(self.i.valid & ~self.o.valid & ~self.planes.valid):
                    self._clip(m, primitive, x, y, is_empty)
                    m.d.sync += state.eq(_State.CLIP)
            with m.Case(_State.CLIP):
                m.d.comb += self.i.ready.eq(is_empty)
                m.d.sync += [
                    state.eq(Mux(is_empty, _State.TAKE, _State.MULTIPLY)),
                    out.oversample.eq(primitive.oversample),
                    plane.z.eq(primitive.z),
                    plane.gain_x.eq(primitive.z_x),
                    plane.gain_y.eq(primitive.z_y),
                    plane.limits.eq(self.limits),
                ]
            with m.Case(_State.MULTIPLY):
                with m.If(operands.step == EDGES + _PARTS - 1):
                    m.d.sync += state.eq(_State.GIVE)
            with m.Case(_State.GIVE):
                with m.If(~product.valid):
                    m.d.comb += self.i.ready.eq(1)
                    m.d.sync += [self.o.valid.eq(1), self.planes.valid.eq(1), state.eq(_State.TAKE)]
        multiplies = state == _State.MULTIPLY
        self._choose(m, primitive, multiplies, operands)
        self._multiply(m, primitive, out, multiplies, operands, x, y, product)
        self._move(m, out, plane, product)
        return m

    def _clip(self, m, primitive, x, y, is_empty):
        """The pixels of the box that are in the window, of which the first one decides where the first quad is."""
        window, box, out, plane = self.window, primitive.box, self.o.payload, self.planes.payload
        empties = []
        for first, low, high, tile, names, number in (
            (x, box.low_x, box.high_x, window.tile_x, ("left", "right"), "x"),
            (y, box.low_y, box.high_y, window.tile_y, ("low", "high"), "y"),
        ):
            start = Signal(signed(_FACTOR_BITS), name=f"start_{number}")
            end = Signal(signed(_FACTOR_BITS), name=f"end_{number}")
            most = window[names[1]] - 1
            quad = (start - tile) >> 1
            m.d.comb += [
                start.eq(Mux(low < window[names[0]], window[names[0]], low)),
                end.eq(Mux(high >= window[names[1]], most, high)),
            ]
            m.d.sync += [
                first.eq(start & ~1),
                out[names[0]].eq(start[0]),
                out[names[1]].eq(end - (start & ~1)),
                out[number].eq(quad[:TILE_QUAD_BITS]),
                plane[number].eq(quad[:TILE_QUAD_BITS]),
            ]
            # No comparison has to wait for another one.
            empties += [low >= window[names[1]], high < window[names[0]], window[names[0]] >= window[names[1]]]
        m.d.sync += is_empty.eq(Cat(empties).any())

    def _choose(self, m, primitive, goes_on, operands):
        """What is multiplied next; the first edge while it is not known yet whether that is needed."""
        step = Signal.like(operands.step)
        edge = Signal.like(primitive.edges[0])
        counts = Signal()
        along, across = Signal(_PART_BITS, name="along"), Signal(_PART_BITS, name="across")
        m.d.comb += step.eq(Mux(goes_on, operands.step + 1, 0))
        with m.Switch(step[: EDGES.bit_length() - 1]):
            for number in range(EDGES):
                with m.Case(number):
                    m.d.comb += [edge.eq(primitive.edges[number]), counts.eq(number < primitive.count)]
                    # The highest part comes first.
                    part = _PARTS - 1 - number
                    m.d.comb += along.eq(primitive.z_x.word_select(part, _PART_BITS))
                    m.d.comb += across.eq(primitive.z_y.word_select(part, _PART_BITS))
        halves = ~(edge.a[0] | edge.b[0])
        m.d.sync += [operands.step.eq(step), operands.c.eq(Mux(counts, Mux(halves, edge.c >> 1, edge.c), 0))]
        with m.If(step < EDGES):
            m.d.sync += [
                operands.along.eq(Mux(counts, Mux(halves, edge.a >> 1, edge.a), 0)),
                operands.across.eq(Mux(counts, Mux(halves, edge.b >> 1, edge.b), 0)),
            ]
        with m.Else():
            m.d.sync += [operands.along.eq(along), operands.across.eq(across)]

    def _multiply(self, m, primitive, out, multiplies, operands, x, y, product):
        """An edge with the position, or a part of the gains with the distance."""
        right, up = Signal(signed(_FACTOR_BITS), name="right"), Signal(signed(_FACTOR_BITS), name="up")
        with m.If(operands.step < EDGES):
            m.d.comb += [right.eq(x), up.eq(y)]
        with m.Else():
            m.d.comb += [
                right.eq(PIXEL * x + CENTRE[0] - primitive.x),
                up.eq(PIXEL * y + CENTRE[1] - primitive.y),
            ]
        m.d.sync += [
            product.step.eq(operands.step),
            product.along.eq(operands.along * right),
            product.across.eq(operands.across * up),
            product.c.eq(operands.c),
        ]
        for number, edge in enumerate(out.edges):
            with m.If(multiplies & (operands.step == number)):
                m.d.sync += [edge.a.eq(operands.along), edge.b.eq(operands.across)]

    def _move(self, m, out, plane, product):
        """An edge's value at the first quad, limited to what matters in a tile; or what Z has gained, part by part."""
        total = Signal(signed(_PRODUCT_BITS + 1))
        value = Signal(signed(_VALUE_BITS))
        fits = Signal()
        limited = Signal(_C_BITS)
        sign = value[-1]
        m.d.comb += [
            total.eq(product.along + product.across),
            value.eq(product.c + PIXEL * total),
            fits.eq(value[_C_BITS - 1 :] == sign.replicate(_VALUE_BITS - _C_BITS + 1)),
            limited.eq(Mux(fits, value[:_C_BITS], Cat((~sign).replicate(_C_BITS - 1), sign))),
        ]
        for number, edge in enumerate(out.edges):
            with m.If(product.valid & (product.step == number)):
                m.d.sync += edge.c.eq(limited)
        with m.If(product.valid & (product.step >= EDGES)):
            before = Mux(product.step == EDGES, 0, plane.first)
            m.d.sync += plane.first.eq((before << _PART_BITS) + total)
