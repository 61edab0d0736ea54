"""Items of lists for tests of the reader of primitives: records of state, shaders, primitives; and what the model makes of them."""

import random
from types import SimpleNamespace

from vc4.pse.structs import MOST_VARYINGS
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import CLIPPED_VERTEX_BYTES, ClippedVertex, GlShaderRecord
from vc4.records.state import Oversample
from vc4.vcm.structs import VcmKind
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.cle.shader_records import ShaderRecord
from vc4sim.model.memory import Memory
from vc4sim.model.pse.draw_state import DrawState
from vc4sim.model.pse.screen import Screen

from .primitives import COUNTS, SPECIAL, bits

__all__ = ["ItemList"]

ROWS, COLUMNS = 256, 16
#: Of clipped vertices; also across a page.
BASE, SIZE = 0x8000 - 512, 1 << 14
CLIPPED = ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST
STATE = (
    ControlCode.CONFIGURATION_BITS,
    ControlCode.FLAT_SHADE_FLAGS,
    ControlCode.POINT_SIZE,
    ControlCode.LINE_WIDTH,
    ControlCode.RHT_X_BOUNDARY,
    ControlCode.DEPTH_OFFSET,
    ControlCode.VIEWPORT_OFFSET,
)
#: Those that say nothing of the set-up.
OTHERS = (ControlCode.CLIP_WINDOW, ControlCode.CLEAR_COLORS, ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER)


class ItemList:
    """Items, made one after the other; each primitive is set up by the model at once.

    items : payloads of `VcmItem`
    passed : those that leave the reader
    primitives : of each: type, its `SetUpRequest` as far as it is said, what the model makes of it
    vpm : words by (row, column)
    memory : of clipped vertices
    """

    def __init__(self, seed, *, varyings=4, simple=False):
        self.rng = random.Random(seed)
        self.items, self.passed, self.primitives = [], [], []
        self.vpm = {}
        self.memory = Memory(SIZE, base=BASE)
        self._most, self._simple = varyings, simple
        self._draw = DrawState()
        self._screen = Screen(self.memory, None)
        self._clipped = None
        self._free = BASE
        self.shader()

    def _add(self, kind, body, *, passes=True):
        self.items.append({"kind": kind, "body": body})
        if passes:
            self.passed.append(self.items[-1])

    def record(self, code, **values):
        """A record with these values, or with some."""
        kind = RECORDS[code.value]
        pack = packing(kind.layout) if kind.layout else None
        word = 0
        if pack:
            word = pack.pack(**values) if values else self._some(code, pack)
        self._add(VcmKind.RECORD, {"record": {"code": code, "payload": word}})
        record = ControlRecord(0x100, kind, pack.unpack(word) if pack else None)
        self._draw.take(record)
        return record

    def _some(self, code, pack):
        rng = self.rng
        match code:
            case ControlCode.CONFIGURATION_BITS:
                return pack.pack(
                    enable_forward_facing_primitive=rng.random() < 0.9,
                    enable_reverse_facing_primitive=rng.random() < 0.9,
                    clockwise_primitives=rng.randrange(2),
                    enable_depth_offset=rng.random() < 0.3,
                    rasteriser_oversample_mode=rng.choice(tuple(Oversample)),
                    depth_test_function=rng.randrange(8),
                    z_updates_enable=rng.randrange(2),
                )
            case ControlCode.POINT_SIZE | ControlCode.LINE_WIDTH:
                return rng.choice((bits(rng.uniform(0, 64)), bits(1.0), rng.choice(SPECIAL)))
            case ControlCode.VIEWPORT_OFFSET | ControlCode.RHT_X_BOUNDARY:
                size = rng.choice((100, 5000, 0x8000))
                return pack.pack(**{name: rng.randrange(-size, size) for name in pack.fields})
            case _:
                return rng.getrandbits(pack.size)

    def shader(self, varyings=None, *, has_size=None):
        """A shader record; vertices of the one before are not used any more."""
        rng = self.rng
        self._has_size = rng.random() < 0.3 if has_size is None else has_size
        self._count = rng.randint(0, self._most) if varyings is None else varyings
        fields = SimpleNamespace(
            point_size_included=self._has_size, fragment_shader_number_of_varyings=min(self._count, MOST_VARYINGS)
        )
        self._shader = ShaderRecord(16 * len(self.items), GlShaderRecord, fields)
        flags = 2 * self._has_size + (rng.getrandbits(24) & ~2)
        header = {"flags": flags, "varyings": self._count, "pc": rng.getrandbits(32), "uniforms": rng.getrandbits(32)}
        self._add(VcmKind.SHADER, {"shader": header})
        self._batch()

    def _batch(self):
        """Vertices in columns of the VPM; the rows are written anew, so older ones must have been read."""
        rng, first = self.rng, 4 * self.rng.randrange(ROWS // 4 - 10)
        count = min(self._count, MOST_VARYINGS)
        self._base = 16 * len(self.items)
        size = rng.choice((3, 200, 0x7FFF))
        for column in range(COLUMNS):
            x, y = (rng.randint(-size, size) & 0xFFFF for _ in range(2))
            words = [x | y << 16, self._float(), self._float()]
            words += [bits(rng.uniform(0, 64))] * self._has_size + [self._float() for _ in range(count)]
            self._screen._vertices[self._shader.address, self._base + column] = tuple(words)
            self.vpm[len(self.items), column] = first, words

    def _float(self):
        rng = self.rng
        if rng.random() < 0.1 and not self._simple:
            return rng.choice(SPECIAL)
        return bits(rng.uniform(-0.1, 1) * rng.choice((1, 1, 100, 1e-6)))

    def clip(self, flags=None):
        """The record of a clipped primitive, and its vertices in memory."""
        rng = self.rng
        pack = packing(ClippedVertex)
        address, self._free = self._free, self._free + 3 * CLIPPED_VERTEX_BYTES + 8 * rng.randrange(3)
        for number in range(3):
            word = pack.pack(
                **{name: rng.randint(-3000, 3000) for name in ("xs", "ys")},
                **{name: self._float() for name in ("zs", "reciprocal_wc")},
                **{f"vertex_{vertex}_coefficient": self._float() for vertex in range(3)},
            )
            place = address - BASE + number * CLIPPED_VERTEX_BYTES
            self.memory.data[place : place + CLIPPED_VERTEX_BYTES] = memoryview(
                word.to_bytes(CLIPPED_VERTEX_BYTES, "little")
            )
        flags = rng.randrange(8) if flags is None else flags
        self._clipped = self.record(CLIPPED, clipped_vertices=flags, clipped_primitive_data_address=address)

    def primitive(self, type_, *, coordinates=False, columns=None):
        """A primitive of vertices of the batch, or with coordinates."""
        rng, count = self.rng, COUNTS[type_]
        clipped, self._clipped = self._clipped, None
        if coordinates:
            vertices = tuple(rng.getrandbits(32) for _ in range(count))
            places = [{"coordinates": word} for word in vertices]
        else:
            chosen = columns or [rng.randrange(COLUMNS) for _ in range(count)]
            vertices = tuple(self._base + column for column in chosen)
            batch = self._base // 16
            places = [{"place": {"column": n, "row": self.vpm[batch, n][0]}} for n in chosen]
        places += [{"coordinates": rng.getrandbits(32)} for _ in range(3 - count)]
        body = {"type": type_, "vertices": places, "coordinates": coordinates, "clipped": clipped is not None}
        self._add(VcmKind.PRIMITIVE, {"primitive": body | {"opens": rng.randrange(2)}})
        model = Primitive(type_, vertices, coordinates, clipped)
        self._screen._ready.clear()
        placed = self._screen._placed(model, self._shader, self._draw)
        found = self._screen.set_up(model, self._shader, self._draw)
        size = self._draw.set_up.line_width
        if type_ == PrimitiveType.POINTS:
            size = (
                self._screen._vertices[self._shader.address, vertices[0]][3]
                if self._has_size
                else self._draw.point_size
            )
        self.primitives.append(
            SimpleNamespace(
                type=type_,
                batch=None if coordinates else self._base // 16,
                vertices=placed,
                state=self._draw.set_up,
                oversample=self._draw.configuration.rasteriser_oversample_mode,
                size=size,
                found=found,
                clipped=clipped is not None,
            )
        )

    def end(self):
        """Of a list."""
        self._add(VcmKind.END, {"record": {"code": 0, "payload": 0}}, passes=False)

    def fill(self, count):
        """Random items, so many primitives."""
        rng = self.rng
        while len(self.primitives) < count:
            kind = rng.random()
            if kind < 0.15:
                self.record(rng.choice(STATE))
            elif kind < 0.2:
                self.record(rng.choice(OTHERS))
            elif kind < 0.25:
                self.shader()
            elif kind < 0.3:
                self.end()
            else:
                coordinates = rng.random() < 0.2
                types = (PrimitiveType.TRIANGLES, PrimitiveType.RHTS) if coordinates else tuple(PrimitiveType)
                if rng.random() < 0.25:
                    self.clip()
                self.primitive(rng.choice(types), coordinates=coordinates)
        self.end()
