"""The renderer: primitives of tile lists to pixels, tile by tile (guide, sections 1, 5, 6, 8 and 9)."""

from collections import Counter
from collections.abc import Callable, Collection

from vc4.errata import Erratum
from vc4.records.control import ControlCode, Role

from ..cle.control_records import ControlRecord, ListError
from ..cle.pipeline import Work
from ..cle.primitives import Primitive
from ..cle.shader_records import ShaderRecordError
from ..fep.fep import FrontEnd, Limits, Window, early_test
from ..fep.fragments import FragmentProgram, Fragments, FragmentShader, HangingShader
from ..memory import Memory, MemoryFault
from ..pse.draw_state import DrawState
from ..pse.pse import SetUp
from ..pse.screen import Screen
from ..tlb.tile_transfers import TileTransfers
from ..vcm.vertices import ShaderKind, ShadingError, VertexShading

__all__ = ["DRAWING_ERRORS", "Renderer"]

#: Primitives of a list whose vertices are shaded together.
_MOST_HELD = 256
_LOADS = (ControlCode.LOAD_TILE_BUFFER_GENERAL, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER)


class CoverageLock(Exception):
    """Coverage waits for ever; the text says why."""


#: What the pipeline may come to: it hangs.
DRAWING_ERRORS = (HangingShader, ShadingError, ListError, MemoryFault, CoverageLock)


class Renderer:
    """The pipeline of the rendering thread; `shading` shades vertices, `shader` runs fragment shaders; it may have errata.

    only : column and row of the one tile that is drawn; others are neither drawn nor stored
    error : what a shader, an access outside of memory, or coverage has come to; the pipeline hangs
    locked : it was coverage (HW-2885)
    tiles : column and row of those that the frame has begun
    counts : primitives by their kinds, stores, and what counters count
    on_tile : called with column and row of each tile that begins, when all before it is shaded
    """

    def __init__(
        self, memory: Memory, shading: VertexShading, shader: FragmentShader, errata: Collection[Erratum] = ()
    ):
        self.out_of_memory = False
        self.only: tuple[int, int] | None = None
        self.error: str | None = None
        self.locked = False
        self.tiles: set[tuple[int, int]] = set()
        self.counts: Counter[str] = Counter()
        self.on_tile: Callable[[int, int], object] | None = None
        self.tile = shader.tile
        self.transfers = TileTransfers(memory, self.tile)
        self.fragments = Fragments(shader)
        self.screen = Screen(memory, shading)
        self._memory = memory
        self._front_end = FrontEnd(self.tile)
        self._state = DrawState()
        self._early_z = False
        self._greater = False
        self._held: list[Primitive] = []
        self._locks_up = Erratum.HW_2885 in errata

    def record(self, record: ControlRecord) -> Work:
        """State, a configuration, a tile, a store or a load; or a list, whose primitives follow."""
        return self._carry_out(lambda: self._take(record))

    def primitive(self, primitive: Primitive) -> Work:
        """A primitive of the list; it is drawn with others, at the latest at the end of the list."""
        self._held.append(primitive)
        return self._carry_out(self._draw) if len(self._held) >= _MOST_HELD else ()

    def end_list(self) -> Work:
        """Draw what the list had."""
        return self._carry_out(self._draw)

    def reset(self) -> None:
        """Forget what is under way, all state, and the error. Registers keep what they hold."""
        self.error = None
        self.locked = False
        self._state = DrawState()
        self._early_z = self._greater = False
        self._held.clear()
        self.fragments.forget()
        self.fragments.varyings = 0
        self.transfers.forget()
        self.screen.forget()

    @property
    def events(self) -> Counter[str]:
        """What front end, tile buffer and set-up have counted."""
        return self.counts + self.tile.counts

    def _carry_out(self, action: Callable[[], None]) -> Work:
        """Do something; an error is what the pipeline waits for ever after."""
        if self.error is None:
            while lacks := self._lacks():
                yield lacks
            try:
                action()
            except DRAWING_ERRORS as what:
                self.error = str(what)
                self.locked = isinstance(what, CoverageLock)
                if isinstance(what, ShaderRecordError):
                    self.screen.shading.fails(ShaderKind.VERTEX)
        while self.error is not None:
            yield self.error

    def _lacks(self) -> str:
        """What primitives and fragments wait for that cannot be shaded now."""
        shader = self._state.shader
        needs_qpu = self._held and shader and shader.code is ControlCode.GL_SHADER_STATE
        return (self.screen.shading.lacks(ShaderKind.VERTEX) if needs_qpu else "") or self.fragments.lacks

    def _take(self, record: ControlRecord) -> None:
        if self._state.take(record):
            self.fragments.close()
            return
        match record.code:
            case ControlCode.TILE_RENDERING_MODE_CONFIGURATION:
                self.fragments.flush()
                self.screen.forget()
                self.tiles.clear()
                self.transfers.configure(record.fields)
                self._early_z = not record.fields.early_z_disable
                self._greater = bool(record.fields.early_z_update_direction)
            case ControlCode.CLEAR_COLORS:
                self.fragments.close()
                self.transfers.set_clear_values(record.fields)
            case ControlCode.TILE_COORDINATES:
                self._begin_tile(record.fields.tile_column_number, record.fields.tile_row_number)
            case code if code in _LOADS:
                self.fragments.close()
                self.transfers.arm(record)
            case _ if record.kind.role.is_list and not self.transfers.silent:
                self._state.read_shader(self._memory)  # also for a list without a primitive
            case _ if record.kind.role is Role.TILE:
                self.fragments.flush()
                self.transfers.store(record)
                self.counts["stores"] += 1

    def _begin_tile(self, column: int, row: int) -> None:
        self.fragments.flush()
        self.transfers.silent = self.only is not None and self.only != (column, row)
        self.transfers.begin(column, row)
        self.tiles.add((column, row))
        if self.on_tile:
            self.on_tile(column, row)

    def _draw(self) -> None:
        """Draw the primitives that are held."""
        held = self._held.copy()
        self._held.clear()
        if not held or self.transfers.silent:
            return
        state = self._state
        shader = state.read_shader(self._memory)
        program, window, limits = state.program(shader), self._window(), self._limits()
        self.screen.shade(shader, held)
        for primitive in held:
            self.counts[primitive.type.name.lower()] += 1
            self.begin_primitive(primitive)
            found = self.screen.set_up(primitive, shader, state)
            self.counts["PSE_PRIMITIVES_REVERSED"] += not found
            for ready in found:
                self._rasterise(program, ready, window, limits)

    def begin_primitive(self, primitive: Primitive) -> None:
        """For those who watch: this one is drawn next."""

    def _rasterise(self, program: FragmentProgram, primitive: SetUp, window: Window, limits: Limits) -> None:
        """A primitive to coverage, or to fragments."""
        bits = self._state.configuration
        oversample = bits.rasteriser_oversample_mode
        if not bits.coverage_pipe_select:
            self.fragments.begin(program, primitive)
        quads = self._front_end.rasterise(primitive, window, oversample, limits)
        self.counts["FEP_PRIMITIVES"] += 1
        self.counts["FEP_PRIMITIVES_EMPTY"] += not quads.between
        self.counts["FEP_QUADS"] += quads.between
        self.counts["FEP_QUADS_CLIPPED"] += quads.found - quads.kept
        if not quads.kept:
            return
        if bits.coverage_pipe_select:
            self.fragments.flush()
            if self._locks_up and self.fragments.varyings:
                raise CoverageLock("coverage waits for ever: the fragments before had varyings (HW-2885)")
            self._front_end.accumulate(quads, oversample, bits.coverage_update_mode, primitive.turns)
        else:
            self.fragments.add(primitive, self._front_end, quads, oversample)

    def _limits(self) -> Limits:
        """What quads are kept."""
        bits = self._state.configuration
        early = bits.early_z_enable and self._early_z and not bits.coverage_pipe_select
        test = early_test(bits.depth_test_function, greater=self._greater) if early else 0
        return Limits(self._state.z_planes, test)

    def _window(self) -> Window:
        tile = self.tile
        whole = Window(tile.x, tile.x + tile.shape.width, tile.y, tile.y + tile.shape.height)
        return whole.within(self._state.window)
