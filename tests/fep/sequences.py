"""Records and primitives for tests of the whole front end, and what the model makes of them."""

from types import SimpleNamespace

from amaranth.lib import data

from vc4.records.control import RECORDS, ControlCode, Role
from vc4.records.samples import PIXEL
from vc4.vcm.structs import VcmKind
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import packing
from vc4sim.model.compiled import State
from vc4sim.model.fep.fep import COVERED, QUAD, QUAD_NUMBERS, QUAD_X, QUAD_Y, FrontEnd
from vc4sim.model.fep.fragments import VECTORS, fill
from vc4sim.model.host.renderer import Renderer
from vc4sim.model.pse.pse import set_up_triangle
from vc4sim.model.pse.pse_shapes import set_up_line, set_up_point
from vc4sim.model.qpu.fragment_state import FLAGS, REVERSE, W, X, Y, Z, new_fragments
from vc4sim.model.tlb.tile_transfers import TileTransfers
from vc4sim.model.tlb.tlb import TileBuffer

from ..model.shapes import BOTH, bits
from ..model.shapes import vertex as vertex_of
from .primitives import payload

__all__ = ["ModelFrontEnd", "Sequence", "record", "some_record"]

_FLUSHING = (ControlCode.CLEAR_COLORS, ControlCode.TILE_RENDERING_MODE_CONFIGURATION)


def record(code, number=None, **fields):
    """A record, from the number that follows it, or from its fields."""
    layout = RECORDS[code.value].layout
    if number is None:
        number = data.Layout.cast(layout).const(fields).as_value().value if layout else 0
    return "record", code, number


def some_record(rng, code, **fixed):
    """A record with any fields but those that are given."""
    number = 0
    for name, field in data.Layout.cast(RECORDS[code.value].layout):
        choices = getattr(field.shape, "__members__", {})
        value = rng.choice(list(choices.values())).value if choices else rng.getrandbits(field.width)
        number |= fixed.get(name, value) << field.offset
    return record(code, number)


def shader(pc, uniforms, *, single):
    """A shader record that was read."""
    return "shader", pc, uniforms, single


class _Transfers(TileTransfers):
    """Without memory."""

    def _store(self, record):
        pass

    def _load(self, record):
        pass


class _FrontEnd(FrontEnd):
    """Writes down what goes to coverage."""

    def __init__(self, tile, log):
        super().__init__(tile)
        self._log, self._place = log, tile

    def accumulate(self, quads, oversample, mode, turns):
        for quad in self.quads.arrays[: quads.kept].tolist():
            x, y = (quad[QUAD_X] - self._place.x) // 2, (quad[QUAD_Y] - self._place.y) // 2
            covered = tuple(quad[COVERED : COVERED + QUAD])
            self._log.append(("coverage", x, y, covered, oversample, mode, turns < 0))


class ModelFrontEnd:
    """The model's renderer without memory and shading.

    log : vectors, quads of coverage, records of the tile buffer, in their order
    counts : of events
    """

    lacks = ""

    def __init__(self):
        self.log = []
        self.tile = TileBuffer()
        shading = SimpleNamespace(lacks=lambda kind: "")
        self._renderer = renderer = Renderer(None, shading, self)
        renderer.transfers = _Transfers(None, self.tile)
        renderer._front_end = _FrontEnd(self.tile, self.log)
        self._state = renderer._state
        self._fragments = State(new_fragments()).views
        self._shader = None

    @property
    def counts(self):
        names = "FEP_PRIMITIVES", "FEP_PRIMITIVES_EMPTY", "FEP_QUADS", "FEP_QUADS_CLIPPED"
        return [self._renderer.counts[name] for name in names]

    @property
    def oversample(self):
        """Of primitives from here on."""
        return self._state.configuration.rasteriser_oversample_mode

    @property
    def window(self):
        """Pixels that may be drawn, the first one of the tile, planes of Z."""
        renderer = self._renderer
        return tuple(renderer._window()), (self.tile.x, self.tile.y), renderer._limits().planes

    def record(self, code, number):
        row = RECORDS[code.value]
        fields = packing(row.layout).unpack(number) if row.layout else SimpleNamespace()
        tile = row.role is Role.TILE or code in _FLUSHING
        if tile:
            self.flush()
        self._renderer._take(ControlRecord(0, row, fields))
        if tile:
            self.log.append(("tile", code, number))
        if row.role is Role.SHADER:
            self._shader = None

    def shader(self, pc, uniforms, single):
        names = ("is_single_threaded", "code_address", "uniforms_address")
        values = (int(single), pc, uniforms)
        fields = {f"fragment_shader_{name}": value for name, value in zip(names, values, strict=True)}
        self._shader = SimpleNamespace(fields=SimpleNamespace(**fields))

    def piece(self, primitive):
        renderer = self._renderer
        program = self._state.program(self._shader)
        renderer._rasterise(program, primitive, renderer._window(), renderer._limits())

    def flush(self):
        self._renderer.fragments.flush()

    def shade(self, queue, program, varyings):
        """The vectors of a program."""
        arrays = queue.views
        for vector in range(arrays.counts[VECTORS]):
            fill(self._fragments, arrays, 0, 0, vector, varyings, *program.modes.codes)
            first = arrays.first[vector]
            end = arrays.first[vector + 1] if vector + 1 < arrays.counts[VECTORS] else arrays.counts[0]
            pixels = {
                name: tuple(int(self._fragments.pixels[0, 0, row, element]) for element in range(16))
                for name, row in zip(
                    ("x", "y", "flags", "reverse", "z", "w"), (X, Y, FLAGS, REVERSE, Z, W), strict=True
                )
            }
            numbers = [int(arrays.quads[min(first + quad, end - 1), QUAD_NUMBERS]) for quad in range(4)]
            size = 3 * (varyings + 1)
            slots = [
                (
                    *(int(arrays.places[n, axis]) for axis in range(2)),
                    tuple(int(arrays.planes[at]) for at in range(n * size + 3, (n + 1) * size)),
                )
                for n in numbers
            ]
            origin = self.tile.x, self.tile.y
            shown = program.code, program.uniforms, int(program.threaded)
            self.log.append(("vector", shown, program.modes.codes, int(end - first), pixels, slots, origin))


class Sequence:
    """What the front end gets, and what is to come of it.

    items, primitives : payloads of both streams; with each primitive its planes
    """

    def __init__(self):
        self.items, self.primitives = [], []
        self.model = ModelFrontEnd()

    def add(self, what, *arguments):
        """A record or a shader."""
        if what == "record":
            code, number = arguments
            self.items.append({"kind": VcmKind.RECORD, "body": {"record": {"code": code, "payload": number}}})
            self.model.record(code, number)
        else:
            pc, uniforms, single = arguments
            flags = 0x5A5A << 1 | single
            header = {"flags": flags, "varyings": 3, "pc": pc, "uniforms": uniforms}
            self.items.append({"kind": VcmKind.SHADER, "body": {"shader": header}})
            self.model.shader(pc, uniforms, single)

    def draw(self, *pieces):
        """A primitive of pieces; `None` is one that is not drawn."""
        self.items.append({"kind": VcmKind.PRIMITIVE, "body": {}})
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            if piece is None:
                self.primitives.append(({"x": 77, "planes": 9, "count": 3, "drawn": 0, "last": last}, []))
                continue
            words = [int(word) for word in piece.state.arrays.planes]
            planes = [dict(zip("abc", words[at : at + 3], strict=True)) for at in range(0, len(words), 3)]
            more = {"planes": len(planes), "reverse": piece.reverse, "clockwise": piece.turns < 0}
            given = payload(piece, self.model.oversample) | more | {"drawn": 1, "last": last}
            self.primitives.append((given, planes))
            self.model.piece(piece)

    def end(self):
        """The end of a list."""
        self.items.append({"kind": VcmKind.END, "body": {}})

    # Random ones.

    def configure(self, rng, **fixed):
        """A frame."""
        code = ControlCode.TILE_RENDERING_MODE_CONFIGURATION
        forms = {name: rng.randrange(2) for name in
                 ("multisample_mode", "tile_buffer_64_bit_color_depth", "double_buffer_in_non_ms_mode")}  # fmt: skip
        self.add(*record(code, **(forms | {"early_z_disable": 1, "width": 500, "height": 300} | fixed)))
        self.begin_tile(rng)

    def begin_tile(self, rng):
        place = {f"tile_{axis}_number": rng.choice((0, 1, rng.randrange(8))) for axis in ("column", "row")}
        self.add(*record(ControlCode.TILE_COORDINATES, **place))
        if rng.random() < 0.6:
            self.add(*record(ControlCode.CLIP_WINDOW, 0))
            self.add(*record(ControlCode.Z_CLIPPING_PLANES, bits(1.0) << 32))

    def state(self, rng, coverage=0.1):
        """Some record of state."""
        code = rng.choice(
            (
                *[ControlCode.CONFIGURATION_BITS] * 3,
                ControlCode.CLIP_WINDOW,
                ControlCode.Z_CLIPPING_PLANES,
                ControlCode.LINE_WIDTH,
                ControlCode.FLAT_SHADE_FLAGS,
                ControlCode.PRIMITIVE_LIST_FORMAT,
            )
        )
        tile = self.model.tile
        match code:
            case ControlCode.CONFIGURATION_BITS:
                self.add(*some_record(rng, code, coverage_pipe_select=rng.random() < coverage))
            case ControlCode.CLIP_WINDOW:
                left, low = (max(0, at + rng.randrange(-40, 60)) for at in (tile.x, tile.y))
                sizes = [rng.choice((0, 0, 1, rng.randrange(100), 0xFFFF)) for _ in range(2)]
                self.add(*record(code, left | low << 16 | sizes[0] << 32 | sizes[1] << 48))
            case ControlCode.Z_CLIPPING_PLANES:
                low = rng.choice((0, 0, 0, 0x8000_0000, bits(rng.random() / 2), bits(rng.random() * 1e-6), 1))
                high = rng.choice((*[bits(1.0)] * 5, 0x3F7F_FFFF, bits(rng.random()), 0x7F80_0000, bits(-1.0)))
                self.add(*record(code, low | high << 32))
            case _:
                self.add(*some_record(rng, code))
                if code is ControlCode.PRIMITIVE_LIST_FORMAT:
                    self.end()

    def program(self, rng):
        """A shader."""
        if rng.random() < 0.3:
            self.add(*record(ControlCode.VG_INLINE_SHADER_RECORD, rng.getrandbits(64)))
        else:
            self.add(*record(ControlCode.GL_SHADER_STATE, rng.getrandbits(32)))
            self.add(*shader(rng.getrandbits(32), rng.getrandbits(32), single=rng.randrange(2)))

    def some_piece(self, rng, varyings, reach):
        """Near the tile most of the time."""
        tile = self.model.tile
        x, y = (PIXEL * (at + rng.randrange(-4, 32)) for at in (tile.x, tile.y))

        def vertex():
            return vertex_of(
                x + rng.randrange(PIXEL * reach),
                y + rng.randrange(PIXEL * reach),
                rng.choice((0.0, 0.5, rng.random())),
                rng.choice((1.0, rng.random(), 1e-3)),
                [rng.uniform(-3, 3) for _ in range(varyings)],
            )

        kind = rng.randrange(6)
        if kind == 0:
            return set_up_point(vertex(), bits(rng.choice((1.0, 3.3))))
        if kind == 1:
            return set_up_line((vertex(), vertex()), BOTH._replace(line_width=bits(1.5)))
        return set_up_triangle([vertex() for _ in range(3)], BOTH)
