"""The vertex cache manager: batches of vertices (guide, section 8; pipeline facts, 3.6)."""

from collections.abc import Iterator

from vc4.records.shaders import GlShaderRecord

from ..cle.primitives import Primitive
from ..cle.shader_records import ShaderRecord
from .vertices import BATCH, ShaderKind, Vertex, VertexShading

__all__ = ["Shaded", "Vcm"]

#: A primitive with its vertices.
Shaded = tuple[Primitive, list[Vertex]]


#: Of a batch.
_MOST_PRIMITIVES = 64


class Vcm:
    """Collects primitives until their vertices fill a batch, or there are too many; each vertex is shaded once in a batch.

    shader : the record of the vertices, set when nothing is collected; without one primitives are lost
    """

    def __init__(self, shading: VertexShading, kind: ShaderKind):
        self.shader: ShaderRecord | None = None
        self._shading = shading
        self._kind = kind
        self.reset()

    def reset(self) -> None:
        """Forget what is collected."""
        self._primitives: list[Primitive] = []
        self._batch: dict[int, None] = {}

    @property
    def lacks(self) -> str:
        """What is collected waits for, if it cannot be shaded now."""
        needs_qpu = self._primitives and self.shader and self.shader.layout is GlShaderRecord
        return self._shading.lacks(self._kind) if needs_qpu else ""

    def add(self, primitive: Primitive) -> Iterator[Shaded]:
        """One more primitive; what comes out are those of the batch before if there is no room. Raises `ShadingError`."""
        new = [vertex for vertex in dict.fromkeys(primitive.vertices) if vertex not in self._batch]
        is_full = len(self._batch) + len(new) > BATCH or len(self._primitives) == _MOST_PRIMITIVES
        found = self.finish() if is_full else iter(())
        self._primitives.append(primitive)
        self._batch.update(dict.fromkeys(primitive.vertices))
        return found

    def finish(self) -> Iterator[Shaded]:
        """The primitives that are collected, shaded. Raises `ShadingError`."""
        primitives, indices = self._primitives, list(self._batch)
        self.reset()
        if not primitives or self.shader is None:
            return iter(())
        vertices = dict(zip(indices, self._shading.vertices(self.shader, self._kind, indices), strict=True))
        return ((primitive, [vertices[index] for index in primitive.vertices]) for primitive in primitives)
