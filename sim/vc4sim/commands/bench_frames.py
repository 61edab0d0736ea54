"""`vc4 bench frames`: how fast the RTL draws captured frames."""

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from vc4.config import V3DConfig

from ..clist import Capture, load_capture

__all__ = ["FrameRate", "measure_frames", "rate_lines"]


@dataclass(frozen=True)
class FrameRate:
    """Of a frame its clocks, and how many of them a second."""

    name: str
    clocks: int
    clocks_per_second: float


def measure_frames(folders: Iterable[Path], config: V3DConfig, on: str, seconds: float) -> list[FrameRate]:
    """Each frame is drawn again and again for about `seconds`, after once to compile; the fastest time counts. Raises `BadInput`."""
    captures = [load_capture(folder) for folder in folders]
    return [
        _measure(capture, config, on, seconds)
        for capture in tqdm(captures, unit=" frames", disable=not sys.stderr.isatty(), leave=False)
    ]


def _measure(capture: Capture, config: V3DConfig, on: str, budget: float) -> FrameRate:
    clocks, _ = _drawn(capture, config, on)
    spent: list[float] = []
    while sum(spent) < budget:
        spent.append(_drawn(capture, config, on)[1])
    return FrameRate(capture.name, clocks, clocks / min(spent))


def _drawn(capture: Capture, config: V3DConfig, on: str) -> tuple[int, float]:
    """The clocks of all its jobs, and the seconds."""
    from ..frames.host import DrawHost  # it takes a second: other commands need not wait for that

    host = DrawHost(capture, config.drawing, on)
    begin = time.perf_counter()
    clocks = sum(host.run(job)[0].cycles for job in capture.jobs)
    return clocks, time.perf_counter() - begin


def rate_lines(rates: Iterable[FrameRate]) -> list[str]:
    """A table, a row for each frame."""
    head = f"{'frame':<24}{'clocks':>12}{'a second':>12}"
    return [head, *(f"{one.name:<24}{one.clocks:>12,}{one.clocks_per_second:>12,.0f}" for one in rates)]
