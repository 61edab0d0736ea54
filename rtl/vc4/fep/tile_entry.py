"""The way of a primitive into a tile."""

from amaranth import *
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import EDGES, SetUpPrimitive
from vc4.records.quads import TILE_QUAD_BITS
from vc4.records.samples import CENTRE, PIXEL

from .structs import ClippedWindow, DepthLimits, DepthPlane, RasterPrimitive, TileEdge

__all__ = ["TileEntry"]

#: A gain is multiplied in parts of so many bits.
_PART_BITS = 16
_PARTS = 64 // _PART_BITS
_MOST_C = (1 << TileEdge.as_shape()["c"].shape.width - 1) - 1
_FACTOR_BITS = 18
_PRODUCT_BITS = 2 * _FACTOR_BITS
_VALUE_BITS = _PRODUCT_BITS + 6


class _State(enum.Enum, shape=unsigned(2)):
    """What is done."""

    TAKE = 0
    CLIP = 1
    MULTIPLY = 2  # edges, then parts of the gains of Z, one after the other
    GIVE = 3


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
        step = Signal(range(EDGES + _PARTS))
        x, y = Signal(signed(_FACTOR_BITS)), Signal(signed(_FACTOR_BITS))  # pixel 0 of the first quad
        is_empty = Signal()
        product = Signal(
            data.StructLayout(
                {"valid": 1, "step": step.shape(), "along": signed(_PRODUCT_BITS), "across": signed(_PRODUCT_BITS)}
            )
        )
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
                m.d.sync += step.eq(step + 1)
                with m.If(step == EDGES + _PARTS - 1):
                    m.d.sync += [step.eq(0), state.eq(_State.GIVE)]
            with m.Case(_State.GIVE):
                with m.If(~product.valid):
                    m.d.comb += self.i.ready.eq(1)
                    m.d.sync += [self.o.valid.eq(1), self.planes.valid.eq(1), state.eq(_State.TAKE)]
        self._multiply(m, primitive, step, x, y, product)
        with m.If(product.valid):
            with m.If(product.step < EDGES):
                self._move_edge(m, primitive, out, product)
            with m.Else():
                self._move_plane(m, plane, product)
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
                end.eq(Mux(high > most, most, high)),
            ]
            m.d.sync += [
                first.eq(start & ~1),
                out[names[0]].eq(start[0]),
                out[names[1]].eq(end - (start & ~1)),
                out[number].eq(quad[:TILE_QUAD_BITS]),
                plane[number].eq(quad[:TILE_QUAD_BITS]),
            ]
            empties.append(start > end)
        m.d.sync += is_empty.eq(Cat(empties).any())

    def _multiply(self, m, primitive, step, x, y, product):
        """The next two products: of an edge with the position, or of a part of the gains with the distance."""
        along, across = Signal(signed(_FACTOR_BITS)), Signal(signed(_FACTOR_BITS))
        right, up = Signal(signed(_FACTOR_BITS)), Signal(signed(_FACTOR_BITS))
        with m.Switch(step):
            for number in range(EDGES):
                edge = primitive.edges[number]
                with m.Case(number):
                    m.d.comb += [along.eq(_halved(edge, edge.a)), across.eq(_halved(edge, edge.b))]
            for part in range(_PARTS):
                with m.Case(EDGES + part):
                    m.d.comb += [
                        along.eq(primitive.z_x.word_select(part, _PART_BITS)),
                        across.eq(primitive.z_y.word_select(part, _PART_BITS)),
                    ]
        with m.If(step < EDGES):
            m.d.comb += [right.eq(x), up.eq(y)]
        with m.Else():
            m.d.comb += [
                right.eq(PIXEL * x + CENTRE[0] - primitive.x),
                up.eq(PIXEL * y + CENTRE[1] - primitive.y),
            ]
        m.d.sync += [product.step.eq(step), product.along.eq(along * right), product.across.eq(across * up)]

    def _move_edge(self, m, primitive, out, product):
        """Its value at the first quad, limited to what matters in a tile."""
        edge = Signal.like(primitive.edges[0])
        value = Signal(signed(_VALUE_BITS))
        limited = Signal.like(out.edges[0].c)
        with m.Switch(product.step):
            for number in range(EDGES):
                with m.Case(number):
                    m.d.comb += edge.eq(primitive.edges[number])
                    with m.If(number < primitive.count):
                        m.d.sync += [
                            out.edges[number].a.eq(_halved(edge, edge.a)),
                            out.edges[number].b.eq(_halved(edge, edge.b)),
                            out.edges[number].c.eq(limited),
                        ]
                    with m.Else():
                        m.d.sync += out.edges[number].eq(0)
        m.d.comb += [
            value.eq(_halved(edge, edge.c) + PIXEL * (product.along + product.across)),
            limited.eq(Mux(value > _MOST_C, _MOST_C, Mux(value < -_MOST_C, -_MOST_C, value))),
        ]

    def _move_plane(self, m, plane, product):
        """What Z has gained, part by part."""
        total = product.along + product.across
        with m.Switch(product.step):
            for part in range(_PARTS):
                with m.Case(EDGES + part):
                    before = Const(0, 64) if part == 0 else plane.first
                    m.d.sync += plane.first.eq(before + (total << part * _PART_BITS))


def _halved(edge, number):
    """A number of an edge: half of it if a and b are even."""
    return Mux(edge.a[0] | edge.b[0], number, number >> 1)
