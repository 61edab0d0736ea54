"""`vc4 render` on the RTL."""

import argparse
import sys
from collections.abc import Iterator

import numpy as np
from tqdm import tqdm

from vc4.regs.counters import SOURCES

from ..clist import Capture, CaptureJob
from ..lockstep.difference import Difference
from ..problem import BadInput, ExitStatus
from ..render.picture import is_top_first, picture_of, save
from ..render.sizes import tile_size, tiles_of
from ..timeline import Names
from .engines import wanted_timeline, wanted_waves
from .frames import verdict
from .options import config_of

__all__ = ["render_rtl"]

#: What `--stats` counts: as many sources as there are counters.
_COUNTED = tuple(
    source.name
    for source in SOURCES
    if source.name.startswith(("FEP", "PSE", "TLB", "QPU_CLOCKS", "QPU_STALLS")) and not source.name.endswith("COVERED")
)


def render_rtl(capture: Capture, options: argparse.Namespace) -> int:
    """As the options of `vc4 render` say."""
    from ..frames.host import DrawHost  # it takes a second: who wants the model need not wait for that
    from ..timeline.frames import FrameTimeline

    if options.tile and options.window:
        raise BadInput("--tile says which clocks: leave --window out")
    config = config_of(options).drawing
    memory = {name: getattr(options, name) for name in ("latency", "gap", "seed", "max_cycles")}
    host = DrawHost(capture, config, options.on, counted=_COUNTED if options.stats else (), **memory)
    same = done = 0
    drawing = wanted_timeline(options, options.case, lambda file: FrameTimeline(file, config, Names()))
    with _progress(capture) as bar, drawing as timeline:
        for job in capture.jobs:
            is_last = job is capture.jobs[-1]
            try:
                run, beside = host.run(
                    job,
                    lockstep=options.lockstep,
                    waves=wanted_waves(options) if is_last else None,
                    tile=options.tile if is_last else None,
                    progress=lambda tiles, done=done: bar.update(done + tiles - bar.n),
                    timed=timeline,
                )
            except Difference as difference:
                print(f"DIFFERENCE in {capture.name}, {job.name}, seed {options.seed}: {difference}")
                return ExitStatus.DIFFERS
            if timeline:
                timeline.end_job(job.name, run)
            done += len(run.tiles)
            same += beside.retired if beside else 0
            print(f"{capture.name}, {job.name}: {run.cycles} cycles, {run.instructions} instructions")
            if options.stats:
                print("\n".join(_statistics(run)))
    picture = picture_of(capture, host.memory)
    if options.output:
        save(picture, options.output, top_first=is_top_first(capture))
    if options.lockstep:
        print(f"lockstep: {same} instructions and all memory, no difference")
    print(f"{capture.name}: {picture.shape[1]} by {picture.shape[0]} pixels")
    if not options.compare:
        return ExitStatus.PASS
    return verdict(capture, picture, options.output, lambda rows: _part(capture.jobs[-1], rows, options.tile))


def _progress(capture: Capture) -> tqdm:
    """Shows how many tiles are drawn, on a terminal."""
    total = sum(map(tiles_of, capture.jobs))
    return tqdm(total=total, unit=" tiles", disable=not sys.stderr.isatty(), leave=False)


def _statistics(run) -> Iterator[str]:
    """Counters, what the stages did, and which tile took longest."""
    from ..frames.activity import stage_lines

    yield from (f"  {count:10}  {name.lower()}" for name, count in run.counts.items())
    stored = [one for one in run.tiles if one.last]
    if stored:
        longest = max(stored, key=lambda one: one.last - one.first)
        clocks = longest.last - longest.first
        yield f"  {len(stored)} tiles; {longest.x},{longest.y} took longest, {clocks} clocks from {longest.first} on"
    yield from stage_lines(run.stages)


def _part(job: CaptureJob, rows: np.ndarray, tile: tuple[int, int] | None) -> np.ndarray:
    """That of a tile, if the case says how large tiles are."""
    size = tile_size(job)
    if not (tile and size):
        return rows
    (column, row), (width, height) = tile, size
    return rows[row * height : (row + 1) * height, column * width : (column + 1) * width]
