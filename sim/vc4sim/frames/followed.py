"""The model's renderer, in which somebody else shades the fragments."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from vc4.errata import Erratum
from vc4.records.control import ControlCode, Role
from vc4.records.state import Oversample

from ..launch import Launch
from ..lockstep import Difference
from ..model.cle.control_records import ControlRecord
from ..model.cle.pipeline import Work
from ..model.cle.primitives import Primitive
from ..model.compiled import Buffers
from ..model.fep.fep import FrontEnd, Limits, Quads, Window
from ..model.fep.fragments import QUADS, VECTORS, FragmentProgram, QueueState
from ..model.host.renderer import DRAWING_ERRORS, Renderer
from ..model.memory import Memory
from ..model.pse.pse import SetUp
from ..model.tlb.tlb import TileBuffer
from ..model.vcm.vertices import VertexShading
from .places import DrawnPrimitive, DrawnQuads, NotedTransfers

__all__ = ["FollowedRenderer", "Vector", "Vectors"]

#: Records, besides those of tiles, that change the tile buffer, or where it is.
_TILE_RECORDS = (ControlCode.TILE_RENDERING_MODE_CONFIGURATION, ControlCode.CLEAR_COLORS)
_WAITS = "fragments on their way"


class Vector(NamedTuple):
    """A vector of fragments, and what all vectors of its kind share.

    number : which one of the queue
    varyings : how many its pixels have
    drawn : what its quads are of
    """

    queue: Buffers[QueueState]
    number: int
    program: FragmentProgram
    varyings: int
    drawn: DrawnQuads

    @property
    def launch(self) -> Launch:
        """Its program."""
        return Launch(self.program.code, self.program.uniforms, self.program.threaded)

    @property
    def bounds(self) -> tuple[int, int]:
        """Its first quad, and the one after its last."""
        arrays = self.queue.arrays
        is_last = self.number + 1 == arrays.counts[VECTORS]
        return int(arrays.first[self.number]), len(self.drawn.quads) if is_last else int(arrays.first[self.number + 1])

    def __str__(self) -> str:
        quads = "".join(f"\n        {self.drawn.at(number)}" for number in range(*self.bounds))
        return f"a vector of fragments:{quads}"


class Vectors:
    """In place of QPUs that shade fragments: keeps what they have to do.

    tile : where they draw
    waiting : vectors that nobody has begun, in their order
    under_way : how many have begun and may touch the tile buffer
    names : primitives of the quads that wait in the queue
    drawn : all that was shaded
    """

    lacks = ""

    def __init__(self, tile: TileBuffer):
        self.tile = tile
        self.waiting: deque[Vector] = deque()
        self.under_way = 0
        self.names: list[DrawnPrimitive] = []
        self.drawn: list[DrawnQuads] = []

    def shade(self, queue: Buffers[QueueState], program: FragmentProgram, varyings: int) -> None:
        """See `FragmentShader`."""
        kept = Buffers(QueueState(*(array.copy() for array in queue.arrays)))
        count = int(kept.arrays.counts[VECTORS])
        drawn = DrawnQuads.of(kept.arrays.quads[: kept.arrays.counts[QUADS]], tuple(self.names))
        self.names.clear()
        self.drawn.append(drawn)
        self.waiting.extend(Vector(kept, number, program, varyings, drawn) for number in range(count))

    def last_at(self, x: int, y: int) -> str:
        """The last quad with a pixel of the frame, or nothing."""
        return next((text for drawn in reversed(self.drawn) if (text := drawn.last_at(x, y))), "")

    @property
    def any(self) -> bool:
        """Not all have ended."""
        return bool(self.waiting) or self.under_way > 0


class _FollowedFrontEnd(FrontEnd):
    """Keeps the quads that somebody else has kept.

    hidden : of each quad between the planes, whether early Z has let it go no further; there are none after the last one
    may_hide : it may do so now
    """

    def __init__(self, tile: TileBuffer):
        super().__init__(tile)
        self.hidden: Iterator[int] = iter(())
        self.may_hide = False

    def rasterise(self, primitive: SetUp, window: Window, oversample: Oversample, limits: Limits = Limits()) -> Quads:
        """See `FrontEnd`; raises `Difference` if a quad is hidden that must not be."""
        quads = super().rasterise(primitive, window, oversample, limits)
        hidden = np.fromiter(islice(self.hidden, quads.between), bool)
        if not hidden.any():
            return quads
        if not self.may_hide:
            raise Difference("early Z hides quads", int(hidden.sum()), "it is off, or not for this test", [])
        kept = np.flatnonzero(~np.pad(hidden, (0, quads.between - len(hidden))))
        self.quads.arrays[: len(kept)] = self.quads.arrays[kept]
        return quads._replace(kept=len(kept))


class FollowedRenderer(Renderer):
    """Gives vectors away, and waits for them where the tile buffer is loaded, stored, cleared or used for coverage.

    vectors : what is given away
    """

    def __init__(self, memory: Memory, shading: VertexShading, vectors: Vectors, errata: Collection[Erratum] = ()):
        super().__init__(memory, shading, vectors, errata)
        self.vectors = vectors
        self._front_end = self._followed = _FollowedFrontEnd(self.tile)
        self._ahead = FrontEnd(self.tile)
        self.transfers: NotedTransfers = NotedTransfers(memory, self.tile)
        self._drawn: DrawnPrimitive | None = None

    def hide(self, hidden: Iterable[int]) -> None:
        """What early Z has made of quads, see `Watched`."""
        self._followed.hidden = iter(hidden)

    def begin_primitive(self, primitive: Primitive) -> None:
        """See `Renderer`."""
        tile = self.transfers.column, self.transfers.row
        number = self._drawn.number + 1 if self._drawn and self._drawn.tile == tile else 0
        self._drawn = DrawnPrimitive(tile, number, primitive)

    def _rasterise(self, program: FragmentProgram, primitive: SetUp, window: Window, limits: Limits) -> None:
        before = self.fragments.quads
        self._followed.may_hide = super()._limits().early != 0
        super()._rasterise(program, primitive, window, limits)
        if self._drawn and self.fragments.quads > before:
            self.vectors.names.append(self._drawn)

    def record(self, record: ControlRecord) -> Work:
        """See `Renderer`."""
        if record.code in _TILE_RECORDS or record.kind.role is Role.TILE:
            self.fragments.flush()
            while self.vectors.any:
                yield _WAITS
        yield from super().record(record)

    def _lacks(self) -> str:
        if self._held and self._state.configuration.coverage_pipe_select:
            self.fragments.flush()
            if self.vectors.any and self._covers():
                return _WAITS
        return super()._lacks()

    def _covers(self) -> bool:
        """Whether primitives that are held for coverage cover anything; if not, nobody waits for them."""
        state = self._state
        window, limits, oversample = self._window(), self._limits(), state.configuration.rasteriser_oversample_mode
        try:
            shader = state.read_shader(self._memory)
            self.screen.shade(shader, self._held)
            return any(
                self._ahead.rasterise(ready, window, oversample, limits).kept
                for primitive in self._held
                for ready in self.screen.set_up(primitive, shader, state)
            )
        except DRAWING_ERRORS:
            return True  # which is found again when they are drawn

    def _limits(self) -> Limits:
        """Without the early test of the model: that of the hardware knows what fragments leave in the tile buffer only later."""
        return super()._limits()._replace(early=0)
