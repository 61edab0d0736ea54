"""A random frame in memory."""

import random
import struct
from collections.abc import Collection
from dataclasses import replace
from operator import add

from vc4.config import V3DConfig
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveData
from vc4.records.tile_buffer import TileBuffer

from ..asm import assemble
from ..clist import ListBuilder, compress, gl_shader_record, nv_shader_record, vg_shader_record
from ..frames.draw import DrawJob
from ..model.cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat
from .binning import Binning, clip_words, coordinate_program, may_be_binned
from .frame import RECORD_BYTES, RandomFrame
from .things import Chunk, Lists, Load, Shader, State, Store, Vertices
from .values import Random

__all__ = ["FrameImage", "frame_job"]

_ALIGNMENT = 32
_GAPS = (0.0, 0.0, 0.0, 0.1, 0.3, 0.6)
_LATENCIES = (1, 4, 9, 20, 20, 40)
_COMPRESSED = (Code.COMPRESSED_PRIMITIVE_LIST, Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST)


class FrameImage:
    """Memory with a frame.

    kept : numbers of the things that are drawn, `None`: all

    bytes : from address 0 on; in front of the frame all is 0
    first, last : the list that draws it, and its end
    """

    def __init__(self, frame: RandomFrame, kept: Collection[int] | None = None):
        self._frame = frame
        self._things = frame.left(set(range(len(frame.things)) if kept is None else kept))
        noise = random.Random(frame.noise)
        self.bytes = bytearray(frame.end)
        self.bytes[frame.loads : frame.texels_end] = noise.randbytes(frame.texels_end - frame.loads)
        # After records lies what the row before them ended with: nobody writes between the lines of a picture.
        self.bytes[frame.stores : frame.records] = noise.randbytes(256) * ((frame.records - frame.stores) // 256)
        self._next = frame.records
        self._chunks: dict[int, list[Chunk]] = {}
        for thing in self._things:
            if isinstance(thing, Chunk):
                self._chunks.setdefault(thing.shader, []).append(thing)
        self.list = ListBuilder(0)
        self._binning_list = 0, 0  # its addresses
        self._fill()

    @property
    def registers(self) -> tuple[tuple[str, int], ...]:
        """What starts its lists."""
        first, last = self._binning_list
        return (*((("CT0CA", first), ("CT0EA", last)) if last else ()), ("CT1CA", self.first), ("CT1EA", self.last))

    def _put(self, data: bytes) -> int:
        """Puts bytes somewhere; returns where."""
        address = self._next
        self._next += -(-max(len(data), 1) // _ALIGNMENT) * _ALIGNMENT
        assert self._next <= self._frame.records + RECORD_BYTES, "the records have more than their room"
        self.bytes[address : address + len(data)] = data
        return address

    def _put_list(self, built: ListBuilder) -> int:
        return self._put(bytes(built.data))

    def _code(self, source: str) -> int:
        return self._put(assemble(source).code)

    def _fill(self) -> None:
        frame, out = self._frame.frame, self.list
        out.add(Code.TILE_RENDERING_MODE_CONFIGURATION, memory_address=self._frame.stores, **frame.fields)
        if self._frame.clears is not None:
            out.add(Code.CLEAR_COLORS, **self._frame.clears)
            out.add(Code.TILE_COORDINATES)
            out.add(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.NONE)
        parts = [self._part(part) for part in range(len(frame.tiles) + 1)]
        binning = self._frame.binning
        if binning:
            self._bin(binning, parts[0])
            out.add(Code.WAIT_ON_SEMAPHORE)
        for number, (column, row) in enumerate(frame.tiles):
            where = {"tile_column_number": column, "tile_row_number": row}
            mine = [thing for thing in self._things if isinstance(thing, Load | Store) and thing.tile == number]
            for load in mine:
                if isinstance(load, Load):
                    out.add(load.code, **load.fields)
            out.add(Code.TILE_COORDINATES, **where)
            for part in (binning.list_of(number) if binning else parts[0], parts[number + 1]):
                if part is not None:
                    out.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=part)
            for store in mine:
                if isinstance(store, Store):
                    out.add(store.code, **store.fields)
                    out.add(Code.TILE_COORDINATES, **where)
            code, fields = self._frame.last[number]
            out.add(code, **fields)
        self.first = self._put_list(out)
        self.last = self.first + len(out.data)

    def _bin(self, binning: Binning, part: int | None) -> None:
        """The binning list."""
        out = ListBuilder(0)
        out.add(Code.TILE_BINNING_MODE_CONFIGURATION, **binning.fields)
        out.add(Code.START_TILE_BINNING)
        if part is not None:
            out.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=part)
        out.add(Code.INCREMENT_SEMAPHORE)
        out.add(Code.FLUSH)
        first = self._put_list(out)
        self._binning_list = first, first + len(out.data)

    def _is_binned(self, part: int) -> bool:
        return part == 0 and self._frame.binning is not None

    def _part(self, part: int) -> int | None:
        """A sub-list; returns its address, or `None` if it has nothing."""
        pieces, shader, current = [ListBuilder(0)], None, -1
        for thing in self._things:
            if isinstance(thing, Chunk | Load | Store) or thing.part != part:
                continue
            out = pieces[-1]
            match thing:
                case Lists() if self._is_binned(part) and not may_be_binned(thing.code):
                    pass
                case State(code=Code.BRANCH):
                    pieces.append(ListBuilder(0))
                case State():
                    out.add(thing.code, **thing.fields)
                case Shader():
                    shader, current = self._shader(thing), thing.number
                    out.raw(shader)
                case Lists() if thing.shader == current and shader is not None:
                    self._list(out, thing, shader)
        if not any(piece.data for piece in pieces):
            return None
        pieces[-1].add(Code.RETURN_FROM_SUB_LIST)
        address = self._put_list(pieces.pop())
        for piece in reversed(pieces):
            piece.add(Code.BRANCH, absolute_branch_address=address)
            address = self._put_list(piece)
        return address

    def _list(self, out: ListBuilder, thing: Lists, shader: bytes) -> None:
        fields = dict(thing.fields)
        if thing.indices:
            fields[thing.address_field] = self._put(thing.indices)
        if thing.code in _COMPRESSED:
            kind = PrimitiveData.COORDINATES if thing.coordinates else PrimitiveData.INDEX_16
            out.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=thing.type, data_type=kind)
            out.raw(shader)
        if thing.clipped:
            fields["clipped_primitive_data_address"] = self._put(thing.clipped)
        out.add(thing.code, **fields)
        if thing.primitives:
            form = ListFormat(thing.type, COORDINATE_BYTES if thing.coordinates else INDEX_BYTES)
            out.raw(compress(form, thing.primitives))
        out.raw(thing.data)

    # Shaders.

    def _shader(self, thing: Shader) -> bytes:
        """The state record."""
        chunks = [thing.begin, *self._chunks.get(thing.number, ()), thing.end]
        source = "".join(chunk.source.replace("{0}", str(number)) for number, chunk in enumerate(chunks))
        words = [word for chunk in chunks for word in chunk.uniforms]
        code, uniforms = self._code(source), self._put(struct.pack(f"<{len(words)}I", *words))
        out = ListBuilder(0)
        if thing.inline:
            fields = {"fragment_shader_code_address": code, "fragment_shader_uniforms_address": uniforms}
            out.add(Code.VG_INLINE_SHADER_RECORD, single_threaded=int(not thing.threaded), **fields)
            return bytes(out.data)
        fields = {
            "fragment_shader_is_single_threaded": int(not thing.threaded),
            "fragment_shader_code_address": code,
            "fragment_shader_uniforms_address": uniforms,
        }
        vertices = thing.vertices
        if vertices is None:
            out.add(Code.VG_SHADER_STATE, shader_record_address=self._put(vg_shader_record(**fields)))
            return bytes(out.data)
        fields |= {
            "point_size_included": int(vertices.sized),
            "enable_clipping": int(vertices.clips),
            "fragment_shader_number_of_varyings": len(vertices.words[0]) - 3 - vertices.sized,
        }
        clip = self._clip_words(thing) if self._is_binned(thing.part) else []
        if vertices.program:
            self._gl(out, vertices, fields, clip)
        else:
            self._nv(out, vertices, fields, clip)
        return bytes(out.data)

    def _clip_words(self, thing: Shader) -> list[tuple[int, ...]]:
        """Of each vertex."""
        assert thing.vertices
        rng = Random(f"clip {self._frame.noise} {thing.number}")
        return [clip_words(rng) for _ in thing.vertices.words]

    def _nv(self, out: ListBuilder, vertices: Vertices, fields: dict[str, int], clip: list[tuple[int, ...]]) -> None:
        if clip:
            fields["clip_coordinates_header_included"] = 1
            vertices = replace(vertices, words=tuple(map(add, clip, vertices.words)))
        rows = [struct.pack(f"<{len(words)}I", *words) + bytes(vertices.skipped) for words in vertices.words]
        record = nv_shader_record(
            shaded_vertex_data_stride=len(rows[0]), shaded_vertex_data_address=self._put(b"".join(rows)), **fields
        )
        out.add(Code.NV_SHADER_STATE, shader_record_address=self._put(record))

    def _gl(self, out: ListBuilder, vertices: Vertices, fields: dict[str, int], clip: list[tuple[int, ...]]) -> None:
        if clip:
            fields |= {
                "coordinate_shader_attribute_array_select_bits": (1 << len(vertices.arrays)) - 1,
                "coordinate_shader_total_attributes_size": 4 * len(vertices.words[0]),
                "coordinate_shader_code_address": self._code(coordinate_program(clip[0], 3 + vertices.sized)),
            }
        ends, rows = (*vertices.arrays[1:], len(vertices.words[0])), []
        for first, end in zip(vertices.arrays, ends, strict=True):
            data = [
                struct.pack(f"<{end - first}I", *words[first:end]) + bytes(vertices.skipped) for words in vertices.words
            ]
            rows.append(
                {
                    "base_memory_address": self._put(b"".join(data)),
                    "number_of_bytes_minus_1": 4 * (end - first) - 1,
                    "memory_stride": len(data[0]),
                    "vertex_shader_vpm_offset": 4 * first,
                    "coordinate_shader_vpm_offset": 4 * first if clip else 0,
                }
            )
        uniforms = struct.pack(f"<{len(vertices.uniforms)}I", *vertices.uniforms)
        record = gl_shader_record(
            rows,
            extended=vertices.extended,
            vertex_shader_attribute_array_select_bits=(1 << len(rows)) - 1,
            vertex_shader_total_attributes_size=4 * len(vertices.words[0]),
            vertex_shader_code_address=self._code(vertices.program),
            vertex_shader_uniforms_address=self._put(uniforms),
            **fields,
        )
        count = 0 if vertices.extended else len(rows) % 8
        out.add(
            Code.GL_SHADER_STATE,
            number_of_attribute_arrays=count,
            extended_shader_record=int(vertices.extended),
            shader_record_address=self._put(record),
        )


def frame_job(frame: RandomFrame, config: V3DConfig, kept: Collection[int] | None = None, **memory) -> DrawJob:
    """A frame for the RTL, with what is kept of its things, by their numbers; `None`: all.

    config : with pixels
    memory : `latency` and `gap` of the memory, see `DrawJob`; the seed chooses those that are not given
    """
    image = FrameImage(frame, kept)
    rng = random.Random(f"memory {frame.seed}")
    chosen = {"latency": rng.choice(_LATENCIES), "gap": rng.choice(_GAPS)}
    return DrawJob(
        image=bytes(image.bytes),
        registers=image.registers,
        config=config,
        seed=frame.seed,
        max_cycles=3_000_000,
        **chosen | {name: value for name, value in memory.items() if value is not None},
    )
