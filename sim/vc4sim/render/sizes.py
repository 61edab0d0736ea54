"""How large frames and tiles of captured jobs are, as far as the case says."""

from ..clist import CaptureJob

__all__ = ["frame_size", "tile_size", "tiles_of"]

_MOST_PIXELS = 1 << 16


def tiles_of(job: CaptureJob) -> int:
    """Tiles of a job, as far as the case says."""
    count, tile = 1, tile_size(job)
    for side, length in zip(("width", "height"), tile or (), strict=False):
        count *= -(-job.details.integer(f"frame_{side}", 1, _MOST_PIXELS) // length)
    return count if tile else 0


def frame_size(job: CaptureJob) -> tuple[int, int]:
    """Pixels of the frame along x and y, 0 if the case does not say."""
    width, height = (
        job.details.integer(name, 1, _MOST_PIXELS) if name in job.details else 0
        for name in ("frame_width", "frame_height")
    )
    return width, height


def tile_size(job: CaptureJob) -> tuple[int, int] | None:
    """Width and height of a tile, if the case says so."""
    sides = ("width", "height")
    if any(f"{what}_{side}" not in job.details for what in ("frame", "tile") for side in sides):
        return None
    width, height = (job.details.integer(f"tile_{side}", 1, _MOST_PIXELS) for side in sides)
    return width, height
