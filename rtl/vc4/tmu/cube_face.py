"""Faces of a cube."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CubeFace"]


class CubeFace(wiring.Component):
    """The face of a cube that a direction meets: +X, -X, +Y, -Y, +Z, -Z; the larger pattern wins, the first of equals.
    And the coordinates there (OpenGL ES 2.0, table 3.21), and on the face of the first element of the quad.

    Behaviour: a direction a clock, `CubeFace.LATENCY` clocks later.

    Interface attributes
    --------------------
    s, t, r : the direction
    first : it is the first one of its quad
    cube : a clock later; otherwise the coordinates are s and t
    face, across, up : the face, and the coordinates there
    quad_across, quad_up : those on the face of the first one
    """

    LATENCY = 2

    s: In(32)
    t: In(32)
    r: In(32)
    first: In(1)
    cube: In(1)
    face: Out(range(6))
    across: Out(32)
    up: Out(32)
    quad_across: Out(32)
    quad_up: Out(32)

    def elaborate(self, platform):
        m = Module()
        direction = [Signal(32, name=name) for name in "str"]
        sizes = [getattr(self, name)[:31] for name in "str"]
        face = Signal(range(6))
        first = Signal()
        of_first = Signal.like(face)
        of_quad = Signal.like(face)
        m.d.sync += [one.eq(getattr(self, name)) for one, name in zip(direction, "str", strict=True)]
        m.d.sync += [first.eq(self.first), of_first.eq(of_quad)]
        with m.If((sizes[0] >= sizes[1]) & (sizes[0] >= sizes[2])):
            m.d.sync += face.eq(Cat(self.s[31], C(0, 2)))
        with m.Elif(sizes[1] >= sizes[2]):
            m.d.sync += face.eq(Cat(self.t[31], C(1, 2)))
        with m.Else():
            m.d.sync += face.eq(Cat(self.r[31], C(2, 2)))
        m.d.comb += of_quad.eq(Mux(first, face, of_first))
        m.d.sync += self.face.eq(Mux(self.cube, face, 0))
        self._look(m, face, direction, self.across, self.up)
        self._look(m, of_quad, direction, self.quad_across, self.quad_up)
        return m

    def _look(self, m, face, direction, across, up):
        """Coordinates of a direction on a face, a clock later."""
        s, t, r = direction
        # Along a row lies s, but r on both faces of X; along a column t the wrong way round, but r on those of Y.
        takes_r = self.cube & (face < 2), self.cube & face[1]
        turns = self.cube & ((face == 0) | (face == 5)), self.cube & (face != 2)
        for end, one, other, turned in zip((across, up), (s, t), takes_r, turns, strict=True):
            value = Mux(other, r, one)
            m.d.sync += end.eq(Cat(value[:31], value[31] ^ turned))
