"""The model's renderer, in which somebody else shades the fragments."""

from collections import deque
from typing import NamedTuple

from vc4.records.control import ControlCode, Role

from ..launch import Launch
from ..model.cle.control_records import ControlRecord
from ..model.cle.pipeline import Work
from ..model.compiled import Buffers
from ..model.fep.fep import Limits
from ..model.fep.fragments import VECTORS, FragmentProgram, QueueState
from ..model.host.renderer import Renderer
from ..model.memory import Memory
from ..model.tlb.tlb import TileBuffer
from ..model.vcm.vertices import VertexShading

__all__ = ["FollowedRenderer", "Vector", "Vectors"]

#: Records, besides those of tiles, that change the tile buffer, or where it is.
_TILE_RECORDS = (ControlCode.TILE_RENDERING_MODE_CONFIGURATION, ControlCode.CLEAR_COLORS)
_WAITS = "fragments on their way"


class Vector(NamedTuple):
    """A vector of fragments, and what all vectors of its kind share.

    number : which one of the queue
    varyings : how many its pixels have
    """

    queue: Buffers[QueueState]
    number: int
    program: FragmentProgram
    varyings: int

    @property
    def launch(self) -> Launch:
        """Its program."""
        return Launch(self.program.code, self.program.uniforms, self.program.threaded)


class Vectors:
    """In place of QPUs that shade fragments: keeps what they have to do.

    tile : where they draw
    waiting : vectors that nobody has begun, in their order
    under_way : how many have begun and not ended
    """

    lacks = ""

    def __init__(self, tile: TileBuffer):
        self.tile = tile
        self.waiting: deque[Vector] = deque()
        self.under_way = 0

    def shade(self, queue: Buffers[QueueState], program: FragmentProgram, varyings: int) -> None:
        """See `FragmentShader`."""
        kept = Buffers(QueueState(*(array.copy() for array in queue.arrays)))
        count = int(kept.arrays.counts[VECTORS])
        self.waiting.extend(Vector(kept, number, program, varyings) for number in range(count))

    @property
    def any(self) -> bool:
        """Not all have ended."""
        return bool(self.waiting) or self.under_way > 0


class FollowedRenderer(Renderer):
    """Gives vectors away, and waits for them where the tile buffer is loaded, stored, cleared or used for coverage.

    vectors : what is given away
    """

    def __init__(self, memory: Memory, shading: VertexShading, vectors: Vectors):
        super().__init__(memory, shading, vectors)
        self.vectors = vectors

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
            if self.vectors.any:
                return _WAITS
        return super()._lacks()

    def _limits(self) -> Limits:
        """Without the early test, which would have to know what fragments leave in the tile buffer."""
        return super()._limits()._replace(early=0)
