"""Where elements of textures sample."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.qpu.structs import LANES
from vc4.records.tmu import MOST_TEXELS, Wrap

from .cube_face import CubeFace
from .fixed_point import FixedPoint
from .texture import CONTEXTS, COORDINATE_FRACTION, Element, LookupNote, Vector
from .texture_fields import TextureFields

__all__ = ["SIZE_BITS", "Elements", "QuadPoint"]

#: Of a number of texels.
SIZE_BITS = MOST_TEXELS.bit_length()
_BITS = COORDINATE_FRACTION + 2
_ONE = 1 << COORDINATE_FRACTION
_BIAS_FRACTION, _BIAS_BITS = 8, 16


class QuadPoint(data.Struct):
    """What the level of detail of a quad depends on, of each element: coordinates on one face, texels of the image."""

    lane: range(LANES)
    s: unsigned(32)
    t: unsigned(32)
    width: SIZE_BITS
    height: SIZE_BITS
    halved: unsigned(1)  # the coordinates go from -1 to 1


class Elements(wiring.Component):
    """Floats to coordinates: the face of a cube is chosen, and everything becomes fixed point.

    Behaviour: an element a clock, `Elements.LATENCY` clocks later; as a point of its quad it is there three clocks earlier,
    and so is the border colour.

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    i, i_stb : elements as they were written
    o, o_stb : the elements
    point, point_stb : the same as points of their quads
    border, border_context, border_stb : the border colour of a lookup
    """

    LATENCY = CubeFace.LATENCY + FixedPoint.LATENCY + 1

    note: In(LookupNote)
    note_stb: In(1)
    i: In(Vector)
    i_stb: In(1)
    o: Out(Element)
    o_stb: Out(1)
    point: Out(QuadPoint)
    point_stb: Out(1)
    border: Out(32)
    border_context: Out(range(CONTEXTS))
    border_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.fields = self._fields = fields = TextureFields("cube", "wrap_s", "wrap_t", "window")
        m.submodules.face = self._face = face = CubeFace()
        self._stages = [Value.cast(Cat(self.i.context, self.i.quad, self.i.lane))]
        strobes = [self.i_stb]
        for clock in range(self.LATENCY):
            stage = Signal(len(self._stages[0]), name=f"element_{clock}")
            strobe = Signal(name=f"stb_{clock}")
            m.d.sync += [stage.eq(self._stages[-1]), strobe.eq(strobes[-1])]
            self._stages.append(stage)
            strobes.append(strobe)
        m.d.comb += [
            *(fields.note.eq(self.note), fields.note_stb.eq(self.note_stb), fields.context.eq(self.i.context)),
            *(getattr(face, name).eq(getattr(self.i, name)) for name in "str"),
            *(face.first.eq(self.i.lane == 0), face.cube.eq(fields.o.cube)),
            *(self.point_stb.eq(strobes[CubeFace.LATENCY]), self.o_stb.eq(strobes[-1])),
        ]
        self._border(m)
        later = Signal.like(fields.o)
        m.d.sync += later.eq(fields.o)
        m.d.comb += [
            *(self.point.s.eq(face.quad_across), self.point.t.eq(face.quad_up)),
            self.point.lane.eq(self._stages[CubeFace.LATENCY][-len(self.i.lane) :]),
            *(self.point.width.eq(later.window.width), self.point.height.eq(later.window.height)),
            self.point.halved.eq(later.cube),
        ]
        self._fixed(m, later)
        return m

    def _border(self, m):
        """It is what the first element has as r; cubes have none."""
        r = Signal(32)
        first = Signal()
        m.d.sync += [r.eq(self.i.r), first.eq(self.i_stb & (self.i.quad == 0) & (self.i.lane == 0))]
        m.d.comb += [
            self.border.eq(Mux(self._fields.o.cube, 0, r)),
            self.border_context.eq(self._stages[1]),
            self.border_stb.eq(first),
        ]

    def _fixed(self, m, fields):
        """Normalised coordinates, those of a cube from 0 to 1, and the bias."""
        m.submodules.fixed_s = fixed_s = FixedPoint(COORDINATE_FRACTION, _BITS)
        m.submodules.fixed_t = fixed_t = FixedPoint(COORDINATE_FRACTION, _BITS)
        m.submodules.fixed_b = fixed_b = FixedPoint(_BIAS_FRACTION, _BIAS_BITS, limits=True)
        pairs = ((fixed_s, self._face.across, fields.wrap_s), (fixed_t, self._face.up, fields.wrap_t))
        for fixed, value, wrap in pairs:
            repeats = (wrap == Wrap.REPEAT) | (wrap == Wrap.MIRROR)
            m.d.comb += [fixed.value.eq(value), fixed.modulo.eq(~fields.cube & repeats)]
        m.d.comb += fixed_b.value.eq(self.i.b)
        cube = self._delayed(m, "cube", fields.cube, FixedPoint.LATENCY)
        m.d.sync += [
            self.o.s.eq(Mux(cube, (fixed_s.o + _ONE) >> 1, fixed_s.o)),
            self.o.t.eq(Mux(cube, (fixed_t.o + _ONE) >> 1, fixed_t.o)),
        ]
        after = self.LATENCY - CubeFace.LATENCY
        context, lane = len(self.i.context), len(self.i.lane)
        m.d.comb += [
            self.o.context.eq(self._stages[-1][:context]),
            self.o.quad.eq(self._stages[-1][context:-lane]),
            self.o.lane.eq(self._stages[-1][-lane:]),
            self.o.face.eq(self._delayed(m, "face", self._face.face, after)),
            self.o.bias.eq(self._delayed(m, "bias", fixed_b.o, self.LATENCY - FixedPoint.LATENCY)),
        ]

    def _delayed(self, m, name, value, count):
        for clock in range(count):
            before, value = value, Signal.like(Value.cast(value), name=f"{name}_{clock}")
            m.d.sync += value.eq(before)
        return value
