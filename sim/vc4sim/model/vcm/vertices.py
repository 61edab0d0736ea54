"""Shaded vertices, as binner and renderer get them (guide, figures 10 to 12; pipeline facts, 3.3 and 3.4)."""

from collections.abc import Sequence
from enum import Enum

from vc4.isa.registers import ELEMENTS
from vc4.records.shaders import GlShaderRecord, NvShaderRecord

from ...launch import Launch
from ..cle.shader_records import ShaderRecord
from ..memory import Memory, MemoryFault
from ..qps.scheduler import COORDINATE, VERTEX
from ..qps.shaders import HangingProgram, Shaders
from ..qpu.instructions import units_mask
from ..unbuilt import Unbuilt
from ..vpm.vpm import BINNER_ERROR, RENDERER_ERROR, SHADER_ROWS, Vpm
from .allocation import RowAllocation
from .vcd import load_attributes, load_shaded, selected_attributes

__all__ = [
    "BATCH",
    "ShaderKind",
    "ShadingError",
    "Vertex",
    "VertexShading",
    "clips",
    "has_point_size",
    "program_of",
    "vertex_words",
]

#: Vertices that are shaded together.
BATCH = ELEMENTS
#: A column of a block of the VPM, and of all that a program can name.
_BLOCK_WORDS, _BLOCK_BYTES, _MOST_BYTES = 4, 16, 4 * SHADER_ROWS
#: Instructions of a program that count as one that does not end.
_LIMIT = 1 << 17
#: What programs of these kinds may use. The guide leaves DMA to programs of the host.
_UNITS = frozenset({"uniforms", "vpm_read", "vpm_write", "sfu", "tmu", "mutex", "semaphore", "threads", "breakpoint"})

#: The words of a vertex, as its shader leaves them in a column of the VPM, or as they lie in memory.
Vertex = tuple[int, ...]


class ShaderKind(Enum):
    """Which of the two programs of a shader record; what its vertices consist of.

    COORDINATE : Xc, Yc, Zc, Wc, Xs and Ys in one word with Xs in the low half, Zs, 1/Wc [, point size]
    VERTEX : Xs and Ys in one word, Zs, 1/Wc [, point size], varyings
    """

    COORDINATE = "coordinate"
    VERTEX = "vertex"


_KINDS = {ShaderKind.COORDINATE: COORDINATE, ShaderKind.VERTEX: VERTEX}


class ShadingError(Exception):
    """Vertices cannot be shaded: the program does not end, or needs what it cannot have, or something is not in memory."""


def has_point_size(shader: ShaderRecord) -> bool:
    """Whether vertices of a GL or NV shader record have their own point size."""
    return bool(shader.fields.point_size_included)


def clips(shader: ShaderRecord) -> bool:
    """Whether primitives are clipped: it is enabled, and vertices have the coordinates for it."""
    header = shader.layout is GlShaderRecord or shader.fields.clip_coordinates_header_included
    return bool(header and shader.fields.enable_clipping)


def vertex_words(shader: ShaderRecord, kind: ShaderKind) -> int:
    """Words of a vertex."""
    first = 7 if kind is ShaderKind.COORDINATE else 3 + shader.fields.fragment_shader_number_of_varyings
    return first + has_point_size(shader)


def program_of(shader: ShaderRecord, kind: ShaderKind) -> Launch:
    """A program of a GL shader record."""
    fields = shader.fields
    if kind is ShaderKind.COORDINATE:
        return Launch(fields.coordinate_shader_code_address, fields.coordinate_shader_uniforms_address)
    return Launch(fields.vertex_shader_code_address, fields.vertex_shader_uniforms_address)


def _blocks(shader: ShaderRecord, kind: ShaderKind, words: int) -> int:
    """Blocks of four rows that a batch needs: for its attributes, up to the last one that is selected, and for its results."""
    attributes = 0
    if shader.layout is GlShaderRecord:
        ends = [
            first + attribute.length for first, attribute in selected_attributes(shader, kind is ShaderKind.COORDINATE)
        ]
        attributes = min(max(ends, default=0), _MOST_BYTES)
    return -(-attributes // _BLOCK_BYTES) - (-min(words, SHADER_ROWS) // _BLOCK_WORDS)


class VertexShading:
    """Shades vertices on QPUs, or fetches those that are shaded already.

    Vertices must not depend on who is shaded with them, or before them: attributes that a column lacks, results that a
    program leaves out, and registers are 0.

    limit : instructions after which a program counts as one that does not end
    allocation : which batches can have rows of the VPM
    shaders : what runs the programs
    shaded : vertices that were shaded
    """

    def __init__(
        self,
        memory: Memory,
        vpm: Vpm,
        allocation: RowAllocation,
        shaders: Shaders,
        has_tmus: bool,
        *,
        limit: int = _LIMIT,
    ):
        self.limit = limit
        self.allocation = allocation
        self.shaders = shaders
        self.shaded = 0
        self._memory = memory
        self._vpm = vpm
        self._units = units_mask(_UNITS if has_tmus else _UNITS - {"tmu"})

    def lacks(self, kind: ShaderKind) -> str:
        """What vertices wait for, if no QPU can shade now."""
        return self.shaders.lacks(_KINDS[kind])

    def vertices(self, shader: ShaderRecord, kind: ShaderKind, indices: Sequence[int]) -> list[Vertex]:
        """The words of each vertex, see `ShaderKind`. Raises `ShadingError`.

        Without a header for clipping, an NV record has 0 for Xc, Yc, Zc and Wc.
        """
        if shader.layout not in (GlShaderRecord, NvShaderRecord):
            raise ShadingError("a VG shader has no vertices")
        words, found = vertex_words(shader, kind), []
        lacking = self.allocation.refuses(_blocks(shader, kind, words), kind is ShaderKind.VERTEX)
        if lacking:
            self.fails(kind)
            raise ShadingError(lacking)
        for first in range(0, len(indices), BATCH):
            batch = indices[first : first + BATCH]
            try:
                if shader.layout is NvShaderRecord:
                    found += load_shaded(self._memory, shader, words, batch, kind is ShaderKind.COORDINATE)
                else:
                    found += self._shade(shader, kind, words, batch)
            except MemoryFault as fault:
                self.fails(kind)
                raise ShadingError(str(fault)) from None
        return found

    def fails(self, kind: ShaderKind) -> None:
        """Vertices are not to be had, for another reason than their program: the host finds that in ERRSTAT."""
        self._vpm.set_error(RENDERER_ERROR if kind is ShaderKind.VERTEX else BINNER_ERROR)

    def _shade(self, shader: ShaderRecord, kind: ShaderKind, words: int, indices: Sequence[int]) -> list[Vertex]:
        """One batch: attributes into the VPM, the program, results out of it."""
        coordinate = kind is ShaderKind.COORDINATE
        qpu = self.shaders.free_qpu(_KINDS[kind])
        assert qpu is not None, "there is no QPU for it"
        attributes, results = self._vpm.attributes(qpu), self._vpm.results(qpu)
        results[:] = 0
        load_attributes(self._memory, shader, coordinate, indices, attributes)
        launch = program_of(shader, kind)
        try:
            self.shaders.run(_KINDS[kind], launch, self._units, self.limit)
        except HangingProgram as hanging:
            what = str(hanging)
            if isinstance(hanging.cause, Unbuilt):
                what = f"programs of this kind have no {hanging.cause.unit}"
            raise ShadingError(f"{kind.value} shader at {hanging.at:#010x}: {what}") from None
        self.shaded += len(indices)
        lacking = (0,) * (words - len(results))
        return [(*column, *lacking) for column in results[:words, : len(indices)].T.tolist()]
