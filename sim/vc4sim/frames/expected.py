"""What the model hands to binner and renderer: the same as the RTL, from the same lists."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vc4.config import V3DConfig
from vc4.records.control import ControlCode, Role, Threads
from vc4.records.shaders import GlShaderRecord

from ..launch import Launch
from ..model.cle.cle import Cle, Rest
from ..model.cle.control_records import ControlRecord, ListError
from ..model.cle.pipeline import Work
from ..model.cle.primitives import Primitive as ListPrimitive
from ..model.cle.shader_records import ShaderRecord as ReadShader
from ..model.cle.shader_records import ShaderRecordError, read_shader_record
from ..model.memory import Memory, MemoryFault
from ..model.v3d import V3D
from ..model.vcm.vcm import Shaded, Vcm
from ..model.vcm.vertices import ShaderKind, ShadingError, Vertex, VertexShading, program_of
from .items import Ended, Item, Primitive, Record, ShaderRecord

__all__ = ["Batch", "Front", "FrontModel"]

_WITH_VERTICES = (ControlCode.GL_SHADER_STATE, ControlCode.NV_SHADER_STATE)
_HEADER_BYTES = 12


class Batch(NamedTuple):
    """Vertices that were shaded together.

    launch : the program; `None`: they were shaded already
    """

    shader: ReadShader
    coordinate: bool
    indices: tuple[int, ...]
    launch: Launch | None


class _Shading:
    """Shades vertices, and keeps which ones."""

    def __init__(self, shading: VertexShading):
        self.batches: list[Batch] = []
        self.lacks = shading.lacks
        self._shading = shading

    def vertices(self, shader: ReadShader, kind: ShaderKind, indices: Sequence[int]) -> list[Vertex]:
        """See `VertexShading`."""
        coordinate = kind is ShaderKind.COORDINATE
        launch = program_of(shader, kind) if shader.layout is GlShaderRecord else None
        self.batches.append(Batch(shader, coordinate, tuple(indices), launch))
        return self._shading.vertices(shader, kind, indices)


class Front:
    """A pipeline that shades vertices and keeps what comes out.

    items : this
    batches : what was shaded together
    error : why it has stopped
    """

    out_of_memory = False

    def __init__(self, memory: Memory, shading: VertexShading, threads: Threads):
        self.items: list[Item] = []
        self.error: str | None = None
        self._memory = memory
        kind = ShaderKind.COORDINATE if threads is Threads.BINNING else ShaderKind.VERTEX
        keeper = _Shading(shading)
        self.batches = keeper.batches
        self._vcm = Vcm(keeper, kind)
        self._fails = lambda: shading.fails(kind)
        self._reads_all = threads is Threads.RENDERING
        self._shader: ControlRecord | None = None  # that was not read

    def record(self, record: ControlRecord) -> Work:
        """Any."""
        return self._guarded(self._record(record))

    def primitive(self, primitive: ListPrimitive) -> Work:
        """With its batch, or at once if it has no vertices."""
        return self._guarded(self._primitive(primitive))

    def end_list(self) -> Work:
        """The last batch."""
        return self._guarded(self._end())

    def reset(self) -> None:
        """Forget what is collected."""
        self._vcm.reset()
        self._vcm.shader = self._shader = None
        self.error = None

    def _guarded(self, items: Iterable[Item]) -> Iterator[str]:
        if self.error is None:
            try:
                self.items += items
            except (ShadingError, MemoryFault, ListError) as what:
                self.error = str(what)
                if isinstance(what, ShaderRecordError):
                    self._fails()
        while self.error is not None:
            yield self.error

    def _record(self, record: ControlRecord) -> Iterator[Item]:
        if record.kind.role is Role.SHADER:
            is_wanted = record.code in _WITH_VERTICES or (
                self._reads_all and record.code is ControlCode.VG_SHADER_STATE
            )
            self._shader = record if is_wanted else None
        elif record.kind.role.is_list and self._shader is not None:
            shader = read_shader_record(self._memory, self._shader)
            if self._shader.code in _WITH_VERTICES:
                self._vcm.shader = shader
            self._shader = None
            header = self._memory.read(shader.address, _HEADER_BYTES, "shader record")
            yield ShaderRecord(tuple(int.from_bytes(header[first : first + 4], "little") for first in (0, 4, 8)))
        length = record.kind.length - 1
        yield Record(record.code, self._memory.read(record.address + 1, length) if length else b"")

    def _primitive(self, primitive: ListPrimitive) -> Iterator[Item]:
        if primitive.coordinates:
            yield Primitive(primitive.type, primitive.clipped is not None, primitive.vertices, ())
        else:
            yield from map(_shaded, self._vcm.add(primitive))

    def _end(self) -> Iterator[Item]:
        yield from map(_shaded, self._vcm.finish())
        yield Ended()


def _shaded(found: Shaded) -> Primitive:
    primitive, vertices = found
    return Primitive(primitive.type, primitive.clipped is not None, (), tuple(vertices))


class FrontModel:
    """The model, up to binner and renderer.

    gpu : all of it; its own binner and renderer get nothing
    fronts : what takes their place
    """

    def __init__(self, config: V3DConfig, memory: Memory):
        self.gpu = V3D(config, memory)
        shadings = self.gpu.binner.shading, self.gpu.renderer.screen.shading
        self.fronts = tuple(
            Front(memory, shading, threads)
            for shading, threads in zip(shadings, (Threads.BINNING, Threads.RENDERING), strict=True)
        )
        self.cle = Cle(memory, *self.fronts)

    def run(self, registers: Iterable[tuple[str, int]], limit: int) -> Rest:
        """Both threads, from writes to their registers and others, until nobody gets on or for so many steps."""
        for name, value in registers:
            if not name.startswith("CT"):
                self.gpu.write(name, value)
                continue
            thread = self.cle.threads[int(name[2])]
            (thread.set_current if name.endswith("CA") else thread.set_end)(value)
        return self.cle.run(limit)
