"""Control lists all over memory that lead to each other, with primitives of all kinds."""

from vc4.records.control import RECORDS, ControlCode, Role, Threads
from vc4.records.primitives import (
    TYPES,
    VG_END,
    VG_PAD,
    VG_TYPES,
    ClippedPrimitive,
    IndexedPrimitiveList,
    IndexType,
    PrimitiveData,
    PrimitiveListFormat,
    PrimitiveMode,
    PrimitiveType,
    VertexArrayPrimitives,
    VgCoordinateArrayPrimitives,
    VgInlinePrimitives,
    VgPrimitiveType,
)
from vc4sim.clist.builder import pack_fields
from vc4sim.model.cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat, encode_branch, encode_primitive

__all__ = ["SIZE", "some_lists"]

SIZE = 0x4000
#: Where lists lie, and after them what they point to.
_LISTS, _DATA = range(0, 0x2000, 0x200), range(0x2000, 0x3F00)
#: Bytes of a list, but for the last records.
_LENGTH = 0x100
CODE = ControlCode
_BRANCHES = (CODE.BRANCH, CODE.BRANCH_TO_SUB_LIST)
_RARE = (CODE.HALT, CODE.WAIT_ON_SEMAPHORE)
_CONFIGURATIONS = {
    Threads.BINNING: CODE.TILE_BINNING_MODE_CONFIGURATION,
    Threads.RENDERING: CODE.TILE_RENDERING_MODE_CONFIGURATION,
}
_GL_SHADERS = (CODE.GL_SHADER_STATE, CODE.NV_SHADER_STATE)
_VG_SHADERS = (CODE.VG_SHADER_STATE, CODE.VG_INLINE_SHADER_RECORD)


def some_lists(rng, threads, mistakes, base=0):
    """Memory from `base` on, and where lists begin. A part `mistakes` of the records is anything."""
    places = [base + place + rng.randrange(0x80) for place in rng.sample(_LISTS, 12)]
    image = bytearray(rng.randbytes(SIZE))
    for place in range(_DATA.start, _DATA.stop, 4):
        if rng.random() < 0.1:
            mark = rng.choice((VG_END, VG_PAD, VG_PAD))
            image[place : place + 4] = mark.to_bytes(4, "little")
    rows = [one for one in RECORDS.values() if one.threads & threads and one.code not in _RARE]
    lists = [one for one in rows if one.role.is_list]
    for place in places:
        writer = _Writer(rng, base, place, places)
        if rng.random() < 0.9:
            writer.record(RECORDS[_CONFIGURATIONS[threads].value])
        writer.record(RECORDS[rng.choice((*_GL_SHADERS, *_VG_SHADERS)).value])
        while len(writer.data) < _LENGTH:
            record = rng.choice(lists if rng.random() < 0.4 else rows)
            if rng.random() < 0.01:
                record = RECORDS[rng.choice(_RARE).value]
            if rng.random() < mistakes:
                record = rng.choice(list(RECORDS.values()))
            elif record.role.is_list:
                writer.prepare(record)
            writer.record(record)
        writer.record(RECORDS[rng.choice((16, 18, 18, 0))])
        image[place - base : place - base + len(writer.data)] = writer.data
    return bytes(image), places


class _Writer:
    """A list."""

    def __init__(self, rng, base, start, places):
        self.rng, self.base, self.start, self.places = rng, base, start, places
        self.data = bytearray()
        self.vg = False
        self.form = None

    @property
    def here(self):
        return self.start + len(self.data)

    def prepare(self, record):
        """The state that a list needs, in most cases."""
        if record.role is Role.COMPRESSED_LIST:
            if self.form is None or self.rng.random() < 0.3:
                self.record(RECORDS[CODE.PRIMITIVE_LIST_FORMAT.value])
            vg = bool(self.form and self.form.coordinates)
        else:
            vg = record.role is Role.COORDINATE_LIST
        if vg != self.vg:
            self.record(RECORDS[self.rng.choice(_VG_SHADERS if vg else _GL_SHADERS).value])

    def record(self, record):
        """One of a kind."""
        rng, code = self.rng, record.code
        payload = bytes(record.length - 1)
        if code in _BRANCHES:
            payload = rng.choice(self.places).to_bytes(4, "little")
        elif code in (CODE.STORE_FULL_RESOLUTION_TILE_BUFFER, CODE.STORE_TILE_BUFFER_GENERAL) and rng.random() < 0.5:
            payload = bytes([8 if record.length == 5 else 0]) + payload[1:]  # some end a frame
        elif code in (*_GL_SHADERS, *_VG_SHADERS):
            self.vg = code in _VG_SHADERS
            payload = rng.randbytes(len(payload))
        elif code is CODE.PRIMITIVE_LIST_FORMAT:
            self.form = self.some_format()
            kind = PrimitiveData.COORDINATES if self.form.coordinates else PrimitiveData.INDEX_16
            payload = pack_fields(PrimitiveListFormat, {"primitive_type": self.form.type, "data_type": kind})
        elif record.role.is_list:
            payload = self.list_fields(code)
        self.data += bytes([code.value]) + payload
        if code is CODE.VG_INLINE_PRIMITIVES:
            self.data += self.words()
        elif record.role is Role.COMPRESSED_LIST:
            self.items()

    def some_format(self):
        while not (form := ListFormat(self.rng.choice(list(PrimitiveType)), self.rng.choice((2, 4)))).codings:
            pass
        return form

    def list_fields(self, code):
        rng = self.rng
        length = rng.choice((*range(20), rng.randrange(100)))
        address = self.base + (rng.choice(_DATA) if rng.random() < 0.98 else SIZE - rng.randrange(10))
        if code in (CODE.INDEXED_PRIMITIVE_LIST, CODE.VERTEX_ARRAY_PRIMITIVES):
            mode = rng.choice(list(PrimitiveMode))
            self.form = ListFormat(TYPES[mode], INDEX_BYTES)
            if code is CODE.VERTEX_ARRAY_PRIMITIVES:
                first = rng.choice((0, 5, 0xFFF8, 0x10000, rng.randrange(1 << 16), 0xFFFF_FFF8))
                fields = {"primitive_mode": mode, "length": length, "index_of_first_vertex": first}
                return pack_fields(VertexArrayPrimitives, fields)
            most = rng.choice((0xFFFF, 0xFFFF, 0xFFFF_FFFF, 0x1_0000, 250, 0xFE00))
            fields = {"index_type": rng.choice(list(IndexType)), "indices_list_address": address, "maximum_index": most}
            return pack_fields(IndexedPrimitiveList, {"primitive_mode": mode, "length": length, **fields})
        if code is CODE.VG_COORDINATE_ARRAY_PRIMITIVES:
            fields = {"coordinate_array_address": address, "length": length, **self.vg_fields()}
            return pack_fields(VgCoordinateArrayPrimitives, fields)
        if code is CODE.VG_INLINE_PRIMITIVES:
            return pack_fields(VgInlinePrimitives, self.vg_fields())
        if code is CODE.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST:
            return pack_fields(ClippedPrimitive, {"clipped_vertices": rng.randrange(1, 8)})
        return b""

    def vg_fields(self):
        """Fans more often than not."""
        rng = self.rng
        kind = rng.choice((*VgPrimitiveType, *[VgPrimitiveType.TRIANGLE_FAN] * 6))
        self.form = ListFormat(VG_TYPES[kind], COORDINATE_BYTES)
        self.least = 2 if self.form.type is PrimitiveType.RHTS else 3
        return {"primitive_type": kind, "continuation_list": rng.choice((0, 1, 3))}

    def words(self):
        """Coordinates up to an end that ends them in every mode."""
        rng = self.rng
        found = [rng.choice((rng.randrange(1 << 32), VG_PAD)) for _ in range(rng.randrange(12))]
        if rng.random() < 0.3:
            found[1:1] = [VG_END]
        return b"".join(word.to_bytes(4, "little") for word in (*found, *[VG_END] * self.least))

    def items(self):
        """A compressed list, now and then one that goes on elsewhere."""
        rng = self.rng
        form = self.form or self.some_format()
        previous = form.origin
        bits = 8 * form.vertex_bytes
        for _ in range(rng.randrange(8)):
            near = rng.choice((3, 25, 60, 400, 1 << 15))
            vertices = [
                (old + rng.randrange(-near, near)) % (1 << bits) for old in rng.choices(previous, k=len(previous))
            ]
            if rng.random() < 0.5 and len(vertices) > 1:
                vertices = [*rng.choices(previous, k=len(vertices) - 1), vertices[-1]]
            if rng.random() < 0.3:
                vertices = [(vertices[0] + rng.randrange(-30, 30)) % (1 << bits) for _ in vertices]
            self.data += encode_primitive(form, tuple(vertices), previous if rng.random() < 0.9 else None)
            previous = tuple(vertices)
            if rng.random() < 0.1:
                here = self.here
                target = (here + 3 + 31) // 32 * 32
                self.data += encode_branch(here, target)
                self.data += rng.randbytes(target - self.here)
        self.data += bytes([128 if rng.random() < 0.98 else rng.randrange(256)])
