"""Faces of a cube."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CubeFace"]

_SIGN = 1 << 31


class CubeFace(wiring.Component):
    """The face of a cube that a direction meets: +X, -X, +Y, -Y, +Z, -Z; the larger pattern wins, the first of equals.
    Combinational. And the coordinates of directions there (OpenGL ES 2.0, table 3.21).

    Parameters
    ----------
    count : directions

    Interface attributes
    --------------------
    cube : otherwise the coordinates are s and t
    s, t, r : the direction that chooses
    face : the face
    directions : those that are looked at on that face
    across, up : their coordinates
    """

    def __init__(self, count: int):
        self._count = count
        words = data.ArrayLayout(32, count)
        super().__init__(
            {
                "cube": In(1),
                **{name: In(32) for name in "str"},
                "face": Out(range(6)),
                "directions": In(data.StructLayout(dict.fromkeys("str", words))),
                "across": Out(words),
                "up": Out(words),
            }
        )

    def elaborate(self, platform):
        m = Module()
        sizes = [getattr(self, name)[:31] for name in "str"]
        face = Signal(range(6))
        with m.If((sizes[0] >= sizes[1]) & (sizes[0] >= sizes[2])):
            m.d.comb += face.eq(Cat(self.s[31], C(0, 2)))
        with m.Elif(sizes[1] >= sizes[2]):
            m.d.comb += face.eq(Cat(self.t[31], C(1, 2)))
        with m.Else():
            m.d.comb += face.eq(Cat(self.r[31], C(2, 2)))
        m.d.comb += self.face.eq(Mux(self.cube, face, 0))
        for number in range(self._count):
            s, t, r = (self.directions[name][number] for name in "str")
            across = self.across[number]
            up = self.up[number]
            faces = [
                (r ^ _SIGN, t ^ _SIGN),
                (r, t ^ _SIGN),
                (s, r),
                (s, r ^ _SIGN),
                (s, t ^ _SIGN),
                (s ^ _SIGN, t ^ _SIGN),
            ]
            with m.If(~self.cube):
                m.d.comb += [across.eq(s), up.eq(t)]
            with m.Else():
                with m.Switch(face):
                    for code, (first, second) in enumerate(faces):
                        with m.Case(code):
                            m.d.comb += [across.eq(first), up.eq(second)]
        return m
