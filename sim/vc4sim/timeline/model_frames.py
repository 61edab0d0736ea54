"""Timelines of frames on the model."""

from ..model.v3d import V3D
from ..timed import SLOT_CLOCKS
from .drawing import JobTrack, TileTracks
from .trace_file import TraceFile

__all__ = ["ModelFrameTimeline"]


class ModelFrameTimeline:
    """The timeline of jobs on the model, which has no clocks: what shaders need to carry out one after the other, four clocks an
    instruction, is all that takes time. A tile begins with its coordinates and ends with those of the next one.

    Parameters
    ----------
    file : for it
    gpu : that draws
    """

    def __init__(self, file: TraceFile, gpu: V3D):
        self._gpu = gpu
        self._jobs, self._tiles = JobTrack(file), TileTracks(file)
        self._tile: tuple[tuple[int, int], int, dict[str, int]] | None = None
        self._first = 0
        gpu.renderer.on_tile = self._begin_tile

    @property
    def _clock(self) -> int:
        gpu = self._gpu
        vertices = gpu.binner.shading.shaders.instructions + gpu.renderer.screen.shading.shaders.instructions
        return SLOT_CLOCKS * (vertices + gpu.fragment_shader.shaders.instructions)

    @property
    def _counts(self) -> dict[str, int]:
        """What is told of each tile."""
        events, gpu = self._gpu.renderer.events, self._gpu
        return {
            "primitives": events["FEP_PRIMITIVES"],
            "quads": events["FEP_QUADS"],
            "vectors": gpu.renderer.fragments.vectors,
            "instructions of fragments": gpu.fragment_shader.shaders.instructions,
        }

    def _begin_tile(self, x: int, y: int) -> None:
        if self._tile and self._tile[0] == (x, y):
            return  # a driver may say the coordinates of a tile again, for another store
        self._end_tile()
        self._tile = (x, y), self._clock, self._counts

    def _end_tile(self) -> None:
        if self._tile:
            (x, y), first, before = self._tile
            about = {name: count - before[name] for name, count in self._counts.items()}
            self._tiles.tile(x, y, first, self._clock - first, **about)
        self._tile = None

    def end_binning(self) -> None:
        """The tile lists of a job are there."""
        self._end_part("binning")

    def end_job(self, name: str) -> None:
        """A job is drawn."""
        self._end_tile()
        self._end_part(name)

    def _end_part(self, name: str) -> None:
        clock = self._clock
        if clock > self._first:
            self._jobs.tell(name, self._first, clock - self._first)
        self._first = clock

    def close(self) -> None:
        """Tell what is not told yet."""
        self._end_tile()
        self._end_part("not ended")
