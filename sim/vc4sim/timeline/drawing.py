"""Tracks of jobs and tiles of a frame."""

from .trace_file import TraceFile

__all__ = ["FIRST_STAGE", "GROUP", "NAME", "JobTrack", "TileTracks"]

#: The process of the tracks, and its name.
GROUP, NAME = 3, "drawing"
#: Numbers of the tracks: jobs, stages, tiles that are drawn at the same time.
_JOBS, FIRST_STAGE, _TILES = 1, 2, 100


class JobTrack:
    """The track of the jobs of a frame, or of what is done for one of them."""

    def __init__(self, file: TraceFile):
        self._file = file

    def tell(self, name: str, first: int, clocks: int, **about: int) -> None:
        """Something from a clock on."""
        self._file.track(GROUP, _JOBS, "jobs", NAME)
        self._file.slice(GROUP, _JOBS, first, clocks, self._file.about(name, "job", **about))


class TileTracks:
    """The tracks of tiles, of which several may be under way."""

    def __init__(self, file: TraceFile):
        self._file = file

    def tile(self, x: int, y: int, first: int, clocks: int, *, lane: int = 0, **about: int) -> None:
        """One of them."""
        self._file.track(GROUP, _TILES + lane, f"tiles, {lane + 1}" if lane else "tiles", NAME)
        text = self._file.about(f"tile {x},{y}", "tile", **about)
        self._file.slice(GROUP, _TILES + lane, first, clocks, text)
