"""Which samples of a quad a primitive covers."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import EDGES
from vc4.records.quads import QUAD_PIXELS, TILE_QUAD_BITS
from vc4.records.samples import PIXEL, SAMPLES

from .structs import MOST_SAMPLES, CoveredQuad, RasterPrimitive, RowSpan

__all__ = ["QuadCoverage"]

_SIDE_BITS = (2 * PIXEL).bit_length() - 1
_POSITION_BITS = TILE_QUAD_BITS + _SIDE_BITS
_VALUE = signed(32)


class _Step(data.Struct):
    """A sample of the pixels of a quad on its way.

    inside : pixels of the window
    sample, is_last : its number, and whether it is the last one of the quad
    ends : the quad is the last one of its primitive
    """

    valid: unsigned(1)
    x: unsigned(TILE_QUAD_BITS)
    y: unsigned(TILE_QUAD_BITS)
    inside: unsigned(QUAD_PIXELS)
    sample: range(MOST_SAMPLES)
    is_last: unsigned(1)
    ends: unsigned(1)


class _Within(data.Struct):
    """Where a sample lies in a pixel, and whether it is the last one."""

    x: range(PIXEL)
    y: range(PIXEL)
    is_last: unsigned(1)


class QuadCoverage(wiring.Component):
    """Goes through the quads of rows, and finds the samples of each that are inside of all edges (pipeline facts, 4.2).

    Behaviour: a sample of all four pixels takes a clock: without oversampling a quad comes every clock, the first one four clocks
    after its row, and between rows is no pause. A quad without samples takes its clocks, and does not come out; an empty row
    takes one. The first row of a primitive is taken when the last quad of the one before is at the output.

    Interface attributes
    --------------------
    primitive : that of the first row of a primitive, in the clock in which this is taken
    rows : stream of `RowSpan`
    o : stream of `CoveredQuad`
    busy : a primitive is under way
    """

    primitive: In(RasterPrimitive)
    rows: In(stream.Signature(RowSpan))
    o: Out(stream.Signature(CoveredQuad))
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        own = Signal(RasterPrimitive)
        advances = Signal()
        walked, multiplied, summed = (Signal(_Step, name=name) for name in ("walked", "multiplied", "summed"))
        m.d.comb += [
            advances.eq(~self.o.valid | self.o.ready),
            self.busy.eq(walked.valid | multiplied.valid | summed.valid | self.o.valid),
        ]
        with m.If(advances):
            m.d.sync += [multiplied.eq(walked), summed.eq(multiplied)]
        x, y = self._walk(m, own, advances, walked, ~(multiplied.valid | summed.valid))
        values = []
        for number in range(EDGES):
            edge = own.edges[number]
            along = Signal(signed(len(edge.a) + _POSITION_BITS), name=f"along_{number}")
            across = Signal(_VALUE, name=f"across_{number}")
            value = Signal(_VALUE, name=f"value_{number}")
            values.append(value)
            with m.If(advances):
                m.d.sync += [along.eq(edge.a * x), across.eq(edge.b * y + edge.c), value.eq(along + across)]
        self._decide(m, own, advances, values, summed)
        return m

    def _walk(self, m, own, advances, walked, rests):
        """The next sample, and the position that it has in pixel 0. `rests`: no other one is on its way."""
        row = self.rows.payload
        span = Signal(RowSpan)
        column = Signal(TILE_QUAD_BITS)
        x, y = Signal(_POSITION_BITS, name="x"), Signal(_POSITION_BITS, name="y")
        within = Signal(_Within)  # of this, that in the pixel
        is_last = Signal()  # of its row
        moves = Signal()
        m.d.comb += [
            is_last.eq((column == span.last) | (column == own.right[1:]) | span.is_empty),
            moves.eq(walked.valid & advances & walked.is_last & is_last),
            self.rows.ready.eq(Mux(row.opens, rests & ~walked.valid, moves | ~walked.valid)),
            walked.x.eq(own.x + column),
            walked.y.eq(own.y + span.row),
            walked.ends.eq(is_last & span.ends),
            walked.is_last.eq(within.is_last),
        ]
        m.d.comb += [x.eq(Cat(within.x, Const(0, 1), column)), y.eq(Cat(within.y, Const(0, 1), span.row))]
        self._sample(m, own.oversample, walked, within, advances)
        for pixel in range(QUAD_PIXELS):
            place, line = Cat(Const(pixel % 2, 1), column), Cat(Const(pixel // 2, 1), span.row)
            is_within = (place >= own.left) & (place <= own.right) & (line >= own.low) & (line <= own.high)
            m.d.comb += walked.inside[pixel].eq(is_within & ~span.is_empty)
        with m.If(walked.valid & advances):
            m.d.sync += walked.sample.eq(Mux(walked.is_last, 0, walked.sample + 1))
            with m.If(walked.is_last):
                m.d.sync += column.eq(column + 1)
        with m.If(moves):
            m.d.sync += walked.valid.eq(0)
        # Nothing of a primitive waits for what is behind the last quad of the one before.
        with m.If(self.rows.valid & row.opens & rests & ~walked.valid):
            m.d.sync += own.eq(self.primitive)
            with m.Switch(self.primitive.oversample):
                for mode, places in SAMPLES.items():
                    with m.Case(mode):
                        m.d.sync += _place(within, places, 0)
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += [span.eq(row), column.eq(row.first), walked.valid.eq(~row.is_empty | row.ends)]
        return x, y

    def _sample(self, m, oversample, walked, within, advances):
        """From a sample to the next one, and after the last to the first; an empty row has one."""
        following = Signal(_Within)
        with m.Switch(oversample):
            for mode, places in SAMPLES.items():
                with m.Case(mode), m.Switch(walked.sample):
                    for number in range(len(places)):
                        with m.Case(number):
                            m.d.comb += _place(following, places, (number + 1) % len(places))
        with m.If(walked.valid & advances):
            m.d.sync += within.eq(following)

    def _decide(self, m, own, advances, values, step):
        """Which pixels have the sample, and with the last one whether the quad has any."""
        bits = Signal(QUAD_PIXELS)
        any_before = Signal()  # samples of the quad
        diagonals = []  # what the edges' values grow by from the first pixel to the last one
        for number, edge in enumerate(own.edges):
            diagonal = Signal(signed(len(edge.a) + 1), name=f"diagonal_{number}")
            diagonals.append(diagonal)
            m.d.sync += diagonal.eq(edge.a + edge.b)
        covered = Signal.like(self.o.payload.covered)
        for pixel in range(QUAD_PIXELS):
            outside = [
                (value + PIXEL * (0, edge.a, edge.b, diagonal)[pixel] < 0)
                for value, edge, diagonal in zip(values, own.edges, diagonals, strict=True)
            ]
            m.d.comb += bits[pixel].eq(step.inside[pixel] & ~Cat(outside).any())
            before = Mux(step.sample == 0, 0, self.o.payload.covered[pixel])
            m.d.comb += covered[pixel].eq(before | (bits[pixel] << step.sample))
        with m.If(advances):
            m.d.sync += self.o.valid.eq(step.valid & step.is_last & (bits.any() | any_before | step.ends))
            with m.If(step.valid):
                m.d.sync += [
                    any_before.eq((bits.any() | any_before) & ~step.is_last),
                    self.o.payload.x.eq(step.x),
                    self.o.payload.y.eq(step.y),
                    self.o.payload.covered.eq(covered),
                    self.o.payload.ends.eq(step.ends),
                ]


def _place(within, places, number):
    x, y = places[number]
    return [within.x.eq(x), within.y.eq(y), within.is_last.eq(number == len(places) - 1)]
