"""The primitive tile binner: shaded primitives into the lists of the tiles that they touch (guide, sections 8 and 9)."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import ceil

from vc4.errata import Erratum
from vc4.records.control import ControlCode
from vc4.records.primitives import ClippedPrimitive as ClippedRecord
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import TILE_STATE_BYTES

from ..cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat
from ..cle.control_records import ControlRecord
from ..cle.fields import Fields, packing
from ..cle.primitives import Primitive
from ..cle.shader_records import ShaderRecord
from ..memory import Memory
from ..vcm.vertices import Vertex, clips, has_point_size
from .clip import Outcome, Position, classify, clip
from .clip_window import clip_window
from .clipped_primitives import Point, ScreenTransform, clipped_primitives
from .state_cache import StateCache
from .tile_grid import ONE, TileGrid, Window
from .tile_lists import TileLists
from .tile_memory import TileMemory, block_bytes
from .tile_state import TileStates
from .truncated import LARGEST, number

__all__ = ["Ptb"]

#: Lower bits of the address of the tile state data array are ignored.
_ARRAY_ALIGNMENT = 16
#: Where a shaded vertex has its position on the screen, and its point size.
_POSITION, _POINT_SIZE = 4, 7
#: No primitive reaches further beyond its vertices.
_LARGEST_MARGIN = 1 << 17
#: What lines are, and reach beyond that: however their edges are drawn, nothing is missing.
_THINNEST_LINE, _LINE_SLACK = 1.0, ONE // 2


def _halves(word: int) -> Point:
    """X and Y of a word, both signed."""
    return (word & 0xFFFF ^ 0x8000) - 0x8000, (word >> 16 ^ 0x8000) - 0x8000


def _half(size: float) -> int:
    """Half of a size in pixels, in sixteenths, rounded up."""
    return ceil(min(max(size, 0.0) * (ONE / 2), _LARGEST_MARGIN))


class Ptb:
    """Binner without what shades its vertices; it may have errata.

    memory : that for tile lists
    clipping : whether primitives are clipped at all (CLIPDISA)
    form : what the last list or format says
    events : what performance counters count, by their names

    Whatever writes is an iterator: its items are what it waits for, and empty after each tile. It raises `MemoryFault`.
    """

    def __init__(self, memory: Memory, errata: Collection[Erratum] = ()):
        self.memory = TileMemory(memory)
        self.clipping = True
        self.form: ListFormat | None = None
        self.events: Counter[str] = Counter()
        self._errata = errata
        self._cache = StateCache(errata)
        self._state: dict[ControlCode, Fields] = {}
        self._transform: ScreenTransform | None = None
        self._grid: TileGrid | None = None
        self._lists: TileLists | None = None
        self._started = False

    def reset(self) -> None:
        """Forget the frame, and all state."""
        self.memory.release()
        self._cache = StateCache(self._errata)
        self._state.clear()
        self._transform = None
        self._grid = self._lists = self.form = None
        self._started = False

    def configure(self, fields: Fields) -> None:
        """A frame begins."""
        self._lists, self._started = None, False
        grid = TileGrid(fields)
        first, size = fields.tile_allocation_memory_address, fields.tile_allocation_memory_size
        initial = block_bytes(fields.tile_allocation_initial_block_size)
        array = fields.tile_state_data_array_address // _ARRAY_ALIGNMENT * _ARRAY_ALIGNMENT
        states = range(array, array + grid.count * TILE_STATE_BYTES)
        self.memory.begin(range(first, first + size), first + grid.count * initial, states)
        tile_states = TileStates(self.memory, array, grid.count)
        if fields.auto_initialise_tile_state_data_array:
            tile_states.initialise(first, initial)
        self._cache.begin()
        self._grid = grid
        self._lists = TileLists(self.memory, tile_states, self._cache, block_bytes(fields.tile_allocation_block_size))

    def start(self) -> None:
        """What is known now is the prefix; primitives count from here on."""
        self._cache.advance()
        self._started = True

    def state(self, record: ControlRecord) -> None:
        """New state."""
        self._state[record.code] = record.fields
        self._transform = None
        self._cache.set(record)

    def flush(self, *, all_state: bool) -> Iterator[str]:
        """End all lists; nothing is binned until the next frame begins."""
        if self._lists and self._grid:
            for tile in range(self._grid.count):
                yield from self._lists.close(tile, self.form, all_state=all_state)
                yield ""
        self._lists = None
        self.memory.release()

    def bin(self, primitive: Primitive, shader: ShaderRecord | None, vertices: Sequence[Vertex]) -> Iterator[str]:
        """A primitive, with its shaded vertices unless it has coordinates; `shader` is the record that these are of."""
        if not self._lists or not self._started:
            return
        if shader is None:
            yield from self._place(
                primitive, [_halves(word) for word in primitive.vertices], self._margin(primitive, None)
            )
            return
        points = [_halves(vertex[_POSITION]) for vertex in vertices]
        size = vertices[0][_POINT_SIZE] if has_point_size(shader) else None
        margin = self._margin(primitive, size)
        if not clips(shader) or not self.clipping:
            yield from self._place(primitive, points, margin)
            return
        positions = _positions(vertices)
        if positions is None:
            return
        if self._transform is None:
            self._transform = self._find_transform()
        transform = self._transform
        scale = transform.x, transform.y
        outcome = classify(positions, scale)
        self.events["PTB_PRIMITIVES_OUTSIDE"] += outcome is Outcome.OUTSIDE
        self.events["PTB_PRIMITIVES_CLIPPED"] += outcome is Outcome.CLIP
        if outcome is Outcome.WHOLE:
            yield from self._place(primitive, points, margin)
        elif outcome is Outcome.CLIP and primitive.type in (PrimitiveType.LINES, PrimitiveType.TRIANGLES):
            for piece in clipped_primitives(clip(positions, scale), points, transform):
                yield from self._place(primitive, piece.points, margin, piece.flags, piece.data)

    def _place(
        self, primitive: Primitive, points: Sequence[Point], margin: int, flags: int = 0, clipped: bytes = b""
    ) -> Iterator[str]:
        """Add a primitive to the lists of its tiles.

        flags, clipped : which vertices are new, and what memory has of these
        """
        tiles = self._tiles(primitive.type, points, margin)
        if tiles:
            yield from self.enter(primitive, tiles, flags, clipped)

    def enter(self, primitive: Primitive, tiles: Sequence[int], flags: int = 0, clipped: bytes = b"") -> Iterator[str]:
        """The same for the tiles that it touches, at least one."""
        assert self._lists
        self._cache.use()
        header = b""
        if clipped:
            address = yield from self.memory.take("vertices", len(clipped))
            self.memory.write(address, clipped)
            pack = packing(ClippedRecord)
            fields = pack.pack(clipped_vertices=flags, clipped_primitive_data_address=address)
            header = fields.to_bytes(pack.size // 8, "little")
        form = ListFormat(primitive.type, COORDINATE_BYTES if primitive.coordinates else INDEX_BYTES)
        for tile in tiles:
            yield from self._lists.add(tile, form, primitive.vertices, header)
            yield ""

    def _tiles(self, kind: PrimitiveType, points: Sequence[Point], margin: int) -> list[int]:
        """The tiles that a primitive touches, none for a triangle without an area."""
        assert self._grid
        offset = self._state.get(ControlCode.VIEWPORT_OFFSET)
        x, y = (offset.viewport_centre_x_coordinate, offset.viewport_centre_y_coordinate) if offset else (0, 0)
        placed = [(px + x, py + y) for px, py in points]
        if kind is PrimitiveType.TRIANGLES:
            (x0, y0), (x1, y1), (x2, y2) = placed
            if (x1 - x0) * (y2 - y0) == (x2 - x0) * (y1 - y0):
                return []
        elif kind is PrimitiveType.RHTS:
            # Whether the viewport moves the boundary does not matter here.
            boundary = self._state.get(ControlCode.RHT_X_BOUNDARY)
            edge = boundary.rht_primitive_x_boundary if boundary else 0
            placed += [(edge, placed[0][1]), (edge + x, placed[0][1])]
        return self._grid.touched(tuple(placed), margin, self._window(), box=kind is PrimitiveType.RHTS)

    def _window(self) -> Window | None:
        window = self._state.get(ControlCode.CLIP_WINDOW)
        return Window(*clip_window(window)) if window else None

    def _margin(self, primitive: Primitive, point_size: int | None) -> int:
        """How far a primitive reaches beyond its vertices."""
        match primitive.type:
            case PrimitiveType.POINTS:
                size = self._float(ControlCode.POINT_SIZE, "point_size") if point_size is None else number(point_size)
                return _half(LARGEST if size is None else size)
            case PrimitiveType.LINES:
                width = self._float(ControlCode.LINE_WIDTH, "line_width")
                return _half(LARGEST if width is None else max(width, _THINNEST_LINE)) + _LINE_SLACK
            case _:
                return 0

    def _float(self, code: ControlCode, name: str) -> float | None:
        """A float of the state, 1 if it was never set; `None`: infinity or NaN."""
        fields = self._state.get(code)
        return number(getattr(fields, name)) if fields else 1.0

    def _find_transform(self) -> ScreenTransform:
        values = [
            self._state_number(ControlCode.CLIPPER_XY_SCALING, "viewport_half_width"),
            self._state_number(ControlCode.CLIPPER_XY_SCALING, "viewport_half_height"),
            self._state_number(ControlCode.CLIPPER_Z_SCALE_AND_OFFSET, "viewport_z_scale"),
            self._state_number(ControlCode.CLIPPER_Z_SCALE_AND_OFFSET, "viewport_z_offset"),
        ]
        return ScreenTransform(*values)

    def _state_number(self, code: ControlCode, name: str) -> float:
        """A float of the clipper, 0 if it was never set or is none."""
        fields = self._state.get(code)
        return (number(getattr(fields, name)) if fields else None) or 0.0


def _positions(vertices: Sequence[Vertex]) -> list[Position] | None:
    """Clip coordinates; `None` if one of them is infinite, or no number."""
    found = []
    for vertex in vertices:
        x, y, z, w = map(number, vertex[:4])
        if x is None or y is None or z is None or w is None:
            return None
        found.append((x, y, z, w))
    return found
