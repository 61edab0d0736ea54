"""What commands about captured frames share: whether the picture is right."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..clist import Capture
from ..problem import ExitStatus
from ..render.picture import Picture, compare, difference_picture, expected_picture, is_top_first, save

__all__ = ["verdict"]


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
