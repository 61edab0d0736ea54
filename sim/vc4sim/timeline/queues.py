"""Tracks of the queues between blocks: how full they were."""

import numpy as np

from vc4.config import V3DConfig

from ..queues import LEVEL_CLOCKS, levels_of, peaks_of
from .trace_file import TraceFile

__all__ = ["GROUP", "QueueTracks"]

#: The process of the tracks, and its name.
GROUP, _NAME = 4, "queues"


class QueueTracks:
    """Writes a counter for each queue that is ever used to `file`, for a GPU that is built as `config` says: its highest level in
    `LEVEL_CLOCKS` clocks.
    """

    def __init__(self, file: TraceFile, config: V3DConfig):
        self._file = file
        self._levels = levels_of(config)
        self._names = [f"{level.name}, of {level.queue.depth}" for level in self._levels]
        self._shown = [0] * len(self._levels)
        self._end = 0

    def follow(self, rows: np.ndarray, origin: int) -> None:
        """Records of the RTL, one a row, of a run whose first clock is `origin` here."""
        for clock, levels in peaks_of(rows, len(self._levels)):
            self._show(origin + clock, levels)

    def forget(self) -> None:
        """The run is over, and they are empty."""
        self._show(self._end, [0] * len(self._levels))

    def _show(self, clock: int, levels: list[int]) -> None:
        self._end = clock + LEVEL_CLOCKS
        for number, (level, shown) in enumerate(zip(levels, self._shown, strict=True)):
            if level != shown:
                self._file.group(GROUP, _NAME)
                self._file.counter(GROUP, clock, self._names[number], **{self._levels[number].queue.items: level})
        self._shown = levels
