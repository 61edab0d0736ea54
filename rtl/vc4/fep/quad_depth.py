"""Z of quads."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.pse.structs import Z_FRACTION
from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS, TILE_QUAD_BITS
from vc4.records.samples import PIXEL

from .debug_structs import QUAD_DEPTH_DEBUG
from .structs import CoveredQuad, DepthPlane, DepthQuad

__all__ = ["QuadDepth"]

_SIDE = 2 * PIXEL
#: Bits after the point that gains of Z have.
_GAIN_FRACTION = 24
_MOST = (1 << DEPTH_BITS) - 1


class _Step(data.Struct):
    """Pixels of a quad on their way.

    pixel : that of lane 0
    is_last : they are the last ones of the quad
    has : pixels with a sample
    """

    valid: unsigned(1)
    quad: CoveredQuad
    pixel: range(QUAD_PIXELS)
    is_last: unsigned(1)
    has: unsigned(QUAD_PIXELS)


class QuadDepth(wiring.Component):
    """Finds Z of each pixel of a quad, and leaves out pixels that are not between the planes (docs/reference/rendering.md, "Set-up").

    Behaviour: a quad takes a clock, and is at the output six clocks after it was taken; with one lane it takes four, and nine.
    The first quad of a primitive waits until those of the one before are at the output. A quad without a pixel between the
    planes does not come out, unless it is the last one of its primitive.

    Parameters
    ----------
    lanes : pixels a clock: 1 or 4

    Interface attributes
    --------------------
    planes : stream of `DepthPlane`, one for each primitive, taken with its first quad
    i : stream of `CoveredQuad`
    o : stream of `DepthQuad`
    clipped, between : strobes: a quad with samples has no pixel between the planes; one that has some has gone
    debug : see `DebugStatus`
    """

    def __init__(self, lanes: int = QUAD_PIXELS):
        if lanes not in (1, QUAD_PIXELS):
            raise ValueError(f"one lane or {QUAD_PIXELS}, not {lanes!r}")
        self._lanes = lanes
        super().__init__(
            {
                "planes": In(stream.Signature(DepthPlane)),
                "i": In(stream.Signature(CoveredQuad)),
                "o": Out(stream.Signature(DepthQuad)),
                "clipped": Out(1),
                "between": Out(1),
                "debug": Out(QUAD_DEPTH_DEBUG),
            }
        )

    def elaborate(self, platform):
        m = Module()
        advances = Signal()
        opens = Signal(init=1)  # the next quad is the first one of its primitive
        plane = Signal(DepthPlane)
        quads = [Signal(CoveredQuad, name=name) for name in ("taken", "multiplied", "placed")]
        valid = Signal(len(quads))  # of these
        steps = QUAD_PIXELS // self._lanes
        pixel = Signal(range(QUAD_PIXELS))  # that is done by lane 0
        is_last = Signal()
        moves = Signal()  # all but the last stages
        rests = Signal()
        m.d.comb += [
            is_last.eq(pixel == steps - 1),
            advances.eq(~self.o.valid | self.o.ready),
            moves.eq(advances & (~valid[-1] | is_last)),
            self.i.ready.eq(moves & ((rests & self.planes.valid) | ~opens)),
            self.planes.ready.eq(self.i.valid & self.i.ready & opens),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += opens.eq(self.i.payload.ends)
            with m.If(opens):
                m.d.sync += plane.eq(self.planes.payload)
        with m.If(moves):
            m.d.sync += valid.eq(Cat(self.i.valid & self.i.ready, valid))
            m.d.sync += [quad.eq(before) for quad, before in zip(quads, (self.i.payload, *quads), strict=False)]
        with m.If(advances & valid[-1]):
            m.d.sync += pixel.eq(Mux(is_last, 0, pixel + 1))
        gain = self._place(m, moves, opens, plane)
        under_way = self._pixels(m, advances, plane, gain, quads[-1], valid[-1], pixel, is_last)
        m.d.comb += rests.eq(~(valid.any() | under_way))
        m.d.comb += [
            self.debug.XYNRM_READY.eq(self.i.ready),
            self.debug.XYNRM_LAST.eq(valid[0] & quads[0].ends),
            self.debug.XYNRM_IP_STALL.eq(self.i.valid & ~self.i.ready),
            self.debug.INTERPZ_READY.eq(moves),
            self.debug.INTERPZ_IP_STALL.eq(valid[0] & ~moves),
            *(self.debug[name].eq(advances) for name in ("FIXZ_READY", "EZLIM_READY", "DEPTHO_READY")),
        ]
        return m

    def _place(self, m, moves, opens, plane):
        """What Z has gained at the first pixel of a quad."""
        products = []
        gain = Signal.like(plane.first)
        for name, factor in (("x", plane.gain_x), ("y", plane.gain_y)):
            product = Signal.like(gain, name=f"gain_{name}")
            place = Signal(TILE_QUAD_BITS, name=f"place_{name}")  # from the first quad on
            products.append(product)
            first = Mux(opens, self.planes.payload[name], plane[name])
            with m.If(moves):
                m.d.sync += [place.eq(self.i.payload[name] - first), product.eq(factor * place)]
        with m.If(moves):
            m.d.sync += gain.eq(plane.first + _SIDE * sum(products))
        return gain

    def _pixels(self, m, advances, plane, gain, quad, valid, pixel, is_last):
        """The pixels of a quad, a step in each clock; in the clock after their Z, then what is left of them. Returns whether any
        are on their way.
        """
        steps = [Signal(_Step, name=name) for name in ("gained", "found")]
        gained = [Signal(signed(48), name=f"gained_{lane}") for lane in range(self._lanes)]
        zs = [Signal(DEPTH_BITS, name=f"z_{lane}") for lane in range(self._lanes)]
        with m.If(advances):
            m.d.sync += [steps[0].valid.eq(valid), steps[0].quad.eq(quad), steps[0].pixel.eq(pixel)]
            m.d.sync += [steps[0].is_last.eq(is_last), steps[1].eq(steps[0])]
            m.d.sync += steps[1].has.eq(Cat(covered.any() for covered in steps[0].quad.covered))
        for lane, (value, z) in enumerate(zip(gained, zs, strict=True)):
            number = pixel if self._lanes == 1 else Const(lane, 2)
            own = gain + PIXEL * (Mux(number[0], plane.gain_x, 0) + Mux(number[1], plane.gain_y, 0))
            total = Signal(signed(50), name=f"total_{lane}")
            m.d.comb += total.eq(value + plane.z)
            above = total[Z_FRACTION + DEPTH_BITS : -1].any()
            with m.If(advances):
                m.d.sync += value.eq(own[_GAIN_FRACTION - Z_FRACTION : len(gain)].as_signed())
                m.d.sync += z.eq(Mux(total < 0, 0, Mux(above, _MOST, total[Z_FRACTION:])))
        self._decide(m, advances, plane.limits, zs, steps[1])
        return Cat(step.valid for step in steps).any()

    def _decide(self, m, advances, limits, zs, step):
        """Which pixels are between the planes, and with the last ones whether the quad has any."""
        out, quad = self.o.payload, step.quad
        insides = [(limits.nearest <= z) & (z <= limits.farthest) for z in zs]
        covered = Signal.like(out.covered)
        left = Signal(QUAD_PIXELS)  # pixels with a sample that are between the planes
        kept_before = Signal()  # of those before there is one
        for number in range(QUAD_PIXELS):
            lane = number % self._lanes
            now = step.pixel == number // self._lanes
            kept = Mux(insides[lane], quad.covered[number], 0)
            m.d.comb += covered[number].eq(Mux(now, kept, Mux(step.pixel == 0, 0, out.covered[number])))
            m.d.comb += left[number].eq(now & insides[lane] & step.has[number])
            with m.If(advances & now):
                m.d.sync += out.z[number].eq(zs[lane])
        any_covered = left.any() | kept_before
        ended = advances & step.valid & step.is_last
        m.d.comb += [
            self.debug.EZLIM_IP_STALL.eq(step.valid & ~advances),
            self.between.eq(self.o.valid & self.o.ready & ~out.is_empty),
            self.clipped.eq(ended & step.has.any() & ~any_covered),
        ]
        with m.If(advances):
            m.d.sync += self.o.valid.eq(step.valid & step.is_last & (any_covered | quad.ends))
            with m.If(step.valid):
                m.d.sync += kept_before.eq(any_covered & ~step.is_last)
                m.d.sync += [out.x.eq(quad.x), out.y.eq(quad.y), out.covered.eq(covered), out.ends.eq(quad.ends)]
                m.d.sync += out.is_empty.eq(~any_covered)
