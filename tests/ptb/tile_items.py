"""Records and primitives for tests of what finds tiles, and what the model finds."""

import random
from typing import Any

from vc4.ptb.structs import BinKind, TileKind
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory
from vc4sim.model.ptb.ptb import Ptb
from vc4sim.model.ptb.tile_grid import TileGrid

from ..model.shapes import bits

__all__ = ["COUNTS", "SIZES", "TileList"]

#: Vertices.
COUNTS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}
#: Floats at the ends of what margins know: zeros, denormals, infinities, what is not a number, halves that are whole numbers.
SIZES = (
    *(0, 0x8000_0000, 1, 0x807F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001, 0xFFFF_FFFF, 0x7F7F_FFFF, 0xFF7F_FFFF),
    *(0x0080_0000, 0x3F80_0000, 0x3F7F_FFFF, 0x3F80_0001, 0x3E00_0000, 0x3E00_0001, 0x3DFF_FFFF),
    *(0x4680_0000, 0x467F_FFFF, 0x4680_0001, 0x467F_FC00, 0xC200_0000),
)
CONFIGURATION = ControlCode.TILE_BINNING_MODE_CONFIGURATION


class TileList:
    """Items, made one after the other; the model finds the tiles of each primitive at once.

    items : payloads of `BinItem`
    wanted : of what must come: kind, with the record, or type, coordinates, vertices, made, or the number of a tile
    """

    def __init__(self, seed=1):
        self.rng = random.Random(seed)
        self.items, self.wanted = [], []
        self.ptb: Any = Ptb(Memory(1 << 12))

    def record(self, code, word=None, **values):
        """A record with these values, or this payload."""
        kind = RECORDS[code.value]
        pack: Any = packing(kind.layout) if kind.layout else None
        if word is None:
            word = pack.pack(**values) if pack else 0
        if code is CONFIGURATION:
            self.ptb._grid = TileGrid(pack.unpack(word))
        else:
            self.ptb.state(ControlRecord(0, kind, pack.unpack(word) if pack else None))
        self.items.append({"kind": BinKind.RECORD, "body": {"record": {"code": code, "payload": word}}})
        self.wanted.append((TileKind.RECORD, code.value, word))

    def frame(self, width, height, **values):
        """A configuration."""
        self.record(CONFIGURATION, width=width, height=height, **values)

    def primitive(self, type_, points, *, size=None, made=0, coordinates=0):
        """One with these vertices on the screen; returns its tiles."""
        rng = self.rng
        vertices = [rng.getrandbits(32) for _ in range(3)]
        points = list(points)
        unused = [(rng.randrange(-0x8000, 0x8000), rng.randrange(-0x8000, 0x8000)) for _ in range(3 - len(points))]
        body = {
            "type": type_,
            "vertices": vertices,
            "coordinates": coordinates,
            "points": [{"x": x, "y": y} for x, y in points + unused],
            "size": rng.getrandbits(32) if size is None else size,
            "has_size": size is not None,
            "clips": rng.randrange(2),
            "bank": rng.randrange(2),
            "made": made,
        }
        self.items.append({"kind": BinKind.PRIMITIVE, "body": {"primitive": body}})
        model = Primitive(type_, tuple(vertices), bool(coordinates))
        tiles = self.ptb._tiles(type_, points, self.ptb._margin(model, size))
        seen = type_.value, coordinates, tuple(vertices), made
        if tiles:
            self.wanted += [(TileKind.PRIMITIVE, *seen), *((TileKind.TILE, tile) for tile in tiles)]
        elif made:
            self.wanted.append((TileKind.DROP, *seen))
        return tiles

    def some_state(self):
        """A record of those that count, or another one."""
        rng = self.rng
        code = rng.choice(
            (
                *(ControlCode.VIEWPORT_OFFSET, ControlCode.CLIP_WINDOW, ControlCode.RHT_X_BOUNDARY),
                *(ControlCode.POINT_SIZE, ControlCode.LINE_WIDTH, CONFIGURATION, ControlCode.FLAT_SHADE_FLAGS),
            )
        )
        pack = packing(RECORDS[code.value].layout)
        match code:
            case ControlCode.POINT_SIZE | ControlCode.LINE_WIDTH:
                self.record(code, self.some_size())
            case ControlCode.VIEWPORT_OFFSET | ControlCode.RHT_X_BOUNDARY:
                size = rng.choice((16, 3000, 3000, 0x8000))
                self.record(code, **{name: rng.randrange(-size, size) for name in pack.fields})
            case ControlCode.CLIP_WINDOW:
                size = rng.choice((0, 100, 100, 0x10000))
                self.record(
                    code, **{name: rng.randrange(size) if rng.random() < size / 200 else 0 for name in pack.fields}
                )
            case ControlCode.FLAT_SHADE_FLAGS:
                self.record(code, rng.getrandbits(32))
            case _:
                self.some_frame()

    def some_size(self):
        """A float."""
        rng = self.rng
        return rng.choice((rng.choice(SIZES), bits(rng.uniform(0, 4)), bits(2 ** rng.uniform(-5, 15))))

    def some_frame(self, most=None):
        """Of any size, or with so many tiles in a row at the most."""
        rng = self.rng
        most = most or rng.choice((4, 4, 12, 12, 40))
        width, height = rng.randint(1, most), rng.randint(1, most)
        if rng.random() < 0.05:
            width, height = rng.choice(((0, 3), (255, 1), (1, 255), (2, 0)))
        names = "multisample_mode", "tile_buffer_64_bit_color_depth", "double_buffer_in_non_ms_mode"
        self.frame(width, height, **{name: rng.randrange(2) for name in names})

    def some_primitive(self):
        """Of any type and size, often where it ends with a tile."""
        rng = self.rng
        type_ = rng.choice((*PrimitiveType, PrimitiveType.TRIANGLES, PrimitiveType.TRIANGLES))
        state = self.ptb._state.get(ControlCode.VIEWPORT_OFFSET)
        offset = (state.viewport_centre_x_coordinate, state.viewport_centre_y_coordinate) if state else (0, 0)
        grid = self.ptb._grid
        area = grid.width * grid.tile_width * 16, grid.height * grid.tile_height * 16
        origin = [rng.choice((rng.randint(0, length), rng.randint(-500, length + 500))) for length in area]
        reach = rng.choice((1, 10, 300, 1500, 1500, 8000, 70000))
        step = rng.choice((1, 1, 8, 256, 1024))
        points = []
        for _ in range(COUNTS[type_]):
            place = [
                (at + rng.randint(-reach, reach)) // step * step - off for at, off in zip(origin, offset, strict=True)
            ]
            points.append(tuple(min(max(at, -0x8000), 0x7FFF) for at in place))
        if len(points) == 3 and rng.random() < 0.1:
            # No area, or nearly none.
            (x, y), (next_x, next_y) = points[:2]
            nudge = rng.choice((0, 0, 1))
            points[2] = ((x + next_x) // 2 + nudge * (x < next_x), (y + next_y) // 2)
        size = self.some_size() if type_ is PrimitiveType.POINTS and rng.randrange(2) else None
        self.primitive(
            type_, points, size=size, made=rng.choice((0, 0, rng.randrange(8))), coordinates=rng.randrange(2)
        )

    def fill(self, count):
        """With some of everything."""
        self.some_frame()
        for _ in range(count):
            for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2, 4))):
                self.some_state()
            self.some_primitive()
