"""A random frame."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vc4.records.control import ControlCode as Code

from ..random_programs.wanted import NOTHING, Wanted
from .binning import Binning, random_binning
from .fragments import Fragments
from .lists import random_coordinates, random_list
from .state import Place, random_configuration, random_state
from .textures import TEXEL_BYTES
from .things import Lists, Load, Shader, State, Store, Thing
from .transfers import Frame, random_frame_size, random_load, random_store
from .values import Random
from .vertices import random_vertices

__all__ = ["RECORD_BYTES", "RandomFrame"]

_PAGE = 0x1000
#: Lists, records, programs, uniforms, vertices.
RECORD_BYTES = 16 * _PAGE
#: Stores of a tile, in front of the last one, each with memory of its own.
_MOST_STORES = 2
#: Records after which everything is as it was before them.
_IDLE = (Code.NOP, Code.MARKER, Code.RESET_MARKER_COUNT, Code.BRANCH)
_IDLE_CHANCE = 0.1


class RandomFrame:
    """What a seed makes, in memory from address `base` on, a multiple of 4 KiB.

    wanted : fields of records that there are to be more of: the form is the name of a `ControlCode`. Only fields that mean the same
        whatever the others are can be wanted
    frame : its size, and the fields of its configuration
    clears : what the tile buffer is cleared to; `None`: it begins as it is
    things : all that can be left out
    last : the store of each tile that comes last
    stores, records, loads, texels, texels_end, end : where memory for them begins: for stores first, which nothing reads but loads,
        then for records, then for what loads and lookups read; texels come last, after which textures go on
    noise : decides what is there at first
    binning : what is for all tiles is binned, in memory after all else; `None`: tiles branch to it
    """

    def __init__(self, seed: int, base: int = 0, wanted: Wanted = NOTHING):
        self.seed, self.base = seed, base
        self._wanted = wanted
        self._rng = rng = Random(f"frame {seed}")
        self._coverage = rng.chance(0.2)
        size = random_frame_size(rng, coverage=self._coverage)
        self.frame: Frame = replace(size, fields=self._wished(Code.TILE_RENDERING_MODE_CONFIGURATION, size.fields)[1])
        room = self.frame.bytes
        self.stores = base + _PAGE
        self.records = self.stores + (1 + _MOST_STORES) * room
        self.loads = self.records + RECORD_BYTES
        self.texels = self.loads + room
        self.texels_end = self.end = self.texels + TEXEL_BYTES
        self.noise = rng.getrandbits(32)
        self.clears = self._clear_values() if rng.chance(0.85) else None
        self._shaders = 0
        self.things: list[Thing] = list(self._transfers())
        parts = [0, *(n + 1 for n in range(len(self.frame.tiles)) if rng.chance(0.3))]
        for part in parts:
            self.things += self._part(part)
        self.things = list(self._with_idle_records())
        self.binning: Binning | None = None
        self.last = [self._last(number) for number in range(len(self.frame.tiles))]

    def bin(self, rng: Random, *, ample: bool) -> None:
        """Let it be binned; see `random_binning`."""
        self.binning = random_binning(rng, self.frame, -(-self.end // _PAGE) * _PAGE, ample=ample)
        self.end = self.binning.end

    def begin_clear(self) -> None:
        """It clears the tile buffer first, whatever is in there."""
        if self.clears is None:
            self.clears = self._clear_values()

    def _wished(self, code: Code, fields: dict[str, Any]) -> tuple[Code, dict[str, Any]]:
        """A record with fields as they are, or as somebody wants them."""
        wish = self._wanted.draw(self._rng, code.name)
        return code, fields | wish[1] if wish else fields

    def _clear_values(self) -> dict[str, int]:
        rng = self._rng
        return {
            "clear_color_0": rng.getrandbits(32),
            "clear_color_1": rng.getrandbits(32),
            "clear_zs": rng.choice((0, 0xFFFFFF, 0x800000, rng.getrandbits(24))),
            "clear_stencil": rng.choice((0, rng.getrandbits(8))),
            "clear_vg_mask": rng.choice((0, rng.getrandbits(8))),
        }

    def _transfers(self) -> Iterator[Thing]:
        """Loads and stores, but for the last one of each tile."""
        rng = self._rng
        stores = [number for number in range(_MOST_STORES) if rng.chance(0.3)]
        for tile in range(len(self.frame.tiles)):
            for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
                yield Load(tile, *self._wished(*random_load(rng, self.loads)))
            for number in stores:
                address = self.stores + (1 + number) * self.frame.bytes
                yield Store(tile, *self._wished(*random_store(rng, address, last=False)))

    def _last(self, number: int) -> tuple[Code, dict[str, Any]]:
        """The last store of a tile."""
        rng, ends = self._rng, number == len(self.frame.tiles) - 1
        if rng.chance(0.2):
            return self._wished(*random_store(rng, self.stores, last=ends))
        if ends:
            return Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME, {}
        return Code.STORE_RESOLVED_TILE_COLOR_BUFFER, {}

    def _with_idle_records(self) -> Iterator[Thing]:
        """Those of random numbers of their own, so that a frame draws the same without them."""
        rng = Random(f"idle records {self.seed}")
        for thing in self.things:
            if isinstance(thing, Shader | State | Lists) and rng.chance(_IDLE_CHANCE):
                yield State(thing.part, rng.choice(_IDLE), {})
            yield thing

    def _place(self, part: int) -> Place:
        """The tile that a part draws in."""
        column, row = self._rng.choice(self.frame.tiles) if part == 0 else self.frame.tiles[part - 1]
        width, height = self.frame.tile_width, self.frame.tile_height
        return column * width, row * height, width, height

    def _part(self, part: int) -> Iterator[Thing]:
        """State, shaders and lists."""
        rng = self._rng
        place = self._place(part)
        yield self._configuration(part)
        for _ in range(rng.choice((1, 1, 2, 3)) if part == 0 else 1):
            for _ in range(rng.choice((0, 0, 1, 2, 3))):
                yield State(part, *random_state(rng, place))
            if rng.chance(0.5):
                yield self._configuration(part)
            yield from self._draw(part, place)

    def _configuration(self, part: int) -> State:
        pipe = self._coverage and self._rng.chance(0.5)
        fields = random_configuration(self._rng, coverage=self._coverage, pipe=pipe)
        return State(part, *self._wished(Code.CONFIGURATION_BITS, fields))

    def _draw(self, part: int, place: Place) -> Iterator[Thing]:
        """A shader, and lists for it."""
        rng, number = self._rng, self._shaders
        self._shaders += 1
        is_vg = rng.chance(0.6 if self._coverage else 0.15)
        vertices = None
        if not is_vg:
            varyings = rng.mostly(rng.randrange(9), range(33), 0.05)
            vertices = random_vertices(rng, place, rng.randrange(3, 20), varyings)
        varyings = len(vertices.words[0]) - 3 - vertices.sized if vertices else 0
        threaded = rng.chance(0.4)
        made = Fragments(
            rng,
            number,
            varyings,
            threaded=threaded,
            coverage=self._coverage,
            address=self.loads,
            textures=self.texels,
        )
        yield Shader(part, number, made.begin, made.end, threaded, vertices, is_vg and rng.chance(0.5))
        yield from made.chunks()
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            if vertices:
                yield random_list(rng, part, number, vertices, place)
            else:
                yield random_coordinates(rng, part, number, place)
            if rng.chance(0.2):
                yield self._configuration(part) if rng.chance(0.4) else State(part, *random_state(rng, place))

    def left(self, kept: set[int]) -> list[Thing]:
        """Those of `things` that are kept, by their numbers; of shaders and lists those that draw."""
        things = [thing for number, thing in enumerate(self.things) if number in kept]
        shaders = {thing.number for thing in things if isinstance(thing, Shader)}
        return [thing for thing in things if not isinstance(thing, Lists) or thing.shader in shaders]
