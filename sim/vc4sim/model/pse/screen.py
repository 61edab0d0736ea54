"""Primitives on their way to the set-up: shaded vertices, vertices that clipping has made, what is set up already.

The hardware does all of this once more for each tile; nothing in a frame changes the results, so here they are kept.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from vc4.records.primitives import PrimitiveType

from ..arith.float import fadd, fmul
from ..cle.clipped import read_clipped_vertices
from ..cle.primitives import Primitive
from ..cle.shader_records import ShaderRecord
from ..memory import Memory
from ..vcm.vertices import ShaderKind, Vertex, VertexShading, has_point_size
from .draw_state import DrawState
from .pse import ScreenVertex, SetUp, set_up_triangle
from .pse_shapes import set_up_line, set_up_point, set_up_rht

__all__ = ["Screen"]

#: Zs and 1/W of vertices that are coordinates: 0.5 and 1.
_VG_Z, _VG_W = 0x3F00_0000, 0x3F80_0000


def _signed(word: int) -> int:
    """Sixteen bits with sign."""
    return (word & 0xFFFF ^ 0x8000) - 0x8000


class Screen:
    """Sets primitives up.

    shading : shades vertices
    """

    def __init__(self, memory: Memory, shading: VertexShading):
        self.shading = shading
        self._memory = memory
        self.forget()

    def forget(self) -> None:
        """A frame begins: what is kept may be out of date."""
        self._vertices: dict[tuple[int, int], Vertex] = {}
        self._ready: dict[tuple, list[SetUp]] = {}

    def shade(self, shader: ShaderRecord | None, primitives: Iterable[Primitive]) -> None:
        """Shade the vertices of primitives. Raises `ShadingError`."""
        if shader is None:
            return
        wanted = dict.fromkeys(
            index for primitive in primitives if not primitive.coordinates for index in primitive.vertices
        )
        missing = [index for index in wanted if (shader.address, index) not in self._vertices]
        if not missing:
            return
        for index, words in zip(missing, self.shading.vertices(shader, ShaderKind.VERTEX, missing), strict=True):
            self._vertices[shader.address, index] = words

    def set_up(self, primitive: Primitive, shader: ShaderRecord | None, state: DrawState) -> list[SetUp]:
        """A primitive whose vertices are shaded: none, one or two to rasterise. Raises `ListError`."""
        address = shader.address if shader else None
        clipped = primitive.clipped.address if primitive.clipped else None
        key = (address, state.set_up, state.viewport, state.point_size, primitive.type, primitive.vertices, clipped)
        if key not in self._ready:
            self._ready[key] = self._set_up(primitive, shader, state)
        return self._ready[key]

    def _set_up(self, primitive: Primitive, shader: ShaderRecord | None, state: DrawState) -> list[SetUp]:
        vertices = self._placed(primitive, shader, state)
        match primitive.type:
            case PrimitiveType.POINTS:
                size = state.point_size
                if shader is not None and has_point_size(shader):
                    size = self._vertices[shader.address, primitive.vertices[0]][3]
                found = set_up_point(vertices[0], size)
            case PrimitiveType.LINES:
                found = set_up_line(vertices, state.set_up)
            case PrimitiveType.TRIANGLES:
                found = set_up_triangle(vertices, state.set_up)
            case _:
                return set_up_rht(vertices, state.set_up)
        return [found] if found else []

    def _placed(self, primitive: Primitive, shader: ShaderRecord | None, state: DrawState) -> list[ScreenVertex]:
        """The vertices on the screen."""
        left, low = state.viewport
        if primitive.coordinates:
            return [
                ScreenVertex(_signed(word) + left, _signed(word >> 16) + low, _VG_Z, _VG_W, ())
                for word in primitive.vertices
            ]
        assert shader is not None
        first = 3 + has_point_size(shader)
        found = []
        for index in primitive.vertices:
            place, zs, rw, *rest = self._vertices[shader.address, index]
            x, y = _signed(place) + left, _signed(place >> 16) + low
            found.append(ScreenVertex(x, y, zs, rw, tuple(rest[first - 3 :])))
        return self._clipped(found, primitive, state) if primitive.clipped else found

    def _clipped(self, vertices: list[ScreenVertex], primitive: Primitive, state: DrawState) -> list[ScreenVertex]:
        """With vertices that clipping has made: their varyings are a sum of the original ones, each with its coefficient.

        Flat ones stay those of the original vertex, be it replaced or not.
        """
        assert primitive.clipped is not None
        left, low = state.viewport
        found = list(vertices)
        for made in read_clipped_vertices(self._memory, primitive.clipped):
            if made.number >= len(vertices):
                continue
            fields = made.fields
            weights = (fields.vertex_0_coefficient, fields.vertex_1_coefficient, fields.vertex_2_coefficient)
            varyings = tuple(
                values[made.number] if state.set_up.flat >> number & 1 else _sum(values, weights)
                for number, values in enumerate(zip(*(vertex.varyings for vertex in vertices), strict=True))
            )
            found[made.number] = ScreenVertex(
                fields.xs + left, fields.ys + low, fields.zs, fields.reciprocal_wc, varyings
            )
        return found


def _sum(values: Sequence[int], weights: Sequence[int]) -> int:
    """Floats, each times its weight; weights after the last one count nothing."""
    return reduce(fadd, map(fmul, values, weights))
