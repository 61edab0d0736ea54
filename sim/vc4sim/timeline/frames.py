"""Timelines of frames on the RTL."""

import numpy as np

from vc4.config import V3DConfig

from ..frames.activity import spans_of
from ..frames.draw import DrawRun
from ..retired import STAGED
from .drawing import JobTrack, TileTracks
from .names import Names
from .stages import StageTracks, tell_tiles
from .timeline import Timeline
from .trace_file import TraceFile

__all__ = ["FrameTimeline"]


class FrameTimeline(Timeline):
    """The timeline of jobs on the RTL, one after the other: see `Timeline`, and `end_job`."""

    kinds = Timeline.kinds | {STAGED}

    def __init__(self, file: TraceFile, config: V3DConfig, names: Names):
        super().__init__(file, config, names)
        self._jobs, self._tiles = JobTrack(file), TileTracks(file)
        self._stages = StageTracks(file, config.qpus)
        self._count = config.qpus

    def follow(self, rows: np.ndarray) -> None:
        """Records of the RTL, one a row."""
        super().follow(rows)
        for span in spans_of(rows, self._count):
            self._stages.span(span, self._origin)

    def end_job(self, name: str, run: DrawRun) -> None:
        """A job is done; the next one begins after it."""
        self._end_run()
        self._stages.close()
        self._jobs.tell(name, self._origin, run.cycles, instructions=run.instructions)
        tell_tiles(self._tiles, run.tiles, self._origin)
        self._origin += run.cycles

    def close(self) -> None:
        """Tell what is not told yet."""
        self._stages.close()
        super().close()
