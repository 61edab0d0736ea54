"""Random control lists of both threads, with vertices of every kind and programs that shade them."""

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import IndexType, PrimitiveMode, VgPrimitiveType
from vc4.records.tile_buffer import FrameColorFormat
from vc4sim.asm import assemble
from vc4sim.clist import ListBuilder, gl_shader_record, nv_shader_record, vg_shader_record
from vc4sim.model.memory import Memory

__all__ = ["SIZE", "some_draws"]

SIZE = 1 << 18
LISTS, RECORDS, CODE, INDICES, VERTICES, VERTICES_END = (0x1000, 0x4000), 0x7000, 0xA000, 0x1_0000, 0x1_8000, 0x3_C000
OUTSIDE = 0x2000_0000
MOST_INDEX = 60
#: Rows horizontally, one after the other.
ROWS = 0x1A00


def program(rng, reads, writes):
    """Reads rows of attributes, and writes as many rows of something."""
    lines = [f"mov vr_setup, {ROWS | reads % 16 << 20:#x}", f"mov vw_setup, {ROWS:#x}", "mov r0, unif"]
    for row in range(writes):
        lines += ["mov r1, vpm", "add r0, r0, r1"] if row < reads else []
        lines += ["mov vpm, r0"] if rng.random() < 0.9 else ["fadd vpm, r0, r1"]
    return "\n".join([*lines, "thrend", "nop", "nop"])


class Draws:
    """Memory that is being filled."""

    def __init__(self, rng, mistakes):
        self.memory = Memory(SIZE, 0, rng.randbytes(SIZE))
        self.rng = rng
        self._mistakes = mistakes
        self._next = {"record": RECORDS, "code": CODE, "indices": INDICES}

    def place(self, kind, data):
        """Puts bytes somewhere."""
        address = self._next[kind]
        self.memory.write(address, data)
        self._next[kind] += -(-len(data) // 16) * 16
        return address

    def address(self, size):
        """Of something in memory, or rarely not there."""
        if self.rng.random() < self._mistakes:
            return OUTSIDE
        return self.rng.randrange(VERTICES, VERTICES_END - size)

    def attributes(self, extended):
        """Arrays, mostly one after the other in the columns."""
        rng, offset, rows = self.rng, 0, []
        for _ in range(rng.randrange(1, 9)):
            length, stride = rng.randrange(1, 20), rng.randrange(0x140 if extended else 40)
            placed = offset if rng.random() < 0.9 else rng.randrange(240)
            rows.append(
                {
                    "base_memory_address": self.address(MOST_INDEX * stride + length),
                    "number_of_bytes_minus_1": length - 1,
                    "memory_stride": stride,
                    "vertex_shader_vpm_offset": placed,
                    "coordinate_shader_vpm_offset": rng.choice((placed, offset)),
                }
            )
            offset = min(offset + -(-length // 4) * 4, 200)
        return rows, -(-offset // 4)

    def gl(self, out):
        """A state with programs."""
        rng, extended = self.rng, self.rng.random() < 0.3
        rows, words = self.attributes(extended)
        varyings, sized = rng.randrange(12), rng.randrange(2)
        fields = {"point_size_included": sized, "fragment_shader_number_of_varyings": varyings}
        for name, wanted in (("coordinate", 7 + sized), ("vertex", 3 + sized + varyings)):
            code = assemble(program(rng, rng.randrange(1, min(words, 15) + 1), wanted + rng.randrange(-1, 2))).code
            fields |= {
                f"{name}_shader_attribute_array_select_bits": rng.choice((0xFF, rng.randrange(256))),
                f"{name}_shader_code_address": self.place("code", code),
                f"{name}_shader_uniforms_address": self.place("code", rng.randbytes(16)),
            }
        address = self.place("record", gl_shader_record(rows, extended=extended, **fields))
        count = {} if extended else {"number_of_attribute_arrays": len(rows) % 8}
        out.add(Code.GL_SHADER_STATE, extended_shader_record=extended, shader_record_address=address, **count)

    def nv(self, out):
        """A state with vertices that are shaded already."""
        rng = self.rng
        record = nv_shader_record(
            point_size_included=rng.randrange(2),
            clip_coordinates_header_included=rng.randrange(2),
            shaded_vertex_data_stride=rng.randrange(100),
            fragment_shader_number_of_varyings=rng.choice((rng.randrange(8), rng.randrange(256))),
            shaded_vertex_data_address=self.address(0x2000),
        )
        out.add(Code.NV_SHADER_STATE, shader_record_address=self.place("record", record))

    def vg(self, out):
        """A state without vertices, and coordinates."""
        record = vg_shader_record(fragment_shader_number_of_varyings=self.rng.randrange(4))
        out.add(Code.VG_SHADER_STATE, shader_record_address=self.place("record", record))
        for _ in range(self.rng.randrange(3)):
            out.add(
                Code.VG_COORDINATE_ARRAY_PRIMITIVES,
                primitive_type=self.rng.choice(list(VgPrimitiveType)),
                length=self.rng.randrange(30),
                coordinate_array_address=self.rng.randrange(VERTICES, VERTICES_END - 200) & ~3,
            )

    def lists(self, out):
        """Primitives with vertices."""
        rng = self.rng
        for _ in range(rng.randrange(1, 4)):
            mode, length = rng.choice(list(PrimitiveMode)), rng.choice((rng.randrange(60), rng.randrange(400)))
            if length < MOST_INDEX and rng.random() < 0.4:
                first = rng.randrange(MOST_INDEX - length + 1)
                out.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=length, index_of_first_vertex=first)
                continue
            near, far = rng.randrange(MOST_INDEX), rng.randrange(1, 12)
            indices = bytes(min(max(near + rng.randrange(-far, far), 0), MOST_INDEX) for _ in range(length))
            out.add(
                Code.INDEXED_PRIMITIVE_LIST,
                primitive_mode=mode,
                index_type=IndexType.BITS_8,
                length=length,
                indices_list_address=self.place("indices", indices),
                maximum_index=255,
            )


def some_draws(rng, mistakes=0.0):
    """Memory, and names and values of the registers that start both threads."""
    draws = Draws(rng, mistakes)
    registers = {}
    for thread, base in enumerate(LISTS):
        out = ListBuilder(base)
        if thread == 0:
            out.add(Code.TILE_BINNING_MODE_CONFIGURATION, width=1, height=1)
        else:
            out.add(Code.TILE_RENDERING_MODE_CONFIGURATION, frame_buffer_color_format=FrameColorFormat.RGBA8888)
        for _ in range(rng.randrange(1, 6)):
            kind = rng.choice((draws.gl, draws.gl, draws.gl, draws.nv, draws.vg))
            kind(out)
            if kind != draws.vg:
                draws.lists(out)
        out.add(Code.FLUSH if thread == 0 else Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)
        out.store(draws.memory)
        registers |= {f"CT{thread}CA": base, f"CT{thread}EA": out.here}
    order = sorted(registers, key=lambda name: name[3:])
    starts = tuple((name, registers[name]) for name in order)
    return draws.memory.read(0, SIZE), (*(limits(rng) if mistakes else ()), *starts)


def limits(rng):
    """Sometimes less of the VPM than there is: VPMBASE and VPACNTL."""
    what = rng.random()
    if what < 0.2:
        yield "VPACNTL", 1 << 12 | rng.randrange(3) << 3 | rng.randrange(3)
    elif what < 0.3:
        yield "VPMBASE", rng.randrange(16, 32)
