"""What commands about captured frames share: how many tiles there are, and whether the picture is right."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..clist import Capture, CaptureJob
from ..problem import ExitStatus
from ..render.picture import Picture, compare, difference_picture, expected_picture, is_top_first, save

__all__ = ["tile_size", "tiles_of", "verdict"]

_MOST_PIXELS = 1 << 16


def tiles_of(job: CaptureJob) -> int:
    """Tiles of a job, as far as the case says."""
    count, tile = 1, tile_size(job)
    for side, length in zip(("width", "height"), tile or (), strict=False):
        count *= -(-job.details.integer(f"frame_{side}", 1, _MOST_PIXELS) // length)
    return count if tile else 0


def tile_size(job: CaptureJob) -> tuple[int, int] | None:
    """Width and height of a tile, if the case says so."""
    sides = ("width", "height")
    if any(f"{what}_{side}" not in job.details for what in ("frame", "tile") for side in sides):
        return None
    width, height = (job.details.integer(f"tile_{side}", 1, _MOST_PIXELS) for side in sides)
    return width, height


def verdict(
    capture: Capture, picture: Picture, path: Path | None, part: Callable[[np.ndarray], np.ndarray]
) -> ExitStatus:
    """Compare `part` of it, and say how it went."""
    comparison = compare(capture, picture, expected_picture(capture))
    if path:
        name = path.with_name(f"{path.stem}-difference{path.suffix}")
        save(difference_picture(comparison), name, top_first=is_top_first(capture))
    bad = part(comparison.bad)
    passes = np.count_nonzero(bad) <= comparison.most
    word = "PASS" if passes else "FAIL"
    print(f"{word} {capture.name}: {np.count_nonzero(bad)} bad pixels of {bad.size}, at most {comparison.most}")
    return ExitStatus.PASS if passes else ExitStatus.DIFFERS
